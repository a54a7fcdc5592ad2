#!/usr/bin/env python3
"""The policies of a hostile audit, written again from their descriptions, as agents of their own.

    python3 tests/audit/policies.py POLICY MEMORY

One JSON object a line: the brief and observations come in, actions go out (docs/clients/exec.md). MEMORY holds what
`run.sh` wrote down of seed 0: page, configurations and solution of each task. They share no code with the blind family.
"""

import json
import math
import re
import sys
from collections import Counter, defaultdict


def say(message):
    print(json.dumps(message), flush=True)


def hear():
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    return json.loads(line)


def call(tool, **arguments):
    say({"tool": tool, "arguments": arguments})
    seen = hear()
    if seen["done"]:
        sys.exit(0)
    return seen["text"]


def rule(page):
    """The page without its numbers."""
    return " ".join(word for word in page.split() if not any(c.isdigit() for c in word))


def settings(text):
    """Keys and values of a configuration as it is shown."""
    found = {}
    for line in text.splitlines()[1:]:
        words = line.split()
        if len(words) > 1 and re.fullmatch(r"[A-Z][A-Z0-9_]+", words[0]):
            found[words[0]] = words[1]
    return found


def history(text):
    """Rows of the change history: id, time, service and what was done."""
    rows = []
    for line in text.splitlines():
        words = line.split()
        if len(words) > 4 and words[0].isdigit():
            rows.append({"id": words[0], "time": words[1], "service": words[2], "text": " ".join(words[4:])})
    return rows


class Player:
    """The incident, read as far as a policy wants to."""

    def __init__(self, brief, memory):
        self.brief, self.memory = brief, memory
        self.rule, self.services = rule(brief["page"]), brief["services"]
        # Three calls are kept for acting.
        self.left = brief["steps"] - 3

    def look(self, tool, **arguments):
        self.left -= 1
        return call(tool, **arguments) if self.left >= 0 else ""

    def configs(self):
        return {service: settings(self.look("inspect_config", service=service)) for service in self.services}

    def changes(self):
        return history(self.look("list_changes"))

    def resolve(self, cause, fix="undone", causes=None):
        more = {"causes": causes} if causes else {}
        call("resolve_incident", root_cause=cause, fix=fix, **more)

    def replay(self, example):
        """Does what solved a remembered incident."""
        for tool, arguments in example["acts"]:
            call(tool, **arguments)
        self.resolve(example["cause"] or "unknown", causes=example["causes"])

    def undo(self, rows):
        for row in rows:
            call("rollback_change", id=int(row["id"]))
        self.resolve(f"{rows[0]['service']}: {rows[0]['text']}" if rows else "unknown")


def incident_id(player):
    same = [e for e in player.memory if e["incident"] == player.brief["incident"]]
    player.replay((same or player.memory)[0])


def memoriser(player):
    now = player.configs()

    def alike(example):
        matches = sum(example["configs"].get(s, {}).get(k) == v for s, own in now.items() for k, v in own.items())
        return matches + (3 if example["rule"] == player.rule else 0)

    player.replay(max(player.memory, key=alike))


def page_blind(player):
    same = [e for e in player.memory if e["rule"] == player.rule] or player.memory
    usual = Counter(json.dumps(e["acts"]) for e in same).most_common(1)[0][0]
    player.replay(next(e for e in same if json.dumps(e["acts"]) == usual))


def changes_all(player):
    rows = player.changes()
    ill = {s for s in player.services if "healthy" not in player.look("check_status", service=s).split("\n")[0]}
    suspects = [row for row in rows if row["service"] in ill] or rows
    player.undo(suspects[-1:])


def odd(player, now):
    """The setting that stands furthest from what is usual in seed 0."""
    usual = defaultdict(list)
    for example in player.memory:
        for service, own in example["configs"].items():
            for key, value in own.items():
                usual[service, key].append(value)
    best = (0, None, None, None)
    for service, own in now.items():
        for key, value in own.items():
            values = usual.get((service, key))
            if not values:
                continue
            try:
                median = sorted(values, key=float)[len(values) // 2]
                far = abs(math.log(max(float(value), 0.5) / max(float(median), 0.5)))
            except ValueError:
                median = Counter(values).most_common(1)[0][0]
                far = 2.0 if value != median else 0.0
            best = max(best, (far, service, key, median), key=lambda one: one[0])
    return best


def config_odd(player):
    _, service, key, median = odd(player, player.configs())
    if service:
        call("update_config", service=service, key=key, value=median)
    player.resolve(f"{service} {key} was set wrong")


def on_modal_second(rows):
    seconds = Counter(row["time"].split(":")[-1] for row in rows)
    modal = seconds.most_common(1)[0][0] if seconds else ""
    return [row for row in rows if row["time"].endswith(":" + modal)]


def seconds_pure(player):
    player.undo(on_modal_second(player.changes())[-1:])


def seconds_then_switch(player):
    rows, now = on_modal_second(player.changes()), player.configs()

    def stands(row):
        push = re.match(r"set (\S+) from \S+ to (\S+)", row["text"])
        return push and now.get(row["service"], {}).get(push[1]) == push[2]

    standing = [row for row in rows if stands(row)]
    if standing:
        return player.undo(standing[-1:])
    _, service, key, median = odd(player, now)
    if service:
        call("update_config", service=service, key=key, value=median)
    player.resolve(f"{service} {key} was set wrong")


def changes_last_three(player):
    player.undo(player.changes()[::-1][:3])


def changes_every(player):
    rows = player.changes()[::-1]
    player.undo(rows[: player.brief["steps"] - 2])


def hedge(player):
    causes = Counter(e["cause"] for e in player.memory if e["cause"])
    player.resolve(" ".join(f"{cause}." for cause, _ in causes.most_common(4)), fix="nothing was done")


def restart_paged(player):
    paged = next((s for s in player.services if s in player.brief["page"]), player.services[1])
    call("restart_service", service=paged)
    player.resolve(f"{paged} crashed", fix="restarted it")


def gather_and_escalate(player):
    player.changes(), player.configs()
    call("escalate", reason="another engineer should look at it")


def escalate_at_once(_):
    call("escalate", reason="another engineer should look at it")


POLICIES = [
    incident_id, memoriser, changes_all, config_odd, seconds_then_switch, seconds_pure, changes_last_three,
    changes_every, page_blind, hedge, gather_and_escalate, restart_paged, escalate_at_once,
]


def main():
    with open(sys.argv[2], encoding="utf-8") as file:
        memory = json.load(file)
    policy = {one.__name__: one for one in POLICIES}[sys.argv[1]]
    policy(Player(hear(), memory))
    say({"give_up": True})


if __name__ == "__main__":
    main()
