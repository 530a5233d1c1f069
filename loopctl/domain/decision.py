"""What follows from an event: the next state, rows to write, orders to give, answers to send.

Decisions are put together from smaller ones: each part takes the state as the last one left it
and adds to the rows and orders so far.
"""

from collections.abc import Callable
from dataclasses import dataclass

from loopctl.domain.effects import Effect
from loopctl.domain.loop import LoopState
from loopctl.domain.records import AnyRecord


@dataclass(frozen=True)
class Reply:
    """An answer to a command, a tool call or a request; ``refused`` is empty when it was taken.

    ``command_id`` is what the event called itself; ``text`` is for whoever called.
    """

    command_id: str
    refused: str = ""
    text: str = ""


@dataclass(frozen=True)
class Decision:
    """The outcome of one event."""

    state: LoopState
    records: tuple[AnyRecord, ...] = ()
    effects: tuple[Effect, ...] = ()
    replies: tuple[Reply, ...] = ()

    def then(self, part: Callable[[LoopState], "Decision"]) -> "Decision":
        """Go on from the state reached so far."""
        following = part(self.state)
        return Decision(
            following.state,
            self.records + following.records,
            self.effects + following.effects,
            self.replies + following.replies,
        )
