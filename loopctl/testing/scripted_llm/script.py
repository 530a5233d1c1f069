"""The script: turns in lanes, each an answer or a fault.

Invariant: a script is not used up by being played; a server takes its turns from a copy.
"""

import re
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, field
from typing import Any

from loopctl.testing.scripted_llm.fault import Fault
from loopctl.testing.scripted_llm.request import LlmRequest
from loopctl.testing.scripted_llm.tokens import Tokens


@dataclass(frozen=True)
class Call:
    """One call of a tool."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Turn:
    """One answer.

    Attributes:
        text: what the model says.
        calls: the tools that it calls.
        usage: what it used.
        cut_off: the answer was too long and stops in the middle.
        refused: the vendor stopped the answer for what is in it.
        fault: what goes wrong instead.
        delay_s: seconds before the first byte.
        pause_s: seconds after each event of a stream.
        times: how often in a row it is given.
    """

    text: str = ""
    calls: tuple[Call, ...] = ()
    usage: Tokens = field(default_factory=Tokens)
    cut_off: bool = False
    refused: bool = False
    fault: Fault | None = None
    delay_s: float = 0.0
    pause_s: float = 0.0
    times: int = 1


Step = Turn | Callable[[LlmRequest], Turn]
"""A turn, or what makes one of the request that it answers."""


@dataclass
class Lane:
    """Turns for the requests that match; the first lane that matches owns a request.

    Attributes:
        steps: the turns, in order, each as often as it says.
        model: regular expression that is looked for in the model's name.
        text: regular expression that is looked for in the system prompt and the messages; a dot
            stands for a line end as well.
        tool: name of a tool that the request offers.
    """

    steps: list[Step]
    model: str = ""
    text: str = ""
    tool: str = ""

    def __post_init__(self) -> None:
        self.steps = repeated(self.steps)
        try:
            re.compile(self.model)
            re.compile(self.text)
        except re.error as error:
            raise ValueError(f"{error.pattern!r} is no regular expression: {error}") from error

    def from_its_start(self) -> "Lane":
        """A lane of its own for one server, which takes the steps out of it."""
        lane = copy(self)
        lane.steps = list(self.steps)
        return lane

    def matches(self, request: LlmRequest) -> bool:
        """Whether a request is for this lane."""
        return (
            re.search(self.model, request.model) is not None
            and re.search(self.text, request.text, re.DOTALL) is not None
            and (not self.tool or self.tool in request.tools)
        )


def repeated(steps: list[Step]) -> list[Step]:
    """Each step as often as it says."""
    return [step for step in steps for _ in range(step.times if isinstance(step, Turn) else 1)]
