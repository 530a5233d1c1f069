"""One conversation with a judge: a question, reading, an answer of the right form.

Nothing is left of an earlier one. Invariant: an answer counts when it was given whole, alone and
once; there are `TRIES` for it and `MOST_REQUESTS` for everything.
"""

import json
from collections.abc import Awaitable, Callable
from typing import Any

from pydantic_ai import Agent, ModelRetry, ToolOutput, UsageLimits
from pydantic_ai.exceptions import UnexpectedModelBehavior, UsageLimitExceeded
from pydantic_ai.messages import ModelResponse, ToolCallPart
from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings

from loopctl.errors import LoopctlError
from loopctl.evaluators.llm_judge.reader import Reader
from loopctl.evaluators.llm_judge.verdicts import Verdicts

TRIES = 2
MOST_REQUESTS = 60
MOST_TOOL_MISTAKES = 10
VERDICTS = "give_verdicts"
ANSWER_TOKENS = 16_000
_ALONE = "give them alone, after you have seen what your other calls show"
_WHOLE = frozenset({"stop", "tool_call"})


class UnusableAnswerError(LoopctlError):
    """The judge has answered, and nothing can be made of it."""


class Conversation:
    """A conversation.

    Args:
        model: asks before every request, and counts it.
        system: the system prompt.
        reader: the tools.
        faults: what is wrong with an answer of the right form; the judge is asked to put it right
            while it has a try left.
        heard: is told every answer of the model, as text, and the tokens used so far.
    """

    def __init__(
        self,
        model: Model,
        system: str,
        reader: Reader,
        faults: Callable[[Verdicts], Awaitable[tuple[str, ...]]],
        heard: Callable[[str, int], None],
    ) -> None:
        self._faults = faults
        self._heard = heard
        self._tries = 0
        self._alone = True
        self.answer = ""
        self._agent: Agent[object, Verdicts] = Agent(
            model,
            name="judge",
            output_type=ToolOutput(Verdicts, name=VERDICTS, max_retries=TRIES),
            instructions=system,
            tools=[reader.read_file, reader.list_files, reader.search],
            retries={"tools": MOST_TOOL_MISTAKES, "output": TRIES},
            end_strategy="early",
            model_settings=ModelSettings(max_tokens=ANSWER_TOKENS),
        )
        self._agent.output_validator(self._check)

    async def ask(self, message: str) -> Verdicts:
        """The judge's verdicts.

        Raises:
            UnusableAnswerError: there are none that can be used.
        """
        try:
            return await self._ask(message)
        except UsageLimitExceeded as error:
            raise UnusableAnswerError(
                f"the judge gave no verdicts in {MOST_REQUESTS} requests"
            ) from error
        except UnexpectedModelBehavior as error:
            raise UnusableAnswerError(
                "the judge's answer cannot be used", why=str(error)
            ) from error

    async def _ask(self, message: str) -> Verdicts:
        limits = UsageLimits(request_limit=MOST_REQUESTS)
        async with self._agent.iter(message, usage_limits=limits) as run:
            async for node in run:
                if Agent.is_call_tools_node(node):
                    self._take(node.model_response, run.usage.total_tokens)
                elif Agent.is_model_request_node(node) and self._tries >= TRIES:
                    raise UnusableAnswerError(f"the judge gave no usable answer in {TRIES} tries")
        if run.result is None:
            raise UnusableAnswerError("the judge gave no answer")
        return run.result.output

    def _take(self, response: ModelResponse, tokens: int) -> None:
        """Look at an answer of the model before anything is made of it."""
        calls = [part for part in response.parts if isinstance(part, ToolCallPart)]
        given = [call for call in calls if call.tool_name == VERDICTS]
        if given or not calls:
            self._tries += 1
            self.answer = "\n".join(call.args_as_json_str() for call in given) or _said(response)
        self._alone = len(given) == len(calls)
        self._heard(_as_text(response, calls), tokens)
        if response.finish_reason not in _WHOLE:
            reason = response.finish_reason or "no reason given"
            raise UnusableAnswerError("the judge's answer was cut", why=f"it ended by: {reason}")
        if len(given) > 1:
            raise UnusableAnswerError("the judge gave its verdicts more than once in one answer")
        for call in given:
            _require_single_keys(call.args)

    async def _check(self, verdicts: Verdicts) -> Verdicts:
        """Verdicts beside other calls were given before what those show was seen."""
        is_last = self._tries >= TRIES
        if not self._alone and is_last:
            raise UnusableAnswerError("the judge gave its verdicts beside other calls")
        faults = () if is_last else await self._faults(verdicts)
        if not self._alone:
            faults = (_ALONE, *faults)
        if faults:
            raise ModelRetry("\n".join(("Give all verdicts again, and put this right:", *faults)))
        return verdicts


def _said(response: ModelResponse) -> str:
    return response.text or ""


def _as_text(response: ModelResponse, calls: list[ToolCallPart]) -> str:
    lines = [f"{call.tool_name} {call.args_as_json_str()}" for call in calls]
    return "\n".join(filter(None, (_said(response), *lines)))


def _require_single_keys(arguments: object) -> None:
    """Make sure that no key is there twice: which of its values is meant, cannot be told.

    Raises:
        UnusableAnswerError: one is.
    """
    if not isinstance(arguments, str):
        return
    try:
        json.loads(arguments, object_pairs_hook=_distinct)
    except (ValueError, RecursionError):
        return  # it is not of the form of an answer either


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = dict(pairs)
    if len(keys) < len(pairs):
        raise UnusableAnswerError("a key of the judge's answer is there twice")
    return keys
