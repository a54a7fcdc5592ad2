"""One environment, as Gymnasium wants it."""

import gymnasium
import numpy as np
import pytest
import srezero
from conftest import SEED, TASK
from gymnasium.utils.env_checker import check_env

SMALL = {"tasks": [TASK], "seeds": 2}


def make(**options):
    return srezero.Env(**{**SMALL, **options})


@pytest.mark.filterwarnings("ignore:.*Box observation space.*")
@pytest.mark.parametrize("options", [{}, {"actions": "discrete"}, {"tools": "full"}, {"observation": "text"}])
def test_gymnasiums_own_check_passes(options):
    check_env(make(**options), skip_render_check=True)


@pytest.mark.parametrize("name", ["SreZero-Struct-v0", "SreZero-Text-v0"])
def test_both_are_registered(name):
    env = gymnasium.make(name, **SMALL)
    observation, _ = env.reset(seed=1)
    assert observation in env.observation_space
    check_env(env.unwrapped, skip_render_check=True)
    envs = gymnasium.make_vec(name, num_envs=2, vectorization_mode="vector_entry_point", **SMALL)
    assert isinstance(envs, srezero.VectorEnv)


def transcript(env, seed, steps=60):
    observation, info = env.reset(seed=seed)
    env.action_space.seed(seed)
    told = [observation["services"].tobytes()]
    for _ in range(steps):
        action = env.action_space.sample(mask=info["action_mask"])
        observation, reward, terminated, truncated, info = env.step(action)
        assert observation in env.observation_space
        told += [observation["services"].tobytes(), observation["incident"].tobytes(), reward, terminated, truncated]
        if terminated or truncated:
            assert isinstance(info["success"], bool) and info["ending"]
            observation, info = env.reset()
    return told


def test_the_same_seed_gives_the_same_transcript():
    env = make(actions="discrete")
    assert transcript(env, 3) == transcript(env, 3) == transcript(make(actions="discrete"), 3)
    assert transcript(env, 3) != transcript(env, 4)


def act(env, tool, service=0, choice=""):
    """An action by names."""
    names = dict(env.setup.action_names)
    return np.array([list(names).index(tool), service, names[tool].index(choice)])


def test_features_have_names_and_show_what_was_read():
    env = make()
    observation, info = env.reset(options={"task": TASK, "seed": SEED})
    assert len(srezero.SERVICE_FEATURES) == observation["services"].shape[1]
    assert len(srezero.INCIDENT_FEATURES) == observation["incident"].shape[0]
    cache = env.episode.services.index("cache")

    def feature(observation, name):
        return float(observation["services"][cache, srezero.SERVICE_FEATURES.index(name)])

    assert feature(observation, "exists") == 1.0 and feature(observation, "status:down") == 0.0
    assert env.text_of(act(env, "check_status", cache)) == "check_status(cache)"
    observation, *_ = env.step(act(env, "check_status", cache))
    assert feature(observation, "status:down") == 1.0 and "is down" in env.episode.observation
    observation, *_ = env.step(act(env, "inspect_metrics", cache))
    assert feature(observation, "metric:hit_rate:vs_usual") < -0.3


def test_an_incident_is_solved_by_numbers():
    env = make()
    env.reset(options={"task": TASK, "seed": SEED})
    cache = env.episode.services.index("cache")
    total = 0.0
    for tool, choice in [("check_status", ""), ("restart_service", ""), ("resolve_incident", "crash")]:
        _, reward, terminated, truncated, info = env.step(act(env, tool, cache, choice))
        total += reward
    assert terminated and not truncated and info["success"] and info["ending"] == "resolved"
    assert total == pytest.approx(env.episode.reward)


def test_a_spent_budget_truncates():
    env = make()
    _, info = env.reset(seed=0)
    for left in range(info["steps_left"] - 1, -1, -1):
        _, _, terminated, truncated, info = env.step(act(env, "inspect_logs", 0))
        assert not terminated and truncated == (left == 0) and info["steps_left"] == left
    assert info["ending"] == "budget_spent"


def test_masks_mark_what_is_valid():
    env = make()
    _, info = env.reset(seed=0)
    tools, services, choices = env.split_mask(info["action_mask"])
    names = [name for name, _ in env.setup.action_names]
    assert tools[names.index("update_config")] == 0, "no setting has been shown yet"
    assert services.all() and len(choices) == env.action_space.nvec[2]
    _, _, _, _, info = env.step(act(env, "inspect_config", 0))
    assert env.split_mask(info["action_mask"])[0][names.index("update_config")] == 1
    assert np.array_equal(env.action_masks(), info["action_mask"].astype(bool))
    for _ in range(5):
        env.action_space.sample(mask=env.split_mask(info["action_mask"]))


def test_what_is_not_valid_is_refused_as_any_slip():
    env = make()
    env.reset(seed=0)
    _, reward, terminated, truncated, _ = env.step(act(env, "update_config", 0, env.setup.action_names[5][1][0]))
    assert reward == pytest.approx(-0.05) and not terminated and not truncated
    assert env.episode.observation.startswith("Invalid action")


def test_fork_snapshot_and_restore():
    env = make()
    env.reset(seed=0)
    env.step(act(env, "inspect_logs", 0))
    snapshot, fork = env.snapshot(), env.fork()
    there, *_ = fork.step(act(env, "restart_service", 1))
    assert env.episode.steps_taken == 1 and fork.episode.steps_taken == 2
    here, *_ = env.step(act(env, "restart_service", 1))
    assert np.array_equal(here["services"], there["services"]) and env.episode.digest() == fork.episode.digest()
    observation, info = env.restore(snapshot)
    assert env.episode.steps_taken == 1 and info["steps_left"] == snapshot.steps_left


def test_rewards_can_be_chosen(solution):
    def total(**options):
        env = make(observation="text", **options)
        env.reset(options={"task": TASK, "seed": SEED})
        return sum(env.step(text)[1] for text in solution)

    assert total() > 0.9
    assert total(reward="sparse") == 1.0
    assert 0.1 < total(reward="impact") <= 1.0
    # All evidence potential is paid back at the end.
    assert total(reward="sparse", gamma=1.0) == pytest.approx(1.0)
    with pytest.raises(ValueError, match="did you mean `sparse`"):
        make(reward="sparce")


def test_an_option_that_does_not_exist_is_named():
    with pytest.raises(TypeError, match="there is no option 'suit'; did you mean 'suite'"):
        gymnasium.make("SreZero-Struct-v0", suit="train")
    with pytest.raises(TypeError, match="there is no option 'colour'; there are suite, tasks"):
        srezero.VectorEnv(2, colour="red")


def test_worlds_of_many_sizes_share_one_space():
    env = srezero.Env(generator_seed=7, numbers=(0, 6), services="3..9", actions="discrete")
    assert env.observation_space["services"].shape[0] == 9
    seen = set()
    for seed in range(12):
        observation, _ = env.reset(seed=seed)
        assert observation in env.observation_space
        seen.add(int(observation["services"][:, 0].sum()))
    assert len(seen) > 1, "worlds of several sizes were drawn"
    env.reset(options={"number": 3})
    with pytest.raises(ValueError, match="max_services is 3"):
        srezero.Env(max_services=3)
    with pytest.raises(ValueError, match="one of the three"):
        srezero.Env(generator_seed=1, suite="train")


def test_text_observations_stay_in_their_space():
    env = make(observation="text", render_mode="ansi")
    observation, _ = env.reset(seed=0)
    assert observation.startswith("INC-") and env.render() == observation
    observation, *_ = env.step("inspect_logs(größe ☃)")
    assert observation in env.observation_space and "?" in observation
