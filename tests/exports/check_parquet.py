"""Arrow and pandas read our tables, and every row is there."""

import json
import pathlib
import sys

import pandas
import pyarrow
import pyarrow.parquet

from common import agree, records, steps


def check(run):
    folder = run / "exports/parquet"
    episodes, taken = (pyarrow.parquet.read_table(folder / f"{name}.parquet") for name in ("episodes", "steps"))
    played = [events for _, events in records(run)]
    assert episodes.num_rows == len(played) and taken.num_rows == sum(len(steps(events)) for events in played)
    assert episodes.schema.field("seed").type == pyarrow.uint64()
    assert episodes.schema.field("success").type == pyarrow.bool_()
    assert taken.schema.field("observation").type == pyarrow.string()
    seen = {(row["key"], row["step"]): row for row in taken.to_pylist()}
    for events in played:
        header = events[0]
        key = f"{header['agent']}/{header['task']['id']}/{header['seed']}"
        for step in steps(events):
            row = seen[key, step["index"]]
            assert all(row[name] == step[name] for name in ("text", "call", "tool", "observation", "invalid", "reward"))
            assert json.loads(row["args"]) == step["args"]
            assert row["input_tokens"] == step.get("model", {}).get("usage", {}).get("input")
    return episodes, taken


def check_summary(run, episodes):
    """A data frame gives the table of the run."""
    frame = episodes.to_pandas()
    frame = frame[frame.counts].groupby("agent").agg(success=("success", "mean"), reward=("reward", "mean"))
    for told in json.loads((run / "summary.json").read_text())["agents"]:
        agree(frame.success[told["agent"]], told["success_rate"], "success")
        agree(frame.reward[told["agent"]], told["mean_reward"], "reward")


def main():
    stage = pathlib.Path(sys.argv[1])
    episodes, taken = check(stage / "run")
    check_summary(stage / "run", episodes)
    lines = [json.loads(line) for line in (stage / "run/episodes.jsonl").read_text().splitlines()]
    joined = pandas.merge(taken.to_pandas(), episodes.to_pandas()[["digest", "steps"]], on="digest")
    assert len(joined) == sum(line["steps"] for line in lines) == taken.num_rows
    model, _ = check(stage / "model")
    failed = model.to_pandas().query("not counts")
    assert set(failed.ending) == {"rate_limit"} and len(failed) == 8
    print(f"ok     Arrow reads {episodes.num_rows + model.num_rows} episodes and their steps")


if __name__ == "__main__":
    main()
