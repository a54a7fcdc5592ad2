"""HTTP sessions in the published shapes, with nothing but the standard library."""

import json
import urllib.request

import common


def post(url, body):
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as reply:
        return json.load(reply)


with common.compared("HTTP, published shapes") as out, common.serving(out) as url:
    first = post(f"{url}/episode/reset", {"task_id": common.TASK, "seed": common.SEED, "agent": common.AGENT})
    session = first["session_id"]
    assert first["observation"]["steps_remaining"] == 8 and first["observation"]["alert"], first
    for tool, arguments in common.ACTIONS:
        result = post(f"{url}/episode/step", {"session_id": session, "action": {"action_type": tool, **arguments}})
    assert result["done"] and result["terminated"] and not result["truncated"], result
    assert result["reward"] is None and result["info"]["total_reward"] is None, "the measured are told no reward"
    assert common.TASK not in json.dumps([first, result])

with common.compared("HTTP, OpenEnv's shapes") as out, common.serving(out) as url:
    first = urllib.request.Request(
        f"{url}/reset", json.dumps({"seed": common.SEED, "agent": common.AGENT}).encode(), method="POST"
    )
    with urllib.request.urlopen(first) as reply:
        session = reply.headers["X-Session-ID"]
    for tool, arguments in common.ACTIONS:
        body = json.dumps({"action": {"command": common.action_text(tool, arguments)}}).encode()
        step = urllib.request.Request(f"{url}/step", body, {"X-Session-ID": session})
        with urllib.request.urlopen(step) as reply:
            result = json.load(reply)
    assert result["done"] and result["observation"]["terminated"], result
