#!/usr/bin/env python3
"""Writes down seed 0 of a suite: page, configurations and solution of each task, from the records of two agents.

    python3 tests/audit/memory.py [--mixed] RUN > MEMORY

With --mixed each task is given the solution of the next one: what memory is worth is what it is better than this.
"""

import json
import pathlib
import sys

import policies

ACTS = {"update_config", "restart_service", "rollback_change"}
SOLVED = ("acts", "cause", "causes")


def events(run, agent, task):
    path = next((run / "records" / agent / task).glob("*.jsonl"))
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def remembered(run, task):
    solved, read = events(run, "scripted", task), events(run, "gather_and_escalate", task)
    brief = next(e["brief"] for e in read if e["event"] == "paged")
    page = next(line for line in brief.splitlines() if line.startswith("PAGE "))
    shown = {e["args"]["service"]: e["observation"] for e in read if e.get("tool") == "inspect_config"}
    steps = [e for e in solved if e["event"] == "stepped"]
    said = steps[-1]["args"]
    return {
        "incident": brief.split(":")[0],
        "rule": policies.rule(page.split(" ", 2)[2]),
        "configs": {service: policies.settings(text) for service, text in shown.items()},
        "acts": [[e["tool"], e["args"]] for e in steps if e["tool"] in ACTS],
        "cause": said.get("root_cause", ""),
        "causes": said.get("causes"),
    }


def mixed(memory):
    others = memory[1:] + memory[:1]
    return [{**one, **{part: other[part] for part in SOLVED}} for one, other in zip(memory, others)]


def main():
    run = pathlib.Path(sys.argv[-1])
    tasks = sorted(folder.name for folder in (run / "records" / "scripted").iterdir())
    memory = [remembered(run, task) for task in tasks]
    json.dump(mixed(memory) if "--mixed" in sys.argv else memory, sys.stdout)


if __name__ == "__main__":
    main()
