"""A shell command as an evaluator: its exit state, its results and its report are the verdict.

Invariant: PASS is a normal exit that was seen, with status 0 or with a report that says otherwise
of other criteria, with results above the floor where there are any, and nothing that the command
started is alive when it is told.
"""

import json
from collections.abc import Callable, Mapping
from contextlib import ExitStack

from loopctl.domain.criteria import EvaluatorReport
from loopctl.domain.evaluator_spec import Isolation, ShellExecutor, SingleMetric
from loopctl.domain.hardening import LONGEST_TRIED_S
from loopctl.domain.pipeline import hides_failures
from loopctl.domain.result_floor import Comparison, compare
from loopctl.domain.written_report import WrittenCriterion
from loopctl.evaluators.base_record import BaseRecord, kept_record
from loopctl.evaluators.pytest_plugins import installed_plugins
from loopctl.evaluators.report_file import ReportFile, ReportUnreadableError, report_file
from loopctl.evaluators.results_file import ResultsFiles, ResultsUnreadableError
from loopctl.evaluators.shell_call import has_pipefail, shell_argv
from loopctl.evaluators.shell_report import Findings, shell_report, unjudged_report
from loopctl.evaluators.suite_call import SuiteCall, suite_call
from loopctl.ports import EvaluationRequest
from loopctl.process.run import ProcessResult
from loopctl.process.spec import ProcessSpec
from loopctl.process.toolbox import Toolbox

INTERRUPT_GRACE_S = 1.0


class ShellEvaluator:
    """Implements ``ports.Evaluator`` for ``ShellExecutor``.

    Args:
        tools: what starts the command.
    """

    def __init__(self, tools: Toolbox) -> None:
        self._tools = tools

    async def evaluate(self, request: EvaluationRequest) -> EvaluatorReport:
        """Run the command in the checkout.

        Raises:
            GuardDied: the process guard was killed and could not be started again.
            TypeError: the specification has another executor.
        """
        executor = request.spec.executor
        if not isinstance(executor, ShellExecutor):
            raise TypeError(f"a shell cannot run an evaluator of kind {executor.kind}")
        with ExitStack() as stack:
            try:
                base = _base(request)
                place = _report_place(request, stack)
            except (ValueError, OSError) as error:
                return unjudged_report(request, str(error))
            return await self._judged(request, executor, base, place)

    async def _judged(
        self,
        request: EvaluationRequest,
        executor: ShellExecutor,
        base: BaseRecord | None,
        place: ReportFile | None,
    ) -> EvaluatorReport:
        plugins = None if base is None else base.plugins
        call = suite_call(executor, request.checkout, request.hardening, plugins)
        variables = {} if place is None else place.variables
        untold = self._tell_environment(request, call, tuple(variables))
        result = await self._run(request, call, variables)
        mask = self._tools.masker.mask
        results, reported = _read(call.results, base), _reported(place, mask)
        findings = Findings(result, results, added=call.added, reported=reported)
        report = shell_report(request, findings, mask)
        piped = request.is_baseline and _can_be_piped(request, executor.command, report)
        report = report.evolve(warnings=(*report.warnings, *untold), piped=piped)
        if request.is_baseline and findings.comparison is not None and call.results is not None:
            return await self._recorded(request, call, call.results, report)
        return report

    def _tell_environment(
        self, request: EvaluationRequest, call: SuiteCall, once: tuple[str, ...]
    ) -> tuple[str, ...]:
        """Write down what the command is given, masked, beside its log; a later run writes over it.

        Args:
            request: the run.
            call: the command.
            once: variables that are good for this run alone; their values are nobody's business.

        Returns:
            A warning when it could not be written.
        """
        path = request.log.with_name(f"environment.{request.spec.file_name}.json")
        hidden = dict.fromkeys(once, "(new in every run)")
        given = {
            "command": call.command,
            "folder": str(request.checkout.folder),
            "environment": dict(sorted({**call.environment, **hidden}.items())),
        }
        text = self._tools.masker.mask(json.dumps(given, indent=1))
        try:
            path.touch(mode=0o600)
            path.write_text(text + "\n", encoding="utf-8")
        except OSError as error:
            return (f"the environment could not be written down: {error}",)
        return ()

    async def _run(
        self, request: EvaluationRequest, call: SuiteCall, variables: Mapping[str, str]
    ) -> ProcessResult:
        return await self._tools.run(
            ProcessSpec(
                argv=shell_argv(call.command, request.hardening),
                cwd=request.checkout.folder,
                env={**call.environment, **variables},
                log=request.log,
                confinement=request.checkout.confinement,
            ),
            deadline_s=request.timeout_s,
            interrupt_grace_s=INTERRUPT_GRACE_S,
            stop=request.stop,
        )

    async def _recorded(
        self,
        request: EvaluationRequest,
        call: SuiteCall,
        results: ResultsFiles,
        report: EvaluatorReport,
    ) -> EvaluatorReport:
        """Keep the base commit's tests; say whether a hardened run is worth a trial."""
        if request.record is None or report.suite is None:
            return report
        plugins = None
        isolated = request.checkout.isolation is not Isolation.SAME_WORKSPACE
        if call.pytest is not None and isolated and report.duration_s <= LONGEST_TRIED_S:
            plugins = await installed_plugins(self._tools, call.pytest, request.checkout)
        digest = BaseRecord(tests=results.read(), plugins=plugins).keep(request.record)
        return report.evolve(
            suite=report.suite.evolve(record=digest), hardenable=plugins is not None
        )


def _report_place(request: EvaluationRequest, stack: ExitStack) -> ReportFile | None:
    """Where a report is to be written; ``None`` when the exit state alone is the verdict."""
    if isinstance(request.spec.criteria, SingleMetric):
        return None
    return stack.enter_context(report_file(request.checkout.environment))


def _reported(
    place: ReportFile | None, mask: Callable[[str], str]
) -> tuple[WrittenCriterion, ...] | ReportUnreadableError | None:
    if place is None:
        return None
    try:
        return place.read(mask)
    except ReportUnreadableError as unreadable:
        return unreadable


def _can_be_piped(request: EvaluationRequest, command: str, report: EvaluatorReport) -> bool:
    """Whether a run that lets no failure before a ``|`` pass is worth a trial."""
    isolated = request.checkout.isolation is not Isolation.SAME_WORKSPACE
    worth_it = isolated and report.duration_s <= LONGEST_TRIED_S and has_pipefail()
    return worth_it and hides_failures(command)


def _base(request: EvaluationRequest) -> BaseRecord | None:
    if request.record is None or not request.record_digest:
        return None
    return kept_record(request.record, request.record_digest)


def _read(
    results: ResultsFiles | None, base: BaseRecord | None
) -> Comparison | ResultsUnreadableError | None:
    if results is None:
        return None
    try:
        return compare(results.read(), None if base is None else base.tests)
    except ResultsUnreadableError as unreadable:
        return unreadable
