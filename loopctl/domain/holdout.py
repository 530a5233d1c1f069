"""The hold-out: checks that the agent never sees, run when everything else has passed.

Invariant: what a hold-out's command is, and what it prints, is in no prompt and in no evidence; of
a failure is said that it failed. It judges a tree once.
"""

from loopctl.domain.criteria import EvaluatorReport, Verdict
from loopctl.domain.evaluator_spec import EvaluatorSpec
from loopctl.domain.value import Value

_SAID = {
    Verdict.PASS: "the hold-out check passed",
    Verdict.FAIL: "the hold-out check failed",
    Verdict.ERROR: "the hold-out check could not be run (its log says why)",
}


class HoldOut(Value):
    """What is held out.

    Attributes:
        folder: absolute path of the files that are laid over the evaluator's checkout; ``""`` for
            none.
        digest: of all paths, modes and contents in it at start (SHA-256, hexadecimal).
        evaluators: the commands, under neutral names.
    """

    folder: str = ""
    digest: str = ""
    evaluators: tuple[EvaluatorSpec, ...] = ()


def silenced(report: EvaluatorReport) -> EvaluatorReport:
    """The report without anything that tells what was checked, or how it failed.

    A product can skip a test from inside: of a PASS it is said how many were skipped.
    """
    skipped = report.suite.skipped if report.suite else 0
    added = {Verdict.PASS: f"; tests of it that were skipped: {skipped}" if skipped else ""}
    return report.evolve(
        criteria=tuple(
            entry.evolve(evidence=(_SAID[entry.verdict] + added.get(entry.verdict, ""),))
            for entry in report.criteria
        ),
        exit="",
        warnings=(),
        suite=None,
        results_missing="",
    )
