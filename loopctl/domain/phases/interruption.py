"""What comes from outside at any moment: a wish to end, or to go on.

A cancellation first brings the turn in flight to its end, so that its tree and its cost are
kept. A restart is explicit, counts what an interrupted turn may have cost, and never sends a
prompt again.
"""

from typing import assert_never

from loopctl.domain.agent_session import TurnOutcome, TurnResult
from loopctl.domain.budget import Budget, exhausted
from loopctl.domain.decision import Decision, Reply
from loopctl.domain.effects import Abandon, AbortTurn
from loopctl.domain.events import CancelRequested, CapChanges, LoopRestarted, RetryRequested
from loopctl.domain.ledger import Ledger
from loopctl.domain.loop import Clock, LoopState
from loopctl.domain.phases import auditing, waiting
from loopctl.domain.phases.baseline import prepare_workspace
from loopctl.domain.phases.ending import enter_ending
from loopctl.domain.phases.handover import discard
from loopctl.domain.phases.spending import close_spends
from loopctl.domain.phases.turn import end_turn, turn_records
from loopctl.domain.phases.waiting import with_time
from loopctl.domain.records import AnyRecord, CapChanged, EventRefused, TurnInterrupted
from loopctl.domain.step import Phase, Step
from loopctl.domain.stop import Cancelled, CapScope, Status
from loopctl.domain.stuck import Streaks

RAISE_OPTION = {
    CapScope.ROUNDS: "--max-rounds",
    CapScope.TOKENS: "--max-tokens",
    CapScope.USD: "--max-usd",
    CapScope.TIME: "--max-time",
}


def on_cancel(state: LoopState, event: CancelRequested) -> Decision:
    """End the loop, wherever it is."""
    if state.is_over:
        return _refuse(state, event, f"the loop has already ended ({state.status})")
    if state.stop is not None:
        return Decision(state, replies=_reply(event))
    stop = Cancelled(by=event.by)
    decision = _cancel_step(state, stop)
    return Decision(
        decision.state, decision.records, decision.effects, (*decision.replies, *_reply(event))
    )


def _cancel_step(state: LoopState, stop: Cancelled) -> Decision:
    abandon = Abandon(order=state.order)
    match state.step:
        case Step.PROMPT if state.round is not None and state.round.turn is not None:
            abort = AbortTurn(order=state.order, outcome=TurnOutcome.ABORTED)
            return Decision(state.evolve(stop=stop), effects=(abort,))
        case Step.PROMPT if state.round is not None and state.round.result is not None:
            # A nudge is being made: the turn before it has left a tree.
            return Decision(state.evolve(stop=stop), effects=(abandon,)).then(end_turn)
        case Step.SETTLE | Step.SNAPSHOT:
            return Decision(state.evolve(stop=stop))
        case Step.BASELINE if state.round is not None and state.round.result is not None:
            # The tree of an interrupted turn comes first, and it waits for the worktree.
            return Decision(state.evolve(stop=stop))
        case Step.DEFERRED:
            return Decision(state.evolve(stop=stop), effects=(abandon,)).then(end_turn)
        case (
            Step.BASELINE
            | Step.ADMIT
            | Step.OPEN
            | Step.PROMPT
            | Step.WAITING
            | Step.EVALUATE
            | Step.ENDING
        ):
            return Decision(state, effects=(abandon,)).then(lambda state: enter_ending(state, stop))
        case _:
            assert_never(state.step)


def on_retry(state: LoopState, event: RetryRequested) -> Decision:
    """Do not wait for the provider any longer."""
    if state.is_over or state.step is not Step.WAITING:
        return _refuse(state, event, "the loop does not wait for a provider")
    go_on = auditing.on_wait_over if state.phase is Phase.AUDITING else waiting.on_wait_over
    decision = go_on(state, event)
    return Decision(
        decision.state, decision.records, decision.effects, (*decision.replies, *_reply(event))
    )


def on_restart(state: LoopState, event: LoopRestarted) -> Decision:
    """Take over a loop whose driver is gone, or continue one that has ended."""
    refusal = restart_refusal(state, event)
    if refusal:
        return _refuse(state, event, refusal)
    was_open = _has_pending_handoff(state)
    budget, changed = changed_caps(state.budget, event.changes, event.by)
    spent = with_time(state, event.unaccounted_s).evolve(rounds=0)
    state = state.evolve(
        status=Status.RUNNING,
        phase=Phase.CODING,
        stop=Cancelled(by=event.by) if event.intent == "cancel" else None,
        published=None,
        budget=budget,
        spent=spent,
        streaks=Streaks(),
        failed_models=(),
        concerns=(),
        waiting=None,
        over_cap=None,
        # A baseline starts over; an audit that was interrupted is flagged when it does.
        evaluation=None if state.baseline is None else state.evaluation,
        clock=Clock(at=event.at, mono=event.mono),
    )
    decision = Decision(state, changed).then(_forget_pass).then(close_spends)
    if was_open:
        decision = decision.then(lambda state: discard(state, "the driver died"))
    return decision.then(_close_interrupted_turn).then(prepare_workspace)


def _has_pending_handoff(state: LoopState) -> bool:
    """Whether a handoff was written and not applied: its turn is open, or waits for others."""
    current = state.round
    if current is None or current.handoff is None:
        return False
    return current.turn is not None or state.step is Step.DEFERRED


def restart_refusal(state: LoopState, event: LoopRestarted) -> str:
    """Why the loop cannot be restarted like this; empty when it can."""
    if state.status is Status.COMPLETED:
        return "the loop is completed: its goal is met, there is nothing to go on with"
    if event.intent == "cancel":
        return f"the loop has already ended ({state.status})" if state.is_over else ""
    budget, _ = changed_caps(state.budget, event.changes, event.by)
    if budget == budget.evolve(
        max_rounds=None, max_tokens=None, max_micro_usd=None, max_time_s=None
    ):
        return "0 rounds means no cap on rounds, which needs another cap beside it"
    cap = exhausted(budget, state.spent.evolve(rounds=0))
    if cap is None or not state.is_over:
        return ""  # what a dead driver left is still judged; no further round will be admitted
    return f"a cap is used up: {cap.amounts}; raise the cap with {RAISE_OPTION[cap.scope]}"


def changed_caps(
    budget: Budget, changes: CapChanges, by: str
) -> tuple[Budget, tuple[AnyRecord, ...]]:
    """The budget with a user's changes, and one record for each cap that really changed."""
    wanted = {name: value for name, value in changes if value is not None}
    if wanted.get("max_rounds") == 0:
        wanted["max_rounds"] = None
    records = tuple(
        CapChanged(cap=name, old=getattr(budget, name), new=value, by=by)
        for name, value in wanted.items()
        if getattr(budget, name) != value
    )
    return budget.evolve(**wanted), records


def _forget_pass(state: LoopState) -> Decision:
    """A PASS that was stored but never acted upon is shown again: no stored row is a verdict."""
    if not state.ledger.is_clean:
        return Decision(state)
    baseline = None if state.snapshot is None else state.baseline
    return Decision(state.evolve(ledger=Ledger(), baseline=baseline))


def _close_interrupted_turn(state: LoopState) -> Decision:
    """Count a turn whose end nobody saw at its estimate, as unknown."""
    current = state.round
    if current is None or current.turn is None:
        return Decision(state)
    usage = () if current.is_metered else (current.reservation.as_usage(),)
    result = TurnResult(
        outcome=TurnOutcome.INTERRUPTED, usage=usage, problem="the driver died during this turn"
    )
    interrupted = TurnInterrupted(round=current.number, session_id=current.session_id)
    spent = state.spent.plus(usage) if usage else state.spent
    state = state.evolve(round=current.evolve(turn=None, result=result), spent=spent)
    return Decision(state, (interrupted, *turn_records(current, result)))


def _refuse(
    state: LoopState, event: CancelRequested | RetryRequested | LoopRestarted, why: str
) -> Decision:
    refused = EventRefused(event=event.kind, why=why)
    command_id = "restart" if isinstance(event, LoopRestarted) else event.command_id
    return Decision(state, (refused,), replies=(Reply(command_id, refused=why),))


def _reply(event: CancelRequested | RetryRequested) -> tuple[Reply, ...]:
    return (Reply(event.command_id),) if event.command_id else ()
