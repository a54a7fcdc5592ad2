#!/usr/bin/env python3
"""Prints what the policies reached: share of episodes resolved, and in brackets credited with the root cause.

    python3 tests/audit/table.py RUN...
"""

import json
import pathlib
import sys
from collections import defaultdict

import policies


def rates(run):
    lines = [json.loads(line) for line in (run / "episodes.jsonl").read_text(encoding="utf-8").splitlines()]
    scores = defaultdict(list)
    for line in lines:
        score = line.get("score", line)
        scores[score["agent"]].append((score["success"], score["root_cause_identified"]))
    return {agent: tuple(100 * sum(part) / len(all_) for part in zip(*all_)) for agent, all_ in scores.items()}


def main():
    runs = {pathlib.Path(path).name: rates(pathlib.Path(path)) for path in sys.argv[1:]}
    print(f"| policy | {' | '.join(runs)} |\n|---|{'---|' * len(runs)}")
    worst = 0
    for policy in policies.POLICIES:
        found = [run.get(policy.__name__, (0, 0)) for run in runs.values()]
        worst = max([worst] + [success for success, _ in found])
        print(f"| `{policy.__name__}` | {' | '.join(f'{s:.0f}% ({c:.0f}%)' for s, c in found)} |")
    hedged = max(run.get("hedge", (0, 0))[1] for run in runs.values())
    print(f"\nThe best resolves {worst:.0f} %; `hedge` is credited with {hedged:.0f} % of root causes.")
    sys.exit(worst > 25 or hedged > 10)


if __name__ == "__main__":
    main()
