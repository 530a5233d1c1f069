"""The end card says why, on what evidence, at what cost, and what to type next."""

import pytest
from observed_facts import BASE, FACTS, GOAL_MET, end_entry, ended, entry_of

from loopctl.domain.agent_session import OpenTurn
from loopctl.domain.budget import Budget, Spent
from loopctl.domain.ledger import Ledger
from loopctl.domain.loop import OpenRound
from loopctl.domain.snapshot import Published
from loopctl.domain.stop import (
    ApprovalRequired,
    BudgetCap,
    Cancelled,
    CapScope,
    Errored,
    ErrorReason,
    Stalled,
    Stuck,
    StuckPattern,
)
from loopctl.observe.card import Card, plain_card
from loopctl.observe.step_summary import StepSummary

STOPS = {
    "goal-met": GOAL_MET,
    "rounds": BudgetCap(scope=CapScope.ROUNDS, observed=5, maximum=5),
    "tokens": BudgetCap(scope=CapScope.TOKENS, observed=1200, maximum=1000),
    "usd": BudgetCap(scope=CapScope.USD, observed=2.5, maximum=2),
    "time": BudgetCap(scope=CapScope.TIME, observed=61, maximum=60),
    "stuck": Stuck(pattern=StuckPattern.NO_PROGRESS, detail="4 rounds left the tree as it was"),
    "approval": ApprovalRequired(reason="2 rounds changed protected paths alone"),
    "stalled": Stalled(detail="no sign of life for 10 minutes"),
    "errored": Errored(
        reason=ErrorReason.EVALUATOR_ERROR, detail="exit 127", next_step="install pytest"
    ),
    "cancelled": Cancelled(by="SIGTERM"),
}


@pytest.mark.parametrize("name", STOPS)
def test_the_card(name, text_snapshot):
    state = ended(STOPS[name], budget=Budget(max_rounds=5, max_micro_usd=2_000_000))
    assert f"{plain_card(state)}\n" == text_snapshot


def test_every_stop_condition_has_a_card():
    kinds = {stop.kind for stop in STOPS.values()}
    assert len(kinds) == 7


def test_a_cap_on_one_round_cannot_be_lifted_by_a_restart():
    refused = BudgetCap(scope=CapScope.USD, observed=0.6, maximum=0.5, expected=True)
    state = ended(refused, budget=Budget(per_round_micro_usd=500_000))
    assert "a round may come to $0.50, and $0.60 is expected" in plain_card(state)
    assert "higher --per-round-usd" in plain_card(state)


def test_nothing_is_offered_when_nothing_was_done():
    state = ended(STOPS["errored"], workspace="", snapshot=None, ledger=Ledger(), published=None)
    card = plain_card(state)
    assert "no worktree and no branch are left" in card
    assert "git" not in card


def test_a_goal_that_was_met_before_the_first_round_is_told():
    assert "passes already" in plain_card(ended(last_round=0, workspace="", snapshot=None))
    assert "passes already" not in plain_card(ended())


def test_a_branch_that_was_left_alone_is_not_offered():
    note = "the branch was moved; git fetch has the tree"
    state = ended(published=Published(commit="", moved=True, note=note))
    card = plain_card(state)
    assert note in card
    assert BASE[:12] not in card
    assert "git merge" not in card


@pytest.mark.parametrize(
    ("spent", "shown"),
    [
        (Spent(rounds=2, unknown_turns=2), "tokens unknown, cost unknown,"),
        (
            Spent(rounds=2, micro_usd=500_000, tokens=9, unknown_turns=1),
            "tokens 9, cost unknown (at least $0.50),",
        ),
        (Spent(rounds=2, micro_usd=500_000, tokens=1234), "tokens 1,234, cost $0.50,"),
        (Spent(rounds=2), "tokens 0, cost $0.00,"),  # every request was refused
        (Spent(rounds=1), "rounds 1 of 5 since the last restart (2 altogether)"),
    ],
)
def test_what_was_spent(spent, shown):
    assert shown in plain_card(ended(spent=spent))


def test_nothing_is_known_of_the_first_turn_while_it_is_under_way():
    turn = OpenTurn(session_id="s", started_at=0.0)
    state = ended(spent=Spent(rounds=1), round=OpenRound(number=1, turn=turn))
    assert "tokens unknown, cost unknown," in plain_card(state)


def test_the_card_comes_at_the_end_alone(written):
    state = ended()

    def work(writer):
        card = Card(writer)
        for fact in FACTS:
            if fact.kind != "loop_ended":
                card.observe(entry_of(fact), state)
        card.observe(end_entry(state), state)

    assert written(work) == f"\n{plain_card(state)}\n"


def test_the_step_summary_is_appended_as_a_table(tmp_path, text_snapshot):
    path = tmp_path / "summary.md"
    path.write_text("before\n")
    state = ended(STOPS["errored"])
    StepSummary(path).observe(end_entry(state), state)
    assert path.read_text() == text_snapshot


def test_a_summary_that_cannot_be_written_is_no_problem(tmp_path):
    StepSummary(tmp_path / "no" / "summary.md").observe(end_entry(ended()), ended())
