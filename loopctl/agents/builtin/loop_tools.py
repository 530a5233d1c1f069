"""loopctl's own tools, as the library wants them: declared once, answered by the loop.

Invariant: a call that the loop refuses is a failed answer with the reason, and changes nothing.
"""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from pydantic_ai import RunContext, Tool, ToolDefinition, ToolFailed

from loopctl.agents.builtin.answering import MOST_FAILURES, answering
from loopctl.agents.builtin.screen import Screen
from loopctl.domain.agent_session import Role
from loopctl.ports import ToolCaller
from loopctl.tools.declaration import ToolDeclaration
from loopctl.tools.declared import declared_for

_ENDS = ("loop_handoff", "loop_complete")


def loop_tools(role: Role, caller: ToolCaller, screen: Screen) -> list[Tool[None]]:
    """The tools that a role sees.

    Args:
        role: what the session is for.
        caller: the session's place at the loop's tools.
        screen: shows their calls.
    """
    return [_tool(declared, caller, screen) for declared in declared_for(role)]


def hand_over_tool(role: Role) -> str:
    """The tool with which a role ends its turn; ``""`` when it has none."""
    return next((tool.name for tool in declared_for(role) if tool.name in _ENDS), "")


def _tool(declared: ToolDeclaration, caller: ToolCaller, screen: Screen) -> Tool[None]:
    async def described(context: RunContext[None], tool: ToolDefinition) -> ToolDefinition:
        del context
        return replace(tool, parameters_json_schema=declared.schema)

    return Tool(
        answering(declared.name, _calling(caller, declared.name), screen),
        name=declared.name,
        description=declared.description,
        prepare=described,
        max_retries=MOST_FAILURES,
        sequential=True,
    )


def _calling(caller: ToolCaller, name: str) -> Callable[..., Awaitable[str]]:
    async def call(**arguments: Any) -> str:
        answer = await caller.call(name, arguments)
        if answer.refused:
            raise ToolFailed(answer.text)
        return answer.text

    return call
