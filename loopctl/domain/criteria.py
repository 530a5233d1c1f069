"""What is judged and how a judgement becomes a verdict: FAIL until proved.

A verdict is PASS, FAIL or ERROR. The ledger admits a PASS only when it is declared by the
evaluator's specification and carries evidence; anything else stays FAIL and is reported as an
invalid report. ERROR says that nothing was judged, and is never FAIL.
"""

from enum import StrEnum

from pydantic import NonNegativeFloat, NonNegativeInt

from loopctl.domain.evaluator_spec import EvaluatorSpec
from loopctl.domain.hardening import Hardening
from loopctl.domain.stage import Stage
from loopctl.domain.suite import SuiteResult
from loopctl.domain.value import Value

_NAMED_PATHS = 5
REMEDY = "what to do: "
"""How a line of evidence begins that says what a person can do about an ERROR."""


class Verdict(StrEnum):
    """The outcome of judging one criterion."""

    PASS = "PASS"  # noqa: S105 - a verdict, not a password
    FAIL = "FAIL"
    ERROR = "ERROR"


class CriterionReport(Value):
    """What an evaluator says about one criterion.

    Attributes:
        name: the criterion, as declared in the evaluator's specification.
        verdict: the outcome.
        evidence: lines that let a reader check it; the first that is not blank is the headline.
    """

    name: str
    verdict: Verdict
    evidence: tuple[str, ...] = ()

    @property
    def headline(self) -> tuple[str, ...]:
        """The first line that says something; nothing when there is no evidence."""
        return tuple(line for line in self.evidence if line.strip())[:1]


class Judgement(Value):
    """What stands behind a report that a language model made.

    Attributes:
        session_id: the agent session, a new one for each report.
        model: ``PROVIDER:MODEL``.
        prompt_digest: SHA-256 of the whole prompt, hexadecimal.
        answer: its raw answer, cut where it is too long.
        limited: the provider refuses further work for now.
        limit_resets_in_s: seconds until that is over, when it says so.
        model_failed: the model could not be used.
        refused: a request was not granted, because a cap is used up.
    """

    session_id: str
    model: str
    prompt_digest: str = ""
    answer: str = ""
    limited: bool = False
    limit_resets_in_s: NonNegativeFloat | None = None
    model_failed: bool = False
    refused: bool = False


class EvaluatorReport(Value):
    """One run of one evaluator on one tree.

    Attributes:
        evaluator: name of the evaluator.
        digest: digest of its specification.
        tree: object id of the tree that was judged.
        isolation: label of the place where it ran.
        criteria: one report for each criterion.
        exit: the exit state in words, ``""`` when nothing was run.
        duration_s: seconds from start to end.
        log: name of the log file in the loop's folder, ``""`` when there is none.
        warnings: what a reader should know beside the verdict.
        reused_from: the round whose verdict on the same tree this is.
        suite: its tests in figures; None when it left no results that can be read.
        results_missing: why results that were expected cannot be read; ``""`` when they can.
        hardening: how far it was hardened.
        hardenable: its baseline can be tried with more hardening.
        piped: failures before a ``|`` are hidden; its baseline can be tried without that.
        provisional: its checkout was used before, so that a PASS has yet to be shown again in a
            fresh one.
        moved: paths of the tree that were written to while it was judged.
        stage: what it was run for.
        judged: what stands behind it when a language model made it.
    """

    evaluator: str
    digest: str
    tree: str
    isolation: str
    criteria: tuple[CriterionReport, ...]
    exit: str = ""
    duration_s: NonNegativeFloat = 0.0
    log: str = ""
    warnings: tuple[str, ...] = ()
    reused_from: NonNegativeInt | None = None
    suite: SuiteResult | None = None
    results_missing: str = ""
    hardening: Hardening = Hardening.NONE
    hardenable: bool = False
    piped: bool = False
    provisional: bool = False
    moved: tuple[str, ...] = ()
    stage: Stage = Stage.FIRST
    judged: Judgement | None = None

    @property
    def verdict(self) -> Verdict:
        """ERROR when anything could not be judged, else FAIL when anything failed."""
        verdicts = {criterion.verdict for criterion in self.criteria}
        if not verdicts or Verdict.ERROR in verdicts:
            return Verdict.ERROR
        return Verdict.FAIL if Verdict.FAIL in verdicts else Verdict.PASS

    def headlines(self) -> "EvaluatorReport":
        """The report with the headline of each criterion's evidence, without a raw answer."""
        short = tuple(entry.evolve(evidence=entry.headline) for entry in self.criteria)
        judged = None if self.judged is None else self.judged.evolve(answer="")
        return self.evolve(criteria=short, judged=judged)


def not_trusted(report: EvaluatorReport, moved: tuple[str, ...]) -> EvaluatorReport:
    """The report of a run in which what was judged did not stand still: it judges nothing.

    Args:
        report: what the run said.
        moved: the paths that were written to, and may not have been.
    """
    shown = ", ".join(moved[:_NAMED_PATHS]) + (", ..." if len(moved) > _NAMED_PATHS else "")
    why = f"what was judged was written to while it was judged: {shown}"
    return report.evolve(
        criteria=tuple(
            entry.evolve(verdict=Verdict.ERROR, evidence=(why, *entry.evidence))
            for entry in report.criteria
        )
    )


class AdmittedReport(Value):
    """A report after the ledger's rules, with what was refused in it."""

    report: EvaluatorReport
    refused: tuple[str, ...] = ()


def admit_report(spec: EvaluatorSpec, report: EvaluatorReport) -> AdmittedReport:
    """Apply the default of FAIL to a report.

    A PASS without evidence becomes FAIL. A criterion that the specification does not declare is
    dropped; a declared one that the report leaves out is FAIL.
    """
    refused: list[str] = []
    admitted: list[CriterionReport] = []
    declared = spec.criteria.declared
    for criterion in report.criteria:
        if declared is not None and criterion.name not in declared:
            refused.append(f"criterion {criterion.name!r} is not declared")
        elif criterion.verdict is Verdict.PASS and not criterion.headline:
            refused.append(f"PASS of {criterion.name!r} without evidence")
            admitted.append(criterion.evolve(verdict=Verdict.FAIL, evidence=()))
        else:
            admitted.append(criterion)
    present = {criterion.name for criterion in admitted}
    for name in declared or ():
        if name not in present:
            refused.append(f"criterion {name!r} is missing")
            admitted.append(CriterionReport(name=name, verdict=Verdict.FAIL))
    if not admitted:
        refused.append("the report judges nothing")
    return AdmittedReport(report=report.evolve(criteria=tuple(admitted)), refused=tuple(refused))


class ExitState(Value):
    """How a command ended.

    Attributes:
        code: the exit status after a normal exit.
        signal: the number of the signal that ended it.
        timed_out: it was ended because its time was up.
        problem: why it could not be started.
    """

    code: int | None = None
    signal: int | None = None
    timed_out: bool = False
    problem: str = ""

    def __str__(self) -> str:
        if self.problem:
            return f"not started: {self.problem}"
        if self.timed_out:
            return "timed out"
        if self.signal is not None:
            return f"ended by signal {self.signal}"
        return f"exit {self.code}"


CANNOT_EXECUTE = 126
NOT_FOUND = 127


def command_verdict(state: ExitState, *, baseline_completed: bool) -> Verdict:
    """The verdict of a command that is judged by its exit state.

    Only a normal exit with status 0 is PASS. A command that cannot be run is ERROR. A time-out
    or a signal is the product's fault (FAIL) once the command has been seen to complete on the
    base commit, and nobody's (ERROR) before that.
    """
    if state.problem or state.code in {CANNOT_EXECUTE, NOT_FOUND}:
        return Verdict.ERROR
    if state.timed_out or state.signal is not None:
        return Verdict.FAIL if baseline_completed else Verdict.ERROR
    return Verdict.PASS if state.code == 0 else Verdict.FAIL
