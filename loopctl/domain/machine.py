"""The machine: one pure function that decides what follows from everything that happens.

Theory of operation
-------------------
A loop is a sequence of *events*, and its *state* is what they add up to. ``decide(state, event)``
returns the next state together with *records* (rows to write), *effects* (orders to the driver)
and *replies* (answers to whoever asked). It reads no clock, makes no identifiers and does no
I/O: times and ids arrive inside the events. The same state and event always give the same
decision, so that replaying the log gives the state, and every rule can be tried without a
process, a file or a second of waiting.

The driver is a mailbox: it takes the next event, decides, writes state and records in one
transaction, and only then carries the effects out. What comes of them arrives as events in the
same mailbox. It follows that the stored step tells exactly which effect may have been under way
when a driver died.

At any time at most one *order* is outstanding, beside a timer. Each order has a number, and the
event that answers it carries the number back. Giving a new order makes the answer to an older
one *stale*: it is refused, on record, and changes nothing. This is how a cancellation overtakes
an evaluation, and why a result that comes too late can never be taken for the present one.

The *table* below is keyed by phase, step and event. An event that it does not allow is a bug of
the driver and raises ``IllegalEventError``, with the state unchanged. Events from outside (a
cancellation, a restart) are allowed everywhere and decide for themselves whether they apply.

A round passes through the steps in this order:

    admit -> open -> prompt -> settle -> snapshot -> evaluate -> admit (the next round)

``baseline`` comes before the first of them and after every restart. ``deferred`` stands between
prompt and settle while other sessions of the agent are at work; from both a turn that was not
handed over leads back to ``prompt``. ``waiting`` stands between a snapshot and the next prompt of
the same round, or between two evaluations, while a provider refuses work. A turn that could not
be done because no model could be reached leads from its snapshot back to ``admit``, as the same
round. ``ending`` is entered from anywhere with a stop condition. The loop is over when its status
is no longer ``running``; it is then, and only then, that a stop condition has been published.

Beside the answers to orders there is what sessions ask for while they work: whether a request to
a model may be sent, that a turn is handed over, that the goal may be wrong. Such an event is
answered by a *reply* in the same decision, and moves nothing by itself.

Two invariants carry the product's promise. ``GoalMet`` is made by ``phases.ending.goal_met``
from a clean ledger alone, and a ledger becomes clean only through reports that
``criteria.admit_report`` let pass. And every turn that was sent passes through settle and
snapshot before anything else is decided, so that no edit of an agent is ever lost.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from loopctl.domain.budget import approached
from loopctl.domain.decision import Decision
from loopctl.domain.events import (
    Answer,
    AnyEvent,
    CancelRequested,
    ConcernFlagged,
    EffectFailed,
    EvaluatorFinished,
    Event,
    HandoffCalled,
    LoopRestarted,
    LoopStarted,
    PromptBuilt,
    RetryRequested,
    RoundAdmitted,
    RoundRefused,
    SessionFailed,
    SessionOpened,
    SessionsIdle,
    Settled,
    SnapshotTaken,
    SpendRequested,
    SpendSettled,
    TimerFired,
    TurnEnded,
    VerdictsRecalled,
    WorkPublished,
    WorkspaceLost,
    WorkspaceReady,
)
from loopctl.domain.loop import Clock, LoopState
from loopctl.domain.phases import (
    admission,
    auditing,
    baseline,
    concerns,
    ending,
    handover,
    interruption,
    settling,
    spending,
    turn,
    waiting,
)
from loopctl.domain.phases.stages import tree_of
from loopctl.domain.phases.waiting import with_time
from loopctl.domain.records import CapApproached, EventRefused, TransitionRecorded
from loopctl.domain.step import Phase, Step
from loopctl.errors import IllegalEventError

OVER = "over"


def _always(state: LoopState, event: Event) -> bool:
    del state, event
    return True


def _nothing_ordered(state: LoopState, event: Event) -> bool:
    del event
    return state.order == 0


def _turn_open(state: LoopState, event: Event) -> bool:
    del event
    return state.round is not None and state.round.turn is not None


def _turn_not_open(state: LoopState, event: Event) -> bool:
    return not _turn_open(state, event)


def _judges_base(state: LoopState, event: Event) -> bool:
    del event
    return state.baseline is None and state.evaluation is not None


def _prepares(state: LoopState, event: Event) -> bool:
    return not _judges_base(state, event)


def _was_asked(state: LoopState, event: EvaluatorFinished) -> bool:
    """Whether the report is of the evaluator at work, on the tree that it was given."""
    pending = () if state.evaluation is None else state.evaluation.pending
    report = event.report
    return (report.evaluator,) == pending[:1] and report.tree == tree_of(state)


def _was_asked_of_base(state: LoopState, event: EvaluatorFinished) -> bool:
    return _judges_base(state, event) and _was_asked(state, event)


@dataclass(frozen=True)
class Rule:
    """What decides on an event, and the steps to which it may lead (``over`` for the end).

    ``answers`` tells apart what one step has ordered from what it has not.
    """

    decide: Callable[[LoopState, Any], Decision]
    leads_to: tuple[str, ...]
    answers: Callable[[LoopState, Any], bool] = _always


_FAILURE: dict[type[Event], Rule] = {EffectFailed: Rule(ending.end_for_failure, (Step.ENDING,))}
# Before the tree of a turn is stored there may be nothing to put away.
_EARLY_FAILURE: dict[type[Event], Rule] = {
    EffectFailed: Rule(ending.end_for_failure, (Step.ENDING, OVER))
}
_ANYWHERE: dict[type[Event], Rule] = {
    CancelRequested: Rule(interruption.on_cancel, ("same", Step.SETTLE, Step.ENDING)),
    LoopRestarted: Rule(interruption.on_restart, ("same", Step.BASELINE)),
    RetryRequested: Rule(interruption.on_retry, ("same", Step.ADMIT, Step.EVALUATE, Step.ENDING)),
    HandoffCalled: Rule(handover.on_called, ("same",)),
    ConcernFlagged: Rule(concerns.on_flagged, ("same",)),
    SpendRequested: Rule(spending.on_requested, ("same",)),
    SpendSettled: Rule(spending.on_settled, ("same",)),
}
_AFTER_WORKSPACE = (Step.BASELINE, Step.SETTLE, Step.EVALUATE, Step.ADMIT, Step.ENDING)
_AFTER_VERDICT = (Step.EVALUATE, Step.ADMIT, Step.ENDING)
_AFTER_TURN = (Step.SETTLE, Step.PROMPT)
_ENDING: dict[type[Event], Rule] = {
    WorkPublished: Rule(ending.on_published, (OVER,)),
    EffectFailed: Rule(ending.on_publish_failed, (OVER,)),
}

Table = dict[Phase, dict[Step, dict[type[Event], Rule]]]

TABLE: Table = {
    Phase.CODING: {
        Step.BASELINE: {
            LoopStarted: Rule(baseline.on_started, (Step.BASELINE,), _nothing_ordered),
            WorkspaceReady: Rule(baseline.on_workspace, _AFTER_WORKSPACE, _prepares),
            WorkspaceLost: Rule(baseline.on_workspace_lost, (OVER,), _prepares),
            EvaluatorFinished: Rule(
                baseline.on_baseline_finished,
                (Step.BASELINE, Step.ADMIT, Step.ENDING),
                _was_asked_of_base,
            ),
            **_EARLY_FAILURE,
        },
        Step.ADMIT: {
            RoundAdmitted: Rule(admission.on_admitted, (Step.OPEN,)),
            RoundRefused: Rule(admission.on_refused, (Step.ENDING,)),
            **_FAILURE,
        },
        Step.OPEN: {
            SessionOpened: Rule(admission.on_opened, (Step.PROMPT,)),
            SessionFailed: Rule(admission.on_open_failed, (Step.ADMIT, Step.ENDING)),
            **_FAILURE,
        },
        Step.PROMPT: {
            PromptBuilt: Rule(turn.on_prompt, (Step.PROMPT,), _turn_not_open),
            TimerFired: Rule(turn.on_timer, (Step.PROMPT,), _turn_open),
            TurnEnded: Rule(turn.on_turn_ended, (*_AFTER_TURN, Step.DEFERRED), _turn_open),
            EffectFailed: Rule(turn.on_failed, (Step.SETTLE, Step.ENDING)),
        },
        Step.DEFERRED: {
            SessionsIdle: Rule(turn.on_deferral_over, _AFTER_TURN),
            TimerFired: Rule(turn.on_deferral_over, _AFTER_TURN),
            EffectFailed: Rule(turn.on_deferral_over, _AFTER_TURN),
        },
        Step.SETTLE: {
            Settled: Rule(settling.on_settled, (Step.SNAPSHOT,)),
            **_EARLY_FAILURE,
        },
        Step.SNAPSHOT: {
            SnapshotTaken: Rule(
                settling.on_snapshot, (Step.EVALUATE, Step.WAITING, Step.ADMIT, Step.ENDING)
            ),
            **_EARLY_FAILURE,
        },
        Step.WAITING: {
            TimerFired: Rule(waiting.on_wait_over, (Step.ADMIT, Step.ENDING)),
        },
        Step.ENDING: _ENDING,
    },
    Phase.AUDITING: {
        Step.EVALUATE: {
            VerdictsRecalled: Rule(auditing.on_recalled, _AFTER_VERDICT),
            EvaluatorFinished: Rule(
                auditing.on_finished, (*_AFTER_VERDICT, Step.WAITING), _was_asked
            ),
            **_FAILURE,
        },
        Step.WAITING: {
            TimerFired: Rule(auditing.on_wait_over, (Step.EVALUATE,)),
        },
        Step.ENDING: _ENDING,
    },
}


def decide(state: LoopState, event: AnyEvent) -> Decision:
    """Decide what follows from ``event``.

    Raises:
        IllegalEventError: the driver reported something that cannot have happened here.
    """
    if isinstance(event, Answer) and (state.is_over or event.order != state.order):
        refused = EventRefused(event=event.kind, why=f"stale: answers order {event.order}")
        return Decision(state, (refused,))
    rule = _ANYWHERE.get(type(event)) or _rule(state, event)
    ticked = tick(state, event)
    decision = _with_marks(state, rule.decide(ticked, event))
    return _with_transition(state, event, decision)


def tick(state: LoopState, event: AnyEvent) -> LoopState:
    """Count the time since the last event as worked, or as waited for a provider."""
    clock = Clock(at=event.at, mono=event.mono)
    if state.is_over or isinstance(event, LoopRestarted):
        return state
    if isinstance(event, LoopStarted):
        return state.evolve(clock=clock)
    passed_s = max(event.mono - state.clock.mono, 0.0)
    return state.evolve(clock=clock, spent=with_time(state, passed_s))


def _rule(state: LoopState, event: AnyEvent) -> Rule:
    rule = TABLE.get(state.phase, {}).get(state.step, {}).get(type(event))
    if rule is None or state.is_over or not rule.answers(state, event):
        raise IllegalEventError(state.phase, state.step, event.kind)
    return rule


def _with_marks(before: LoopState, decision: Decision) -> Decision:
    """Add a row for each mark of a cap that was passed."""
    after = decision.state
    rows = tuple(
        CapApproached(scope=cap.scope, percent=percent, observed=cap.observed, maximum=cap.maximum)
        for cap, percent in approached(before.spent, after.spent, after.budget)
    )
    return Decision(after, (*decision.records, *rows), decision.effects, decision.replies)


def _with_transition(before: LoopState, event: AnyEvent, decision: Decision) -> Decision:
    """Add the one row that every change of phase, and every end, leaves."""
    after = decision.state
    if (before.phase, before.status) == (after.phase, after.status):
        return decision
    row = TransitionRecorded(
        event=event.kind,
        from_phase=before.phase,
        to_phase=after.phase,
        round=after.round_number,
        status=after.status,
        reason=after.stop.kind if after.is_over and after.stop is not None else "",
    )
    return Decision(after, (*decision.records, row), decision.effects, decision.replies)
