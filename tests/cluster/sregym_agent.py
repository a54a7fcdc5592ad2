"""An agent that follows SREGym's interface to the letter: the brief from /get_app, kubectl, MCP tools over event streams with
the official client, and two submissions. It knows nothing of the server but its address."""

import asyncio
import json
import os
import subprocess
import sys
import time
import urllib.request

from mcp import ClientSession
from mcp.client.sse import sse_client

conductor = f"http://{os.environ['API_HOSTNAME']}:{os.environ['API_PORT']}"
tools = os.environ["MCP_SERVER_URL"]


def ask(path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(conductor + path, data=data, headers={"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=120) as answer:
        return json.load(answer)


def kubectl(*words):
    done = subprocess.run(["kubectl", *words], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


async def call(mount, tool, **arguments):
    async with sse_client(f"{tools}/{mount}/sse") as (read, write):
        async with ClientSession(read, write) as session:
            await session.initialize()
            names = {one.name for one in (await session.list_tools()).tools}
            assert tool in names, names
            result = await session.call_tool(tool, arguments)
            assert not result.isError, result
            return result.content[0].text


async def look(namespace):
    alerts = await call("prometheus", "get_alerts")
    assert "alertname" in alerts, alerts
    up = await call("prometheus", "get_metrics", query=f'count(kube_pod_info{{namespace="{namespace}"}})')
    assert "vector" in up, up
    assert namespace in await call("loki", "get_label_values", label="namespace")
    services = json.loads(await call("jaeger", "get_services"))
    assert "frontend" in services, services
    assert await call("jaeger", "get_operations", service="frontend")
    assert await call("jaeger", "get_dependency_graph", last_n_minutes=30)
    return await call("kubectl", "exec_kubectl_cmd_safely", cmd=f"kubectl get endpoints -n {namespace}")


async def main():
    assert ask("/status") == {"stage": "diagnosis"}
    app = ask("/get_app")
    namespace = app["namespace"]
    endpoints = await look(namespace)
    empty = [line.split()[0] for line in endpoints.splitlines() if "<none>" in line]
    assert empty == ["frontend"], endpoints
    selector = json.loads(kubectl("get", "service", "frontend", "-n", namespace, "-o", "json"))["spec"]["selector"]
    pods = json.loads(kubectl("get", "pods", "-n", namespace, "-o", "json"))["items"]
    strange = [key for key, value in selector.items() if not any(pod["metadata"]["labels"].get(key) == value for pod in pods)]
    assert len(strange) == 1, strange
    told = f"The service frontend has no endpoints: its selector asks for the label {strange[0]}, which no pod has."
    assert ask("/submit", {"solution": told})["status"] == "200"
    assert ask("/status") == {"stage": "mitigation"}
    patch = json.dumps([{"op": "remove", "path": f"/spec/selector/{strange[0]}"}])
    kubectl("patch", "service", "frontend", "-n", namespace, "--type=json", "-p", patch)
    while "<none>" in kubectl("get", "endpoints", "frontend", "-n", namespace):
        time.sleep(0.2)
    assert ask("/submit", {"solution": ""})["status"] == "200"
    assert ask("/status") == {"stage": "done"}
    assert ask("/submit", {"solution": ""})["status"] == "done"
    print("ok     an agent for SREGym, with kubectl, six MCP servers and two submissions")


sys.exit(asyncio.run(main()))
