"""Questions and Terraform: listed, asked, graded, and the same record as the program's."""

import json
import os
import subprocess

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env

import srezero

TERRAFORM = "terraform-vpc-nat-gateway"


def test_suites_are_listed_with_their_families():
    names = [name for name, _ in srezero.question_suites()]
    assert names == ["skills", "terraform", "terraform-generated"]
    listed = srezero.questions("skills")
    assert [id for id, _, _ in listed] == srezero.suite_tasks("skills")
    assert len(listed) == 1371
    assert {kind for _, _, kind in listed} == {"questions", "terraform"}
    with pytest.raises(ValueError, match="holds no questions; there are skills"):
        srezero.questions("srezero-40")


def test_the_key_is_right_and_another_letter_is_not():
    for seed in range(4):
        episode = srezero.Episode("written-culprit-limit-16", seed)
        [key] = episode.answer()
        assert episode.messages[1] in episode.brief
        right, wrong = episode.fork(), episode.fork()
        assert right.step(f"The answer is {key}.")[1:] == (1.0, True)
        assert right.success and right.ending == "answered"
        other = next(letter for letter in "ABCD" if letter != key)
        assert wrong.step(other)[1:] == (0.0, True)
        assert not wrong.success and json.loads(wrong.verdict)["reading"] == "answered"
        assert episode.verdict is None and not episode.is_over


def test_terraform_is_planned_and_applied():
    episode = srezero.Episode(TERRAFORM, 0)
    [solution] = episode.answer()
    episode.step(solution)
    verdict = json.loads(episode.verdict)
    assert episode.success and verdict["correct"], verdict
    broken = srezero.Episode(TERRAFORM, 0)
    broken.step("I would rather not.")
    assert not broken.success and broken.reward == 0.0


@pytest.mark.skipif("SRE_ZERO_BIN" not in os.environ, reason="test.sh names the program")
def test_the_record_replays(tmp_path):
    episode = srezero.Episode("written-culprit-limit-16", 1)
    episode.step(episode.answer()[0])
    path = tmp_path / "one.jsonl"
    path.write_text(episode.record())
    played = subprocess.run([os.environ["SRE_ZERO_BIN"], "replay", path], capture_output=True, text=True)
    assert "replayed: the same digest" in played.stdout, played.stdout + played.stderr


def test_the_environment_keeps_the_rules_of_gymnasium():
    env = gymnasium.make("SreZero-Question-v0", suite="terraform-generated", seeds=3)
    check_env(env.unwrapped, skip_render_check=True)
    first = [env.reset(seed=5)[0] for _ in range(2)]
    assert first[0] == first[1]


def test_a_loop_over_questions_pays_what_is_right():
    env = srezero.QuestionEnv(families=["culprit"])
    for seed in range(20):
        _, info = env.reset(seed=seed)
        assert set(info) == {"messages"}
        _, reward, terminated, truncated, info = env.step(env.episode.answer()[0])
        assert (reward, terminated, truncated, info["success"]) == (1.0, True, False, True)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step("A")
    with pytest.raises(ValueError, match="has no family 'nothing'"):
        srezero.QuestionEnv(families=["nothing"])
