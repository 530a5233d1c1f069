"""Doubts about the goal: recorded, shown, and by default a reason to let a person look.

Raised by an agent with a tool, or once by a heuristic: half of what the loop may spend is gone,
and nothing that it is judged by has ever passed. A restart goes on, because somebody has looked.
"""

from loopctl.domain.agent_session import TurnOutcome
from loopctl.domain.budget import exhausted, half_used
from loopctl.domain.concern import (
    SAME_WITHIN_S,
    OnConcern,
    RaisedConcern,
    Severity,
    concern_digest,
)
from loopctl.domain.decision import Decision, Reply
from loopctl.domain.effects import AbortTurn
from loopctl.domain.events import ConcernFlagged
from loopctl.domain.loop import LoopState
from loopctl.domain.phases.ending import enter_ending
from loopctl.domain.phases.spending import with_open
from loopctl.domain.records import ConcernRecorded, EventRefused
from loopctl.domain.stop import ApprovalRequired

NO_PROGRESS = "half of {scope} is used, and nothing that the work is judged by has ever passed"


def on_flagged(state: LoopState, event: ConcernFlagged) -> Decision:
    """The session at work doubts the goal."""
    current = state.round
    if current is None or current.turn is None or current.session_id != event.session_id:
        why = "only the session whose turn is open can raise a concern"
        refused = EventRefused(event=event.kind, why=why)
        return Decision(state, (refused,), replies=(Reply(event.call, refused=why),))
    digest = concern_digest(event.concern)
    lately = tuple(one for one in state.concerns if event.at - one.at < SAME_WITHIN_S)
    if any(one.digest == digest for one in lately):
        again = Reply(event.call, text="This concern is on record already.")
        return Decision(state.evolve(concerns=lately), replies=(again,))
    raised = RaisedConcern(digest=digest, at=event.at)
    state = state.evolve(concerns=(*lately, raised))
    record = ConcernRecorded(
        round=current.number,
        session_id=event.session_id,
        source="agent",
        concern=event.concern,
        severity=event.severity,
        policy=state.spec.on_concern,
    )
    if state.spec.on_concern is not OnConcern.STOP:
        reply = Reply(event.call, text="Recorded. Go on with the work.")
        return Decision(state, (record,), replies=(reply,))
    reply = Reply(event.call, text="Recorded. The loop stops here, so that a person can look.")
    if state.stop is None:
        state = state.evolve(stop=_look_at(f"the agent is concerned: {event.concern}"))
    abort = AbortTurn(order=state.order, outcome=TurnOutcome.ABORTED)
    return Decision(state, (record,), (abort,), (reply,))


def raise_no_progress(state: LoopState, *, is_finer: bool) -> Decision:
    """Raise the heuristic's concern where it is due.

    ``is_finer`` says that the work is judged by more than one thing: several criteria, or a
    criterion of several tests. A lone thing that passes ends the loop, so that it has never
    passed in any loop that is at half of its caps.
    """
    if not is_finer:
        return Decision(state)
    due = not state.no_progress_raised and not state.ever_passed
    if not due or exhausted(state.budget, with_open(state)) is not None:
        return Decision(state)
    half = half_used(state.budget, state.spent)
    if half is None:
        return Decision(state)
    concern = NO_PROGRESS.format(scope=f"the cap on {half.scope}")
    record = ConcernRecorded(
        round=state.round_number,
        session_id="",
        source="heuristic",
        concern=concern,
        severity=Severity.MEDIUM,
        policy=state.spec.on_concern,
    )
    decision = Decision(state.evolve(no_progress_raised=True), (record,))
    if state.spec.on_concern is not OnConcern.STOP:
        return decision
    return decision.then(lambda state: enter_ending(state, _look_at(concern)))


def _look_at(reason: str) -> ApprovalRequired:
    return ApprovalRequired(
        reason=f"{reason}; restart to go on as it is, or begin anew with another goal "
        "(--on-concern notify-continue does not stop)"
    )
