"""Incidents for SkyRL-Gym: `skyrl_gym.make("srezero", env_config={}, extras={"task": ..., "seed": ...})`."""

from __future__ import annotations

from typing import Any

from skyrl_gym.envs.base_text_env import BaseTextEnv, BaseTextEnvStepOutput
from skyrl_gym.envs.registration import register

from ._native import Episode
from .trl import reward_of


class IncidentEnv(BaseTextEnv):
    """One incident, text in and text out.

    Args:
        env_config: Defaults for what `extras` do not say: `noise`, `tools`, `reward`.
        extras: The row of the data set: `task`, `seed`, and what else `env_config` takes.
    """

    def __init__(self, env_config: Any = None, extras: dict[str, Any] | None = None) -> None:
        super().__init__()
        row = {**dict(env_config or {}), **(extras or {})}
        if "task" not in row:
            raise ValueError("extras have no `task`; put the id of a task into the data set's row")
        tools, noise = row.get("tools", "classic"), row.get("noise", 0)
        self._scheme = row.get("reward", "published")
        self._episode = Episode(row["task"], row.get("seed", 0), noise=noise, tools=tools, agent="skyrl")
        self.max_turns = self._episode.steps_left

    def init(self, prompt: list[dict[str, str]]) -> tuple[list[dict[str, str]], dict[str, Any]]:
        """The prompt with the page behind it."""
        page = {"role": "user", "content": self._episode.brief}
        return [*prompt, page], {"incident": self._episode.incident}

    def step(self, action: str) -> BaseTextEnvStepOutput:
        """Plays the model's text. With a scheme other than `published` all is paid at the end."""
        self.turns += 1
        observation, reward, done = self._episode.step(action)
        if self._scheme != "published":
            reward = reward_of(self._episode, self._scheme) if done else 0.0
        messages = [] if done else [{"role": "user", "content": observation}]
        return BaseTextEnvStepOutput(observations=messages, reward=reward, done=done, metadata={})

    def get_metrics(self) -> dict[str, Any]:
        """How it went."""
        return {"success": float(self._episode.success), "steps": self._episode.steps_taken}


register(id="srezero", entry_point="srezero.skyrl:IncidentEnv")
