"""The task for Inspect: played by a model that knows the answers, and by one that knows nothing."""

import json

import pytest

pytest.importorskip("inspect_ai")

from inspect_ai import eval as evaluate  # noqa: E402
from inspect_ai.model import ModelOutput, ModelUsage, get_model  # noqa: E402

import srezero  # noqa: E402
from srezero.inspect_task import incidents  # noqa: E402


def played(outputs, tmp_path, **given):
    for output in outputs:
        # Without this the tokens are counted with tables from the network.
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    model = get_model("mockllm/model", custom_outputs=outputs)
    [log] = evaluate(incidents(**given), model=model, log_dir=str(tmp_path), display="none", limit=1)
    assert log.status == "success", log.error
    return log


def test_a_model_that_plays_the_solution_is_graded_as_solved(tmp_path):
    task = srezero.suite_tasks("dev")[0]
    episode = srezero.Episode(task, 3)
    # The solution as text: a turn without a call is played as it is.
    outputs = [ModelOutput.from_content("mockllm/model", text) for text in episode.answer()]
    log = played(outputs, tmp_path, suite="dev", seed=3)
    [sample] = log.samples
    value = sample.scores["graded"].value
    for text in episode.answer():
        episode.step(text)
    assert value["success"] == 1.0
    assert value["reward"] == pytest.approx(json.loads(episode.score())["reward"])
    assert value["steps"] == len(episode.answer())


def test_calls_are_steps_and_nothing_names_the_task(tmp_path):
    calls = [ModelOutput.for_tool_call("mockllm/model", "check_status", {"service": "cache"}) for _ in range(40)]
    log = played(calls, tmp_path, suite="dev")
    [sample] = log.samples
    assert sample.scores["graded"].value["success"] == 0.0
    task = srezero.suite_tasks("dev")[0]
    said = json.dumps([message.model_dump(exclude_none=True) for message in sample.messages], default=str)
    assert "check_status" in said
    assert task not in said + str(sample.id) + str(sample.input)
