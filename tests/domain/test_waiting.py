"""While a provider refuses work: visible, bounded, over when a user says so, and not work."""

import pytest
from loops import FAIL, JUDGE, PASS, SHELL, Loop, make_spec

from loopctl.domain.agent_session import TurnOutcome
from loopctl.domain.budget import Budget
from loopctl.domain.effects import AdmitRound, Evaluate, StartTimer
from loopctl.domain.events import RetryRequested, TimerFired, VerdictsRecalled
from loopctl.domain.phases.waiting import MOST_WAITS
from loopctl.domain.records import EventRefused, LimitWait, RoundClosed
from loopctl.domain.stop import ErrorReason
from loopctl.domain.waiting import Wait

OTHER = JUDGE.evolve(name="other", executor=JUDGE.executor.evolve(fallbacks=()))


def limited(resets_in_s=30.0, **spec):
    """A loop whose coder waits in round 1."""
    loop = Loop(make_spec(**spec)).start()
    loop.prompt()
    loop.end_turn(TurnOutcome.LIMITED, limit_resets_in_s=resets_in_s, problem="quota")
    loop.snapshot("t1")
    return loop


def judging(*evaluators, **spec):
    loop = Loop(make_spec(evaluators=evaluators or (OTHER,), **spec)).start(None)
    loop.prompt()
    loop.end_turn()
    loop.snapshot("t1")
    loop.answer(VerdictsRecalled)
    return loop


def retry(loop, passed_s=0.0):
    return loop.feed(RetryRequested(command_id="k"), passed_s)


def test_a_wait_is_on_view_until_it_is_over():
    loop = limited()
    assert loop.state.waiting == Wait(until=1030.0, problem="quota")
    assert loop.all(StartTimer)[-1].seconds == 30.0
    loop.answer(TimerFired, 30.0, timer="limit-wait")
    assert loop.state.waiting is None


def test_a_reset_that_is_past_is_waited_for_a_second():
    loop = limited(0.0)
    assert loop.all(StartTimer)[-1].seconds == 1.0


def test_a_user_can_cut_a_wait_short():
    loop = limited()
    decision = retry(loop, 5.0)
    assert loop.asked == AdmitRound(order=loop.state.order, round=1)
    assert [(reply.command_id, reply.refused) for reply in decision.replies] == [("k", "")]
    assert (loop.state.spent.waited_s, loop.state.waiting) == (5.0, None)
    before = loop.state
    refused = retry(loop)
    assert refused.replies[0].refused == "the loop does not wait for a provider"
    assert refused.state == before


def test_a_retry_does_not_wake_an_ended_loop():
    loop = limited()
    loop.cancel()
    loop.publish()
    before = loop.state
    decision = retry(loop)
    assert decision.state == before
    assert [type(row) for row in decision.records] == [EventRefused]


def test_the_timer_of_a_wait_that_was_cut_short_is_stale():
    loop = limited()
    order = loop.state.order
    retry(loop)
    decision = loop.feed(TimerFired(order=order, timer="limit-wait"))
    assert [type(row) for row in decision.records] == [EventRefused]


def test_all_waits_together_are_bounded():
    loop = limited(30.0, max_wait_s=50.0)
    loop.answer(TimerFired, 30.0, timer="limit-wait")
    loop.prompt("s2")
    loop.end_turn(TurnOutcome.LIMITED, limit_resets_in_s=30.0, problem="quota")
    loop.snapshot("t2")
    loop.publish()
    assert loop.state.stop.reason is ErrorReason.PROVIDER_LIMIT
    assert "(it lasts 30 s; 20 s are left to wait)" in loop.state.stop.detail


@pytest.mark.parametrize(
    ("seconds", "text"), [(119.0, "119 s"), (600.0, "10 min"), (90_000.0, "25.0 h")]
)
def test_a_long_wait_is_not_told_in_seconds(seconds, text):
    loop = limited(seconds, max_wait_s=50.0)
    loop.publish()
    assert f"(it lasts {text}; 50 s are left to wait)" in loop.state.stop.detail


def test_a_driver_that_dies_while_it_waits_has_not_worked():
    loop = limited(budget=Budget(max_time_s=60.0))
    loop.restart(unaccounted_s=500.0)
    assert (loop.state.spent.worked_s, loop.state.spent.waited_s) == (0.0, 500.0)
    assert loop.state.waiting is None


def test_a_round_that_goes_on_after_a_restart_counts_against_the_cap():
    loop = Loop(make_spec(budget=Budget(max_rounds=1))).start()
    loop.prompt()
    loop.end_turn(TurnOutcome.LIMITED, limit_resets_in_s=1.0)
    loop.restart()
    loop.workspace()
    loop.snapshot("t1")
    loop.answer(TimerFired, 1.0, timer="limit-wait")
    loop.round("t2", FAIL)
    assert (loop.prompts, loop.state.spent.rounds) == ([1, 1], 1)
    assert loop.state.stop.kind == "budget-cap"


def test_a_judge_is_waited_for_and_asked_again_about_the_same_tree():
    loop = judging()
    loop.judgement(limited=True, limit_resets_in_s=30.0)
    assert (loop.state.phase, loop.state.step) == ("auditing", "waiting")
    assert loop.all(LimitWait)[-1].round == 1
    loop.answer(TimerFired, 30.0, timer="limit-wait")
    assert isinstance(loop.asked, Evaluate)
    assert (loop.asked.tree, loop.asked.attempt) == ("t1", 1)
    assert (loop.state.spent.waited_s, loop.state.spent.rounds) == (30.0, 1)
    loop.judgement(PASS)
    loop.publish()
    assert loop.state.stop.kind == "goal-met"


def test_a_wait_for_a_judge_can_be_cut_short_and_cancelled():
    loop = judging()
    loop.judgement(limited=True, limit_resets_in_s=30.0)
    retry(loop)
    assert isinstance(loop.asked, Evaluate)
    loop.judgement(limited=True, limit_resets_in_s=30.0)
    loop.cancel()
    loop.publish()
    assert (loop.state.stop.kind, loop.all(RoundClosed)) == ("cancelled", [])


def test_a_wait_for_a_judge_that_died_with_its_driver_is_judged_again():
    loop = judging()
    loop.judgement(limited=True, limit_resets_in_s=30.0)
    loop.restart()
    loop.workspace()
    loop.answer(VerdictsRecalled)
    assert loop.asked.flagged
    assert loop.prompts == [1]


@pytest.mark.parametrize("resets_in_s", [None, 1e9])
def test_a_judge_that_cannot_be_waited_for_ends_the_loop_without_a_verdict(resets_in_s):
    loop = judging()
    loop.judgement(limited=True, limit_resets_in_s=resets_in_s)
    loop.publish()
    assert loop.state.stop.reason is ErrorReason.PROVIDER_LIMIT
    assert loop.all(RoundClosed) == []


def test_a_limit_is_no_error_of_the_judge():
    loop = judging()
    for _ in range(5):
        loop.judgement(limited=True, limit_resets_in_s=1.0)
        loop.answer(TimerFired, 1.0, timer="limit-wait")
    assert loop.asked.attempt == 1


def test_each_judge_has_its_own_waits():
    third = OTHER.evolve(name="third")
    loop = judging(OTHER, third)
    for _ in range(MOST_WAITS):
        loop.judgement(limited=True, limit_resets_in_s=1.0)
        loop.answer(TimerFired, 1.0, timer="limit-wait")
    loop.judgement(PASS)
    loop.judgement(limited=True, limit_resets_in_s=1.0)
    assert loop.state.step == "waiting"


def test_a_judge_that_is_limited_again_and_again_is_not_paid_for_ever():
    loop = judging()
    for _ in range(MOST_WAITS):
        loop.judgement(limited=True, limit_resets_in_s=1.0)
        loop.answer(TimerFired, 1.0, timer="limit-wait")
    loop.judgement(limited=True, limit_resets_in_s=1.0)
    assert loop.state.stop.reason is ErrorReason.PROVIDER_LIMIT


def test_what_costs_nothing_is_not_waited_for():
    loop = judging(SHELL, OTHER, run_baseline=False)
    loop.judge(FAIL)
    assert loop.asked == AdmitRound(order=loop.state.order, round=2)
