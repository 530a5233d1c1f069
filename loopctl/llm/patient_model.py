"""A model that asks before each request, waits out what passes, and counts what was used.

Every attempt is a request of its own: it is reserved, sent, and settled. An answer counts what
the provider says; an error of the provider's counts nothing; a request that was sent and whose
end was not seen (cut, timed out, cancelled) counts what was said until then, else its estimate,
and never less than what has come of its answer.

Answers are streamed, whoever asks for them: a long one does not run into a time-out, and what a
cut one has used is known.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from pydantic_ai.exceptions import AgentRunError
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings
from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception,
    stop_after_attempt,
    wait_random_exponential,
)

from loopctl.domain.usage import Usage
from loopctl.llm.estimate import expected_input, expected_output, written_output
from loopctl.llm.faults import FaultKind, ModelFaultError, fault_of
from loopctl.llm.usage import usage_of
from loopctl.llm.whole_text import whole_answer
from loopctl.ports import Meter


@dataclass(frozen=True)
class Patience:
    """How a request is tried again.

    Attributes:
        attempts: how often at most.
        first_wait_s: about the first wait; the next ones double.
        longest_wait_s: of a wait that the provider did not ask for.
        sleep: what waits.
    """

    attempts: int = 5
    first_wait_s: float = 1.0
    longest_wait_s: float = 30.0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep


class PatientModel(WrapperModel):
    """The model ``wrapped``, with patience and a meter.

    Args:
        wrapped: what answers.
        name: ``PROVIDER:MODEL``.
        meter: asks for every request.
        patience: how a request is tried again.
    """

    def __init__(
        self, wrapped: Model, name: str, meter: Meter, patience: Patience | None = None
    ) -> None:
        super().__init__(wrapped)
        self._name = name
        self._meter = meter
        self._patience = patience or Patience()

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """The answer to ``messages``.

        Raises:
            ModelFaultError: the provider gave none.
            SpendRefusedError: a cap is used up; nothing was sent.
        """
        retrying = AsyncRetrying(
            retry=retry_if_exception(_passes),
            stop=stop_after_attempt(self._patience.attempts),
            wait=self._wait,
            sleep=self._patience.sleep,
            reraise=True,
        )
        return await retrying(self._attempt, messages, model_settings, model_request_parameters)

    async def _attempt(
        self,
        messages: list[ModelMessage],
        settings: ModelSettings | None,
        parameters: ModelRequestParameters,
    ) -> ModelResponse:
        expected = Usage(
            model=self._name,
            input_tokens=expected_input(messages, parameters),
            output_tokens=expected_output(settings),
        )
        request = await self._meter.reserve(
            self._name, expected.input_tokens or 0, expected.output_tokens or 0
        )
        answer = _Answer(self._name)
        try:
            await answer.read(self.wrapped, messages, settings, parameters)
        except asyncio.CancelledError:
            await self._meter.lose(request, answer.unseen(expected))
            raise
        except Exception as error:
            fault = fault_of(error, self._name)
            if fault.was_sent:
                await self._meter.lose(request, answer.unseen(expected))
            else:
                await self._meter.settle(request, None)
            raise fault from error
        if answer.seen is None:
            await self._meter.lose(request)  # it answered, and did not say what that used
        else:
            await self._meter.settle(request, answer.seen)
        return answer.complete

    def _wait(self, state: RetryCallState) -> float:
        """Seconds until the next attempt: what the provider asks for, else longer and longer."""
        fault = None if state.outcome is None else state.outcome.exception()
        if isinstance(fault, ModelFaultError) and fault.retry_after_s is not None:
            return fault.retry_after_s
        patience = self._patience
        return wait_random_exponential(patience.first_wait_s, patience.longest_wait_s)(state)


class _Answer:
    """An answer as it comes in.

    Attributes:
        seen: what the provider has said of its usage so far.
        written: tokens, about, of what has come of it.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._response: ModelResponse | None = None
        self.seen: Usage | None = None
        self.written = 0

    def unseen(self, expected: Usage) -> Usage | None:
        """What it counts when its end was not seen; ``None``: what was ``expected``.

        Some providers say at the beginning what was sent, and at the end what was made of it.
        """
        said = self.seen or expected
        made = (said.output_tokens or 0) + said.reasoning_tokens
        if self.written <= made:
            return self.seen
        return said.evolve(output_tokens=self.written - said.reasoning_tokens)

    @property
    def complete(self) -> ModelResponse:
        """The whole answer, once it is there."""
        if self._response is None:
            raise ValueError("the answer is not complete")
        return self._response

    async def read(
        self,
        model: Model,
        messages: list[ModelMessage],
        settings: ModelSettings | None,
        parameters: ModelRequestParameters,
    ) -> None:
        """Read the answer to its end.

        Raises:
            AgentRunError: the stream ended before the answer did.
        """
        async with model.request_stream(messages, settings, parameters) as stream:
            try:
                async for _ in stream:
                    pass
            finally:
                self.seen = usage_of(stream.usage, self._name)
                self.written = written_output(whole_answer(stream.get()))
            response = stream.get()
        if response.finish_reason is None:
            raise AgentRunError("the answer ended before it was complete")
        self._response = whole_answer(response)


def _passes(error: BaseException) -> bool:
    """Whether the same request may work in a moment."""
    return isinstance(error, ModelFaultError) and error.kind is FaultKind.TRANSIENT
