#!/usr/bin/env python3
"""An agent for SRE-Zero that comes to its episode over MCP: plain JSON-RPC over HTTP, standard library only.

    sre-zero run --exec-mcp 'over-mcp=python3 examples/agents/over_mcp.py'

An agent that knows MCP needs none of this: it is given SRE_ZERO_MCP_URL. See docs/clients/coding-agents.md.
"""

import json
import os
import urllib.request

URL = os.environ["SRE_ZERO_MCP_URL"]
VERSION = "2025-06-18"
calls = 0


def rpc(method, params=None, notice=False):
    global calls
    message = {"jsonrpc": "2.0", "method": method, "params": params or {}}
    if not notice:
        calls += 1
        message["id"] = calls
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": VERSION,
    }
    with urllib.request.urlopen(urllib.request.Request(URL, json.dumps(message).encode(), headers)) as reply:
        text = reply.read()
    answer = json.loads(text) if text else {}
    if "error" in answer:
        raise SystemExit(answer["error"]["message"])
    return answer.get("result", {})


def main():
    client = {"name": "over-mcp", "version": "1"}
    rpc("initialize", {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": client})
    rpc("notifications/initialized", notice=True)
    print(rpc("prompts/get", {"name": "page"})["messages"][0]["content"]["text"])
    tools = {tool["name"]: tool for tool in rpc("tools/list")["tools"]}
    services = tools["inspect_logs"]["inputSchema"]["properties"]["service"]["enum"]
    for service in services[:3]:
        rpc("tools/call", {"name": "inspect_logs", "arguments": {"service": service}})
    rpc("tools/call", {"name": "escalate", "arguments": {"reason": "seen enough"}})


if __name__ == "__main__":
    main()
