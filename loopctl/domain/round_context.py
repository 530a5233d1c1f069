"""What the text of the next turn is made from, and what a handoff strategy answers."""

from typing import Literal

from pydantic import NonNegativeInt

from loopctl.domain.agent_session import TurnOutcome
from loopctl.domain.criteria import EvaluatorReport, Verdict
from loopctl.domain.handoff import Handoff
from loopctl.domain.protection import Protection
from loopctl.domain.snapshot import PathChange
from loopctl.domain.value import Value


class RoundSummary(Value):
    """One earlier round in a line.

    Attributes:
        round: its number.
        outcome: how its turn ended.
        verdict: ``None`` when it was not judged.
        passed: criteria that passed.
        judged: criteria that were judged.
        changed: paths that its turn changed.
        paths: the first of them.
        tests: its tests in figures, such as ``41/45``; ``""`` where there are none.
    """

    round: NonNegativeInt
    outcome: TurnOutcome | None = None
    verdict: Verdict | None = None
    passed: NonNegativeInt = 0
    judged: NonNegativeInt = 0
    changed: NonNegativeInt = 0
    paths: tuple[str, ...] = ()
    tests: str = ""


class PreviousRound(Value):
    """The round before the next one.

    Attributes:
        result: its handoff; ``None`` for a baseline.
        evaluator: what the evaluators said of its tree, with the whole evidence.
        token_usage: tokens of its turn; ``None`` when unknown.
        summary: one line on it.
        session_id: its agent session.
    """

    result: Handoff | None = None
    evaluator: tuple[EvaluatorReport, ...] = ()
    token_usage: NonNegativeInt | None = None
    summary: str = ""
    session_id: str = ""


class JudgedBy(Value):
    """How the turn will be judged, in words for the agent."""

    name: str
    how: str
    isolation: str


class RoundContext(Value):
    """Everything that a strategy may use to build the next turn.

    Attributes:
        loop: name of the loop.
        goal: the user's text, byte for byte.
        round: number of the round to come.
        round_of_run: its place since the last restart, counted from 1.
        max_rounds: cap on rounds since the last restart; ``None`` has no cap.
        judged_by: the evaluators in scope.
        protection: the paths that are restored before every evaluation.
        restored: protected paths that are restored now, because the agent changed them.
        previous: the round before, or the baseline; ``None`` when nothing was judged yet.
        recent: the last rounds, oldest first.
        hand_over: how the turn is to be handed over: ``tool``, ``command`` (``loopctl tool``), or
            ``""`` when it need not be.
    """

    loop: str
    goal: str
    round: NonNegativeInt
    round_of_run: NonNegativeInt
    max_rounds: NonNegativeInt | None
    judged_by: tuple[JudgedBy, ...]
    protection: Protection
    restored: tuple[PathChange, ...] = ()
    previous: PreviousRound | None = None
    recent: tuple[RoundSummary, ...] = ()
    hand_over: Literal["tool", "command", ""] = ""


class NextRoundSpec(Value):
    """How the next turn starts. ``fresh`` opens a new conversation with the agent."""

    mode: Literal["fresh"] = "fresh"
    prompt: str
