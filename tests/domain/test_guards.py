"""What the types rule out is refused aloud when it happens all the same."""

import pytest
from loops import FAIL, Loop, make_snapshot, make_spec
from pydantic import ValidationError

from loopctl.domain.agent_session import TurnOutcome, TurnResult
from loopctl.domain.events import Settled
from loopctl.domain.handoff import observe_handoff
from loopctl.domain.loop import begin
from loopctl.domain.phases.ending import finish, goal_met
from loopctl.domain.round_context import NextRoundSpec
from loopctl.domain.snapshot import PathChange, Published
from loopctl.domain.stop import exit_code_of, status_of

STATE = begin(make_spec())


def test_a_goal_is_met_by_a_clean_ledger_alone():
    with pytest.raises(ValueError, match="not clean"):
        goal_met(STATE)


def test_a_loop_ends_for_a_reason_alone():
    with pytest.raises(ValueError, match="without a stop condition"):
        finish(STATE, Published(commit=""))


def test_nothing_is_open_at_the_beginning():
    with pytest.raises(ValueError, match="no round"):
        _ = STATE.open_round
    with pytest.raises(ValueError, match="no evaluation"):
        _ = STATE.open_evaluation


def test_a_tree_is_settled_after_a_turn_alone():
    loop = Loop().start()
    loop.state = loop.state.evolve(step="settle")
    with pytest.raises(ValueError, match="no turn"):
        loop.answer(Settled)


def test_unions_are_closed():
    for function in (status_of, exit_code_of):
        with pytest.raises(AssertionError):
            function("done")
    loop = Loop()
    loop.state = loop.state.evolve(step="elsewhere")
    with pytest.raises(AssertionError):
        loop.cancel()
    with pytest.raises(ValidationError):
        NextRoundSpec(mode="resumed", prompt="p")


def test_a_failed_publication_keeps_the_reason_of_the_end():
    loop = Loop().start()
    loop.round("t1", FAIL)
    loop.cancel()
    loop.fail("disk full")
    assert loop.state.stop.kind == "cancelled"
    assert loop.state.published.note == "the work could not be put on the branch: disk full"


def test_an_observed_handoff_is_a_bounded_claim_and_the_difference_of_the_trees():
    changes = tuple(PathChange(path=f"f{number}", kind="M") for number in range(50))
    snapshot = make_snapshot(1, "t1", changed=50, changes=changes)
    result = TurnResult(outcome=TurnOutcome.FINISHED, exit="exit 0", said="x" * 5000 + "end \n")
    handoff = observe_handoff(result.shortened(), snapshot)
    assert (len(handoff.claim), handoff.claim[-3:]) == (1000, "end")
    assert (handoff.changed, len(handoff.paths)) == (50, 20)
