"""Plays a small run, makes a second one that looks like a model's, and exports both in every format."""

import json
import pathlib
import subprocess
import sys

from common import BIN, MODEL_AGENT, MODEL_USAGE, records

PLAY = ["run", "--suite", "srezero-40", "--agents", "random,runbook,scripted", "--episodes", "2"]
FORMATS = ["inspect", "inspect-json", "atif", "chat", "parquet", "mlflow", "wandb"]


def sre_zero(*args):
    subprocess.run([BIN, *map(str, args)], check=True, stdout=subprocess.DEVNULL)


def as_if_by_a_model(events, broken_off):
    """The same episode as a model's: its words around each action, and what it used."""
    header = events[0]
    header["agent"] = MODEL_AGENT
    header["model"] = {
        "provider": "stub",
        "model": "model-1",
        "prompt": "react-1",
        "sampling": {"temperature": 0.5, "stop": ["Observation:"]},
    }
    steps = [event for event in events if event["event"] == "stepped"]
    for step in steps:
        step["model"] = {
            "calls": 1,
            "output": f"Let me see.\nAction: {step['text']}",
            "reasoning": "I must look before I act.",
            "usage": MODEL_USAGE,
            "cost_usd": 0.001,
        }
    ended, sealed = events[-2:]
    if broken_off:
        steps = steps[:2]
        ended = {"event": "ended", "time": steps[-1]["time"], "reason": "provider_failed", "cause": "rate_limit"}
    return [*events[:2], *steps, ended, sealed]


def make_model_run(run, folder):
    """A folder of records without an index, as `play` and `serve` leave them."""
    for count, (path, events) in enumerate(records(run, "runbook")):
        changed = as_if_by_a_model(events, broken_off=count % 10 == 0)
        task, seed = changed[0]["task"]["id"], changed[0]["seed"]
        target = folder / "records" / MODEL_AGENT / task / f"{seed}.jsonl"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("".join(json.dumps(event) + "\n" for event in changed))


def main():
    stage = pathlib.Path(sys.argv[1])
    run, model = stage / "run", stage / "model"
    sre_zero(*PLAY, "--out", run)
    make_model_run(run, model)
    for name in FORMATS:
        for folder in (run, model):
            sre_zero("export", "--format", name, folder, "--only", "all", "--split", "all")
        # The same again: nothing may depend on the day, or on what was exported before.
        again = stage / "again" / name
        sre_zero("export", "--format", name, run, "--only", "all", "--split", "all", "--out", again)
        subprocess.run(["diff", "-r", run / "exports" / name, again], check=True)
    sre_zero("export", "--format", "chat", run, model, "--out", stage / "sft.jsonl")
    print(f"ok     {len(FORMATS)} formats, the same bytes twice")


if __name__ == "__main__":
    main()
