"""The MCP front: a server on standard input and output that hands every call on.

It knows no tool by itself. What it lists is what the session's role sees, and what it answers is
what the desk says; a refused call is a result that says so, which the model can read and correct.
Calls are handed on one after the other, as they came: the last handoff of a turn is the one that
counts.
"""

import asyncio

from mcp import MCPError
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp_types import (
    INTERNAL_ERROR,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
)

from loopctl import __version__
from loopctl.errors import LoopctlError
from loopctl.tools.session_client import SessionClient


def serve(client: SessionClient) -> None:
    """Serve until standard input ends."""
    asyncio.run(_serve(client))


async def _serve(client: SessionClient) -> None:
    in_turn = asyncio.Lock()

    async def list_tools(
        context: ServerRequestContext, params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        del context, params
        try:
            offers = await asyncio.to_thread(client.tools)
        except LoopctlError as error:
            raise MCPError(INTERNAL_ERROR, _text(error)) from error
        return ListToolsResult(
            tools=[
                Tool(name=offer.name, description=offer.description, input_schema=offer.schema)
                for offer in offers
            ]
        )

    async def call_tool(
        context: ServerRequestContext, params: CallToolRequestParams
    ) -> CallToolResult:
        del context
        try:
            async with in_turn:
                said = await asyncio.to_thread(client.call, params.name, params.arguments or {})
        except LoopctlError as error:
            return _result(_text(error), is_error=True)
        return _result(said.text, is_error=said.refused)

    server = Server(
        "loopctl", version=__version__, on_list_tools=list_tools, on_call_tool=call_tool
    )
    async with stdio_server() as (read_stream, write_stream):
        await server.run(read_stream, write_stream, server.create_initialization_options())


def _result(text: str, *, is_error: bool) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=is_error)


def _text(error: LoopctlError) -> str:
    parts = (error.message, error.why, error.next_step)
    return ". ".join(part for part in parts if part)
