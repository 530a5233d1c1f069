"""FAIL until proved: what a report and an exit state are worth."""

import itertools

import pytest
from loops import ERROR, FAIL, PASS, SHELL, make_report

from loopctl.domain.criteria import (
    CriterionReport,
    EvaluatorReport,
    ExitState,
    Verdict,
    admit_report,
    command_verdict,
)
from loopctl.domain.evaluator_spec import (
    Contract,
    EvaluatorSpec,
    Isolation,
    JudgeExecutor,
    ProviderExecutor,
    Rubric,
    RubricItem,
    ShellExecutor,
)

RUBRIC = SHELL.evolve(
    criteria=Rubric(
        items=(RubricItem(name="a", description="x"), RubricItem(name="b", description="y"))
    )
)
CONTRACT = SHELL.evolve(criteria=Contract(name="agreed"))


def report_of(*entries):
    return make_report().evolve(
        criteria=tuple(
            CriterionReport(name=name, verdict=verdict, evidence=evidence)
            for name, verdict, evidence in entries
        )
    )


def test_a_sound_report_passes_unchanged():
    report = report_of(("a", PASS, ("3 passed",)), ("b", FAIL, ()))
    admitted = admit_report(RUBRIC, report)
    assert (admitted.report, admitted.refused) == (report, ())


@pytest.mark.parametrize("evidence", [(), ("",), (" ", "\t\n")])
def test_a_pass_without_evidence_is_a_fail(evidence):
    admitted = admit_report(SHELL, report_of(("tests", PASS, evidence)))
    assert admitted.report.verdict is FAIL
    assert admitted.refused == ("PASS of 'tests' without evidence",)


def test_an_undeclared_criterion_is_dropped():
    admitted = admit_report(SHELL, report_of(("tests", FAIL, ()), ("bonus", PASS, ("ok",))))
    assert [entry.name for entry in admitted.report.criteria] == ["tests"]
    assert admitted.refused == ("criterion 'bonus' is not declared",)


def test_a_missing_criterion_fails():
    admitted = admit_report(RUBRIC, report_of(("a", PASS, ("ok",))))
    assert admitted.report.verdict is FAIL
    assert admitted.refused == ("criterion 'b' is missing",)


def test_a_contract_names_its_own_criteria_and_must_name_one():
    assert admit_report(CONTRACT, report_of(("any", PASS, ("ok",)))).report.verdict is PASS
    nothing = admit_report(CONTRACT, report_of())
    assert nothing.report.verdict is ERROR
    assert nothing.refused == ("the report judges nothing",)


@pytest.mark.parametrize(
    ("verdicts", "whole"),
    [
        ((PASS, PASS), PASS),
        ((PASS, FAIL), FAIL),
        ((FAIL, ERROR), ERROR),
        ((PASS, ERROR), ERROR),
        ((), ERROR),
    ],
)
def test_the_verdict_of_a_report_is_its_worst(verdicts, whole):
    assert report_of(*((str(n), v, ("e",)) for n, v in enumerate(verdicts))).verdict is whole


def test_headlines_keep_the_first_line_that_says_something():
    report = report_of(("a", PASS, ("", " ", "3 passed", "more")), ("b", FAIL, ()))
    assert [entry.evidence for entry in report.headlines().criteria] == [("3 passed",), ()]


MATRIX = [
    (ExitState(code=0), PASS, PASS),
    (ExitState(code=1), FAIL, FAIL),
    (ExitState(code=125), FAIL, FAIL),
    (ExitState(code=126), ERROR, ERROR),
    (ExitState(code=127), ERROR, ERROR),
    (ExitState(code=137), FAIL, FAIL),
    (ExitState(signal=9), ERROR, FAIL),
    (ExitState(timed_out=True), ERROR, FAIL),
    (ExitState(timed_out=True, code=0), ERROR, FAIL),
    (ExitState(problem="no such file"), ERROR, ERROR),
]


@pytest.mark.parametrize(("state", "before", "after"), MATRIX, ids=str)
def test_the_verdict_of_a_command(state, before, after):
    assert command_verdict(state, baseline_completed=False) is before
    assert command_verdict(state, baseline_completed=True) is after


def test_only_a_normal_exit_with_status_0_passes():
    codes, flags = [None, *range(256)], [False, True]
    for code, timed_out, problem in itertools.product(codes, flags, ["", "broken"]):
        state = ExitState(code=code, timed_out=timed_out, problem=problem)
        passes = command_verdict(state, baseline_completed=True) is Verdict.PASS
        assert passes == (code == 0 and not timed_out and not problem)


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (ExitState(code=3), "exit 3"),
        (ExitState(signal=9), "ended by signal 9"),
        (ExitState(timed_out=True, signal=9), "timed out"),
        (ExitState(problem="no such file"), "not started: no such file"),
    ],
)
def test_an_exit_state_in_words(state, words):
    assert str(state) == words


def test_a_digest_changes_with_anything_in_the_specification():
    specs = [
        SHELL,
        RUBRIC,
        SHELL.evolve(executor=ShellExecutor(command="make check")),
        SHELL.evolve(isolation=Isolation.SAME_WORKSPACE),
    ]
    assert len({spec.digest for spec in specs}) == len(specs)
    assert EvaluatorSpec.model_validate_json(SHELL.model_dump_json()).digest == SHELL.digest


def test_only_a_judge_is_not_deterministic():
    assert SHELL.is_deterministic
    assert SHELL.evolve(executor=ProviderExecutor(name="mine")).is_deterministic
    assert not SHELL.evolve(executor=JudgeExecutor(rubric="r", model="m")).is_deterministic


def test_unknown_fields_are_refused_and_values_are_frozen():
    report = make_report()
    with pytest.raises(ValueError, match="Extra inputs"):
        EvaluatorReport.model_validate({**report.model_dump(), "score": 1})
    with pytest.raises(ValueError, match="frozen"):
        report.tree = "t9"
    with pytest.raises(TypeError, match="has no field"):
        report.evolve(score=1)
