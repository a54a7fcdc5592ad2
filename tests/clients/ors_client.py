"""The Open Reward Standard's own client: splits, tasks, tools, a session that is played, and one that is given up."""

import importlib.metadata

import common

from ors.client import ORS

version = importlib.metadata.version("ors-sdk")

with common.compared(f"Open Reward Standard, ors-sdk {version}") as out, common.serving(out) as url, ORS(url) as client:
    environment = client.environment("sre-zero")
    assert environment.list_splits() == ["train", "dev", "test"]
    tasks = environment.list_tasks("train")
    assert len(tasks) == environment.num_tasks("train") == 1 and common.TASK not in str(tasks)
    tools = {tool.name for tool in environment.list_tools()}
    assert {tool for tool, _ in common.ACTIONS} <= tools, tools
    assert all(tool["parameters"] for tool in environment.list_tools(format="openai"))
    # A task is the client's own to say more of: a seed, and its agent's name.
    tasks[0].task_spec.update(seed=common.SEED, agent=common.AGENT)
    with environment.session(tasks[0]) as session:
        assert "PAGE" in session.get_prompt()[0].text
        assert any("cache" in str(tool.input_schema) for tool in session.list_tools()), "the services are listed"
        for tool, arguments in common.ACTIONS:
            result = session.call_tool(tool, arguments)
            assert result.reward is None, "the measured are told no reward"
            assert result.finished == (tool == "resolve_incident")

TOKEN = "correct-horse-battery-staple"
with common.server("--suite", "easy", "--rewards", "--token", TOKEN) as (url, _), ORS(url, TOKEN) as client:
    with client.environment("sre-zero").session(split="train", index=1) as session:
        assert session.call_tool("escalate", {"reason": "a stub knows no better"}).reward is not None

print(f"ok     ors-sdk {version}: lists, plays, trains")
