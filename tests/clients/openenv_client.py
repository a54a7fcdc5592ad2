"""OpenEnv's own client, 0.3 (`openenv-core`) and 0.10 (`openenv`): one task over the WebSocket."""

import concurrent.futures
import importlib.metadata
import json
import subprocess
import sys

import common

try:
    from openenv import GenericEnvClient
except ImportError:
    from openenv.core import GenericEnvClient

packages = [name for name in ("openenv", "openenv-core") if any(d.name == name for d in importlib.metadata.distributions())]
version = " ".join(f"{name} {importlib.metadata.version(name)}" for name in packages)


def play(url, seed):
    """One episode; the whole transcript."""
    seen = []
    with GenericEnvClient(base_url=url).sync() as env:
        seen.append(env.reset(seed=seed, agent=common.AGENT))
        for tool, arguments in common.ACTIONS:
            seen.append(env.step({"command": common.action_text(tool, arguments)}))
        state = env.state()
    return seen, state


with common.compared(f"WebSocket, {version}") as out, common.serving(out) as url:
    seen, state = play(url, common.SEED)
    assert "PAGE" in seen[0].observation["text"] and not seen[0].done
    last = seen[-1]
    assert last.done and last.observation["terminated"] and not last.observation["truncated"]
    assert all(r.reward is None for r in seen), "the measured are told no reward"
    assert state["step_count"] == len(common.ACTIONS) and state["done"]
    assert common.TASK not in json.dumps([r.observation for r in seen] + [state])

with common.server() as (url, _):
    # The validator that comes with the client.
    validator = [sys.executable, "-m", "openenv.cli", "validate", url]
    checked = subprocess.run(validator, capture_output=True, text=True, timeout=120)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "PASS" in checked.stdout or '"passed": true' in checked.stdout, checked.stdout

    # The same seed gives the same transcript, to the byte, in sixty-four sessions at once.
    with concurrent.futures.ThreadPoolExecutor(64) as pool:
        plays = list(pool.map(lambda _: play(url, 3), range(64)))
    told = {json.dumps([{**r.observation, "metadata": None} for r in seen]) for seen, _ in plays}
    assert len(told) == 1

    # A wrong action is said to be one.
    with GenericEnvClient(base_url=url).sync() as env:
        env.reset(seed=1)
        try:
            env.step({"order": "x"})
            raise SystemExit("an unknown field was let through")
        except RuntimeError as error:
            assert "VALIDATION_ERROR" in str(error), error

print(f"ok     {version}: plays, validates, 64 sessions at once")
