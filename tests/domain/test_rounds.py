"""Whole rounds: what ends a loop, and what does not."""

import pytest
from loops import ERROR, FAIL, PASS, Loop, make_report, make_spec

from loopctl.domain.agent_session import TurnOutcome
from loopctl.domain.budget import Budget
from loopctl.domain.concern import OnConcern
from loopctl.domain.effects import (
    AdmitRound,
    ReleaseWorkspace,
)
from loopctl.domain.events import (
    RoundRefused,
    SessionFailed,
)
from loopctl.domain.records import RoundClosed
from loopctl.domain.stop import (
    ApprovalRequired,
    BudgetCap,
    CapScope,
    ErrorReason,
    GoalMet,
    Stuck,
)


@pytest.mark.parametrize("said", ["ALL DONE", "not done; complete: false; EXIT", "`DONE`"])
def test_what_an_agent_says_is_never_a_verdict(said):
    loop = Loop(make_spec(budget=Budget(max_rounds=2))).start()
    loop.round("t1", FAIL, said=said)
    loop.round("t2", FAIL, said=said)
    loop.publish()
    assert loop.prompts == [1, 2]
    assert loop.state.stop == BudgetCap(scope=CapScope.ROUNDS, observed=2, maximum=2)


def test_success_in_the_last_allowed_round_is_success():
    budget = Budget(max_rounds=2, max_micro_usd=200, max_tokens=20)
    loop = Loop(make_spec(budget=budget, on_concern=OnConcern.NOTIFY_CONTINUE)).start()
    loop.round("t1", FAIL)
    loop.round("t2", PASS)
    loop.publish()
    assert isinstance(loop.state.stop, GoalMet)


def test_a_goal_that_holds_already_needs_no_round():
    loop = Loop().start(PASS)
    assert isinstance(loop.asked, ReleaseWorkspace)
    loop.publish()
    assert isinstance(loop.state.stop, GoalMet)
    assert loop.state.stop.criteria[0].evidence == "exit 1"
    assert loop.prompts == []


def test_four_rounds_without_a_change_of_the_tree_are_stuck():
    loop = Loop().start()
    loop.round("t1", FAIL)
    for _ in range(4):
        loop.prompt()
        loop.end_turn()
        loop.snapshot("t1", changed=0)
        loop.judge(recall=(make_report(tree="t1"),))
    loop.publish()
    assert isinstance(loop.state.stop, Stuck)
    assert "4 rounds left the tree t1" in loop.state.stop.detail
    assert "exit 1" in loop.state.stop.detail


def test_rounds_that_change_the_tree_are_never_stuck():
    loop = Loop(make_spec(budget=Budget(max_rounds=8))).start()
    for number in range(8):
        loop.round(f"t{number + 1}", FAIL, said="the same words")
    assert loop.prompts == list(range(1, 9))
    assert loop.state.stop.scope is CapScope.ROUNDS


def test_two_rounds_on_protected_paths_alone_ask_a_person():
    loop = Loop().start()
    for _ in range(2):
        loop.prompt()
        loop.end_turn()
        loop.snapshot("t-agent", judged_tree="t0")
        loop.judge(FAIL)
    assert isinstance(loop.state.stop, ApprovalRequired)
    assert "--allow GLOB" in loop.state.stop.reason


def test_three_failed_turns_end_and_are_no_evidence_of_being_stuck():
    loop = Loop().start()
    for _ in range(3):
        loop.prompt()
        loop.end_turn(TurnOutcome.FAILED, exit="exit 1")
        loop.snapshot("t0", changed=0)
        if loop.state.step == "evaluate":
            loop.judge(FAIL)
    loop.publish()
    assert loop.state.stop.reason is ErrorReason.ERROR_MAX_RETRIES
    assert "the agent's command by hand" in loop.state.stop.next_step
    assert "3 times in a row; the last time: exit 1" in loop.state.stop.detail
    assert loop.state.streaks.unchanged == 0
    assert loop.all(RoundClosed)[-1].verdict is ERROR


def test_a_failed_turn_with_a_change_is_work():
    loop = Loop().start()
    for number in range(4):
        loop.round(f"t{number + 1}", FAIL, outcome=TurnOutcome.FAILED)
    assert loop.state.stop is None


def test_an_empty_round_counts_as_an_error_of_the_agent():
    loop = Loop().start()
    for _ in range(3):
        loop.prompt()
        loop.end_turn(said=" \n", exit="exit 0")
        loop.snapshot("t0", changed=0)
        if loop.state.step == "evaluate":
            loop.judge(FAIL)
    assert "the last time: nothing changed and nothing said (exit 0)" in loop.state.stop.detail


def test_an_agent_that_cannot_be_opened_uses_up_no_round():
    loop = Loop().start()
    for _ in range(3):
        loop.admit()
        loop.answer(SessionFailed, problem="no such program")
    assert [one.round for one in loop.all(AdmitRound)] == [1, 1, 1]
    assert loop.state.spent.rounds == 0
    assert "no such program" in loop.state.stop.detail


def test_a_refused_round_keeps_its_number():
    loop = Loop().start()
    loop.round("t1", FAIL)
    loop.answer(RoundRefused, scope="usd", observed=3.0, maximum=2.0)
    loop.publish()
    assert loop.state.stop == BudgetCap(
        scope=CapScope.USD, observed=3.0, maximum=2.0, expected=True
    )
    loop.restart()
    loop.workspace()
    loop.prompt()
    assert loop.prompts == [1, 2]


def test_a_goal_is_not_met_when_its_tree_cannot_be_put_away():
    loop = Loop().start()
    loop.round("t1", PASS)
    loop.fail("disk full")
    assert loop.state.stop.reason is ErrorReason.DRIVER_ERROR
    assert "disk full" in loop.state.published.note
    loop.restart()
    loop.workspace()
    loop.judge(PASS)
    loop.publish()
    assert isinstance(loop.state.stop, GoalMet)
    assert loop.prompts == [1]
