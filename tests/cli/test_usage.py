"""What was used is added up to the token; what is unknown is called so, and never zero."""

import json

import pytest
from invocation import filtered
from spending_world import ANSWER, CODER, JUDGE, SECOND, spending_loop

from loopctl.cli.usage_totals import BUCKETS, Total, add_up
from loopctl.domain.agent_session import Role
from loopctl.domain.concern import Severity
from loopctl.domain.events import ConcernFlagged, SpendSettled
from loopctl.domain.usage import Usage, UsageSource
from loopctl.store.agent_sessions import StoredUsage, usage_of


@pytest.fixture
def used(nowhere):
    """Two models, a judge without a price, a request whose end was not seen, and an open one."""
    with spending_loop() as loop:
        loop.spend("r1", ANSWER.evolve(model=CODER))
        loop.spend("r2", ANSWER.evolve(model=CODER))
        loop.spend("r3", ANSWER.evolve(model=SECOND, micro_usd=500))
        loop.ask("r4", SECOND)
        loop.step(SpendSettled(request="r4", unseen=True))
        loop.work("s1")
        loop.judge("s9")
        loop.open_turn("s2")
        loop.ask("r5", CODER, session="s2")
        yield loop


def document(text: str) -> dict:
    return json.loads(text.partition("--- stdout\n")[2].partition("--- stderr")[0])


def test_the_table(used, typed, text_snapshot):
    text = typed("usage", "fix-it")
    assert filtered(text, "/nowhere") == text_snapshot
    assert "$0.00" not in text


def test_the_document(used, typed):
    shown = document(typed("usage", "fix-it", "--json"))
    assert (shown["schema"], shown["loop"], shown["status"]) == (
        "loopctl.usage/1",
        "fix-it",
        "running",
    )
    assert {entry["model"]: entry["usd"] for entry in shown["models"]} == {
        CODER: 0.043,
        SECOND: None,
        JUDGE: None,
    }
    assert {entry["role"]: entry["input_tokens"] for entry in shown["roles"]} == {
        "coder": 5000,
        "judge": 1000,
    }
    assert [entry["round"] for entry in shown["rounds"]] == [1]
    assert shown["total"]["usd"] is None
    assert shown["total"]["counted_usd"] == 0.0835
    assert shown["total"]["requests"] == 5  # the one whose end was not seen among them
    assert {each["role"]: each["requests"] for each in shown["roles"]} == {"coder": 4, "judge": 1}
    assert shown["flagged_unknown"]["counted_tokens"] == 2000 + 1239
    assert [(entry["model"], entry["reserved_usd"]) for entry in shown["open"]] == [(CODER, 0.04)]
    assert {"scope": "usd", "observed": 0.0835, "maximum": 2.0} in shown["caps"]
    assert {entry["session"] for entry in shown["rows"]} == {"s1", "s9"}


def test_it_is_what_the_loop_counts(used, typed):
    shown = document(typed("usage", "fix-it", "--json"))
    assert shown["total"]["counted_tokens"] == used.state.spent.tokens
    assert shown["total"]["counted_usd"] == used.state.spent.micro_usd / 1_000_000


def test_before_anything_was_used(nowhere, typed):
    with spending_loop():
        text = typed("usage", "fix-it")
    assert "no usage is known yet" in text
    assert "$" not in text.replace("(cap $2.00)", "")


def test_each_kind_of_group_adds_up_to_the_total(used):
    totals = add_up(usage_of(used.database, used.loop_id))
    for groups in (totals.models, totals.roles, totals.rounds):
        assert sum(group.counted_tokens for group in groups) == totals.overall.counted_tokens
        assert sum(group.counted_micro_usd for group in groups) == totals.overall.counted_micro_usd


@pytest.mark.parametrize(
    ("rows", "tokens", "micro"),
    [
        ((), None, None),
        ((ANSWER,), 1239, 21_500),
        ((ANSWER, Usage(micro_usd=5, source=UsageSource.ASSUMED)), None, 21_505),
        ((ANSWER, ANSWER.evolve(micro_usd=None)), 2478, None),
        ((ANSWER, ANSWER.evolve(source=UsageSource.UNKNOWN)), 2478, None),
    ],
)
def test_unknown_in_one_row_is_unknown_in_the_sum(rows, tokens, micro):
    total = Total("", rows)
    assert (total.tokens, total.micro_usd) == (tokens, micro)
    assert (total.bucket("input_tokens") is None) == (tokens is None)


def test_an_agent_that_says_nothing_costs_an_unknown_amount():
    rows = (StoredUsage("s", 1, 0.0, Role.CODER, Usage()),)
    (model,) = add_up(rows).models
    assert model.requests is None
    assert model.micro_usd is None
    assert [model.bucket(name) for name in BUCKETS[:2]] == [None, None]


def test_what_a_round_shows_of_handoff_and_judge(used, typed, text_snapshot):
    assert filtered(typed("show", "fix-it", "--round", "1"), "/nowhere") == text_snapshot
    rounds = document(typed("show", "fix-it", "--round", "1", "--json"))["rounds"]
    (handoff,) = rounds[0]["handoffs"]
    assert (handoff["kind"], handoff["status"]) == ("coder", "applied")
    assert handoff["changes"][0]["summary"] == "double doubles"
    assert rounds[0]["evaluations"][-1]["judged"]["model"] == JUDGE
    assert rounds[0]["usd"] is None


def test_a_round_shows_the_doubts_about_its_goal(nowhere, typed):
    with spending_loop() as loop:
        loop.step(
            ConcernFlagged(
                call="c", session_id="s1", concern="there is no\ncalc.py", severity=Severity.HIGH
            )
        )
        text = typed("show", "fix-it", "--round", "1")
        (shown,) = document(typed("show", "fix-it", "--round", "1", "--json"))["rounds"]
    assert "concern   agent, high: there is no\\ncalc.py" in text
    (concern,) = shown["concerns"]
    assert (concern["session"], concern["policy"]) == ("s1", "stop")
    assert concern["concern"] == "there is no\ncalc.py"
