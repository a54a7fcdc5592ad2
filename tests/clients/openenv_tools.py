"""OpenEnv's tool client: in simulation over the WebSocket's MCP, in production over HTTP `/mcp`."""

import importlib.metadata

import common
from openenv.core.mcp_client import MCPToolClient

version = f"openenv {importlib.metadata.version('openenv')}"


def text(result):
    """What a tool said, whichever way this client wraps it."""
    content = result["content"] if isinstance(result, dict) else result
    return content if isinstance(content, str) else content[0]["text"]


with common.server() as (url, _):
    with MCPToolClient(base_url=url, mode="production").sync() as env:
        tools = {tool.name for tool in env.list_tools()}
        assert "resolve_incident" in tools and "start_incident" not in tools, tools
        assert "cache" in text(env.call_tool("check_status", service="cache"))
        ended = env.call_tool("escalate", reason="enough seen")
        assert "handed over" in text(ended), ended
        assert "over" in text(env.call_tool("check_status", service="cache"))
print(f"ok     {version}: MCPToolClient in production mode")
