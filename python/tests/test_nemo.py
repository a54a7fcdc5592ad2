"""NeMo Gym's own agent and client on the resources server of the package, with the rehearsal provider as their model."""

import os
import subprocess
import threading

import pytest

pytest.importorskip("nemo_gym")

import requests
import uvicorn
from fastapi import FastAPI
from nemo_gym import server_utils
from nemo_gym.config_types import BaseServerConfig, ModelServerRef, ResourcesServerRef
from nemo_gym.server_utils import ServerClient
from omegaconf import OmegaConf
from responses_api_agents.simple_agent.app import SimpleAgent, SimpleAgentConfig
from srezero import nemo_gym as incidents

HOST = "127.0.0.1"


@pytest.fixture
def model():
    """A model that plays by the runbook; its port."""
    command = [os.environ["SRE_ZERO_BIN"], "rehearse", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            yield int(process.stdout.readline().rsplit(":", 1)[1])
        finally:
            process.terminate()


class Served:
    """A server of NeMo Gym's kind in a thread, on a port that is free."""

    def __init__(self, app):
        self.server = uvicorn.Server(uvicorn.Config(app, host=HOST, port=0, log_level="error"))
        self.ready = threading.Event()
        startup = self.server.startup

        async def started(*args, **kwargs):
            await startup(*args, **kwargs)
            self.ready.set()

        self.server.startup = started
        self.thread = threading.Thread(target=self.server.run, daemon=True)
        self.thread.start()
        assert self.ready.wait(60)
        self.port = self.server.servers[0].sockets[0].getsockname()[1]

    def stop(self):
        self.server.should_exit = True
        self.thread.join()


def model_server(port):
    """The model as NeMo Gym wants it: with those fields of a response that repeat the request."""
    app = FastAPI()

    @app.post("/v1/responses")
    def answer(asked: dict) -> dict:
        told = requests.post(f"http://{HOST}:{port}/v1/responses", json=asked, timeout=60).json()
        return {"parallel_tool_calls": False, "tool_choice": "auto", "tools": asked["tools"], **told}

    return app


def config(cls, name, **more):
    return cls(host=HOST, port=1, entrypoint="app.py", name=name, **more)


def test_an_agent_of_nemo_gym_plays(model, monkeypatch):
    # The agent's client is made at its first request, by a configuration that the launcher would have read.
    monkeypatch.setattr(server_utils, "get_global_config_dict", lambda **_: OmegaConf.create({}))
    head = BaseServerConfig(host=HOST, port=1)
    places = OmegaConf.create({})
    client = ServerClient(head_server_config=head, global_config_dict=places)
    world = incidents.IncidentServer(config=config(incidents.BaseResourcesServerConfig, "incidents"), server_client=client)
    agent = SimpleAgent(
        config=config(
            SimpleAgentConfig,
            "agent",
            resources_server=ResourcesServerRef(type="resources_servers", name="incidents"),
            model_server=ModelServerRef(type="responses_api_models", name="model"),
            max_steps=12,
        ),
        server_client=client,
    )
    served = [Served(app) for app in (world.setup_webserver(), agent.setup_webserver(), model_server(model))]
    kinds = {"incidents": "resources_servers", "agent": "responses_api_agents", "model": "responses_api_models"}
    for (name, kind), one in zip(kinds.items(), served, strict=True):
        places[name] = {kind: {name: {"host": HOST, "port": one.port}}}
    rows = [row for row in incidents.rows("easy", seeds=[1], scheme="published")][:6]
    for row in rows:
        row["responses_create_params"]["model"] = "runbook"
    played = [requests.post(f"http://{HOST}:{served[1].port}/run", json=row, timeout=120) for row in rows]
    assert all(answer.ok for answer in played), [answer.text for answer in played if not answer.ok]
    found = [answer.json() for answer in played]
    assert all(0 <= one["reward"] <= 1 and one["steps"] > 0 for one in found)
    assert any(one["success"] and one["reward"] > 0.5 for one in found), "the runbook solves some"
    # What a model is shown names neither the task nor its cause.
    for row, one in zip(rows, found, strict=True):
        shown = [part["output"] for part in one["response"]["output"] if part["type"] == "function_call_output"]
        assert shown and row["task"] not in str(shown) + str(row["responses_create_params"])
    # A call without a session, and one after the end.
    lost = requests.post(f"http://{HOST}:{served[0].port}/check_status", json={"service": "cache"}, timeout=30)
    assert lost.status_code == 409 and "/seed_session" in lost.text
    for one in served:
        one.stop()
