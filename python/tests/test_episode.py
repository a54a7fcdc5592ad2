"""One episode: fork, snapshot, record, and the same digest as every other way in."""

import hashlib
import json
import os
import subprocess

import pytest
import srezero
from conftest import SEED, TASK


def play(episode, texts):
    return [episode.step(text) for text in texts]


def test_a_solved_incident_is_a_success(solution):
    episode = srezero.Episode(TASK, SEED)
    turns = play(episode, solution)
    assert turns[-1][2] and episode.is_over and episode.ending == "resolved"
    assert episode.success and 0.9 < episode.reward <= 1.0
    score = json.loads(episode.score())
    assert score["success"] and score["reward"] == pytest.approx(episode.reward)
    assert sum(reward for _, reward, _ in turns) == pytest.approx(episode.reward)


def test_an_agent_is_told_nothing_of_the_task(solution):
    episode = srezero.Episode(TASK, SEED)
    shown = episode.brief + episode.incident + repr(episode) + "".join(text for text, _, _ in play(episode, solution))
    assert TASK not in shown and episode.task == TASK


def test_the_record_has_the_digest(solution):
    episode = srezero.Episode(TASK, SEED)
    play(episode, solution)
    lines = episode.record().splitlines()
    assert [json.loads(line)["event"] for line in (lines[0], lines[-1])] == ["started", "sealed"]
    assert hashlib.sha256(episode.record().encode()).hexdigest() == episode.digest()


def test_a_fork_and_a_snapshot_go_on_as_the_original_would(solution):
    straight = srezero.Episode(TASK, SEED)
    play(straight, solution)
    episode = srezero.Episode(TASK, SEED)
    play(episode, solution[:4])
    snapshot, fork = episode.snapshot(), episode.fork()
    fork.step("restart_service(database)")
    assert episode.steps_taken == 4 and fork.steps_taken == 5
    play(episode, solution[4:])
    assert episode.digest() == straight.digest() != fork.digest()
    episode.restore(snapshot)
    assert not episode.is_over and episode.steps_taken == 4
    play(episode, solution[4:])
    assert episode.digest() == straight.digest()


def test_generated_incidents_are_the_same_for_the_same_number():
    def begin(number):
        return srezero.Episode.generated(7, number, services="3..6")

    assert begin(3).brief == begin(3).brief != begin(4).brief


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: srezero.Episode("cache_crush"), "did you mean `cache_crash`"),
        (lambda: srezero.Episode(TASK, noise=9), "from 0 to 3"),
        (lambda: srezero.Episode(TASK, tools="all"), "classic and full"),
        (lambda: srezero.suite_tasks("srezero-4"), "did you mean"),
        (lambda: srezero.Episode.generated(1, 1, services="9000"), "3 to 5000 services"),
    ],
)
def test_errors_say_what_to_do(call, says):
    with pytest.raises(ValueError, match=says):
        call()


@pytest.mark.skipif("SRE_ZERO_BIN" not in os.environ, reason="test.sh names the program to compare with")
def test_the_program_writes_the_same_record(tmp_path):
    agent, seed = "scripted", 0
    command = [os.environ["SRE_ZERO_BIN"], "run", "--tasks", TASK, "--agents", agent, "--episodes", "1"]
    subprocess.run([*command, "--seed", str(seed), "--out", str(tmp_path / "run")], check=True, capture_output=True)
    (path,) = (tmp_path / "run").rglob("records/**/*.jsonl")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    header = lines[0]
    told = {name: header[name] for name in ("noise", "tools", "agent", "suite", "episode")}
    episode = srezero.Episode(header["task"]["id"], header["seed"], **told)
    play(episode, [line["text"] for line in lines if line["event"] == "stepped"])
    # A trainer is shown rewards and the record says so; nothing else may differ.
    own = episode.record()
    assert own.count('"rewards":true,') == 1 and json.loads(own.splitlines()[0])["rewards"] is True
    assert own.replace('"rewards":true,', "", 1) == path.read_text()
