"""What sessions spend: a request is granted or refused before it is sent, and counted once.

Whatever is open when a loop ends, or when its driver has died, counts at its estimate.
"""

from loopctl.domain.agent_session import Role
from loopctl.domain.budget import Spent, exhausted
from loopctl.domain.decision import Decision, Reply
from loopctl.domain.events import SpendRequested, SpendSettled
from loopctl.domain.loop import LoopState
from loopctl.domain.records import AnyRecord, EventRefused, SpendUnseen, UsageRecorded
from loopctl.domain.spending import OpenSpend
from loopctl.domain.step import Step
from loopctl.domain.stop import BudgetCap
from loopctl.domain.usage import Usage


def on_requested(state: LoopState, event: SpendRequested) -> Decision:
    """Grant the request as long as something is left of every cap."""
    why = _not_at_work(state, event)
    if why:
        refused = EventRefused(event=event.kind, why=why)
        return Decision(state, (refused,), replies=(Reply(event.request, refused=why),))
    cap = spending_cap(state)
    if cap is not None:
        why = f"the cap is used up: {cap.amounts}"
        return Decision(state.evolve(over_cap=cap), replies=(Reply(event.request, refused=why),))
    spend = OpenSpend(
        request=event.request,
        session_id=event.session_id,
        role=event.role,
        round=state.round_number,
        model=event.model,
        estimate=event.estimate,
    )
    state = state.evolve(spends=(*state.spends, spend))
    return Decision(state, replies=(Reply(event.request),))


def on_settled(state: LoopState, event: SpendSettled) -> Decision:
    """Count what the request used; of one that is not open it was counted before."""
    spend = next((spend for spend in state.spends if spend.request == event.request), None)
    if spend is None:
        refused = EventRefused(event=event.kind, why=f"the request {event.request} is not open")
        return Decision(state, (refused,))
    state = _without(state, spend)
    if event.unseen:
        return _count_unseen(state, spend, event.usage)
    return _count(state, spend, event.usage)


def close_spends(state: LoopState) -> Decision:
    """Count every request whose end will not be seen any more."""
    decision = Decision(state)
    for spend in state.spends:
        counted = _count_unseen(_without(decision.state, spend), spend, ())
        decision = Decision(counted.state, decision.records + counted.records)
    return decision


def spending_cap(state: LoopState) -> BudgetCap | None:
    """The cap on tokens or dollars that leaves nothing for a request, if there is one.

    Rounds and working time have their own ends: neither cuts a turn off between two requests.
    """
    return exhausted(state.budget.evolve(max_rounds=None, max_time_s=None), with_open(state))


def with_open(state: LoopState) -> Spent:
    """What was spent, with the requests whose end has not been seen at their estimates."""
    open_usage = tuple(spend.estimate.as_usage() for spend in state.spends)
    return state.spent.plus(open_usage) if open_usage else state.spent


def _not_at_work(state: LoopState, event: SpendRequested) -> str:
    """Why nobody can be waiting for this request; empty when somebody is."""
    if state.is_over or state.stop is not None:
        return "the loop is ending"
    if any(spend.request == event.request for spend in state.spends):
        return f"the request {event.request} was granted before"
    current = state.round
    if event.role is Role.JUDGE:
        judging = state.evaluation is not None and state.step is Step.EVALUATE
        return "" if judging else "nothing is being judged"
    if current is None or current.turn is None or current.session_id != event.session_id:
        return "no turn of this session is open"
    return ""


def _without(state: LoopState, spend: OpenSpend) -> LoopState:
    return state.evolve(spends=tuple(other for other in state.spends if other is not spend))


def _count_unseen(state: LoopState, spend: OpenSpend, seen: tuple[Usage, ...]) -> Decision:
    usage = spend.unseen(seen)
    unseen = SpendUnseen(
        round=spend.round, session_id=spend.session_id, role=spend.role, usage=usage
    )
    return Decision(state, (unseen,)).then(lambda state: _count(state, spend, usage))


def _count(state: LoopState, spend: OpenSpend, usage: tuple[Usage, ...]) -> Decision:
    if not usage:
        return Decision(state)
    records: tuple[AnyRecord, ...] = tuple(
        UsageRecorded(
            round=spend.round,
            session_id=spend.session_id,
            role=spend.role,
            usage=row.evolve(requests=int(not number)),  # however many rows it has
        )
        for number, row in enumerate(usage)
    )
    return Decision(state.evolve(spent=state.spent.plus(usage)), records)
