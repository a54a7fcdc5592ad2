"""The examples of the clients' pages run as they stand there."""

import importlib.util
import re
import subprocess
import sys

import pytest
from conftest import ROOT

NEEDS = {"gymnasium.md": "gymnasium", "trl.md": "srezero", "skyrl.md": "skyrl_gym", "verifiers.md": "verifiers"}


@pytest.mark.parametrize("page", NEEDS)
def test_the_examples_of_a_page_run(page, tmp_path):
    if importlib.util.find_spec(NEEDS[page]) is None:
        pytest.skip(f"{NEEDS[page]} is not installed")
    text = (ROOT / "docs" / "clients" / page).read_text()
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert blocks, "a page has an example"
    for code in blocks:
        ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, cwd=tmp_path)
        assert ran.returncode == 0, f"{code}\n{ran.stdout}{ran.stderr}"
        assert ran.stdout, "an example shows something"
