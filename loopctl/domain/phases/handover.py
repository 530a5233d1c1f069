"""How a turn is handed over: the record that ends it, and what happens when there is none.

A call stores the record and advances nothing; the last call of a turn replaces an earlier one.
When the turn has ended the record is applied once, or discarded. A session that has to hand over
and did not is asked again, three times at most: with the whole text when it said nothing at all
or remembers nothing, else with a nudge.
"""

from loopctl.domain.agent_session import Role, TurnOutcome
from loopctl.domain.decision import Decision, Reply
from loopctl.domain.effects import BuildPrompt
from loopctl.domain.events import HandoffCalled
from loopctl.domain.handoff import AuditorHandoff, CoderHandoff, PostActionReport
from loopctl.domain.loop import LoopState
from loopctl.domain.records import EventRefused, HandoffNudged, HandoffRecorded, HandoffResolved
from loopctl.domain.step import Phase, Step
from loopctl.domain.stop import Errored, ErrorReason

MAX_NUDGES = 3
_TOOL_OF = {
    Phase.CODING: "loop_handoff",
    Phase.AUDITING: "loop_handoff",
    Phase.POST_ACTION: "loop_complete",
}
_PAYLOAD_OF = {
    Phase.CODING: CoderHandoff,
    Phase.AUDITING: AuditorHandoff,
    Phase.POST_ACTION: PostActionReport,
}
_COUNTS = {TurnOutcome.FINISHED, TurnOutcome.TIMED_OUT, TurnOutcome.CAPPED}


def on_called(state: LoopState, event: HandoffCalled) -> Decision:
    """Store the record of the turn that is open; it is applied when the turn has ended."""
    why = _refusal(state, event)
    if why:
        refused = EventRefused(event=event.kind, why=why)
        return Decision(state, (refused,), replies=(Reply(event.call, refused=why),))
    current = state.open_round
    record = HandoffRecorded(
        round=current.number,
        session_id=event.session_id,
        role=Role.CODER,
        phase=state.phase,
        payload=event.payload,
        status="pending",
    )
    text = (
        "Recorded. It takes effect when you end your turn: stop here, or call again to replace it."
    )
    state = state.evolve(round=current.evolve(handoff=event.payload))
    return Decision(state, (record,), replies=(Reply(event.call, text=text),))


def resolve(state: LoopState) -> Decision:
    """Apply the record of the turn that has ended, or discard it."""
    current = state.open_round
    result = current.result
    if current.handoff is None or result is None:
        return Decision(state)
    if state.stop is None and result.outcome in _COUNTS:
        applied = HandoffResolved(
            round=current.number, session_id=current.session_id, role=Role.CODER, status="applied"
        )
        return Decision(state, (applied,))
    ends = state.stop is not None
    return discard(state, "the loop is ending" if ends else f"the turn was {result.outcome}")


def discard(state: LoopState, why: str) -> Decision:
    """Drop the record that the open turn has left."""
    current = state.open_round
    discarded = HandoffResolved(
        round=current.number,
        session_id=current.session_id,
        role=Role.CODER,
        status="discarded",
        why=why,
    )
    return Decision(state.evolve(round=current.evolve(handoff=None)), (discarded,))


def is_missing(state: LoopState) -> bool:
    """Whether the turn that has ended needs a record and has none."""
    current = state.open_round
    asked = state.spec.require_handoff
    return (
        (current.has_tools if asked is None else asked)
        and state.stop is None
        and current.handoff is None
        and current.result is not None
        and current.result.outcome is TurnOutcome.FINISHED
    )


def ask_again(state: LoopState) -> Decision:
    """Ask the session for its record."""
    current = state.open_round
    result = current.result
    number = current.nudges + 1
    whole = not current.remembers or (result is not None and not result.replied)
    state = state.ordered(step=Step.PROMPT, round=current.evolve(nudges=number))
    nudged = HandoffNudged(
        round=current.number, session_id=current.session_id, number=number, maximum=MAX_NUDGES
    )
    build = BuildPrompt(
        order=state.order,
        round=current.number,
        session_id=current.session_id,
        nudge=number,
        whole=whole,
    )
    return Decision(state, (nudged,), (build,))


def never_handed_over() -> Errored:
    """The stop condition of a session that was asked often enough."""
    return Errored(
        reason=ErrorReason.HANDOFF_MISSING,
        detail=f"the agent ended {MAX_NUDGES + 1} turns in a row without a handoff",
        next_step="look at what it said with loopctl logs, then restart the loop; "
        "a new one with --no-require-handoff does without",
    )


def _refusal(state: LoopState, event: HandoffCalled) -> str:
    current = state.round
    if current is None or current.turn is None or current.session_id != event.session_id:
        return "only the session whose turn is open can hand over"
    if state.stop is not None:
        return "the loop is ending"
    tool = _TOOL_OF[state.phase]
    if event.tool != tool or not isinstance(event.payload, _PAYLOAD_OF[state.phase]):
        return f"in the phase {state.phase} a turn is handed over with {tool}"
    if event.busy is None:
        return "it is not known whether other sessions of the loop are at work"
    if event.busy:
        return f"other sessions of the loop are at work: {', '.join(event.busy)}"
    return ""
