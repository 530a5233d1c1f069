"""What comes from outside: a wish to end, and a wish to go on after a crash or an end."""

import pytest
from loops import FAIL, PASS, Loop, make_snapshot, make_spec
from pydantic import ValidationError

from loopctl.domain.agent_session import TurnOutcome
from loopctl.domain.budget import Budget
from loopctl.domain.effects import (
    Abandon,
    AbortTurn,
    AdmitRound,
    Evaluate,
    PrepareWorkspace,
    PublishWork,
    ReleaseWorkspace,
    Settle,
    TakeSnapshot,
)
from loopctl.domain.events import (
    CapChanges,
    LoopStarted,
    PromptBuilt,
    SessionOpened,
    Settled,
    SnapshotTaken,
    VerdictsRecalled,
    WorkspaceLost,
)
from loopctl.domain.records import CapChanged, EventRefused, LoopEnded, TurnInterrupted
from loopctl.domain.stop import BudgetCap, Cancelled, ErrorReason, GoalMet, Status
from loopctl.errors import IllegalEventError


def ended(budget=None, **costs):
    """A loop that was cancelled after one round."""
    loop = Loop(make_spec(budget=budget or Budget(max_rounds=5))).start()
    loop.round("t1", FAIL, **costs)
    loop.cancel()
    loop.publish()
    return loop


def test_a_cancelled_turn_is_brought_to_its_end_and_kept():
    loop = Loop().start()
    loop.prompt()
    decision = loop.cancel("SIGTERM", command_id="k")
    assert decision.effects == (AbortTurn(order=loop.state.order, outcome=TurnOutcome.ABORTED),)
    assert [reply.refused for reply in decision.replies] == [""]
    loop.end_turn(TurnOutcome.ABORTED, busy=("s9",))
    loop.snapshot("t1")
    loop.publish()
    assert loop.all(TakeSnapshot)[-1].partial
    assert loop.state.stop == Cancelled(by="SIGTERM")
    assert loop.all(LoopEnded)[-1].exit_code == 143
    assert loop.state.spent.micro_usd == 100


def test_a_cancelled_evaluation_is_abandoned():
    loop = Loop().start()
    loop.prompt()
    loop.end_turn()
    loop.snapshot("t1")
    decision = loop.cancel()
    assert isinstance(decision.effects[0], Abandon)
    assert isinstance(loop.asked, PublishWork)


def test_a_cancellation_before_any_turn_leaves_nothing():
    loop = Loop().start()
    loop.cancel()
    assert isinstance(loop.asked, ReleaseWorkspace)
    loop.publish()
    loop.restart()
    assert loop.asked == PrepareWorkspace(order=loop.state.order, snapshot=None, first_time=True)


def test_a_cancellation_while_others_work_settles_first():
    loop = Loop().start()
    loop.prompt()
    loop.end_turn(busy=("s9",))
    loop.cancel()
    assert isinstance(loop.asked, Settle)
    loop.cancel()  # twice is harmless
    loop.answer(Settled)
    loop.cancel()
    assert isinstance(loop.asked, TakeSnapshot)


@pytest.mark.parametrize("settled", [False, True])
def test_a_cancellation_after_a_turn_waits_for_its_tree(settled):
    loop = Loop().start()
    loop.prompt()
    loop.end_turn()
    if settled:
        loop.answer(Settled)
    assert loop.cancel().effects == ()
    if not settled:
        loop.answer(Settled)
    assert isinstance(loop.asked, TakeSnapshot)
    loop.answer(SnapshotTaken, snapshot=make_snapshot(1, "t1"))
    assert loop.asked.snapshot.tree == "t1"
    loop.publish()
    assert loop.state.stop == Cancelled(by="user")


def test_the_end_of_an_ended_loop_is_refused_and_changes_nothing():
    loop = ended()
    before = loop.state
    decision = loop.cancel(command_id="k")
    assert loop.state == before
    assert decision.replies[0].refused == "the loop has already ended (cancelled)"
    assert loop.restart("cancel").replies[0].refused == "the loop has already ended (cancelled)"


def test_a_completed_loop_is_not_restarted():
    loop = Loop().start(PASS)
    loop.publish()
    decision = loop.restart(max_rounds=9)
    assert "its goal is met" in decision.replies[0].refused
    assert [type(row) for row in decision.records] == [EventRefused]
    assert loop.state.status is Status.COMPLETED


@pytest.mark.parametrize(
    ("budget", "option"),
    [
        (Budget(max_micro_usd=100), "a cap is used up: 0.0001 of 0.0001 US dollars"),
        (Budget(max_micro_usd=100), "--max-usd"),
        (Budget(max_tokens=10), "--max-tokens"),
        (Budget(max_time_s=1.0), "--max-time"),
    ],
)
def test_a_refusal_names_the_option_to_raise(budget, option):
    loop = Loop(make_spec(budget=budget)).start()
    loop.prompt()
    loop.now += 1.0
    loop.end_turn()
    loop.snapshot("t1")
    loop.judge(FAIL)
    loop.publish()
    assert isinstance(loop.state.stop, BudgetCap)
    before = loop.state
    assert option in loop.restart(unaccounted_s=3.0).replies[0].refused
    assert loop.state == before


def test_the_round_cap_counts_since_the_restart():
    loop = Loop(make_spec(budget=Budget(max_rounds=1))).start()
    loop.round("t1", FAIL)
    loop.publish()
    loop.restart()
    loop.workspace()
    loop.round("t2", FAIL)
    loop.publish()
    assert loop.prompts == [1, 2]
    assert isinstance(loop.state.stop, BudgetCap)
    assert loop.all(CapChanged) == []


def test_a_changed_cap_is_recorded_with_old_new_and_who():
    loop = ended(Budget(max_rounds=1))
    loop.restart(by="ann", max_rounds=20, max_time_s=60.0)
    assert loop.all(CapChanged) == [
        CapChanged(cap="max_rounds", old=1, new=20, by="ann"),
        CapChanged(cap="max_time_s", old=None, new=60.0, by="ann"),
    ]
    assert loop.state.budget == Budget(max_rounds=20, max_time_s=60.0)
    loop.restart(max_rounds=20)
    assert len(loop.all(CapChanged)) == 2


def test_0_rounds_lift_the_cap_beside_another_alone():
    loop = ended()
    assert "needs another cap" in loop.restart(max_rounds=0).replies[0].refused
    loop.restart(max_rounds=0, max_tokens=1000)
    assert loop.state.budget == Budget(max_tokens=1000)


@pytest.mark.parametrize("cap", ["max_tokens", "max_micro_usd", "max_time_s"])
def test_no_other_cap_can_be_0(cap):
    with pytest.raises(ValidationError):
        CapChanges(**{cap: 0})


def test_a_crash_in_a_turn_counts_its_reservation_and_never_sends_again():
    loop = Loop().start()
    loop.round("t1", FAIL)
    loop.prompt(micro_usd=600, tokens=60)
    loop.restart(unaccounted_s=5.0)
    spent = loop.state.spent
    assert (spent.micro_usd, spent.tokens, spent.unknown_turns) == (700, 70, 1)
    assert (spent.worked_s, spent.rounds) == (5.0, 0)
    assert loop.all(TurnInterrupted) == [TurnInterrupted(round=2, session_id="s")]
    loop.workspace()
    loop.snapshot("t2")
    assert loop.all(TakeSnapshot)[-1].partial
    loop.judge(FAIL)
    assert loop.asked == AdmitRound(order=loop.state.order, round=3)
    assert loop.prompts == [1, 2]


def test_a_crash_after_a_turn_counts_nothing_twice():
    loop = Loop().start()
    loop.prompt(micro_usd=600)
    loop.end_turn()
    loop.restart()
    loop.restart()
    assert loop.state.spent.micro_usd == 100
    loop.workspace()
    assert isinstance(loop.asked, Settle)


def test_a_crash_before_the_prompt_keeps_the_number():
    loop = Loop().start()
    loop.admit()
    loop.answer(SessionOpened, session_id="s")
    loop.restart()
    loop.workspace()
    loop.prompt()
    assert loop.prompts == [1]


def test_a_crash_in_an_evaluation_runs_it_again_flagged():
    loop = Loop().start()
    loop.prompt()
    loop.end_turn()
    loop.snapshot("t1")
    loop.restart()
    loop.workspace()
    loop.answer(VerdictsRecalled)
    assert isinstance(loop.asked, Evaluate)
    assert loop.asked.flagged
    assert loop.prompts == [1]


def test_a_crash_in_the_baseline_begins_it_again():
    loop = Loop()
    loop.feed(LoopStarted())
    loop.workspace()
    loop.restart()
    loop.workspace()
    assert isinstance(loop.asked, Evaluate)
    assert not loop.asked.flagged


def test_a_crash_before_the_end_finds_the_goal_met_beyond_every_cap():
    loop = Loop(make_spec(budget=Budget(max_micro_usd=100))).start()
    loop.round("t1", PASS)
    loop.restart()
    loop.workspace()
    loop.judge(PASS)
    loop.publish()
    assert isinstance(loop.state.stop, GoalMet)


def test_a_stored_pass_is_shown_again_before_it_ends_a_loop():
    loop = Loop().start()
    loop.round("t1", PASS)
    loop.restart()
    assert not loop.state.ledger.is_clean
    loop.workspace()
    loop.judge(FAIL)
    assert loop.state.stop is None
    assert loop.state.step == "admit"


def test_a_stored_baseline_that_passed_is_run_again():
    loop = Loop().start(PASS)
    loop.restart()
    loop.workspace()
    loop.judge(FAIL)
    assert loop.state.stop is None
    assert loop.state.step == "admit"


def test_a_paid_round_is_judged_after_a_crash_beyond_every_cap():
    loop = Loop(make_spec(budget=Budget(max_micro_usd=100))).start()
    loop.prompt()
    loop.end_turn()
    loop.restart()
    loop.workspace()
    loop.snapshot("t1")
    loop.judge(FAIL)
    loop.publish()
    assert loop.prompts == [1]
    assert isinstance(loop.state.stop, BudgetCap)


@pytest.mark.parametrize("when", ["at once", "while the worktree is made"])
def test_cancelling_a_dead_loop_saves_its_tree_first(when):
    loop = Loop().start()
    loop.prompt()
    if when == "at once":
        loop.restart("cancel", by="ann")
    else:
        loop.restart()
        loop.cancel("ann")
    loop.workspace()
    loop.snapshot("t1")
    assert loop.asked.snapshot.tree == "t1"
    loop.publish()
    assert loop.state.stop == Cancelled(by="ann")


def test_cancelling_a_dead_loop_between_rounds_ends_it():
    loop = Loop().start()
    loop.restart("cancel")
    loop.workspace()
    assert isinstance(loop.asked, ReleaseWorkspace)


def test_a_lost_workspace_is_said_and_nothing_is_created():
    loop = ended()
    loop.restart()
    loop.answer(WorkspaceLost, detail="both gone")
    assert loop.state.stop.reason is ErrorReason.WORKSPACE_LOST
    assert loop.state.is_over


def test_no_worktree_and_no_snapshot_end_at_once():
    loop = Loop().start()
    loop.prompt()
    loop.end_turn()
    loop.fail("the guard is gone")
    assert loop.state.is_over
    assert loop.state.published.note == "no snapshot was taken"
    loop.restart()
    loop.workspace()
    assert isinstance(loop.asked, Settle)


def test_a_prompt_may_not_be_answered_twice():
    loop = Loop().start()
    loop.prompt()
    with pytest.raises(IllegalEventError):
        loop.answer(PromptBuilt, prompt="again", digest="d")
