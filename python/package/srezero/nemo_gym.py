"""Incidents for NeMo Gym: a resources server whose endpoints are the incident's tools, and rows of a data set for it.

    python -m srezero.nemo_gym --suite train --seeds 4 > incidents.jsonl

A row holds the page and the tools in the shape of the Responses API, and which incident it is. `/seed_session` begins it, every
tool is an endpoint, and `/verify` says what the episode was worth.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import PlainTextResponse
from nemo_gym.base_resources_server import (
    BaseResourcesServerConfig,
    BaseSeedSessionRequest,
    BaseSeedSessionResponse,
    BaseVerifyRequest,
    BaseVerifyResponse,
    SimpleResourcesServer,
)
from nemo_gym.server_utils import SESSION_ID_KEY
from pydantic import ConfigDict, PrivateAttr

from ._native import Episode, suite_tasks, tool_table
from .trl import PROMPT, as_json, reward_of


def rows(
    suite: str = "train", seeds: Iterable[int] = range(4), tools: str = "classic", noise: int = 0, **more: Any
) -> Iterator[dict[str, Any]]:
    """Rows of a data set, one for each task and seed.

    Args:
        suite: A named set of tasks.
        seeds: The world seeds under which each of them is played.
        tools: `classic` or `full`.
        noise: How imperfect telemetry is, 0 to 3.
        more: Further columns, such as `scheme="sparse"` or `agent_ref`.
    """
    offered = definitions(tools)
    for task in suite_tasks(suite):
        for seed in seeds:
            page = Episode(task, seed, noise=noise, tools=tools, agent="nemo").brief
            asked = [{"role": "system", "content": PROMPT}, {"role": "user", "content": page}]
            params = {"input": asked, "tools": offered, "parallel_tool_calls": False}
            yield {"responses_create_params": params, "task": task, "seed": seed, "tools": tools, "noise": noise, **more}


def definitions(tools: str) -> list[dict[str, Any]]:
    """The tools in the shape of the Responses API."""
    return [_definition(tool) for tool in json.loads(tool_table(tools))]


def _definition(tool: dict[str, Any]) -> dict[str, Any]:
    params = tool["params"]
    schema = {
        "type": "object",
        "properties": {param["name"]: param["schema"] for param in params},
        "required": [param["name"] for param in params if not param["optional"]],
        "additionalProperties": False,
    }
    return {"type": "function", "name": tool["name"], "description": tool["about"], "parameters": schema, "strict": False}


class SeedSessionRequest(BaseSeedSessionRequest):
    """Which incident is begun: the columns of a row."""

    model_config = ConfigDict(extra="ignore")
    task: str
    seed: int = 0
    tools: str = "classic"
    noise: int = 0


class VerifyRequest(BaseVerifyRequest):
    """What the model did, and by which scheme it is paid: `published`, `sparse` or `impact`."""

    model_config = ConfigDict(extra="allow")
    scheme: str = "published"


class VerifyResponse(BaseVerifyResponse):
    """What the episode was worth, and how it went."""

    model_config = ConfigDict(extra="allow")
    success: bool
    steps: int
    failure_mode: str


class IncidentServer(SimpleResourcesServer):
    """One incident for each session."""

    config: BaseResourcesServerConfig
    _episodes: dict[str, Episode] = PrivateAttr(default_factory=dict)

    def setup_webserver(self) -> FastAPI:
        """The endpoints of every resources server, and one for each tool."""
        app = super().setup_webserver()
        app.post("/{tool}", response_class=PlainTextResponse)(self.call)
        return app

    async def seed_session(self, request: Request, body: SeedSessionRequest) -> BaseSeedSessionResponse:
        """Begins the incident of a row."""
        episode = Episode(body.task, body.seed, noise=body.noise, tools=body.tools, agent="nemo")
        self._episodes[request.session[SESSION_ID_KEY]] = episode
        return BaseSeedSessionResponse()

    async def call(self, request: Request, tool: str) -> PlainTextResponse:
        """Plays a call. One that is no valid action costs a step, as everywhere; after the end nothing happens."""
        episode = self._episodes.get(request.session[SESSION_ID_KEY])
        if episode is None:
            return PlainTextResponse("there is no incident in this session; /seed_session begins one", 409)
        if episode.is_over:
            return PlainTextResponse("The episode is over.")
        given = await request.json()
        return PlainTextResponse(episode.step(as_json(tool, given if isinstance(given, dict) else {}))[0])

    async def verify(self, request: Request, body: VerifyRequest) -> VerifyResponse:
        """Ends the session's episode and says what it was worth; one that is still going on counts as given up."""
        episode = self._episodes.pop(request.session[SESSION_ID_KEY])
        if not episode.is_over:
            episode.give_up()
        found = json.loads(episode.score())
        told = {name: found[name] for name in ("success", "steps", "failure_mode")}
        return VerifyResponse(**body.model_dump(), **told, reward=reward_of(episode, body.scheme))


def main() -> None:
    """Prints rows as JSON lines."""
    parser = argparse.ArgumentParser(prog="python -m srezero.nemo_gym", description="rows of a data set as JSON lines")
    parser.add_argument("--suite", default="train")
    parser.add_argument("--seeds", type=int, default=4, help="how many seeds of each task")
    parser.add_argument("--tools", default="classic", choices=["classic", "full"])
    parser.add_argument("--noise", type=int, default=0)
    parser.add_argument("--scheme", default="published", choices=["published", "sparse", "impact"])
    parser.add_argument("--agent", default="incidents_simple_agent", help="the agent's name in the configuration")
    asked = parser.parse_args()
    agent = {"type": "responses_api_agents", "name": asked.agent}
    for row in rows(asked.suite, range(asked.seeds), asked.tools, asked.noise, scheme=asked.scheme, agent_ref=agent):
        print(json.dumps(row))


if __name__ == "__main__":
    main()
