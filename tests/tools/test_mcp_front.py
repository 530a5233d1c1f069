"""``loopctl mcp-shim`` as an agent's MCP client starts and uses it."""

import asyncio
import sys

import pytest
from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters
from tools_world import HANDOFF

from loopctl.domain.agent_session import Role
from loopctl.tools.declared import declared_for


def shim(world) -> Client:
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "loopctl", "mcp-shim"], env=world.variables()
    )
    return Client(command, read_timeout_seconds=20)


def test_tools_are_listed_and_called(play):
    async def scene(world):
        async with shim(world) as client:
            assert client.server_info.name == "loopctl"
            listed = (await client.list_tools()).tools
            assert [(tool.name, tool.description, tool.input_schema) for tool in listed] == [
                (tool.name, tool.description, tool.schema) for tool in declared_for(Role.CODER)
            ]
            taken = await client.call_tool("loop_handoff", HANDOFF)
            assert (taken.content[0].text, taken.is_error) == ("On record.", False)
            assert world.loop.events[0].payload.changes[0].summary == "fixed the sum"
            calls = [{**HANDOFF, "notes": str(number)} for number in range(20)]
            await asyncio.gather(*(client.call_tool("loop_handoff", call) for call in calls))
            notes = [event.payload.notes for event in world.loop.events[1:]]
            assert notes == [call["notes"] for call in calls]
            for tool, arguments, said in (
                ("loop_handoff", {}, "changes: Field required"),
                ("loop_complete", {}, "loop_complete is not for the role coder"),
            ):
                refused = await client.call_tool(tool, arguments)
                assert refused.is_error
                assert said in refused.content[0].text

    play(scene)


def test_a_loop_that_has_gone(play):
    async def scene(world):
        async with shim(world) as client:
            world.desk.close("session-1")
            refused = await client.call_tool("loop_handoff", HANDOFF)
            assert refused.is_error
            assert "this agent session is over" in refused.content[0].text
            with pytest.raises(MCPError, match="this agent session is over"):
                await client.list_tools(cache_mode="refresh")

    play(scene)
