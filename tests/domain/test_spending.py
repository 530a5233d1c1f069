"""Every request to a model is granted or refused before it is sent, and counted exactly once."""

import pytest
from loops import FAIL, JUDGE, PASS, SHELL, Loop, cost, make_spec

from loopctl.domain.agent_session import Role, TurnOutcome
from loopctl.domain.budget import Budget, Reservation
from loopctl.domain.effects import AdmitRound, Evaluate
from loopctl.domain.events import VerdictsRecalled
from loopctl.domain.records import EventRefused, SpendUnseen, TurnInterrupted, UsageRecorded
from loopctl.domain.spending import OpenSpend
from loopctl.domain.stop import BudgetCap, CapScope
from loopctl.domain.usage import Usage, UsageSource

METERED = ("is_metered",)


def working(abilities=METERED, **spec):
    loop = Loop(make_spec(**spec)).start()
    loop.prompt(abilities=abilities, micro_usd=999, tokens=99)
    return loop


def judging(**budget):
    """A loop whose judge is at work, in the first round."""
    loop = Loop(make_spec(evaluators=(JUDGE,), budget=Budget(**budget))).start(None)
    loop.prompt()
    loop.end_turn(usage=(cost(0, 0),))
    loop.snapshot("t1")
    loop.answer(VerdictsRecalled)
    return loop


def test_what_a_request_used_is_counted_when_it_has_ended():
    loop = working()
    assert loop.request(micro_usd=70, tokens=7) == ""
    assert loop.state.spent.micro_usd == 0
    loop.settle_request(cost(40, 4))
    loop.end_turn(usage=())
    spent = loop.state.spent
    assert (spent.micro_usd, spent.tokens, spent.unknown_turns) == (40, 4, 0)
    (row,) = loop.all(UsageRecorded)
    assert (row.round, row.session_id, row.role) == (1, "s", Role.CODER)
    assert row.usage == cost(40, 4).evolve(requests=1)


def test_a_request_that_ends_after_its_turn_is_counted():
    loop = working()
    loop.request(micro_usd=70)
    loop.end_turn(usage=())
    loop.settle_request(cost(40, 4))
    assert loop.state.spent.micro_usd == 40
    assert loop.state.spends == ()


def test_a_request_for_which_nothing_was_spent_costs_nothing():
    loop = working()
    loop.request(micro_usd=70)
    loop.settle_request()
    assert (loop.state.spent.micro_usd, loop.state.spent.unknown_turns) == (0, 0)
    assert loop.all(UsageRecorded) == []


@pytest.mark.parametrize(
    ("seen", "micro_usd", "tokens"), [((), 70, 7), ((cost(40, 4), cost(2, 1)), 42, 5)]
)
def test_a_request_whose_end_was_not_seen_is_unknown(seen, micro_usd, tokens):
    loop = working()
    loop.request(micro_usd=70, tokens=7)
    loop.settle_request(*seen, unseen=True)
    spent = loop.state.spent
    assert (spent.micro_usd, spent.tokens, spent.unknown_turns) == (micro_usd, tokens, 1)
    (unseen,) = loop.all(SpendUnseen)
    assert {usage.source for usage in unseen.usage} == {UsageSource.UNKNOWN}
    assert sum(row.usage.micro_usd for row in loop.all(UsageRecorded)) == micro_usd
    assert sum(row.usage.requests for row in loop.all(UsageRecorded)) == 1  # of any number of rows


def test_a_request_is_not_counted_again():
    loop = working()
    loop.request()
    loop.settle_request(cost(40, 4))
    before = loop.state
    decision = loop.settle_request(cost(40, 4))
    assert decision.state == before
    assert decision.records == (
        EventRefused(event="spend_settled", why="the request r is not open"),
    )


def test_a_request_is_not_granted_again_while_it_is_open():
    loop = working()
    loop.request()
    assert loop.request() == "the request r was granted before"
    assert len(loop.state.spends) == 1


def test_a_request_is_granted_as_long_as_anything_is_left():
    loop = working(budget=Budget(max_micro_usd=100))
    assert loop.request("r1", micro_usd=99) == ""
    assert loop.request("r2", micro_usd=500) == ""
    why = loop.request("r3", micro_usd=1)
    assert why == "the cap is used up: 0.000599 of 0.0001 US dollars"
    assert [spend.request for spend in loop.state.spends] == ["r1", "r2"]
    assert loop.state.over_cap == BudgetCap(scope=CapScope.USD, observed=0.000599, maximum=0.0001)


def test_tokens_are_refused_as_dollars_are():
    loop = working(budget=Budget(max_tokens=2_000_000))
    loop.request("r1", tokens=2_345_678)
    assert "the cap is used up: 2,345,678 of 2,000,000 tokens" in loop.request("r2")


@pytest.mark.parametrize("budget", [Budget(max_rounds=1), Budget(max_time_s=1.0)])
def test_rounds_and_time_do_not_cut_a_turn_off(budget):
    loop = working(budget=budget)
    loop.now += 5.0
    assert loop.request() == ""


def test_what_was_not_used_after_all_is_free_again():
    loop = working(budget=Budget(max_micro_usd=100))
    loop.request("r1", micro_usd=100)
    assert loop.request("r2") != ""
    loop.settle_request(cost(10, 1), request="r1")
    assert loop.request("r2") == ""


def test_a_turn_that_was_capped_is_judged_and_then_the_loop_ends():
    loop = working(budget=Budget(max_micro_usd=100))
    loop.request(micro_usd=100)
    loop.settle_request(cost(120, 1))
    assert loop.request("r2") != ""
    loop.end_turn(TurnOutcome.CAPPED, usage=())
    loop.snapshot("t1")
    loop.judge(FAIL)
    loop.publish()
    assert loop.state.stop == BudgetCap(scope=CapScope.USD, observed=0.00012, maximum=0.0001)


def test_a_capped_turn_that_did_its_work_is_success():
    loop = working(budget=Budget(max_micro_usd=100))
    loop.request(micro_usd=100)
    loop.end_turn(TurnOutcome.CAPPED, usage=())
    loop.snapshot("t1")
    loop.judge(PASS)
    assert loop.state.stop.kind == "goal-met"


def test_no_round_begins_while_open_requests_use_up_a_cap():
    loop = working(budget=Budget(max_micro_usd=100))
    loop.request(micro_usd=100)
    loop.end_turn(usage=())
    loop.snapshot("t1")
    loop.judge(FAIL)
    assert loop.state.stop.scope is CapScope.USD
    loop.publish()
    assert loop.state.spent.micro_usd == 100
    assert len(loop.all(SpendUnseen)) == 1


@pytest.mark.parametrize(
    ("request_of", "why"),
    [
        ({"session_id": "other"}, "no turn of this session is open"),
        ({"role": Role.JUDGE}, "nothing is being judged"),
        ({"role": Role.AUDITOR, "session_id": "a"}, "no turn of this session is open"),
    ],
)
def test_nobody_else_is_granted_anything(request_of, why):
    loop = working()
    before = loop.state
    assert loop.request(**request_of) == why
    assert loop.state == before


def test_nothing_is_granted_as_the_loop_ends():
    loop = working()
    loop.cancel()
    assert loop.request() == "the loop is ending"
    loop.end_turn(TurnOutcome.ABORTED, usage=())
    loop.snapshot("t1")
    loop.publish()
    assert loop.request() == "the loop is ending"


def test_what_is_open_when_a_loop_ends_counts_at_its_estimate():
    loop = working()
    loop.request(micro_usd=70, tokens=7)
    loop.cancel()
    loop.end_turn(TurnOutcome.ABORTED, usage=())
    loop.snapshot("t1")
    loop.publish()
    spent = loop.state.spent
    assert (spent.micro_usd, spent.tokens, spent.unknown_turns) == (70, 7, 1)
    loop.restart()
    loop.settle_request(cost(40, 4))
    assert loop.state.spent.micro_usd == 70


def test_what_is_open_when_a_driver_dies_counts_once_and_its_turn_nothing():
    loop = working()
    loop.request("r1")
    loop.settle_request(cost(40, 4), request="r1")
    loop.request("r2", micro_usd=70, tokens=7)
    loop.restart()
    loop.restart()
    spent = loop.state.spent
    assert (spent.micro_usd, spent.tokens, spent.unknown_turns) == (110, 11, 1)
    assert len(loop.all(SpendUnseen)) == len(loop.all(TurnInterrupted)) == 1


def test_a_metered_turn_that_cannot_be_followed_counts_its_requests_alone():
    loop = working()
    loop.request(micro_usd=70)
    loop.fail("the guard is gone")
    assert loop.state.spent.micro_usd == 0
    loop.settle_request(cost(40, 4))
    assert (loop.state.spent.micro_usd, loop.state.spent.unknown_turns) == (40, 0)


def test_what_a_metered_turn_reports_beside_its_requests_is_counted():
    loop = working()
    loop.end_turn(usage=(cost(5, 1),))
    assert loop.state.spent.micro_usd == 5


def test_a_judge_asks_as_the_agent_does():
    loop = judging(max_micro_usd=100)
    assert loop.request(role=Role.JUDGE, session_id="j", micro_usd=70) == ""
    loop.settle_request(cost(40, 4))
    (row,) = [row for row in loop.all(UsageRecorded) if row.role is Role.JUDGE]
    assert (row.round, row.session_id, row.usage.micro_usd) == (1, "j", 40)


def test_a_judge_that_was_refused_ends_the_loop_for_the_cap():
    loop = judging(max_micro_usd=100)
    loop.request("r1", role=Role.JUDGE, session_id="j")
    loop.settle_request(cost(100, 4), request="r1")
    assert loop.request("r2", role=Role.JUDGE, session_id="j") != ""
    loop.judgement(refused=True)
    loop.publish()
    assert loop.state.stop == BudgetCap(scope=CapScope.USD, observed=0.0001, maximum=0.0001)


def test_a_judge_that_says_refused_without_a_refusal_is_tried_again():
    loop = judging()
    loop.judgement(refused=True)
    assert isinstance(loop.asked, Evaluate)
    assert loop.asked.attempt == 2


def test_the_refusal_of_one_round_does_not_end_the_next():
    loop = Loop(make_spec(evaluators=(SHELL, JUDGE), budget=Budget(max_micro_usd=100))).start()
    loop.prompt(abilities=METERED)
    loop.request("r1", micro_usd=100)
    loop.request("r2")
    loop.settle_request(cost(1, 1), request="r1")
    loop.end_turn(TurnOutcome.CAPPED, usage=())
    loop.snapshot("t1")
    loop.judge(FAIL)
    assert loop.asked == AdmitRound(order=loop.state.order, round=2)
    assert loop.state.over_cap is None


def test_an_estimate_carries_its_model_and_no_vouching():
    spend = OpenSpend(
        request="r",
        session_id="s",
        role=Role.CODER,
        round=1,
        model="x:big",
        estimate=Reservation(micro_usd=7, tokens=3),
    )
    assert spend.unseen() == (Usage(model="x:big", micro_usd=7, input_tokens=3, output_tokens=0),)
    assert spend.unseen((cost(1, 1),))[0].source is UsageSource.UNKNOWN
