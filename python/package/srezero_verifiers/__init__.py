"""Incidents for verifiers: `id = "srezero-verifiers"` in the `[env.taskset]` of a configuration.

A task is an incident under a seed. The model writes one action per turn, the incident answers as the user, and the
reward is that of the episode.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import verifiers.v1 as vf
from srezero import Episode, suite_tasks
from srezero.trl import reward_of

__all__ = ["IncidentConfig", "IncidentData", "IncidentEnv", "IncidentEnvConfig", "IncidentTask", "IncidentTaskset"]

SYSTEM_PROMPT = (
    "You are an on-call engineer. Answer every message with one action and nothing else, as a call such as "
    "inspect_logs(service)."
)


class IncidentConfig(vf.TasksetConfig):
    """Which incidents are played, and how."""

    suite: str = "train"
    tasks: list[str] = []
    """Ids or task files, instead of a suite."""
    seeds: int = 1
    noise: int = 0
    tools: Literal["classic", "full"] = "classic"
    reward: Literal["published", "sparse", "impact"] = "published"


class IncidentData(vf.TaskData):
    """What an incident is rebuilt from."""

    info: dict[str, Any]


class IncidentTask(vf.Task[IncidentData, vf.State, vf.TaskConfig]):
    """One incident under one seed."""


class IncidentTaskset(vf.Taskset[IncidentTask, IncidentConfig]):
    """The tasks of a suite or a list, each under the seeds below `seeds`."""

    def load(self) -> Iterator[IncidentTask]:
        """One task for each incident, in the order of the suite."""
        config = self.config
        for task in config.tasks or suite_tasks(config.suite):
            for seed in range(config.seeds):
                info = {"task": task, "seed": seed, "noise": config.noise, "tools": config.tools}
                episode = begin(info)
                data = IncidentData(
                    name=f"{episode.incident}/{seed}",
                    prompt=episode.brief,
                    system_prompt=SYSTEM_PROMPT,
                    info={**info, "reward": config.reward},
                )
                yield IncidentTask(data, config.task)


class IncidentEnvConfig(vf.EnvConfig):
    """One agent plays."""

    player: vf.AgentConfig = vf.AgentConfig()


class IncidentEnv(vf.Env[IncidentEnvConfig]):
    """Plays the incident against the model: every reply of the model is one action."""

    async def run(self, task: IncidentTask, agents: Any) -> None:
        """One episode."""
        info = task.data.info
        episode = begin(info)
        async with agents.player.interaction(task) as interaction:
            segment = await interaction.turn()
            while not segment.terminated:
                observation, _, done = episode.step(segment.last_reply or "")
                if done:
                    break
                segment = await interaction.turn(observation)
        trace = interaction.trace
        trace.record_reward("incident_reward", reward_of(episode, info["reward"]), 1.0)
        trace.info["success"] = episode.success
        trace.info["ending"] = episode.ending


def begin(info: dict[str, Any]) -> Episode:
    """The episode of a task."""
    return Episode(info["task"], info["seed"], noise=info["noise"], tools=info["tools"], agent="verifiers")
