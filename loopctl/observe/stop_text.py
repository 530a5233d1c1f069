"""Why a loop ended, in words, and what can be typed next."""

import shlex
from typing import assert_never

from loopctl.domain.loop import LoopState
from loopctl.domain.stop import (
    ApprovalRequired,
    BudgetCap,
    Cancelled,
    CapScope,
    Errored,
    ErrorReason,
    GoalMet,
    Stalled,
    StopCondition,
    Stuck,
)
from loopctl.domain.usage import MICRO
from loopctl.observe.plain import count, dollars, duration, one_line, short

CAP_NOUNS = {
    CapScope.ROUNDS: "the cap on rounds",
    CapScope.TOKENS: "the cap on tokens",
    CapScope.USD: "the cap on cost",
    CapScope.TIME: "the cap on working time",
}


def cap_amount(scope: CapScope, figure: float) -> str:
    """A figure of a cap with its unit."""
    match scope:
        case CapScope.ROUNDS:
            return count(round(figure), "round")
        case CapScope.TOKENS:
            return count(round(figure), "token")
        case CapScope.USD:
            return dollars(round(figure * MICRO))
        case CapScope.TIME:
            return duration(figure)
        case _:
            assert_never(scope)


def stop_sentence(stop: StopCondition) -> str:
    """The reason in one line, with observed and limit where there is one."""
    match stop:
        case GoalMet(criteria=criteria, tree=tree):
            checks = "the check" if len(criteria) == 1 else f"all {len(criteria)} checks"
            text = f"goal met: {checks} passed on tree {short(tree)}"
        case BudgetCap(scope=scope, observed=observed, maximum=maximum, expected=True):
            most = cap_amount(scope, maximum)
            text = f"a round may come to {most}, and {cap_amount(scope, observed)} is expected"
        case BudgetCap(scope=scope, observed=observed, maximum=maximum):
            counted = scope in {CapScope.ROUNDS, CapScope.TOKENS}
            used = f"{observed:,.0f}" if counted else cap_amount(scope, observed)
            text = f"{CAP_NOUNS[scope]} was reached: {used} of {cap_amount(scope, maximum)}"
        case Stuck(pattern=pattern, detail=detail):
            text = f"stuck ({pattern}): {detail}"
        case ApprovalRequired(reason=reason):
            text = f"approval required: {reason}"
        case Stalled(detail=detail):
            text = f"stalled: {detail}"
        case Errored(reason=reason, detail=detail):
            text = f"{detail} ({reason})"  # beside the status, which says "errored"
        case Cancelled(by=by):
            text = f"cancelled by {by}"
        case _:
            assert_never(stop)
    return one_line(text)


def next_command(state: LoopState) -> str:
    """The command that goes on from where the loop stands; ``""`` when there is none."""
    name = shlex.quote(state.spec.name)
    match state.stop:
        case None:
            return f"loopctl logs {name}"
        case GoalMet():
            return _taken_over(name, state)
        case BudgetCap() as cap:
            return _raised(name, cap)
        case Errored(reason=ErrorReason.WORKSPACE_LOST):
            return ""
        case Errored(next_step=next_step) if next_step:
            return f"{one_line(next_step)}; loopctl status {name} --restart"
        case _:
            return f"loopctl status {name} --restart"


def _taken_over(name: str, state: LoopState) -> str:
    """How the user gets the work; a merge brings protected paths that no evaluator has seen."""
    if state.published is None or not state.published.commit:
        return ""
    if state.snapshot is not None and state.snapshot.restored:
        return f"loopctl apply {name}"
    return f"git merge {shlex.quote(state.spec.branch)}"


def _raised(name: str, cap: BudgetCap) -> str:
    """The restart that lifts the cap; one on a single round is frozen in the loop."""
    if cap.expected:
        other = "a higher --per-round-usd" if cap.scope is CapScope.USD else "another budget policy"
        return f"begin a new loop with {other}, or with another model"
    twice = 2 * max(cap.observed, cap.maximum)
    match cap.scope:
        case CapScope.ROUNDS:
            option = f"--max-rounds {round(twice)}"
        case CapScope.TOKENS:
            option = f"--max-tokens {round(twice)}"
        case CapScope.TIME:
            option = f"--max-time {round(twice + 1)}"
        case CapScope.USD:
            option = f"--max-usd {twice:g}"
        case _:
            assert_never(cap.scope)
    return f"loopctl status {name} --restart {option}"
