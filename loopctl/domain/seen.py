"""The criteria that a contract has named: once named, a criterion has to be in every later report.

The evaluator names its criteria itself, so that what is judged could shrink unnoticed to what
passes. Invariant: a report of a contract never gets better by leaving a criterion out.
"""

from pydantic import NonNegativeInt

from loopctl.domain.criteria import CriterionReport, EvaluatorReport, Verdict
from loopctl.domain.evaluator_spec import EvaluatorSpec
from loopctl.domain.value import Value

MAX_SEEN = 200
"""Remembered criteria of one evaluator: the state is stored with every decision."""


class SeenCriterion(Value):
    """A criterion that a report has named.

    Attributes:
        evaluator: whose report it was.
        name: of the criterion.
        round: in which it was named first; 0 is the baseline.
    """

    evaluator: str
    name: str
    round: NonNegativeInt


Seen = tuple[SeenCriterion, ...]


def with_left_out(spec: EvaluatorSpec, report: EvaluatorReport, seen: Seen) -> EvaluatorReport:
    """The report with a FAIL for each criterion that was named before and is not in it.

    Args:
        spec: the evaluator.
        report: what it says now.
        seen: what the reports of the loop have named.
    """
    if spec.criteria.declared is not None or report.verdict is Verdict.ERROR:
        return report
    present = {entry.name for entry in report.criteria}
    left_out = tuple(
        CriterionReport(name=one.name, verdict=Verdict.FAIL, evidence=(_evidence(one),))
        for one in seen
        if one.evaluator == spec.name and one.name not in present
    )
    return report.evolve(criteria=(*report.criteria, *left_out))


def and_named(spec: EvaluatorSpec, report: EvaluatorReport, seen: Seen, round_number: int) -> Seen:
    """``seen`` with what ``report`` names for the first time.

    A report without any criteria of its own stands under the name of the evaluator, which is none.
    """
    if spec.criteria.declared is not None or report.verdict is Verdict.ERROR:
        return seen
    known = {one.name for one in seen if one.evaluator == spec.name} | {spec.name}
    names = dict.fromkeys(entry.name for entry in report.criteria if entry.name not in known)
    room = MAX_SEEN + 1 - len(known)
    return seen + tuple(
        SeenCriterion(evaluator=spec.name, name=name, round=round_number)
        for name in list(names)[:room]
    )


def _evidence(one: SeenCriterion) -> str:
    when = f"in round {one.round}" if one.round else "on the base commit"
    return f"named {when}, not in this report"
