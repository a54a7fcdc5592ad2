"""Incidents for TRL's `GRPOTrainer(environment_factory=...)`: every public method of the class is a tool. The methods are made from the
tool table when the module is read, so there is one for each tool that there is.

    from srezero.trl import IncidentEnv, rows
    trainer = GRPOTrainer(..., train_dataset=Dataset.from_list(rows("train")), environment_factory=IncidentEnv)

Nothing here imports TRL: it reads type hints and docstrings.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterable
from typing import Any

from ._native import Episode, suite_tasks, tool_table

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
    """One incident with the published tools. An instance can be used again after `reset`."""

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

    def get_reward(self) -> float:
        """What the episode is worth so far; one that has not ended counts as given up."""
        if self._episode is None:
            return 0.0
        return reward_of(self._episode, self._reward)

    def _call(self, tool: str, arguments: dict[str, Any]) -> str:
        if self._episode is None:
            raise RuntimeError("there is no incident yet; call reset first")
        return self._episode.step(as_json(tool, arguments))[0]


class FullIncidentEnv(IncidentEnv):
    """One incident with all tools."""

    _tools = "full"


def _type(param: dict[str, Any]) -> Any:
    """The Python type of a parameter, by its JSON Schema."""
    kind = param["schema"]["type"]
    plain = int if (kind if isinstance(kind, str) else kind[0]) == "integer" else str
    return plain | None if param["optional"] else plain


def _help(param: dict[str, Any]) -> str:
    """What a parameter takes, in words."""
    schema = param["schema"]
    words = [schema.get("description", "")]
    if "enum" in schema:
        words.append("one of " + ", ".join(schema["enum"]))
    if "minimum" in schema:
        words.append(f"a number from {schema['minimum']} to {schema['maximum']}")
    if param["optional"]:
        words.append("may be left out")
    return "; ".join(word for word in words if word)


def _method(tool: dict[str, Any]) -> Any:
    """A method for a tool, with the signature, the type hints and the docstring that TRL reads."""
    name, params = tool["name"], tool["params"]
    place = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter("self", place)]
    for param in params:
        default = None if param["optional"] else inspect.Parameter.empty
        parameters.append(inspect.Parameter(param["name"], place, default=default, annotation=_type(param)))
    signature = inspect.Signature(parameters, return_annotation=str)

    def method(self: IncidentEnv, *args: Any, **kwargs: Any) -> str:
        given = dict(signature.bind(self, *args, **kwargs).arguments)
        del given["self"]
        return self._call(name, given)

    method.__name__ = method.__qualname__ = name
    method.__signature__ = signature  # type: ignore[attr-defined]
    method.__annotations__ = {param["name"]: _type(param) for param in params} | {"return": str}
    takes = [f"    {param['name']}: {_help(param)}" for param in params]
    about = tool["about"][0].upper() + tool["about"][1:] + "."
    lines = [about, "", *(["Args:", *takes, ""] if takes else []), "Returns:", "    What the tool shows."]
    method.__doc__ = "\n".join(lines)
    return method


for _cls in (IncidentEnv, FullIncidentEnv):
    for _tool in json.loads(tool_table(_cls._tools)):
        if not hasattr(_cls, _tool["name"]):
            setattr(_cls, _tool["name"], _method(_tool))


def as_json(tool: str, arguments: dict[str, Any]) -> str:
    """A call as the text that is played for it, its values as text; empty arguments are left out."""
    text = {name: value if isinstance(value, str) else json.dumps(value) for name, value in arguments.items()}
    given = {name: value for name, value in text.items() if value not in ("", "null")}
    return json.dumps({"action": tool, **given}, sort_keys=True, separators=(",", ":"))


def reward_of(episode: Episode, scheme: str) -> float:
    """What an episode is worth: its published reward, 1 for a success, or the share of harm that was avoided."""
    if scheme == "sparse":
        return float(episode.success)
    if scheme == "impact":
        return max(-1.0, min(1.0, json.loads(episode.score())["harm_avoided"] or 0.0))
    return episode.reward
