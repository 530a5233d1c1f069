"""What was said and done in a session: for people in its log, for the loop in its results.

Invariant: what is told of a turn is what its messages say, masked and bounded.
"""

from pydantic_ai import ModelRequest, ModelResponse, ToolReturnPart

from loopctl.agents.builtin.screen import Screen
from loopctl.agents.builtin.session_log import SessionLog
from loopctl.domain.agent_session import TurnResult
from loopctl.process.masking import Masker

SAID_CHARACTERS = 4000


class Transcript:
    """Takes down the turns of one session.

    Args:
        log: the file for people.
        screen: shows what is done just now.
        masker: what is kept out of results.
    """

    def __init__(self, log: SessionLog, screen: Screen, masker: Masker) -> None:
        self._log = log
        self._screen = screen
        self._masker = masker
        self._said = ""
        self._replied = False
        self._problems: list[str] = []

    def begin(self, prompt: str) -> None:
        """A turn begins."""
        self._said, self._replied, self._problems = "", False, []
        self._log.add("prompt", prompt)

    def sent(self, request: ModelRequest) -> None:
        """Something goes to the model: the answers of tools are taken down."""
        for part in request.parts:
            if isinstance(part, ToolReturnPart):
                failed = "" if part.outcome == "success" else f", {part.outcome}"
                self._log.add(f"{part.tool_name}{failed}", part.model_response_str())

    def answered(self, answer: ModelResponse) -> None:
        """The model has answered: with words, with calls of tools, or with nothing."""
        words = (answer.text or "").strip()
        self._said = words or self._said
        self._replied = self._replied or bool(words or answer.tool_calls)
        self._screen.tokens += answer.usage.total_tokens
        calls = [f"calls {call.tool_name} {call.args_as_json_str()}" for call in answer.tool_calls]
        self._log.add(f"answer ({answer.usage.total_tokens} tokens)", "\n".join((words, *calls)))
        self._screen.show(words or f"calls {', '.join(c.tool_name for c in answer.tool_calls)}")
        if answer.finish_reason == "length":
            self.problem("an answer was cut at the length that the model may write at once")

    def problem(self, text: str) -> None:
        """Something went wrong that does not end the turn."""
        if text not in self._problems:
            self._problems.append(text)
            self._log.add("problem", text)

    def end(self, result: TurnResult) -> TurnResult:
        """The turn is over: its result, with what was said in it."""
        self._log.add(f"turn {result.outcome}", result.problem)
        problems = [result.problem, *self._problems, self._log.error]
        return result.evolve(
            said=self._masker.mask(self._said)[-SAID_CHARACTERS:],
            replied=self._replied,
            log=self._log.name,
            problem=self._masker.mask("; ".join(problem for problem in problems if problem)),
        )
