"""The `mcp` client 2.x, in the handshake's era and in the one without: stdio and streamable HTTP."""

import asyncio
import importlib.metadata
import json
import urllib.request

import common
from mcp import Client, StdioServerParameters

version = f"mcp {importlib.metadata.version('mcp')}"
STATELESS = "2026-07-28"
TOOLS = {
    "inspect_logs", "inspect_metrics", "check_status", "inspect_config",
    "restart_service", "update_config", "resolve_incident", "escalate",
}  # fmt: skip


async def play(server, mode):
    async with Client(server, mode=mode) as client:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        assert tools == TOOLS, tools
        page = await client.get_prompt("page")
        assert "PAGE" in page.messages[0].content.text
        for tool, arguments in common.ACTIONS:
            result = await client.call_tool(tool, arguments)
            assert not result.is_error, result
        over = await client.call_tool("check_status", {"service": "cache"})
        assert over.content[0].text == "The episode is over."
        return client.protocol_version


async def play_by_handle(server):
    """Without a session of its own a client begins one and names it with every call."""
    async with Client(server, mode=STATELESS) as client:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        assert tools == TOOLS | {"start_incident"}, tools
        started = await client.call_tool("start_incident", {"seed": common.SEED})
        handle = started.content[-1].text.split()[1]
        for tool, arguments in common.ACTIONS:
            result = await client.call_tool(tool, {**arguments, "session": handle})
            assert not result.is_error, result


def begin(url):
    """What an experimenter does: begins an episode and hands out its address."""
    body = json.dumps({"seed": common.SEED, "agent": common.AGENT}).encode()
    with urllib.request.urlopen(urllib.request.Request(f"{url}/episode/reset", body)) as reply:
        return url + json.load(reply)["mcp_path"]


arguments = ["mcp", "--task", common.TASK, "--seed", str(common.SEED), "--agent", common.AGENT]
spoken = {"legacy": "2025-11-25", STATELESS: STATELESS, "auto": STATELESS}
for mode, revision in spoken.items():
    with common.compared(f"MCP over stdio, {version}, {mode}") as out:
        server = StdioServerParameters(command=common.BIN, args=[*arguments, "--out", str(out)])
        assert asyncio.run(play(server, mode)) == revision
    with common.compared(f"MCP over HTTP, one session's address, {version}, {mode}") as out:
        with common.serving(out) as url:
            assert asyncio.run(play(begin(url), mode)) == revision
with common.compared(f"MCP over HTTP, {version}, legacy") as out, common.serving(out) as url:
    asyncio.run(play(f"{url}/mcp?seed={common.SEED}&agent={common.AGENT}", "legacy"))
with common.compared(f"MCP over HTTP, by handle, {version}, {STATELESS}") as out, common.serving(out) as url:
    asyncio.run(play_by_handle(f"{url}/mcp?agent={common.AGENT}"))
print(f"ok     {version}: both eras, stdio and streamable HTTP")
