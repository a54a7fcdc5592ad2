"""What the checks of the exports share. Only the standard library, so that every environment can import it."""

import json
import os

BIN = os.environ["SRE_ZERO_BIN"]
MODEL_AGENT = "react@stub/model-1"
MODEL_USAGE = {"input": 100, "output": 20, "reasoning": 5, "cached": 40}


def records(run, agent=None):
    """All records of a run, as lists of events, by path."""
    for path in sorted((run / "records").rglob("*.jsonl")):
        events = [json.loads(line) for line in path.read_text().splitlines()]
        if agent in (None, events[0]["agent"]):
            yield path, events


def steps(events):
    return [event for event in events if event["event"] == "stepped"]


def agree(one, other, what):
    assert abs(one - other) < 1e-6, f"{what}: {one} is not {other}"
