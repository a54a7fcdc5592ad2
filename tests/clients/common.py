"""What every client's test shares: a server of our own, one incident, and what its record must say.

Only the standard library, so that each client's environment can import it.
"""

import contextlib
import json
import os
import pathlib
import subprocess
import tempfile

BIN = os.environ["SRE_ZERO_BIN"]
TASK = "cache_crash"
SEED = 7
AGENT = "client"

# The same five actions for every client: a tool, and its arguments.
ACTIONS = [
    ("check_status", {"service": "cache"}),
    ("inspect_logs", {"service": "cache"}),
    ("inspect_metrics", {"service": "cache"}),
    ("restart_service", {"service": "cache"}),
    ("resolve_incident", {"root_cause": "the cache crashed and was not running", "fix": "restarted the cache"}),
]


def action_text(tool, arguments):
    """A structured call as the text that every face makes of it."""
    return json.dumps({"action": tool, **arguments}, sort_keys=True, separators=(",", ":"))


@contextlib.contextmanager
def server(*more):
    """A server on a free port, stopped gently at the end; gives its address and the folder of its records."""
    with tempfile.TemporaryDirectory(prefix="sre-zero-") as out, serving(out, *more) as address:
        yield address, pathlib.Path(out)


@contextlib.contextmanager
def serving(out, *more):
    """The same with a folder of the caller's."""
    which = [] if "--suite" in more else ["--tasks", TASK]
    command = [BIN, "serve", *which, "--port", "0", "--out", str(out), *more]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            address = process.stdout.readline().strip()
            assert address.startswith("http://"), process.stderr.read()
            yield address
        finally:
            process.terminate()
            told = process.stderr.read()
            assert process.wait(timeout=30) == 0, told


@contextlib.contextmanager
def compared(face):
    """A folder in which one solved episode must be found at the end; its digest is told, to be compared."""
    with tempfile.TemporaryDirectory(prefix="sre-zero-") as out:
        yield pathlib.Path(out)
        index = pathlib.Path(out, "episodes.jsonl")
        found = [json.loads(line) for line in index.read_text().splitlines()]
        assert len(found) == 1, f"{face}: {len(found)} records"
        line = found[0]
        assert line["success"] and line["agent"] == AGENT and line["seed"] == SEED, line
        print(f"digest {line['digest']} {face}", flush=True)
