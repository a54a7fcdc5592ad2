"""With the trainers themselves: `test.sh --heavy`."""

import http.server
import json
import os
import pathlib
import subprocess
import sys
import threading

import pytest
import srezero
from conftest import SOLUTION, TASK

pytestmark = pytest.mark.heavy


def test_stable_baselines_checks_and_learns():
    pytest.importorskip("stable_baselines3")
    from stable_baselines3 import PPO
    from stable_baselines3.common.env_checker import check_env

    env = srezero.Env(tasks=[TASK], seeds=2)
    check_env(env)
    model = PPO("MultiInputPolicy", env, n_steps=256, batch_size=64, n_epochs=2, seed=0, device="cpu")
    model.learn(total_timesteps=3000)
    action, _ = model.predict(env.reset(seed=0)[0])
    assert action in env.action_space


class Scripted(http.server.BaseHTTPRequestHandler):
    """A stub model: answers the nth message of a conversation with the nth action of the solution, as a stream."""

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        turn = sum(message["role"] == "assistant" for message in body["messages"])
        text = SOLUTION[min(turn, len(SOLUTION) - 1)]
        said = {"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": None}
        stopped = {"index": 0, "delta": {}, "finish_reason": "stop"}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        head = {"id": "x", "object": "chat.completion.chunk", "created": 0, "model": body["model"]}
        chunks = [{**head, "choices": [said]}, {**head, "choices": [stopped]}, {**head, "choices": [], "usage": usage}]
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for chunk in [*map(json.dumps, chunks), "[DONE]"]:
            self.wfile.write(f"data: {chunk}\n\n".encode())

    def log_message(self, *_):
        pass


CONFIG = """
model = "scripted"
num_rollouts = 2
push = false
[client]
type = "eval"
base_url = "http://127.0.0.1:{port}/v1"
api_key_var = "NO_KEY_IS_NEEDED"
[env.taskset]
id = "srezero-verifiers"
tasks = ["{task}"]
seeds = 2
[env.player.harness]
id = "null"
[env.player.runtime]
type = "subprocess"
"""


def test_verifiers_loads_and_plays(tmp_path):
    pytest.importorskip("verifiers")
    import srezero_verifiers as sv

    tasks = list(sv.IncidentTaskset(sv.IncidentConfig(id="srezero-verifiers", suite="train", seeds=2)))
    assert len(tasks) == 2 * len(srezero.suite_tasks("train"))
    assert len({task.key for task in tasks}) == len(tasks), "keys tell tasks apart"
    assert all(task.data.info["task"] not in str(task.data.prompt) for task in tasks)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Scripted)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        traces = evaluate(tmp_path, server.server_address[1])
    finally:
        server.shutdown()
    assert len(traces) == 4, "two seeds, two rollouts each"
    rewards = [trace["rewards"]["incident_reward"]["score"] for trace in traces]
    assert min(rewards) > 0.9 and len(set(rewards)) <= 2, "the script solves it, the same way in each pair"
    assert all(trace["info"]["success"] for trace in traces)


def evaluate(folder: pathlib.Path, port: int) -> list[dict]:
    (folder / "run.toml").write_text(CONFIG.format(port=port, task=TASK))
    bin_folder = os.path.dirname(sys.executable)
    environment = {**os.environ, "PATH": bin_folder + os.pathsep + os.environ["PATH"], "NO_KEY_IS_NEEDED": "none"}
    command = [os.path.join(bin_folder, "vf-eval"), "@", "run.toml"]
    ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    (path,) = folder.rglob("traces.jsonl")
    return [trace for line in path.read_text().splitlines() for trace in json.loads(line)["traces"]]
