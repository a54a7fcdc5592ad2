"""Incidents as a task of Inspect, played there by any model or solver:

    inspect eval srezero/incidents --model openai/MODEL -T suite=dev -T seeds=3
    inspect eval srezero/incidents --model openai/MODEL -T suite=srezero-40 -T tools=full

A sample is a task under a seed. The model gets the page and the incident's tools and is asked until the episode is over.
Neither the sample nor a message names the task or its cause: samples are numbered, and truth is in the score alone.
"""

from __future__ import annotations

import json
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser, execute_tools, get_model
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolDef, ToolParam, ToolParams

from ._native import Episode, suite_tasks, tool_table
from .trl import as_json

SYSTEM = (
    "You are the engineer on call for a company's services. Work on the incident with the tools, one call at a time: look "
    "before you change anything, change only what the evidence points to, check that it helped, and close the incident "
    "when it is over."
)
"""What the model is told before the page."""

EVERY = [mean(), stderr(cluster="cluster")]


@task
def incidents(suite: str = "dev", seeds: int = 1, seed: int = 0, tools: str = "classic", noise: int = 0) -> Task:
    """Incidents of a suite.

    Args:
        suite: A named set of tasks, as `sre-zero tasks` lists them.
        seeds: How many seeds of each; every one is another incident.
        seed: The first of them.
        tools: `classic` or `full`.
        noise: How imperfect telemetry is, 0 to 3.
    """
    samples = [
        Sample(
            id=f"{suite}-{number:03}-seed-{at}",
            input="An incident is waiting.",
            metadata={"number": number, "seed": at, "cluster": number},
        )
        for number, _ in enumerate(suite_tasks(suite), 1)
        for at in range(seed, seed + seeds)
    ]
    return Task(
        dataset=MemoryDataset(samples, name=suite),
        solver=on_call(suite, tools, noise),
        scorer=graded(),
        version=1,
    )


@solver
def on_call(suite: str, tools: str = "classic", noise: int = 0) -> Solver:
    """Asks the model for one action after the other until the incident is over or the budget is spent."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        known = suite_tasks(suite)[state.metadata["number"] - 1]
        episode = Episode(known, state.metadata["seed"], noise=noise, tools=tools, agent="inspect", suite=suite)
        state.tools = [definition.as_tool() for definition in definitions(episode, tools)]
        state.messages = [ChatMessageSystem(content=SYSTEM), ChatMessageUser(content=episode.brief)]
        while not episode.is_over:
            state.output = await get_model().generate(state.messages, state.tools)
            state.messages.append(state.output.message)
            if state.output.message.tool_calls:
                done = await execute_tools(state.messages, state.tools)
                state.messages.extend(done.messages)
            else:
                # A turn without a call is played as it is: an invalid action costs a step, as everywhere.
                seen = episode.step(state.output.completion)[0]
                state.messages.append(ChatMessageUser(content=seen))
        state.store.set("score", episode.score())
        state.store.set("record", episode.record())
        state.completed = True
        return state

    return solve


@scorer(metrics={"success": EVERY, "reward": EVERY, "evidence_coverage": EVERY, "steps": EVERY})
def graded() -> Scorer:
    """The program's own grader: the same figures as in its reports."""

    async def score(state: TaskState, target: Target) -> Score:
        found = json.loads(state.store.get("score"))
        names = ("success", "reward", "evidence_coverage", "steps")
        cause = "root cause named" if found["root_cause_identified"] else "root cause not named"
        return Score(
            value={name: float(found[name]) for name in names},
            answer=cause,
            explanation=found["failure_mode"],
            metadata={"task": found["task"], "family": found.get("family", ""), "score": found},
        )

    return score


def definitions(episode: Episode, tools: str) -> list[ToolDef]:
    """The incident's tools as Inspect knows tools; each call is a step of the episode."""
    return [_definition(episode, tool) for tool in json.loads(tool_table(tools))]


def _definition(episode: Episode, tool: dict[str, Any]) -> ToolDef:
    name = tool["name"]

    async def call(**arguments: Any) -> str:
        if episode.is_over:
            return "The episode is over."
        return episode.step(as_json(name, arguments))[0]

    params = tool["params"]
    return ToolDef(
        call,
        name=name,
        description=tool["about"],
        # One action at a time: the world goes on with each.
        parallel=False,
        parameters=ToolParams(
            properties={param["name"]: ToolParam(**_plain(param["schema"])) for param in params},
            required=[param["name"] for param in params if not param["optional"]],
        ),
    )


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    """What Inspect takes of a schema; a value of several types is given as text."""
    kind = schema.get("type", "string")
    plain = {"type": kind if isinstance(kind, str) else "string", "description": schema.get("description", "")}
    return plain | {name: schema[name] for name in ("enum", "items") if name in schema}
