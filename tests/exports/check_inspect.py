"""Inspect reads our logs, finds in them what we say is in them, and computes the same metrics from them."""

import json
import pathlib
import sys
import zipfile

from inspect_ai.analysis import samples_df
from inspect_ai.log import list_eval_logs, read_eval_log, read_eval_log_sample, read_eval_log_sample_summaries
from inspect_ai.scorer import SampleScore, accuracy, stderr

from common import MODEL_AGENT, agree, records, steps


def as_written(value) -> str:
    """An argument as the record writes it: structured answers as `component/cause/...`, one after the other."""
    if not isinstance(value, list):
        return str(value)
    parts = ("component", "cause", "direction", "key", "instance")
    return "; ".join("/".join(answer[part] for part in parts if part in answer) for answer in value)


def logs_of(folder):
    """The logs of a folder as Inspect lists them, by agent."""
    found = {}
    for info in list_eval_logs(str(folder)):
        log = read_eval_log(info)
        assert log.status == "success" and log.eval.solver not in found
        found[log.eval.solver] = (info, log)
    return found


def place(sample):
    return sample.id, sample.epoch


def in_order(samples, of):
    """Inspect orders the samples of the two kinds of log differently."""
    return [of(sample) for sample in sorted(samples, key=place)]


def check_metrics(log):
    """What the log says of success must be what Inspect makes of its samples."""
    scored = [sample for sample in log.samples if sample.scores]
    samples = [
        SampleScore(score=sample.scores["success"], sample_id=sample.id, sample_metadata=sample.metadata)
        for sample in scored
    ]
    success = log.results.scores[0]
    assert success.name == "success" and success.scored_samples == len(scored)
    agree(success.metrics["accuracy"].value, accuracy()(samples), "accuracy")
    agree(success.metrics["stderr"].value, stderr(cluster="cluster")(samples), "stderr")
    assert log.results.completed_samples == len(scored)
    assert log.results.total_samples == len(log.samples)


def check_sample(sample, events):
    """A sample says what its record says."""
    taken = steps(events)
    assert sample.input == events[1]["brief"]
    assert len(sample.messages) == 1 + 2 * len(taken)
    for step, said, shown in zip(taken, sample.messages[1::2], sample.messages[2::2]):
        assert said.role == "assistant" and step["text"] in said.text
        assert shown.text == step["observation"]
        if step["invalid"] is None:
            [call] = said.tool_calls
            assert (call.function, shown.role, shown.tool_call_id) == (step["tool"], "tool", call.id)
            assert {name: as_written(value) for name, value in call.arguments.items()} == step["args"]
        else:
            assert not said.tool_calls and shown.role == "user"
    if events[-2]["reason"] == "provider_failed":
        assert sample.error.message.endswith(events[-2]["cause"]) and not sample.scores
    else:
        assert sample.error is None and sample.scores["success"].value in ("C", "I")


def check_log(info, log, run):
    by_place = {(e[0]["task"]["id"], e[0]["seed"]): e for _, e in records(run, log.eval.solver)}
    assert len(log.samples) == len(by_place)
    for sample in log.samples:
        check_sample(sample, by_place[sample.id, sample.metadata["seed"]])
    check_metrics(log)
    header = read_eval_log(info, header_only=True)
    assert header.results == log.results and not header.samples
    one = read_eval_log_sample(info, log.samples[0].id, log.samples[0].epoch)
    assert one.messages == log.samples[0].messages
    summaries = read_eval_log_sample_summaries(info)
    assert in_order(summaries, place) == in_order(log.samples, place)


def check_zip(path):
    """Members that every reader can unpack, with no trace of the day."""
    for member in zipfile.ZipFile(path).infolist():
        assert member.compress_type == zipfile.ZIP_DEFLATED, member
        assert member.date_time == (1980, 1, 1, 0, 0, 0), member


def check_run(run):
    zipped, texts = logs_of(run / "exports/inspect"), logs_of(run / "exports/inspect-json")
    assert zipped.keys() == texts.keys()
    for agent, (info, log) in zipped.items():
        check_log(info, log, run)
        check_log(*texts[agent], run)
        text = texts[agent][1]
        whole = lambda sample: sample
        assert in_order(text.samples, whole) == in_order(log.samples, whole) and text.results == log.results
    for path in (run / "exports/inspect").iterdir():
        check_zip(path)
    frame = samples_df(str(run / "exports/inspect"))
    assert len(frame) == sum(len(log.samples) for _, log in zipped.values())
    return zipped


def check_summary(run, logs):
    """The numbers of the log are those of the run."""
    for told in json.loads((run / "summary.json").read_text())["agents"]:
        scores = {score.name: score.metrics for score in logs[told["agent"]][1].results.scores}
        agree(scores["success"]["accuracy"].value, told["success_rate"], "success")
        agree(scores["reward"]["mean"].value, told["mean_reward"], "reward")
        agree(scores["marks"]["marks"].value, told["marks"], "marks")


def check_model(run, log):
    """Models, usage, epochs and failures of the provider."""
    assert log.eval.model == "stub/model-1" and log.eval.model_generate_config.temperature == 0.5
    taken = sum(len(steps(events)) for _, events in records(run))
    used = log.stats.model_usage["stub/model-1"]
    assert (used.input_tokens, used.input_tokens_cache_read) == (60 * taken, 40 * taken)
    assert (used.output_tokens, used.total_tokens) == (20 * taken, 120 * taken)
    agree(used.total_cost, 0.001 * taken, "cost")
    assert log.eval.config.epochs == 2 and {sample.epoch for sample in log.samples} == {1, 2}
    assert sum(sample.error is not None for sample in log.samples) == 8
    assert "I must look before I act." in [part.reasoning for part in log.samples[0].messages[1].content[:1]]


def main():
    stage = pathlib.Path(sys.argv[1])
    logs = check_run(stage / "run")
    check_summary(stage / "run", logs)
    _, log = check_run(stage / "model")[MODEL_AGENT]
    check_model(stage / "model", log)
    samples = sum(len(found.samples) for _, found in [*logs.values(), (None, log)])
    print(f"ok     Inspect reads {len(logs) + 1} logs with {samples} samples in both kinds, and computes our metrics")


if __name__ == "__main__":
    main()
