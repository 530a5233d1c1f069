"""A failing baseline that looks as if its checkout lacked something is told, not refused."""

import pytest
from loops import FAIL, PASS, Loop, make_report

from loopctl.domain.baseline_doubts import baseline_notices
from loopctl.domain.effects import AdmitRound
from loopctl.domain.events import EvaluatorFinished, LoopStarted
from loopctl.domain.records import BaselineNotice
from loopctl.domain.suite import SuiteResult

NONE_RAN = SuiteResult(passed=0, failed=2, errors=2, skipped=0)


def report(*lines, verdict=FAIL, **fields):
    return make_report(verdict=verdict, evidence=("exit 1", *lines)).evolve(**fields)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("E   ModuleNotFoundError: No module named 'shop'", "No module named 'shop'"),
        ("Error: Cannot find module 'left-pad'", "Cannot find module 'left-pad'"),
        ("sh: 1: jest: not found", "sh: 1: jest: not found"),
        ("bash: line 1: tox: command not found", "bash: line 1: tox: command not found"),
        ("error[E0463]: can't find crate for `serde`", "can't find crate for `serde`"),
        (
            "A.java:[3,8] error: package org.junit does not exist",
            "package org.junit does not exist",
        ),
    ],
)
def test_what_may_be_missing_is_named(line, problem):
    (notice,) = baseline_notices(report("the output:", line))
    assert notice.problem.endswith(problem)
    assert "loopctl init" in notice.advice


@pytest.mark.parametrize(
    "line", ["AssertionError: 1 != 2", "the user: not found", "error: package of biscuits expected"]
)
def test_a_failing_test_is_no_doubt(line):
    assert baseline_notices(report(line)) == ()


def test_a_baseline_in_which_no_test_ran():
    (notice,) = baseline_notices(report(suite=NONE_RAN))
    assert notice.problem == "no test could be run on the base commit"
    assert baseline_notices(report(suite=NONE_RAN.evolve(passed=1))) == ()
    assert baseline_notices(report(suite=NONE_RAN.evolve(failed=3))) == ()


def test_results_that_were_not_written():
    (notice,) = baseline_notices(report(results_missing="out.xml was not written"))
    assert notice.problem == "out.xml was not written"
    assert "--results" in notice.advice


def test_only_a_failure_is_doubted():
    line = "ModuleNotFoundError: No module named 'x'"
    assert baseline_notices(report(line, verdict=PASS)) == ()


def test_it_is_said_before_the_first_round():
    loop = Loop()
    loop.feed(LoopStarted())
    loop.workspace()
    loop.answer(EvaluatorFinished, report=report("ModuleNotFoundError: No module named 'x'"))
    assert len(loop.all(BaselineNotice)) == 1
    assert isinstance(loop.asked, AdmitRound)
