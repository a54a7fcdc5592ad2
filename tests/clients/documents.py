"""Runs the examples of a client's page as they stand there, against a server of our own."""

import pathlib
import re
import subprocess
import sys

import common

ADDRESS = "http://127.0.0.1:8000"
DOCS = pathlib.Path(__file__).parents[2] / "docs" / "clients"

for name in sys.argv[1:]:
    blocks = re.findall(r"^```(python|sh)\n(.*?)^```$", (DOCS / name).read_text(), re.MULTILINE | re.DOTALL)
    assert any(kind == "python" for kind, _ in blocks), f"{name} has no example"
    with common.server("--suite", "srezero-40") as (url, _):
        for kind, code in blocks:
            command = [sys.executable, "-c"] if kind == "python" else ["bash", "-euo", "pipefail", "-c"]
            code = code.replace(ADDRESS, url).replace("curl -s ", "curl -sf ")
            ran = subprocess.run([*command, code], capture_output=True, text=True, timeout=300)
            assert ran.returncode == 0 and ran.stdout, f"{name}:\n{code}\n{ran.stdout}{ran.stderr}"
    print(f"ok     docs/clients/{name}: {len(blocks)} examples run")
