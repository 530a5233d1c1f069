"""One conversation with a model: prompts go in, the model calls tools, the turn ends.

The conversation is written down whenever it has grown: after the prompt, after every answer of
the model and after the calls that it made. So a session can be gone on with by another process.

Invariant: ``run_turn`` ends soon after its signal, wherever the turn is (waiting for the model, or
in a tool), and nothing of the turn goes on after it.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from types import NoneType

from pydantic_ai import Agent, CallToolsNode, ModelMessage, ModelRequestNode, Tool
from pydantic_ai.messages import repair_messages
from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import UsageLimits

from loopctl.agents.builtin.answering import MOST_FAILURES, sendable
from loopctl.agents.builtin.ending import ending_of, too_many_requests
from loopctl.agents.builtin.history import History
from loopctl.agents.builtin.transcript import Transcript
from loopctl.domain.agent_session import TurnOutcome, TurnResult
from loopctl.ports import StopSignal

MOST_REQUESTS = 200
"""Requests to the model in one turn: one that needs more runs in a circle."""
_SETTINGS = ModelSettings(cache=True)  # each request sends all that the one before it has sent
_UNLIMITED = UsageLimits(request_limit=None)  # caps are the loop's, asked for at its meter


class BuiltinSession:
    """Implements ``ports.AgentSession``.

    Args:
        session_id: its identifier.
        connect: opens the model for one turn; it asks the meter before it sends a request.
        tools: what the model may call.
        instructions: the standing text.
        history: keeps the conversation, and may hold one to go on with.
        transcript: takes down what is said and done.
        most_requests: to the model, in one turn.

    Raises:
        LoopctlError: there is a conversation to go on with, and it cannot be read.
    """

    def __init__(
        self,
        session_id: str,
        connect: Callable[[], AbstractAsyncContextManager[Model]],
        *,
        tools: Sequence[Tool[None]],
        instructions: str,
        history: History,
        transcript: Transcript,
        most_requests: int = MOST_REQUESTS,
    ) -> None:
        self.id = session_id
        self._connect = connect
        self._history = history
        self._messages = history.load()
        self._transcript = transcript
        self._most_requests = most_requests
        self._agent = Agent(
            deps_type=NoneType,
            output_type=[str, NoneType],  # an answer without a word ends a turn as well
            instructions=instructions,
            model_settings=_SETTINGS,
            tools=tools,
            retries={"tools": MOST_FAILURES, "output": 1},
        )

    async def run_turn(self, prompt: str, stop: StopSignal) -> TurnResult:
        """Send ``prompt`` and let the model work until it ends its turn or ``stop`` is set."""
        began = time.monotonic()
        self._transcript.begin(prompt)
        work = asyncio.create_task(self._converse(sendable(prompt)))
        stopped = asyncio.create_task(stop.event.wait())
        try:
            await asyncio.wait((work, stopped), return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopped.cancel()
            work.cancel()
            await asyncio.wait((work,))
        result = TurnResult(outcome=stop.outcome) if stop.event.is_set() else work.result()
        return self._transcript.end(result).evolve(duration_s=time.monotonic() - began)

    async def wait_idle(self) -> None:
        """Return at once: nothing outlives a turn."""

    async def close(self) -> None:
        """Do nothing: nothing outlives a turn, and the conversation is in its file."""

    async def _converse(self, prompt: str) -> TurnResult:
        """The conversation of one turn, from the prompt to the last answer."""
        before = repair_messages(self._messages)  # the last turn may have been stopped
        left = self._most_requests
        try:
            async with (
                self._connect() as model,
                self._agent.iter(
                    prompt, model=model, message_history=before, usage_limits=_UNLIMITED
                ) as run,
            ):
                async for step in run:
                    match step:
                        case ModelRequestNode(request=request):
                            self._keep([*run.all_messages(), request])
                            self._transcript.sent(request)
                            if not left:
                                return too_many_requests(self._most_requests)
                            left -= 1
                        case CallToolsNode(model_response=answer):
                            self._keep(run.all_messages())
                            self._transcript.answered(answer)
        except Exception as error:  # noqa: BLE001 - a turn that fails is a result
            return ending_of(error)
        return TurnResult(outcome=TurnOutcome.FINISHED)

    def _keep(self, messages: list[ModelMessage]) -> None:
        self._messages = list(messages)
        try:
            self._history.save(messages)
        except (
            OSError,
            RecursionError,
        ) as error:  # or too deep; the turn goes on; it cannot be resumed elsewhere
            self._transcript.problem(f"the conversation could not be kept: {error}")
