"""One prompt and everything until the tree is safe: time, money, limits, failures."""

import pytest
from loops import FAIL, Loop, make_spec, turn_result

from loopctl.domain.agent_session import TurnOutcome
from loopctl.domain.budget import Budget
from loopctl.domain.concern import OnConcern
from loopctl.domain.effects import (
    PublishWork,
    StartTimer,
    TakeSnapshot,
)
from loopctl.domain.events import (
    PromptBuilt,
    SessionOpened,
    SessionsIdle,
    TimerFired,
)
from loopctl.domain.phases.waiting import MOST_WAITS
from loopctl.domain.records import LimitWait, RoundPrompted
from loopctl.domain.stop import (
    BudgetCap,
    CapScope,
    Errored,
    ErrorReason,
)

GOES_ON = OnConcern.NOTIFY_CONTINUE


def test_the_nearer_of_two_deadlines_is_set():
    budget = Budget(max_time_s=100.0)
    loop = Loop(make_spec(budget=budget, round_timeout_s=60.0, on_concern=GOES_ON)).start()
    loop.prompt()
    assert (loop.all(StartTimer)[-1].timer, loop.all(StartTimer)[-1].seconds) == ("round", 60.0)
    loop.answer(TimerFired, 50.0, timer="round")
    loop.end_turn(TurnOutcome.TIMED_OUT)
    loop.snapshot("t1")
    loop.judge(FAIL)
    loop.prompt()
    assert loop.all(StartTimer)[-1].timer == "working-time"
    assert loop.all(StartTimer)[-1].seconds == 50.0


def test_work_cut_off_by_a_time_out_is_counted_kept_and_judged():
    loop = Loop(make_spec(budget=Budget(max_time_s=10.0))).start()
    loop.prompt()
    loop.answer(TimerFired, 10.0, timer="working-time")
    loop.end_turn(TurnOutcome.TIMED_OUT)
    loop.snapshot("t1")
    loop.judge(FAIL)
    assert isinstance(loop.asked, PublishWork)
    assert loop.asked.snapshot.tree == "t1"
    loop.publish()
    assert loop.state.stop == BudgetCap(scope=CapScope.TIME, observed=10.0, maximum=10.0)
    assert loop.state.spent.micro_usd == 100


def test_money_over_the_cap_is_shown_as_it_is():
    budget = Budget(max_micro_usd=1_000_000)
    loop = Loop(make_spec(budget=budget, on_concern=GOES_ON)).start()
    for tree in ("t1", "t2", "t3"):
        loop.round(tree, FAIL, usage=(turn_result().usage[0].evolve(micro_usd=400_000),))
    assert loop.state.stop == BudgetCap(scope=CapScope.USD, observed=1.2, maximum=1.0)


def test_a_limit_saves_the_tree_then_waits_for_the_same_round():
    loop = Loop().start()
    loop.prompt()
    loop.end_turn(TurnOutcome.LIMITED, limit_resets_in_s=30.0, problem="quota")
    loop.snapshot("t1")
    assert loop.all(TakeSnapshot)[-1].partial
    assert loop.all(LimitWait)[-1].problem == "quota"
    loop.answer(TimerFired, 30.0, timer="limit-wait")
    loop.prompt("s2")
    assert loop.prompts == [1, 1]
    assert (loop.state.spent.rounds, loop.state.spent.waited_s) == (1, 30.0)
    assert loop.state.spent.worked_s == 0


@pytest.mark.parametrize("resets_in_s", [None, 1e9])
def test_a_limit_that_cannot_be_waited_for_ends_with_the_tree_kept(resets_in_s):
    loop = Loop().start()
    loop.prompt()
    loop.end_turn(TurnOutcome.LIMITED, limit_resets_in_s=resets_in_s)
    loop.snapshot("t1")
    assert loop.asked.snapshot.tree == "t1"
    assert loop.state.stop.reason is ErrorReason.PROVIDER_LIMIT


def test_a3_3_a_limit_that_is_never_lifted_is_not_paid_for_for_ever():
    loop = Loop().start()
    for number in range(MOST_WAITS + 1):
        loop.prompt(f"s{number}")
        loop.end_turn(TurnOutcome.LIMITED, limit_resets_in_s=0.0, problem="quota")
        loop.snapshot(f"t{number}")
        if loop.state.step == "waiting":
            loop.answer(TimerFired, 1.0, timer="limit-wait")
    assert loop.state.stop.reason is ErrorReason.PROVIDER_LIMIT
    assert loop.state.stop.detail == f"quota ({MOST_WAITS} waits in this round)"
    assert len(loop.all(LimitWait)) == MOST_WAITS


def test_a_wait_that_is_cancelled_publishes_what_was_done():
    loop = Loop().start()
    loop.prompt()
    loop.end_turn(TurnOutcome.LIMITED, limit_resets_in_s=30.0)
    loop.snapshot("t1")
    loop.cancel()
    assert isinstance(loop.asked, PublishWork)
    assert loop.asked.snapshot.tree == "t1"


def test_a_turn_that_cannot_be_followed_counts_at_its_reservation():
    loop = Loop().start()
    loop.prompt(micro_usd=70, tokens=7)
    loop.fail("the guard is gone")
    spent = loop.state.spent
    assert (spent.micro_usd, spent.tokens, spent.unknown_turns) == (70, 7, 1)
    assert loop.state.step == "settle"


@pytest.mark.parametrize("over", ["idle", "timer", "failure"])
def test_other_sessions_are_awaited_before_the_tree_is_taken(over):
    loop = Loop().start()
    loop.prompt()
    loop.end_turn(busy=("s9",))
    assert loop.state.step == "deferred"
    match over:
        case "idle":
            loop.answer(SessionsIdle)
        case "timer":
            loop.answer(TimerFired, timer="round")
        case _:
            loop.fail()
    assert loop.state.step == "settle"


@pytest.mark.parametrize("detail", ["full", "summary"])
def test_the_prompt_is_stored_before_it_is_sent(detail):
    loop = Loop(make_spec(log_detail=detail)).start()
    loop.admit()
    loop.answer(SessionOpened, session_id="s")
    decision = loop.answer(PromptBuilt, prompt="go", digest="d")
    (row,) = (row for row in decision.records if isinstance(row, RoundPrompted))
    assert (row.prompt, row.digest) == ("go" if detail == "full" else "", "d")
    assert decision.effects[0].prompt == "go"


def test_a_failure_before_the_prompt_ends_the_loop():
    loop = Loop().start()
    loop.admit()
    loop.answer(SessionOpened, session_id="s")
    loop.fail("disk full")
    assert loop.state.stop == Errored(reason=ErrorReason.DRIVER_ERROR, detail="it: disk full")
