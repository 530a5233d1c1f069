"""An evaluation: evaluators at work on one tree, one after the other, in stages.

An evaluator that is listed as pending has said nothing yet, whatever an earlier stage has heard
from it: nothing counts as its last word that a later stage has still to show again. On the base
commit the runs are kept, because later ones are measured by them.
"""

from pydantic import NonNegativeFloat, NonNegativeInt

from loopctl.domain.criteria import EvaluatorReport
from loopctl.domain.hardening import Hardening
from loopctl.domain.stage import Stage
from loopctl.domain.suite import SuiteResult
from loopctl.domain.value import Value


class BaselineRun(Value):
    """One evaluator's run on the base commit.

    Attributes:
        evaluator: its name.
        duration_s: seconds from start to end.
        passed: its verdict was PASS.
        suite: its tests in figures.
        hardening: the hardest run with the same results; later runs have it.
        moved: paths of the tree that it wrote to itself.
    """

    evaluator: str
    duration_s: NonNegativeFloat
    passed: bool
    suite: SuiteResult | None = None
    hardening: Hardening = Hardening.NONE
    moved: tuple[str, ...] = ()


class Evaluation(Value):
    """An evaluation under way.

    Attributes:
        pending: names of the evaluators that have not reported; the first one is at work.
        attempt: how often the first one was started.
        reports: what the others said.
        flagged: an earlier evaluation of this tree was interrupted.
        fresh: a PASS is being shown again, in checkouts that nothing has used before.
        runs: those of a baseline that are over.
        trial: the hardening that the first one is tried with; its plain run is over.
        limits: how often a provider refused the judge at work.
        stage: what the evaluators are run for.
        shown: how often everything in scope has passed.
        earlier: what evaluators said in the stages before this one.
    """

    pending: tuple[str, ...]
    attempt: NonNegativeInt = 1
    reports: tuple[EvaluatorReport, ...] = ()
    flagged: bool = False
    fresh: bool = False
    runs: tuple[BaselineRun, ...] = ()
    trial: Hardening = Hardening.NONE
    limits: NonNegativeInt = 0
    stage: Stage = Stage.FIRST
    shown: NonNegativeInt = 0
    earlier: tuple[EvaluatorReport, ...] = ()

    @property
    def all_reports(self) -> tuple[EvaluatorReport, ...]:
        """The last word of each evaluator: what was shown again takes the place of the first.

        A provisional PASS that has yet to be shown again is no word at all.
        """
        kept = {
            (report.evaluator, _kind(report.stage)): report
            for report in self.earlier
            if not report.provisional or report.evaluator not in self.pending
        }
        return tuple(
            (kept | {(one.evaluator, _kind(one.stage)): one for one in self.reports}).values()
        )


def _kind(stage: Stage) -> Stage:
    return Stage.FIRST if stage is Stage.AGAIN else stage
