"""Gathers what a handoff strategy needs: from the state, and from the rows of earlier rounds."""

from typing import Literal

from loopctl.domain.evaluator_spec import (
    Contract,
    EvaluatorSpec,
    JudgeExecutor,
    Rubric,
    ShellExecutor,
)
from loopctl.domain.loop import LoopState
from loopctl.domain.round_context import JudgedBy, RoundContext
from loopctl.ports import Journal

RECENT_ROUNDS = 5


async def gather(state: LoopState, round_number: int, journal: Journal) -> RoundContext:
    """The context of the round called ``round_number``."""
    spec = state.spec
    current = state.round
    prompted = current is not None and current.prompted
    return RoundContext(
        loop=spec.name,
        goal=spec.goal,
        round=round_number,
        round_of_run=max(state.spent.rounds + (not prompted), 1),
        max_rounds=state.budget.max_rounds,
        judged_by=tuple(_judged_by(evaluator) for evaluator in spec.evaluators),
        protection=spec.protection,
        restored=() if state.snapshot is None else state.snapshot.restored,
        previous=await journal.previous_round(),
        recent=await journal.recent_rounds(RECENT_ROUNDS),
        hand_over=_hand_over(state),
    )


def _hand_over(state: LoopState) -> Literal["tool", "command", ""]:
    """How the agent can hand its turn over, where it has to."""
    has_tools = state.round is not None and state.round.has_tools
    asked = state.spec.require_handoff
    if not (has_tools if asked is None else asked):
        return ""
    return "tool" if has_tools else "command"


def _judged_by(spec: EvaluatorSpec) -> JudgedBy:
    match spec.executor:
        case ShellExecutor(command=command):
            how = f"the command `{command}` must {_proof(spec)}"
        case JudgeExecutor():
            how = "a language model judges the files by criteria of its own"
        case _:
            how = f"the evaluator {spec.executor.name}"
    return JudgedBy(name=spec.name, how=how, isolation=spec.isolation)


def _proof(spec: EvaluatorSpec) -> str:
    """What a command has to do."""
    match spec.criteria:
        case Contract():
            return "report a PASS with evidence for every criterion that it names"
        case Rubric(items=items):
            names = ", ".join(item.name for item in items)
            return f"report a PASS with evidence for each of: {names}"
        case _:
            return "exit with status 0"
