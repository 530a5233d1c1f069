"""``loopctl mcp-shim``: loopctl's tools for agents that speak MCP."""

import os


def mcp_shim() -> int:
    """Serve the tools of this agent session over MCP, on standard input and output."""
    from loopctl.tools.session_client import SessionClient

    client = SessionClient.from_environment(os.environ)
    from loopctl.tools.mcp_front import serve

    serve(client)
    return 0
