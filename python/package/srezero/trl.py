"""Incidents for TRL's `GRPOTrainer(environment_factory=...)`: every public method of the class is a tool.

    from srezero.trl import IncidentEnv, rows
    trainer = GRPOTrainer(..., train_dataset=Dataset.from_list(rows("train")), environment_factory=IncidentEnv)

Nothing here imports TRL: it reads type hints and docstrings.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from ._native import Episode, suite_tasks

PROMPT = "You are an on-call engineer. Use the tools, one at a time, and close the incident when it is over."
"""What the user says in `rows`; the page is added to it by `reset`."""


def rows(suite: str = "train", seeds: Iterable[int] = range(4), **more: Any) -> list[dict[str, Any]]:
    """Rows of a data set: a prompt, and what `IncidentEnv.reset` takes.

    Args:
        suite: A named set of tasks.
        seeds: The world seeds under which each of them is played.
        more: Further columns, such as `reward="sparse"` or `noise=1`.

    Returns:
        One row for each task and seed.
    """
    prompt = [{"role": "user", "content": PROMPT}]
    return [{"prompt": prompt, "task": task, "seed": seed, **more} for task in suite_tasks(suite) for seed in seeds]


class IncidentEnv:
    """One incident with the eight published tools. An instance can be used again after `reset`."""

    _tools = "classic"

    def __init__(self) -> None:
        self._episode: Episode | None = None
        self._reward = "published"

    def reset(self, task: str = "", seed: int = 0, noise: int = 0, reward: str = "published", **_row: Any) -> str:
        """Begins an incident.

        Args:
            task: The id of a task or a task file; without one the seed picks a task of the suite `train`.
            seed: The seed of its world.
            noise: How imperfect telemetry is, 0 to 3.
            reward: `published`, `sparse` or `impact`.

        Returns:
            The page and what can be done.
        """
        if reward not in ("published", "sparse", "impact"):
            raise ValueError(f"reward is {reward!r}; it can be 'published', 'sparse' or 'impact'")
        if not task:
            known = suite_tasks("train")
            task = known[seed % len(known)]
        self._reward = reward
        self._episode = Episode(task, seed, noise=noise, tools=self._tools, agent="trl")
        return self._episode.brief

    def inspect_logs(self, service: str) -> str:
        """Shows a sample of a service's log lines of the last ten minutes.

        Args:
            service: The name of the service.

        Returns:
            The log lines.
        """
        return self._call("inspect_logs", service=service)

    def inspect_metrics(self, service: str) -> str:
        """Shows the current metrics of a service beside their values ten minutes ago and their usual values.

        Args:
            service: The name of the service.

        Returns:
            The metrics.
        """
        return self._call("inspect_metrics", service=service)

    def check_status(self, service: str) -> str:
        """Shows the status page of a service: health, instances, firing alerts.

        Args:
            service: The name of the service.

        Returns:
            The status page.
        """
        return self._call("check_status", service=service)

    def inspect_config(self, service: str) -> str:
        """Shows the configuration of a service.

        Args:
            service: The name of the service.

        Returns:
            Keys, values and what they do.
        """
        return self._call("inspect_config", service=service)

    def restart_service(self, service: str) -> str:
        """Restarts all instances of a service; it comes back cold and drops what was in flight.

        Args:
            service: The name of the service.

        Returns:
            What was started.
        """
        return self._call("restart_service", service=service)

    def update_config(self, service: str, key: str, value: str) -> str:
        """Sets a configuration key of a service.

        Args:
            service: The name of the service.
            key: The key.
            value: The new value.

        Returns:
            What was changed.
        """
        return self._call("update_config", service=service, key=key, value=value)

    def resolve_incident(self, root_cause: str, fix: str) -> str:
        """Closes the incident. This is final.

        Args:
            root_cause: What was wrong, and where.
            fix: What ended it.

        Returns:
            That it is closed.
        """
        return self._call("resolve_incident", root_cause=root_cause, fix=fix)

    def escalate(self, reason: str) -> str:
        """Hands the incident over to another engineer. This is final.

        Args:
            reason: Why.

        Returns:
            That it is handed over.
        """
        return self._call("escalate", reason=reason)

    def get_reward(self) -> float:
        """What the episode is worth so far; one that has not ended counts as given up."""
        if self._episode is None:
            return 0.0
        return reward_of(self._episode, self._reward)

    def _call(self, tool: str, **arguments: str) -> str:
        if self._episode is None:
            raise RuntimeError("there is no incident yet; call reset first")
        return self._episode.step(as_json(tool, arguments))[0]


class FullIncidentEnv(IncidentEnv):
    """One incident with all seventeen tools."""

    _tools = "full"

    def search_logs(self, service: str, level: str = "info", text: str = "", minutes: int = 15) -> str:
        """Shows log lines at least as loud as a level that contain a text.

        Args:
            service: The name of the service.
            level: `info`, `warn` or `error`.
            text: What the lines must contain.
            minutes: How far back to look, 1 to 120.

        Returns:
            The log lines.
        """
        return self._call("search_logs", service=service, level=level, text=text, minutes=str(minutes))

    def query_metrics(self, service: str, metric: str, minutes: int = 30) -> str:
        """Shows one metric of a service over the last minutes.

        Args:
            service: The name of the service.
            metric: The name of the metric.
            minutes: How far back to look, 1 to 120.

        Returns:
            Least, greatest, latest, and the course.
        """
        return self._call("query_metrics", service=service, metric=metric, minutes=str(minutes))

    def check_dependencies(self, service: str) -> str:
        """Shows the services that a service calls, as it sees them.

        Args:
            service: The name of the service.

        Returns:
            Rate, errors and latency of each.
        """
        return self._call("check_dependencies", service=service)

    def check_routes(self) -> str:
        """Shows how each route stands against its objective.

        Returns:
            What users feel, route by route.
        """
        return self._call("check_routes")

    def list_traces(self, route: str, count: int = 3) -> str:
        """Shows a few sampled requests of a route, call by call.

        Args:
            route: The name of the route.
            count: How many requests, 1 to 10.

        Returns:
            The requests.
        """
        return self._call("list_traces", route=route, count=str(count))

    def list_alerts(self) -> str:
        """Shows alerts that fire or are pending.

        Returns:
            The alerts.
        """
        return self._call("list_alerts")

    def list_changes(self, minutes: int = 180) -> str:
        """Shows deploys, configuration pushes and restarts with their ids.

        Args:
            minutes: How far back to look, 1 to 1440.

        Returns:
            The changes.
        """
        return self._call("list_changes", minutes=str(minutes))

    def rollback_change(self, id: int) -> str:
        """Takes a change back.

        Args:
            id: The number of the change, as `list_changes` shows it.

        Returns:
            What is being rolled back.
        """
        return self._call("rollback_change", id=str(id))

    def silence_alert(self, alert: str) -> str:
        """Silences an alert; what it is about goes on.

        Args:
            alert: The name of the alert.

        Returns:
            That it is silenced.
        """
        return self._call("silence_alert", alert=alert)


def as_json(tool: str, arguments: dict[str, str]) -> str:
    """A call as the text that is played for it; empty arguments are left out."""
    given = {name: value for name, value in arguments.items() if value != ""}
    return json.dumps({"action": tool, **given}, sort_keys=True, separators=(",", ":"))


def reward_of(episode: Episode, scheme: str) -> float:
    """What an episode is worth: its published reward, 1 for a success, or the share of harm that was avoided."""
    if scheme == "sparse":
        return float(episode.success)
    if scheme == "impact":
        return max(-1.0, min(1.0, json.loads(episode.score())["harm_avoided"] or 0.0))
    return episode.reward
