#!/usr/bin/env python3
"""An agent for SRE-Zero in the standard library: looks at every service, then hands over.

    sre-zero run --exec 'first-responder=python3 examples/agents/first_responder.py'

One JSON object a line: the brief and observations come in, actions go out. See docs/clients/exec.md.
"""

import json
import sys


def say(message):
    print(json.dumps(message), flush=True)


def hear():
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)  # the run is over
    return json.loads(line)


def call(tool, **arguments):
    say({"tool": tool, "arguments": arguments})
    observation = hear()
    if observation["done"]:
        sys.exit(0)
    return observation


def main():
    brief = hear()
    if brief["protocol"] != 1:
        sys.exit(f"this agent speaks protocol 1, not {brief['protocol']}")
    # Whatever goes to standard error ends up in the log of the run; standard output is for actions only.
    print(brief["page"], file=sys.stderr)
    tools = {tool["name"] for tool in brief["tools"]}
    suspects = []
    for service in brief["services"]:
        if call("check_status", service=service)["steps_left"] <= 2:
            break
        seen = call("inspect_logs", service=service)
        if "error" in seen["text"].lower():
            suspects.append(service)
        if seen["steps_left"] <= 2:
            break
    if "escalate" in tools:
        call("escalate", reason="errors in the logs of " + (", ".join(suspects) or "no service"))
    say({"give_up": True})


if __name__ == "__main__":
    main()
