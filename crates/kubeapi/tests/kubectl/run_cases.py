#!/usr/bin/env python3
"""Compares what kubectl prints against a cluster with what it printed against a real one.

    run_cases.py --kubeconfig FILE --out DIR [--kubectl PROGRAM] [--tier P0] [--only REGEX] [--no-reset]

Applies fixtures/base.yaml and fixtures/widget.yaml, waits until they stand, and runs every case of cases.tsv in order:
later cases see what earlier ones did. A case passes if its exit code is right, if the expressions match, and, where the
column `compare` says so, if the output equals the recorded one after ids, times, ages and addresses are replaced
(y: line by line, s: in any order of lines, n: not compared). Prints what differs, then `N passed, M failed`.
"""
import argparse
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent

REPLACED = [
    (r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", "<UID>"),
    (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z| \+0000 UTC)?", "<TS>"),
    (r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+\d{4}", "<TS>"),
    (r'resourceVersion: "\d+"|"resourceVersion": ?"\d+"|Resource Version:\s+\d+', "<RV>"),
    (r"containerd://[\w-]+", "containerd://<ID>"),
    (r'((?:Image ID|"?imageID"?): *).*', r"\1<IMG>"),
    (r"\bnode-\d\b", "node-<N>"),
    (r"10\.\d+\.\d+\.\d+", "<IP>"),
    (r"\(x\d+ over [^)]*\)", ""),
    (r"(?<![\w.:/-])(\d+d)?(\d+h)?(\d+m)?(\d+(\.\d+)?s)?(?<=[dhms])(?![\w.])(?! max)", "<AGE>"),
    (r"\b(web|dep1)-[0-9a-f]{8,10}-[a-z0-9]{5}\b", r"\1-<H>-<S>"),
    (r"\b(web|dep1)-[0-9a-f]{8,10}\b", r"\1-<H>"),
    (
        r"\b(agent|once|job1|job2|db|web|web-np)-(?=[a-z0-9]*[a-z])(?!np\b)[bcdfghjklmnpqrstvwxz2456789]{5}\b",
        r"\1-<S>",
    ),
    (r"kube-api-access-\w{5}", "kube-api-access-<S>"),
    (r"(hash[=:] ?)[0-9a-f]{8,10}", r"\1<H>"),
    (r"[ \t]+", " "),
    (r"-{4,}", "----"),
]


def plain(text):
    for pattern, new in REPLACED:
        text = re.sub(pattern, new, text)
    return text


class Desk:
    """Where the commands run: a copy of the fixtures, a home of its own, the kubeconfig."""

    def __init__(self, options):
        out = pathlib.Path(options.out).resolve()
        self.folder = out / "fixtures"
        self.kubectl = options.kubectl
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(HERE / "fixtures", self.folder)
        home = out / "home"
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir(parents=True)
        kubeconfig = str(pathlib.Path(options.kubeconfig).resolve())
        self.env = dict(os.environ, KUBECONFIG=kubeconfig, HOME=str(home), BASH_ENV="/dev/null")

    def run(self, command, patience=60):
        """`k` stands for kubectl; where bash would not find a function, its name is put in."""
        command = re.sub(r"\btimeout (\d+) k ", rf"timeout \1 {self.kubectl} ", command)
        command = re.sub(r'(\w+=(?:"[^"]*"|\S+)) k ', rf"\1 {self.kubectl} ", command)
        script = f'k() {{ {self.kubectl} "$@"; }}; export -f k; {command}'
        done = subprocess.run(
            ["bash", "-c", script],
            capture_output=True,
            text=True,
            errors="replace",
            env=self.env,
            cwd=self.folder,
            timeout=patience,
            stdin=subprocess.DEVNULL,
        )
        return done.returncode, done.stdout, done.stderr


def set_up(desk):
    for name in ("base.yaml", "widget.yaml"):
        for _ in range(10):
            code, _, complaints = desk.run("k apply -f " + name)
            if code == 0:
                break
            time.sleep(1)
        else:
            sys.exit(f"{name} cannot be applied: {complaints}")
    desk.run(
        "k rollout status deploy/web -n conf --timeout=60s; k rollout status sts/db -n conf --timeout=60s;"
        " k wait --for=condition=Complete job/once -n conf --timeout=60s; sleep 4",
        200,
    )


def differences(case, got):
    if case["compare"] not in ("y", "s"):
        return []
    recorded = (HERE / "golden" / f"{case['id']}.txt").read_text().split("\n")
    got = got.split("\n")
    equal = sorted(recorded) == sorted(got) if case["compare"] == "s" else recorded == got
    if equal:
        return []
    lines = difflib.unified_diff(recorded, got, "recorded", "got", lineterm="", n=0)
    return ["differs from what was recorded:\n" + "\n".join(list(lines)[:20])]


def judge(desk, case):
    if case["setup"]:
        desk.run(case["setup"])
    try:
        code, output, complaints = desk.run(case["command"])
    except subprocess.TimeoutExpired:
        code, output, complaints = -1, "", "no end within a minute"
    wrong = []
    if str(code) != case["rc"]:
        wrong.append(f"exit code {code}, not {case['rc']}")
    for name, text in (("stdout", output), ("stderr", complaints)):
        expression = case[name + "_re"]
        if expression and not re.search(expression, text, re.S):
            wrong.append(f"{name} does not match {expression}: {text[:400]!r}")
    got = f"$ {case['command']}\nrc={code}\n--- stdout\n{plain(output)}\n--- stderr\n{plain(complaints)}\n"
    return wrong + differences(case, got)


def main():
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--kubeconfig", required=True)
    reader.add_argument("--out", required=True)
    reader.add_argument("--kubectl", default="kubectl")
    reader.add_argument("--tier", default="P9")
    reader.add_argument("--only", default="")
    reader.add_argument("--no-reset", action="store_true")
    options = reader.parse_args()
    desk = Desk(options)
    if not options.no_reset:
        set_up(desk)
    names, *rows = [line.rstrip("\n").split("\t") for line in open(HERE / "cases.tsv")]
    passed = failed = 0
    for row in rows:
        case = dict(zip(names, row))
        if case["tier"] > options.tier or not re.match(options.only, case["id"]):
            continue
        wrong = judge(desk, case)
        passed, failed = passed + (not wrong), failed + bool(wrong)
        if wrong:
            print("FAIL", case["id"], case["tier"], case["command"], *wrong, sep="\n    ", flush=True)
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
