"""The classes for trainers, played by stub policies. Nothing here needs the trainers themselves."""

import importlib.util
import inspect
import re

import pytest
import srezero
from conftest import SEED, TASK
from srezero import trl


def tools_of(cls):
    """What TRL finds: public methods of the class that are not its own hooks."""
    methods = inspect.getmembers(cls, inspect.isfunction)
    return {name: method for name, method in methods if not name.startswith("_") and name not in ("reset", "get_reward")}


@pytest.mark.parametrize(("cls", "tools"), [(trl.IncidentEnv, "classic"), (trl.FullIncidentEnv, "full")])
def test_every_tool_is_a_method_with_types_and_words(cls, tools):
    methods = tools_of(cls)
    assert set(methods) == {name for name, _, _ in srezero.Episode(TASK, tools=tools).tools}
    for name, method in methods.items():
        parameters = [p for p in inspect.signature(method).parameters if p != "self"]
        hints = inspect.get_annotations(method, eval_str=True)
        assert set(hints) == {*parameters, "return"}, name
        documented = re.findall(r"^ {4}(\w+): ", method.__doc__.split("Returns:")[0], re.MULTILINE)
        assert documented == parameters and "Returns:" in method.__doc__, name


def rollout(env, row, calls):
    """What a trainer does with a model that always answers the same."""
    said = [env.reset(**row)]
    for tool, arguments in calls:
        said.append(getattr(env, tool)(**arguments))
    return said, env.get_reward()


GOOD = [
    ("check_status", {"service": "cache"}),
    ("inspect_metrics", {"service": "cache"}),
    ("restart_service", {"service": "cache"}),
    ("resolve_incident", {"root_cause": "the cache crashed and was not running", "fix": "restarted the cache"}),
]


def test_a_stub_policy_is_rewarded():
    env = trl.IncidentEnv()
    row = {"task": TASK, "seed": SEED, "prompt": "unused", "answer": "unused"}
    said, reward = rollout(env, row, GOOD)
    assert said[0].startswith("INC-") and "cache is down" in said[1] and reward > 0.8
    # The same instance is used again for the next row.
    assert rollout(env, row, GOOD) == (said, reward)
    assert rollout(env, row, GOOD[:1])[1] < reward
    assert rollout(env, {**row, "reward": "sparse"}, GOOD)[1] == 1.0
    assert 0 < rollout(env, {**row, "reward": "impact"}, GOOD)[1] <= 1.0
    assert env.inspect_logs("cache") == "The episode is over."


def test_slips_are_answered_not_raised():
    env = trl.FullIncidentEnv()
    env.reset(task=TASK)
    assert "did you mean `cache`" in env.inspect_logs("cach")
    assert "there is no change" in env.rollback_change(99999)
    assert "takes a whole number from 1 to 120" in env.query_metrics("cache", "hit_rate", 4000)
    with pytest.raises(RuntimeError, match="call reset first"):
        trl.IncidentEnv().check_status("cache")


def test_rows_hold_no_hint_of_the_task_in_their_prompts():
    rows = trl.rows("train", seeds=range(2), reward="sparse")
    assert len(rows) == 2 * len(srezero.suite_tasks("train")) and rows[0]["reward"] == "sparse"
    assert all(row["task"] not in str(row["prompt"]) for row in rows)


@pytest.mark.skipif(importlib.util.find_spec("skyrl_gym") is None, reason="SkyRL-Gym needs Python 3.12")
def test_skyrl_plays_a_row(solution):
    import skyrl_gym
    import srezero.skyrl  # noqa: F401

    env = skyrl_gym.make("srezero", env_config={"reward": "sparse"}, extras={"task": TASK, "seed": SEED})
    messages, info = env.init([{"role": "system", "content": "You are on call."}])
    assert [m["role"] for m in messages] == ["system", "user"] and messages[1]["content"].startswith("INC-")
    outputs = [env.step(text) for text in solution]
    assert [output["done"] for output in outputs] == [False] * 4 + [True]
    assert sum(output["reward"] for output in outputs) == 1.0
    assert outputs[0]["observations"][0]["role"] == "user" and env.get_metrics()["success"] == 1.0
