"""The `mcp` client 1.x (handshake and session): standard input and output, and streamable HTTP."""

import asyncio
import importlib.metadata

import common
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client

version = f"mcp {importlib.metadata.version('mcp')}"


async def play(session):
    hello = await session.initialize()
    assert "PAGE" in hello.instructions
    tools = {tool.name: tool for tool in (await session.list_tools()).tools}
    assert set(tools) == {
        "inspect_logs", "inspect_metrics", "check_status", "inspect_config",
        "restart_service", "update_config", "resolve_incident", "escalate",
    }  # fmt: skip
    assert "cache" in tools["inspect_logs"].inputSchema["properties"]["service"]["enum"]
    page = await session.get_prompt("page")
    assert page.messages[0].content.text == hello.instructions
    for tool, arguments in common.ACTIONS:
        result = await session.call_tool(tool, arguments)
        assert not result.isError, result
    over = await session.call_tool("check_status", {"service": "cache"})
    assert over.content[0].text == "The episode is over."


async def over_stdio(out):
    arguments = ["mcp", "--task", common.TASK, "--seed", str(common.SEED), "--agent", common.AGENT, "--out", str(out)]
    async with stdio_client(StdioServerParameters(command=common.BIN, args=arguments)) as (read, write):
        async with ClientSession(read, write) as session:
            await play(session)


async def over_http(url):
    async with streamablehttp_client(url) as (read, write, _):
        async with ClientSession(read, write) as session:
            await play(session)


with common.compared(f"MCP over stdio, {version}") as out:
    asyncio.run(over_stdio(out))
with common.compared(f"MCP over HTTP, {version}") as out, common.serving(out) as url:
    asyncio.run(over_http(f"{url}/mcp?seed={common.SEED}&agent={common.AGENT}"))
print(f"ok     {version}: tools, prompt, stdio and streamable HTTP")
