"""Runs the `sre-zero` commands of the documents as a reader would type them.

Each page has a folder of its own, in which its commands run one after the other; `stage` puts there what a page takes for
granted, such as a run called `runs/RUN`. A model that costs money is replaced by the rehearsal provider, a placeholder by
something real, and a large number by a small one: `CHANGES` lists all of it. What cannot be run here is in `LEFT_OUT`, with
the reason. Both lists may name nothing that no document has.

    python3 follow.py [PAGE ...]      all pages without PAGE
"""

import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PROGRAM = os.environ["SRE_ZERO_BIN"]
SECONDS = 300

# What a command is called with instead, on every page: (pattern, replacement).
CHANGES = [
    (r"\b(openai|ollama)/[\w.:-]+(,(openai|ollama)/[\w.:-]+)*", "rehearsal/runbook"),
    (r"\bPROVIDER/MODEL\b", "rehearsal/runbook"),
    (r"--episodes (?!1\b)\d+", "--episodes 1"),
    (r"--count 1000\b", "--count 20"),
    (r"--suite sregym(-all)?(?![-\w])", "--suite sregym-lite"),
    (r"--port 8088", "--port 0"),
    (r"^(sre-zero rehearse)(?! --port)", r"\1 --port 0"),
    (r"\bID\b", "missing_configmap_hotel_reservation"),
    # The agent that stands for the reader's own only looks.
    (r"(mine=.*)--min-success [\d.]+ --min-marks \d+", r"\1--min-success 0 --min-marks 0"),
]

# Commands that stay until they are ended: they must say something and are ended then.
STAYING = ("rehearse", "serve", "cluster", "view", "play")

# What cannot be run here: (page, a part of the command, why).
LEFT_OUT = [
    ("docs/sregym.md", "claude -p", "the coding agent is another company's program"),
    ("docs/sregym.md", "codex exec", "the coding agent is another company's program"),
    ("docs/sregym.md", "claude.sh", "the coding agent is another company's program"),
    ("docs/clients/coding-agents.md", "claude -p", "the coding agent is another company's program"),
    ("docs/clients/coding-agents.md", "codex exec", "the coding agent is another company's program"),
    ("docs/clients/coding-agents.md", "claude.sh", "the coding agent is another company's program"),
    ("docs/clients/coding-agents.md", "codex.sh", "the coding agent is another company's program"),
    ("docs/clients/exec.md", "claude.sh", "the coding agent is another company's program"),
    ("docs/sweeps.md", "--tui", "it needs a terminal; the screen has tests of its own"),
    ("docs/questions.md", "new-questions ../mine", "it reads a repository of the reader's; the session `new_questions` makes one"),
    ("docs/skills.md", "azure-k8s-mcq.json", "the published files are not ours to ship"),
]


def commands(page):
    """The commands of a page or of a workflow, without comments, each with the line it begins at."""
    yield from console(page) if page.endswith(".md") else ()
    yield from workflow(page)


def workflow(page):
    """The commands of a CI server's workflow, also of one that stands in a page."""
    lines = (ROOT / page).read_text().splitlines()
    for number, line in enumerate(lines, 1):
        found = re.match(r"( *)- run: (.*)$", line)
        if not found:
            continue
        indent, command = len(found[1]), found[2]
        if command == ">":
            rest = itertools.takewhile(lambda one: len(one) - len(one.lstrip()) > indent + 2, lines[number:])
            command = " ".join(one.strip() for one in rest)
        if command.startswith("sre-zero "):
            yield number, command.replace("${{ matrix.shard }}", "3")


def console(page):
    """The commands of a page's sessions."""
    inside, prompts, text, begun = False, False, "", 0
    for number, line in enumerate((ROOT / page).read_text().splitlines(), 1):
        if line.startswith("```"):
            inside, prompts = line.startswith(("```sh", "```console")) and not inside, line.startswith("```console")
            text = ""
            continue
        if not inside or (prompts and not line.startswith("$ ") and not text):
            continue
        begun = begun if text else number
        text += line[2:] if prompts and not text else line
        if text.endswith("\\"):
            text = text[:-1]
            continue
        command, text = re.sub(r"\s+# .*$", "", text).strip(), ""
        if command.startswith("sre-zero "):
            yield begun, command


def stage(folder, page):
    """What pages take for granted."""
    shutil.copytree(STAGED / ("ASKED" if page == "docs/skills.md" else "RUN"), folder / "runs/RUN")
    (folder / "examples").symlink_to(ROOT / "examples")
    shutil.copytree(ROOT / "examples/book-shop", folder / "my-shop")
    for name in ("items", "mine"):
        shutil.copy(ROOT / "tasks/skills/questions.jsonl", folder / f"{name}.jsonl")
    shutil.copy(ROOT / "examples/agents/first_responder.py", folder / "my_agent.py")
    for shard in (1, 2):
        shutil.copytree(STAGED / f"shard-{shard}", folder / f"shard-{shard}")
        shutil.copytree(STAGED / f"sweep-{shard}", folder / f"results/shard-{shard}")
    for name in ("plain", "careful"):
        (folder / f"{name}.md").write_text(f"You are on call. Be {name}.\n")
    shutil.copy(HERE / "sweep.toml", folder)
    shutil.copy(HERE / "labels.csv", folder)


def run(command, folder):
    """Runs a command as a shell does; gives what was wrong, or nothing."""
    environment = dict(os.environ, PATH=f"{BIN}:{os.environ['PATH']}", OPENAI_API_KEY="not-a-key")
    stays = command.split()[1] in STAYING
    command = command.removesuffix("&").strip()
    with tempfile.TemporaryFile() as output:
        child = subprocess.Popen(
            ["bash", "-c", f"exec {command}"], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output
        )
        try:
            if stays:
                until = time.monotonic() + SECONDS
                while child.poll() is None and os.fstat(output.fileno()).st_size == 0:
                    if time.monotonic() > until:
                        return "it says nothing"
                    time.sleep(0.05)
                if child.poll() is None:
                    child.terminate()
                    child.wait(30)
                    return None
            code = child.wait(SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()
            return f"it is not through after {SECONDS} s"
        output.seek(0)
        said = output.read().decode(errors="replace")
    return None if code == 0 else f"exit {code}: {said[-800:]}"


def follow(page):
    """Follows a page; gives its commands that were run, and what was wrong."""
    done, wrong = 0, []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        stage(folder, page)
        for number, command in commands(page):
            if any(page == own and part in command for own, part, _ in LEFT_OUT):
                continue
            changed = command
            for pattern, replacement in CHANGES:
                changed = re.sub(pattern, replacement, changed)
            if "rehearsal/" in changed and " --policy " not in changed and changed.split()[1] in ("run", "judge"):
                changed += " --policy none"
            if changed.split()[1] == "run" and "--episodes" not in changed:
                changed += " --episodes 1"
            problem = run(changed, folder)
            done += 1
            if problem:
                wrong.append(f"{page}:{number}: {command}\n    run as: {changed}\n    {problem}")
    return done, wrong


def prepare(folder):
    """A run, two shards of a run and of a sweep, made once for all pages."""
    make = lambda *words: subprocess.run([PROGRAM, *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    make("run", "--episodes", "1", "--agents", "runbook,scripted", "--out", str(folder / "RUN"))
    make("run", "--suite", "skills", "--agents", "tools", "--models", "rehearsal/random", "--policy", "none",
         "--episodes", "1", "--out", str(folder / "ASKED"))
    for shard in (1, 2):
        make("run", "--episodes", "1", "--agents", "runbook", "--shard", f"{shard}/2", "--out", str(folder / f"shard-{shard}"))
        make("sweep", str(HERE / "sweep.toml"), "--shard", f"{shard}/2", "--out", str(folder / f"sweep-{shard}"))


def main():
    documents = sorted(str(p.relative_to(ROOT)) for p in (ROOT / "docs").glob("**/*.md"))
    pages = sys.argv[1:] or ["README.md", *documents, "examples/ci/github.yml"]
    texts = {page: [command for _, command in commands(page)] for page in pages}
    if not sys.argv[1:]:
        for page, part, _ in LEFT_OUT:
            assert any(part in command for command in texts[page]), f"LEFT_OUT: no command of {page} has `{part}`"
    provider = subprocess.Popen([PROGRAM, "rehearse"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    first = provider.stdout.readline()
    assert "rehearsing" in first, f"the rehearsal provider does not start: {first}"
    all_done, all_wrong = 0, []
    try:
        prepare(STAGED)
        # Most commands wait for files and servers for a part of their time: two pages at once.
        with ThreadPoolExecutor(2) as pool:
            for page, (done, wrong) in zip(pages, pool.map(follow, pages)):
                all_done, all_wrong = all_done + done, all_wrong + wrong
                if done:
                    print(f"{page}: {done} commands, {len(wrong)} wrong", flush=True)
    finally:
        provider.terminate()
    print(f"{all_done} commands of the documents run, {len(LEFT_OUT)} left out")
    for problem in all_wrong:
        print(problem, file=sys.stderr)
    sys.exit(1 if all_wrong else 0)


with tempfile.TemporaryDirectory() as staged, tempfile.TemporaryDirectory() as BIN:
    STAGED = Path(staged)
    Path(BIN, "sre-zero").symlink_to(Path(PROGRAM).resolve())
    main()
