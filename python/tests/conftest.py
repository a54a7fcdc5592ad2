"""What the tests share."""

import pathlib

import pytest

ROOT = pathlib.Path(__file__).parents[2]

TASK = "cache_crash"
SEED = 7

SOLUTION = [
    "check_status(cache)",
    "inspect_logs(cache)",
    "inspect_metrics(cache)",
    "restart_service(cache)",
    'resolve_incident(root_cause="the cache crashed and was not running", fix="restarted the cache")',
]


@pytest.fixture
def solution() -> list[str]:
    return list(SOLUTION)
