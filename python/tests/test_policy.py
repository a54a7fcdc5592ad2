"""A policy that is trained and saved plays in the program's sweep."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples/training/saved_policy.py"


def test_a_policy_is_trained_saved_and_played(tmp_path):
    policy = tmp_path / "policy.json"
    subprocess.run([sys.executable, EXAMPLE, "train", policy, "--episodes", "40"], check=True)
    weights = json.loads(policy.read_text())
    assert any(weights.values())
    program = os.environ.get("SRE_ZERO_BIN")
    if not program:
        pytest.skip("SRE_ZERO_BIN names no program")
    out = tmp_path / "run"
    agent = f"trained={sys.executable} {EXAMPLE} play {policy}"
    subprocess.run([program, "run", "--tasks", "cache_crash", "--episodes", "3", "--exec", agent, "--out", out], check=True)
    lines = [json.loads(line) for line in (out / "episodes.jsonl").read_text().splitlines()]
    assert len(lines) == 3 and all(line["agent"] == "trained" and line["invalid_actions"] == 0 for line in lines)
