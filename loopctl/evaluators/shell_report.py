"""From what a command did to the report on it: verdict, figures and evidence.

Invariant: results only ever take a PASS away; where there should be some and are none, an exit
status of 0 is no PASS.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from loopctl.domain.criteria import (
    CANNOT_EXECUTE,
    NOT_FOUND,
    CriterionReport,
    EvaluatorReport,
    ExitState,
    Verdict,
    command_verdict,
)
from loopctl.domain.evaluator_spec import ShellExecutor
from loopctl.domain.hardening import Hardening
from loopctl.domain.result_floor import Comparison
from loopctl.domain.written_report import WrittenCriterion
from loopctl.evaluators.evidence import last_line, one_line, output_tail
from loopctl.evaluators.report_file import ReportUnreadableError
from loopctl.evaluators.reported_criteria import reported_criteria
from loopctl.evaluators.results_file import ResultsUnreadableError
from loopctl.ports import EvaluationRequest
from loopctl.process.run import ProcessResult
from loopctl.process.toolbox import exit_state, shortcomings

NAMED_SURVIVORS = 10
_LACKS_PLUGIN = re.compile(
    r"unrecognized arguments:|fixture '[^']*' not found|Unknown config option:|Unknown pytest\.mark"
)
_NO_NEW_PLUGIN = (
    "hardened: only the pytest plug-ins that were installed at the start are loaded; a loop that "
    "was started with --results none loads all"
)
_REMEDY = "--results PATH says where they are, --results none leaves them out"


@dataclass(frozen=True)
class Findings:
    """What a run left.

    Attributes:
        process: how it ended, and its output.
        results: its tests, or why they cannot be read; None when none were expected.
        added: the results were asked for by an option of ours.
        reported: the criteria of its report, or why they cannot be read; None when its exit state
            alone is the verdict.
    """

    process: ProcessResult
    results: Comparison | ResultsUnreadableError | None
    added: bool = False
    reported: tuple[WrittenCriterion, ...] | ReportUnreadableError | None = None

    @property
    def state(self) -> ExitState | None:
        """How it ended; None when that was not seen."""
        return None if self.process.cancelled else exit_state(self.process)

    @property
    def comparison(self) -> Comparison | None:
        """Its tests beside the base commit's, where there are any."""
        return self.results if isinstance(self.results, Comparison) else None

    @property
    def missing(self) -> str:
        """Why results that were expected cannot be read."""
        return str(self.results) if isinstance(self.results, ResultsUnreadableError) else ""

    @property
    def breaches(self) -> tuple[str, ...]:
        """Why an exit status of 0 proves nothing here."""
        unreported = isinstance(self.reported, ReportUnreadableError)
        return (*((str(self.reported),) if unreported else ()), *self._of_results)

    @property
    def _of_results(self) -> tuple[str, ...]:
        match self.results:
            case Comparison():
                return self.results.breaches
            case ResultsUnreadableError():
                return (str(self.results),)
            case _:
                return ()

    @property
    def results_are_misconfigured(self) -> bool:
        """Whether, on the base commit, it is nobody's fault but the configuration's.

        pytest exits with 1 after tests that failed, and then it has written its results.
        """
        ran = self.state is not None and self.state.code in ((0, 1) if self.added else (0,))
        return ran and isinstance(self.results, ResultsUnreadableError)

    @property
    def is_misconfigured(self) -> bool:
        """The same of results or report: a command that succeeds writes what it has to."""
        unreported = isinstance(self.reported, ReportUnreadableError)
        succeeded = self.state is not None and self.state.code == 0
        return self.results_are_misconfigured or (succeeded and unreported)


def shell_report(
    request: EvaluationRequest, findings: Findings, mask: Callable[[str], str]
) -> EvaluatorReport:
    """The report on a run.

    Args:
        request: what was asked for.
        findings: what came of it.
        mask: takes secrets out of a text that was not captured from the process.
    """
    process, comparison = findings.process, findings.comparison
    return unjudged_report(request).evolve(
        criteria=_criteria(request, findings, mask),
        exit=str(findings.state or ""),
        duration_s=process.duration_s,
        log=request.log.name,
        warnings=(*shortcomings(process), *_survivors(process)),
        suite=comparison.result if comparison else None,
        results_missing=findings.missing,
        hardening=request.hardening,
    )


def _criteria(
    request: EvaluationRequest, findings: Findings, mask: Callable[[str], str]
) -> tuple[CriterionReport, ...]:
    verdict, reported = _verdict(request, findings), findings.reported
    first, *others = _evidence(request, findings, mask)
    if isinstance(reported, tuple) and findings.state and verdict is not Verdict.ERROR:
        return reported_criteria(
            reported,
            declared=request.spec.criteria.declared,
            state=findings.state,
            breaches=findings.breaches if findings.state.code == 0 else (),
            run=(first, *others),
            mask=mask,
        )
    names = request.spec.criteria.declared or (request.spec.name,)
    # One copy of the output is enough for people and for the prompt.
    shown = ((first, *others), *((first, others[0]) for _ in names[1:]))
    return tuple(
        CriterionReport(name=name, verdict=verdict, evidence=evidence)
        for name, evidence in zip(names, shown, strict=True)
    )


def _evidence(
    request: EvaluationRequest, findings: Findings, mask: Callable[[str], str]
) -> tuple[str, ...]:
    """What the run shows: its headline, its place, its tests and the end of its output."""
    process, comparison = findings.process, findings.comparison
    return (
        _headline(request, findings, mask),
        _place(request),
        *(mask(one_line(line)) for line in (comparison.lines() if comparison else ())),
        *((_NO_NEW_PLUGIN,) if _may_lack_plugin(request, findings) else ()),
        *output_tail(process.output.tail, truncated=process.output.truncated),
    )


def unjudged_report(request: EvaluationRequest, *evidence: str) -> EvaluatorReport:
    """A report in which every criterion is ERROR, with this evidence."""
    spec, checkout = request.spec, request.checkout
    return EvaluatorReport(
        evaluator=spec.name,
        digest=spec.digest,
        tree=checkout.tree,
        isolation=checkout.isolation,
        criteria=tuple(
            CriterionReport(name=name, verdict=Verdict.ERROR, evidence=evidence)
            for name in spec.criteria.declared or (spec.name,)
        ),
    )


def _verdict(request: EvaluationRequest, findings: Findings) -> Verdict:
    if findings.state is None:
        return Verdict.ERROR
    if request.is_baseline and findings.is_misconfigured:
        return Verdict.ERROR
    verdict = command_verdict(findings.state, baseline_completed=request.baseline_completed)
    if verdict is not Verdict.PASS or not findings.breaches:
        return verdict
    return Verdict.FAIL


def _headline(request: EvaluationRequest, findings: Findings, mask: Callable[[str], str]) -> str:
    """How it ended, after how long, with which results, and what it was."""
    state, process, comparison = findings.state, findings.process, findings.comparison
    how = "given up" if process.cancelled else str(state or "its end was not seen")
    tests = f", {comparison.result}" if comparison else ""
    headline = f"{how} after {process.duration_s:.2f} s{tests}"
    misconfigured = request.is_baseline and findings.results_are_misconfigured
    unreported = isinstance(findings.reported, ReportUnreadableError)
    if findings.breaches and (misconfigured or unreported or (state and state.code == 0)):
        headline += f", but {mask(one_line('; '.join(findings.breaches)))}"
        headline += f" ({_REMEDY})" if misconfigured else ""
    executor = request.spec.executor
    if isinstance(executor, ShellExecutor):
        headline += f": {mask(one_line(executor.command))}"
    if state is not None and state.code in {CANNOT_EXECUTE, NOT_FOUND}:
        headline += f" ({last_line(process.output.tail)})"
    return headline


def _place(request: EvaluationRequest) -> str:
    """Where it ran, and what its log is called."""
    checkout = request.checkout
    hardened = request.hardening is not Hardening.NONE
    parts = [
        str(checkout.isolation),
        f"tree {checkout.tree[:12]}",
        *([f"hardened: {request.hardening}"] if hardened else []),
        f"log {request.log.name}",
    ]
    return ", ".join(parts)


def _may_lack_plugin(request: EvaluationRequest, findings: Findings) -> bool:
    """Whether a hardened run looks as if a plug-in that was installed since were missing."""
    state = findings.state
    if request.hardening is Hardening.NONE or state is None or state.code == 0:
        return False
    return _LACKS_PLUGIN.search(findings.process.output.tail) is not None


def _survivors(result: ProcessResult) -> list[str]:
    """The processes that the command left running, which were ended."""
    named = [f"left running and ended: {left.command}" for left in result.survivors if left.ended]
    more = len(named) - NAMED_SURVIVORS
    return [*named[:NAMED_SURVIVORS], *([f"and {more} more processes"] if more > 0 else [])]
