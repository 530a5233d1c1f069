"""The typed record that ends a turn.

Agents that can call loopctl's tools write it themselves; for those that cannot it is observed:
put together from the exit state, the end of the output and the difference of the trees.
"""

from typing import Literal

from pydantic import NonNegativeInt

from loopctl.domain.agent_session import TurnOutcome, TurnResult
from loopctl.domain.snapshot import Snapshot
from loopctl.domain.value import Value


class ObservedHandoff(Value):
    """What could be seen of a turn from outside.

    ``claim`` is what the agent said last. It is a claim, never a fact, and decides nothing.
    """

    kind: Literal["observed"] = "observed"
    outcome: TurnOutcome
    exit: str
    claim: str
    changed: NonNegativeInt
    paths: tuple[str, ...]


def observe_handoff(result: TurnResult, snapshot: Snapshot) -> ObservedHandoff:
    """The handoff of an agent that cannot write one."""
    return ObservedHandoff(
        outcome=result.outcome,
        exit=result.exit,
        claim=result.said,
        changed=snapshot.changed,
        paths=tuple(change.path for change in snapshot.changes[:20]),
    )
