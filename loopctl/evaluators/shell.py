"""A shell command as an evaluator: its exit state and its results are the verdict.

Invariant: PASS is a normal exit with status 0 that was seen, with results above the floor where
there are any, and nothing that the command started is alive when its report is made.
"""

import json

from loopctl.domain.criteria import EvaluatorReport
from loopctl.domain.evaluator_spec import Isolation, ShellExecutor
from loopctl.domain.hardening import LONGEST_TRIED_S
from loopctl.domain.result_floor import Comparison, compare
from loopctl.evaluators.base_record import BaseRecord, kept_record
from loopctl.evaluators.pytest_plugins import installed_plugins
from loopctl.evaluators.results_file import ResultsFiles, ResultsUnreadableError
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
        try:
            base = _base(request)
        except ValueError as error:
            return unjudged_report(request, str(error))
        plugins = None if base is None else base.plugins
        call = suite_call(executor, request.checkout, request.hardening, plugins)
        untold = self._tell_environment(request, call)
        result = await self._run(request, call)
        findings = Findings(result, _read(call.results, base), added=call.added)
        report = shell_report(request, findings, self._tools.masker.mask)
        report = report.evolve(warnings=(*report.warnings, *untold))
        if request.is_baseline and findings.comparison is not None and call.results is not None:
            return await self._recorded(request, call, call.results, report)
        return report

    def _tell_environment(self, request: EvaluationRequest, call: SuiteCall) -> tuple[str, ...]:
        """Write down what the command is given, masked, beside its log; a later run writes over it.

        Returns:
            A warning when it could not be written.
        """
        path = request.log.with_name(f"environment.{request.spec.file_name}.json")
        given = {
            "command": call.command,
            "folder": str(request.checkout.folder),
            "environment": dict(sorted(call.environment.items())),
        }
        text = self._tools.masker.mask(json.dumps(given, indent=1))
        try:
            path.touch(mode=0o600)
            path.write_text(text + "\n", encoding="utf-8")
        except OSError as error:
            return (f"the environment could not be written down: {error}",)
        return ()

    async def _run(self, request: EvaluationRequest, call: SuiteCall) -> ProcessResult:
        return await self._tools.run(
            ProcessSpec(
                argv=("/bin/sh", "-c", call.command),
                cwd=request.checkout.folder,
                env=call.environment,
                log=request.log,
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
