"""loopctl's tools as one agent session sees them: calls become events, replies become answers.

Invariant: calls of a session reach the loop one after the other, a bounded number of times, and
only while the session is open.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, assert_never
from uuid import uuid4

from loopctl.domain.agent_session import Role
from loopctl.domain.events import ConcernFlagged, HandoffCalled
from loopctl.domain.handoff import (
    AuditorHandoff,
    CoderHandoff,
    PostActionReport,
    WrittenHandoff,
)
from loopctl.ports import Ask, ToolAnswer
from loopctl.tools.concern_payload import FlagConcern
from loopctl.tools.declaration import ToolDeclaration
from loopctl.tools.declared import ALL_NAMES, declared_for
from loopctl.tools.plan_payloads import PlanAdjust, SectionRead
from loopctl.tools.problems import InvalidArgumentsError
from loopctl.tools.review_payloads import ReviewDelete, ReviewRead, ReviewWrite
from loopctl.tools.wire import ANSWER_S

MOST_CALLS = 200
"""Calls of one session that reach the loop: each of them is written to the database."""

OVER = "Refused: this agent session is over, or was never open. There is nothing to call any more."
_UNANSWERED = (
    "the loop does not answer. It may still record the call; try again later, to be sure of it."
)
_SHOWN_CHARACTERS = 60


class SessionTools:
    """Implements ``ports.ToolCaller``.

    Args:
        session_id: whose calls these are.
        role: what the session is for.
        ask: hands an event to the loop and returns its reply.
        busy: other sessions of the loop that are at work; ``None`` when nobody can tell.
        answer_s: how long the loop may take for one call, seconds.
    """

    def __init__(
        self,
        session_id: str,
        role: Role,
        ask: Ask,
        busy: Callable[[], tuple[str, ...] | None],
        answer_s: float = ANSWER_S,
    ) -> None:
        self.tools = declared_for(role)
        self._session_id = session_id
        self._role = role
        self._ask = ask
        self._busy = busy
        self._answer_s = answer_s
        self._turn = asyncio.Lock()
        self._calls = 0
        self._is_closed = False

    def close(self) -> None:
        """Refuse every call from now on."""
        self._is_closed = True

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolAnswer:
        """Call a tool by its name. Whatever is wrong with the call is said in the answer."""
        found = next((each for each in self.tools if each.name == tool), None)
        if found is None:
            return ToolAnswer(self._no_such(tool), refused=True)
        try:
            return await self._call(found, arguments)
        except InvalidArgumentsError as error:
            return ToolAnswer(error.message, refused=True)

    async def _call(self, tool: ToolDeclaration, arguments: Mapping[str, Any]) -> ToolAnswer:
        payload = tool.validated(arguments)
        match payload:
            case CoderHandoff() | AuditorHandoff() | PostActionReport():
                return await self._reach(tool.name, lambda: self._handoff(payload))
            case FlagConcern(concern=concern, severity=severity):
                event = ConcernFlagged(
                    call=uuid4().hex,
                    session_id=self._session_id,
                    concern=concern,
                    severity=severity,
                )
                return await self._reach(tool.name, lambda: event)
            case SectionRead() | PlanAdjust():
                return _does_not_apply(tool.name, "it has no plan with sections")
            case ReviewRead() | ReviewWrite() | ReviewDelete():
                return _does_not_apply(tool.name, "no audit keeps findings in it")
            case _:
                assert_never(payload)

    def _handoff(self, payload: WrittenHandoff) -> HandoffCalled:
        is_report = isinstance(payload, PostActionReport)
        return HandoffCalled(
            call=uuid4().hex,
            session_id=self._session_id,
            tool="loop_complete" if is_report else "loop_handoff",
            payload=payload,
            busy=self._busy(),
        )

    async def _reach(
        self, tool: str, event: Callable[[], HandoffCalled | ConcernFlagged]
    ) -> ToolAnswer:
        """Let the loop decide; the event is made when it is the call's turn."""
        async with self._turn:
            if self._is_closed:
                return ToolAnswer(OVER, refused=True)
            if self._calls >= MOST_CALLS:
                return _refused(tool, f"this session has called loopctl {MOST_CALLS} times")
            self._calls += 1
            try:
                async with asyncio.timeout(self._answer_s):
                    reply = await self._ask(event())
            except TimeoutError:
                return ToolAnswer(f"{tool}: {_UNANSWERED}", refused=True)
            except asyncio.CancelledError:
                if _is_cancelled():
                    raise
                return ToolAnswer(OVER, refused=True)  # the loop has ended and dropped the call
        if reply.refused:
            return _refused(tool, reply.refused)
        return ToolAnswer(reply.text or "Recorded.")

    def _no_such(self, tool: str) -> str:
        known = tool in ALL_NAMES
        name = tool[:_SHOWN_CHARACTERS]
        what = f"{name} is not for the role {self._role}" if known else f"there is no tool {name}"
        names = ", ".join(each.name for each in self.tools) or "none"
        return f"Refused: {what}. The tools of this session: {names}."


def _refused(tool: str, why: str) -> ToolAnswer:
    return ToolAnswer(f"{tool} was refused, and nothing was recorded: {why}.", refused=True)


def _does_not_apply(tool: str, why: str) -> ToolAnswer:
    return ToolAnswer(f"{tool} does not apply in this loop: {why}. Go on without it.")


def _is_cancelled() -> bool:
    """Whether it is the calling task itself that is to end."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
