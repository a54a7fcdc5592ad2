#!/usr/bin/env python3
"""Trains a small policy, saves it, and plays it in a sweep: how a policy of yours gets into `sre-zero run`.

    pip install srezero-*.whl
    python3 saved_policy.py train policy.json --episodes 2000
    sre-zero run --suite test --agents random,runbook --exec 'trained=python3 saved_policy.py play policy.json'

A policy is a program to the harness (docs/clients/exec.md): started for each episode, it loads what was learnt and answers with
actions. What matters is that it sees the same in training and in play; here both see the text of the episode, and `features`
is the one place where text becomes numbers. The policy is a softmax over a dozen named weights, taught by REINFORCE, and
playing it needs the standard library alone: put your own network in its place, and `--exec-share` its checkpoint.
"""

import argparse
import json
import math
import random
import sys

LOOKS = ["check_status", "inspect_logs"]


class Case:
    """What is known of an incident while it is played."""

    def __init__(self, brief, services, steps):
        self.services, self.left = services, steps
        self.page = next((line for line in brief.splitlines() if line.startswith("PAGE")), brief)
        self.seen, self.last, self.restarted = {}, None, []

    def actions(self):
        for service in self.services:
            yield from ((tool, service) for tool in LOOKS)
            yield "restart_service", service
        yield from (("resolve_incident", service) for service in self.restarted)
        yield "escalate", ""

    def features(self, action):
        """One action as named numbers."""
        tool, service = action
        status = self.seen.get(("check_status", service), "").lower()
        logs = self.seen.get(("inspect_logs", service), "").lower()
        return {
            tool: 1.0,
            f"{tool}, named by the page": float(service in self.page),
            f"{tool}, seen before": float(action in self.seen),
            f"{tool}, status is bad": float("is down" in status or "not running" in status),
            f"{tool}, errors in its logs": float("error supervisor" in logs),
            f"{tool}, restarted": float(service in self.restarted),
            f"{tool}, late": float(self.left <= 2),
        }

    def learn(self, action, observation):
        self.seen[action] = observation
        self.left -= 1
        if action[0] == "restart_service":
            self.restarted.append(action[1])


def arguments(action):
    tool, service = action
    if tool == "resolve_incident":
        return {"root_cause": f"{service} crashed", "fix": f"restarted {service}"}
    return {"reason": "no cause was found"} if tool == "escalate" else {"service": service}


def choose(case, weights, dice):
    """An action by chance, with what all actions looked like and how likely each was."""
    actions = list(case.actions())
    rows = [case.features(action) for action in actions]
    scores = [sum(weights.get(name, 0.0) * value for name, value in row.items()) for row in rows]
    odds = [math.exp(score - max(scores)) for score in scores]
    chances = [one / sum(odds) for one in odds]
    picked = dice.choices(range(len(actions)), chances)[0]
    return actions[picked], picked, rows, chances


def is_ended_by_restart(answer):
    changes = [call for call in answer if not call.startswith(("inspect", "check", "resolve"))]
    return bool(changes) and all(call.startswith("restart_service") for call in changes)


def train(path, episodes, seed):
    import srezero

    dice, weights, usual, won = random.Random(seed), {}, 0.0, []
    # The policy can look, restart and say so: it is taught on incidents that a restart ends.
    tasks = [task for task in srezero.suite_tasks("train") if is_ended_by_restart(srezero.Episode(task).answer())]
    for number in range(episodes):
        episode = srezero.Episode(dice.choice(tasks), dice.randrange(1_000_000))
        case, steps = Case(episode.brief, episode.services, episode.steps_left), []
        while not episode.is_over:
            action, picked, rows, chances = choose(case, weights, dice)
            call = json.dumps({"action": action[0], **arguments(action)})
            observation, _, _ = episode.step(call)
            case.learn(action, observation)
            steps.append((picked, rows, chances))
        gain, rate = episode.reward - usual, 1.0
        usual += 0.02 * gain
        for picked, rows, chances in steps:
            for at, row in enumerate(rows):
                for name, value in row.items():
                    weights[name] = weights.get(name, 0.0) + rate * gain * value * ((at == picked) - chances[at])
        won = (won + [episode.success])[-500:]
        if (number + 1) % 500 == 0:
            print(f"{number + 1} episodes, of the last {len(won)} resolved: {sum(won) / len(won):.2f}")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({name: round(weight, 4) for name, weight in sorted(weights.items())}, file, indent=1)
        file.write("\n")


def play(path):
    with open(path, encoding="utf-8") as file:
        weights = json.load(file)
    brief = json.loads(sys.stdin.readline())
    # The harness's number for what is done at random: the same run plays the same again.
    dice = random.Random(brief["seed"])
    case = Case(brief["text"], brief["services"], brief["steps"])
    while True:
        action, *_ = choose(case, weights, dice)
        print(json.dumps({"tool": action[0], "arguments": arguments(action)}), flush=True)
        line = sys.stdin.readline()
        seen = json.loads(line) if line else {"done": True}
        if seen["done"]:
            return
        case.learn(action, seen["text"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("do", choices=["train", "play"])
    parser.add_argument("policy", help="the file of the weights")
    parser.add_argument("--episodes", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    train(given.policy, given.episodes, given.seed) if given.do == "train" else play(given.policy)


if __name__ == "__main__":
    main()
