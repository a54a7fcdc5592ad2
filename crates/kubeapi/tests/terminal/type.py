"""Types at kubectl, as a person would, and compares what the terminal shows.

    type.py KUBECONFIG
"""

import os
import pty
import select
import subprocess
import sys
import termios
import time

UP = "\x1b[A"
# What is typed, and what the terminal shows until it waits again.
SHELL = [
    ("", "# "),
    ("echo ax\x7fb\r", "echo ax\b \bb\r\nab\r\n# "),
    ("hostname\r", "hostname\r\n{pod}\r\n# "),
    ("sleep 1000\r", "sleep 1000\r\n"),
    ("\x03", "^C\r\n# "),
    ("half\x03", "half^C\r\n# "),
    (UP + UP + "\r", "sleep 1000" + "\b \b" * 10 + "hostname\r\n{pod}\r\n# "),
    ("echo oops >&2\r", "echo oops >&2\r\noops\r\n# "),
    ("exit\r", "exit\r\n"),
]
# Containers that are no shell: what they are told to do, what is typed after which words, and the code that they end with.
TOOLS = [
    (["--image=busybox:1.36", "--", "sh", "-c", "echo done; exit 3"], None, "done\r\n", 3),
    (["--image=busybox:1.36", "--", "wget", "-qO-", "http://nowhere/"], None, "bad address 'nowhere'", 1),
    (["--image=nginx:1.25"], "\x03", "", 130),
]


def shown(terminal, text, seconds=60):
    """What the terminal shows, up to a text that it must show."""
    seen, end = "", time.monotonic() + seconds
    while text not in seen and time.monotonic() < end:
        if select.select([terminal], [], [], 1)[0]:
            try:
                seen += os.read(terminal, 4096).decode()
            except OSError:
                break
    return seen


def is_raw(terminal, seconds=60):
    """Waits until the client takes every key: before that the terminal itself makes a signal of Ctrl-C."""
    end = time.monotonic() + seconds
    while termios.tcgetattr(terminal)[3] & termios.ISIG and time.monotonic() < end:
        select.select([], [], [], 0.01)
    return not termios.tcgetattr(terminal)[3] & termios.ISIG


def play(words, pod):
    """Types all lines at a command; says whether all was as expected."""
    child, terminal = pty.fork()
    if child == 0:
        os.execvp("kubectl", ["kubectl", *words])
    for typed, expect in SHELL:
        expect = expect.replace("{pod}", pod)
        os.write(terminal, typed.encode())
        seen = shown(terminal, expect)
        # Before the first prompt kubectl may say something of its own.
        if seen != expect and not (typed == "" and seen.endswith(expect)):
            print(f"{' '.join(words)}: after {typed!r}\n  expected {expect!r}\n  but saw  {seen!r}")
            os.kill(child, 9)
            os.waitpid(child, 0)
            return False
    shown(terminal, "\0")
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code != 0:
        print(f"{' '.join(words)}: ended with {code}")
    return code == 0


# On a busy machine a key may come before the client is attached: it says so, and reads the log instead.
TOO_EARLY = "couldn't attach to pod/once"
TRIES = 3


def once(words, typed, expect, wanted, tries=TRIES):
    """A container that does one thing, or serves until Ctrl-C: what it shows, and how it ends. It must not keep its client."""
    child, terminal = pty.fork()
    if child == 0:
        os.execvp("kubectl", ["kubectl", "run", "once", "-it", "--rm", "--restart=Never", *words])
    seen = ""
    if typed is not None:
        seen += shown(terminal, "try pressing enter.\r\n")
        if not is_raw(terminal):
            print(f"{' '.join(words)}: the client never took the keys")
        os.write(terminal, typed.encode())
    seen += shown(terminal, 'pod "once" deleted')
    shown(terminal, "\0", 10)
    os.kill(child, 9)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if typed is not None and TOO_EARLY in seen and code != wanted and tries > 1:
        return once(words, typed, expect, wanted, tries - 1)
    if expect not in seen or 'pod "once" deleted' not in seen or code != wanted:
        print(f"{' '.join(words)}: ended with {code} and showed {seen!r}")
    return expect in seen and code == wanted


def kubectl(*words):
    return subprocess.run(["kubectl", *words], capture_output=True, text=True, check=False)


def main():
    os.environ["KUBECONFIG"] = sys.argv[1]
    kubectl("run", "box", "--image=busybox:1.36", "--", "sleep", "100000")
    kubectl("wait", "--for=condition=Ready", "pod/box", "--timeout=60s")
    is_good = play(["exec", "-it", "box", "--", "sh"], "box")
    run = ["run", "tmp", "-it", "--rm", "--image=busybox:1.36", "--restart=Never", "--quiet", "--", "sh"]
    is_good &= play(run, "tmp")
    for words, typed, expect, code in TOOLS:
        is_good &= once(words, typed, expect, code)
    left = kubectl("get", "pods", "-o", "name").stdout
    if left != "pod/box\n":
        print(f"left over: {left!r}")
    return 0 if is_good and left == "pod/box\n" else 1


sys.exit(main())
