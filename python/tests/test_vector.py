"""Many environments: the same as one by one, whatever the threads, in every autoreset mode."""

import gymnasium
import numpy as np
import pytest
import srezero
from conftest import TASK
from gymnasium.vector import AutoresetMode, SyncVectorEnv

SMALL = {"tasks": [TASK], "seeds": 2}
MODES = [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP]


def drive(envs, actions):
    observation, _ = envs.reset(seed=5)
    told = [observation["services"].copy()]
    infos = []
    for action in actions:
        observation, reward, terminated, truncated, info = envs.step(action)
        told += [observation["services"].copy(), observation["incident"].copy(), reward, terminated, truncated]
        infos.append(info)
    return told, infos


def actions(count, envs=3):
    draws = np.random.default_rng(0)
    sizes = srezero.Env(**SMALL).action_space.nvec
    tools = draws.integers(sizes[0], size=(count, envs))
    rest = np.stack([draws.integers(5, size=(count, envs)), draws.integers(50, size=(count, envs))], axis=-1)
    return np.concatenate([tools[..., None], rest], axis=-1)


@pytest.mark.parametrize("mode", MODES)
def test_it_does_what_gymnasiums_own_vector_does(mode):
    ours = srezero.VectorEnv(3, autoreset_mode=mode, **SMALL)
    theirs = SyncVectorEnv([lambda: srezero.Env(**SMALL)] * 3, autoreset_mode=mode)
    plan = actions(40)
    (told, infos), (expected, their_infos) = drive(ours, plan), drive(theirs, plan)
    for mine, other in zip(told, expected, strict=True):
        assert np.array_equal(mine, other)
    for mine, other in zip(infos, their_infos, strict=True):
        assert ("final_obs" in mine) == ("final_obs" in other)
        for index in np.flatnonzero(mine.get("_final_obs", [])):
            assert other["_final_obs"][index]
            assert np.array_equal(mine["final_obs"][index]["services"], other["final_obs"][index]["services"])
            assert mine["final_info"]["success"][index] == other["final_info"]["success"][index]


def test_disabled_waits_for_a_reset():
    envs = srezero.VectorEnv(2, autoreset_mode=AutoresetMode.DISABLED, observation="text", **SMALL)
    envs.reset(seed=0)
    _, _, terminated, _, info = envs.step(('escalate(reason="x")', "inspect_logs(cache)"))
    assert terminated.tolist() == [True, False] and not info["success"].any()
    with pytest.raises(ValueError, match="reset it before the next step"):
        envs.step(("inspect_logs(cache)", "inspect_logs(cache)"))
    observation, _ = envs.reset(options={"reset_mask": terminated})
    assert observation[0].startswith("INC-") and observation[1].startswith("cache logs")
    envs.step(("inspect_logs(cache)", "inspect_logs(cache)"))


def test_threads_change_nothing():
    one, four = (drive(srezero.VectorEnv(7, threads=n, **SMALL), actions(30, 7))[0] for n in (1, 4))
    assert all(np.array_equal(a, b) for a, b in zip(one, four, strict=True))


def test_arrays_are_copied_or_reused():
    plan = actions(2, 2)
    envs = srezero.VectorEnv(2, copy=False, **SMALL)
    first, _ = envs.reset(seed=0)
    second, *_ = envs.step(plan[0])
    assert first["services"] is second["services"]
    envs = srezero.VectorEnv(2, copy=True, **SMALL)
    first, _ = envs.reset(seed=0)
    before = first["services"].copy()
    second, *_ = envs.step(plan[0])
    assert first["services"] is not second["services"] and np.array_equal(first["services"], before)


@pytest.mark.parametrize("kind", ["multi", "discrete"])
def test_sampled_actions_are_valid(kind):
    envs = srezero.VectorEnv(16, actions=kind, suite="train", seeds=1, autoreset_mode=AutoresetMode.SAME_STEP)
    _, info = envs.reset(seed=0)
    for _ in range(20):
        chosen = envs.sample_actions()
        assert chosen in envs.action_space
        if kind == "discrete":
            assert info["action_mask"][np.arange(16), chosen].all()
        _, _, _, _, info = envs.step(chosen)
        running = [envs.episode(n) for n in range(16)]
        assert not any(e.observation.startswith("Invalid action") for e in running)


def test_texts_come_and_go_as_tuples():
    envs = srezero.VectorEnv(2, observation="text", autoreset_mode=AutoresetMode.SAME_STEP, **SMALL)
    observation, _ = envs.reset(seed=0)
    assert observation in envs.observation_space
    observation, _, terminated, _, info = envs.step(('escalate(reason="x")', "inspect_logs(cache)"))
    assert terminated.tolist() == [True, False]
    assert info["final_obs"][0].startswith("The incident is handed over") and info["final_obs"][1] is None


def test_wrappers_of_gymnasium_work():
    envs = gymnasium.wrappers.vector.RecordEpisodeStatistics(srezero.VectorEnv(4, **SMALL))
    envs.reset(seed=0)
    for action in actions(30, 4):
        envs.step(action)
    assert envs.episode_count > 0


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda envs: envs.step(np.zeros((5, 3))), "one row of three numbers"),
        (lambda envs: envs.reset(seed=[1]), "1 seeds were given"),
        (lambda envs: envs.reset(options={"reset_mask": np.zeros(2, bool)}), "at least one"),
        (lambda envs: srezero.VectorEnv(0), "at least one environment"),
    ],
)
def test_errors_say_what_to_do(call, says):
    with pytest.raises(ValueError, match=says):
        call(srezero.VectorEnv(2, **SMALL))
