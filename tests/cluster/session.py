"""Types the session with applications of docs/kubernetes.md into a shell, with the real kubectl.

Three dots stand for anything. A command is repeated until it prints what the page says, because time passes in a cluster;
served with `--speed` that is soon. What changes something is typed once.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PAGE = Path(__file__).parent / "../../docs/kubernetes.md"
SECTION = "## An application with users"
# Seconds that a command may take, with all its repetitions.
PATIENCE = 300
# What only looks may be repeated.
LOOKS = re.compile(r"kubectl (-n \S+ )?(get|logs|exec|rollout status|describe|top)\b(?!.* > )")


def commands(page):
    """Command lines and what they print, of all sessions of the section but the one that starts the cluster."""
    section = page.split(SECTION)[1].split("\n## ")[0]
    found = []
    for block in re.findall(r"```console\n(.*?)```", section, re.DOTALL):
        if "sre-zero cluster" in block:
            continue
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append([line[2:], []])
            elif found:
                found[-1][1].append(line)
    return [(command, "\n".join(printed)) for command, printed in found]


def is_as(text, wanted):
    parts = [re.escape(part) for part in wanted.strip().split("...")]
    return re.fullmatch(".*".join(parts), text.strip(), re.DOTALL) is not None


def run(command, folder):
    end = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True, timeout=PATIENCE)
    return end.stdout + end.stderr


def check(command, wanted, folder):
    until = time.monotonic() + PATIENCE
    printed = run(command, folder)
    while not is_as(printed, wanted):
        if not LOOKS.match(command) or time.monotonic() > until:
            sys.exit(f"$ {command}\n--- wanted\n{wanted}\n--- printed\n{printed}")
        printed = run(command, folder)


def main():
    assert "KUBECONFIG" in os.environ, "KUBECONFIG names the cluster"
    session = commands(PAGE.read_text())
    assert len(session) > 10, session
    with tempfile.TemporaryDirectory() as folder:
        for command, wanted in session:
            check(command, wanted, folder)
    print(f"ok     kubectl: the session of the document, {len(session)} commands")


main()
