"""A result is shown again only when all of it is."""

import pytest

from loopctl.domain.criteria import CriterionReport, EvaluatorReport, Verdict
from loopctl.domain.evaluation import BaselineRun
from loopctl.domain.ledger import Ledger, LedgerEntry
from loopctl.domain.verification import (
    JudgedAgain,
    Lookup,
    Shown,
    Verification,
    baseline_again,
    criteria_again,
)

PASS, FAIL = Verdict.PASS, Verdict.FAIL
SAME = Lookup(what="tree", was="a", now="a")
OTHER = Lookup(what="tree", was="a", now="b", holds=False)


def entry(was, now, evaluator="stop-1"):
    return JudgedAgain(evaluator=evaluator, criterion="c", was=was, now=now)


@pytest.mark.parametrize(
    ("changes", "outcome"),
    [
        ({"criteria": (entry(PASS, PASS),)}, Shown.AGAIN),
        ({"criteria": (entry(PASS, FAIL),)}, Shown.NOT_AGAIN),
        ({"criteria": (entry(PASS, None),)}, Shown.NOT_AGAIN),
        ({"criteria": (entry(FAIL, PASS),)}, Shown.NOT_AGAIN),
        ({"criteria": (entry(None, PASS),)}, Shown.NOT_AGAIN),
        ({"criteria": (entry(PASS, PASS), entry(PASS, FAIL))}, Shown.NOT_AGAIN),
        ({"criteria": ()}, Shown.NOT_AGAIN),
        ({"criteria": (entry(PASS, PASS),), "lookups": (SAME,)}, Shown.AGAIN),
        ({"criteria": (entry(PASS, PASS),), "lookups": (SAME, OTHER)}, Shown.NOT_AGAIN),
        ({"criteria": (entry(PASS, None),), "problem": "x"}, Shown.NOT_JUDGED),
        ({"problem": "x", "lookups": (OTHER,)}, Shown.NOT_AGAIN),
        (
            {
                "criteria": (entry(PASS, PASS), entry(PASS, None, "judge")),
                "not_asked": ("judge",),
            },
            Shown.AGAIN,
        ),
        ({"criteria": (entry(PASS, None, "judge"),), "not_asked": ("judge",)}, Shown.NOT_AGAIN),
    ],
)
def test_the_outcome(changes, outcome):
    assert Verification(loop="demo", **changes).outcome is outcome


def ledger(*verdicts, judged=True):
    entries = (
        LedgerEntry(evaluator="stop-1", criterion=name, verdict=verdict, headline=f"{name} says")
        for name, verdict in verdicts
    )
    return Ledger(tree="t", entries=tuple(entries), judged=judged)


def test_criteria_that_one_side_does_not_know_are_listed_as_well():
    reports = (
        EvaluatorReport(
            evaluator="stop-1",
            digest="d",
            tree="t",
            isolation="separate-worktree",
            criteria=(
                CriterionReport(name="b", verdict=FAIL, evidence=("one", "two")),
                CriterionReport(name="a", verdict=PASS, evidence=("fine",)),
            ),
        ),
    )
    was, now = ledger(("a", PASS), ("gone", PASS)), ledger(("a", PASS), ("b", FAIL))
    a, gone, b = criteria_again(was, now, reports)
    assert (a.holds, a.was_because, a.now_because, a.evidence) == (True, "a says", "a says", ())
    assert (gone.was, gone.now, gone.holds) == (PASS, None, False)
    assert (b.was, b.now, b.evidence) == (None, FAIL, ("one", "two"))


def test_a_ledger_that_nobody_has_judged_has_no_verdicts():
    (one,) = criteria_again(ledger(("a", FAIL), judged=False), Ledger(), ())
    assert (one.was, one.now) == (None, None)


def test_the_base_commit_then_and_now():
    was = (BaselineRun(evaluator="stop-1", duration_s=1, passed=False),)
    now = (
        BaselineRun(evaluator="stop-1", duration_s=2, passed=True),
        BaselineRun(evaluator="stop-2", duration_s=2, passed=False),
    )
    first, second = baseline_again(was, now)
    assert (first.was, first.now) == (FAIL, PASS)
    assert (second.was, second.now) == (None, FAIL)
