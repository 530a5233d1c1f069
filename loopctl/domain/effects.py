"""What is to be done: orders in the imperative, the machine's only way to act.

An order that is answered by an event carries its number. The driver carries an order out by one
call of a port; it never decides anything itself.
"""

from pydantic import NonNegativeFloat, NonNegativeInt

from loopctl.domain.agent_session import Role, TurnOutcome
from loopctl.domain.criteria import EvaluatorReport
from loopctl.domain.evaluator_spec import EvaluatorSpec
from loopctl.domain.hardening import Hardening
from loopctl.domain.holdout import silenced
from loopctl.domain.snapshot import Snapshot
from loopctl.domain.stage import Stage
from loopctl.domain.value import Value


class Effect(Value):
    """Something to do."""

    order: NonNegativeInt


class PrepareWorkspace(Effect):
    """Create, adopt or rebuild the worktree."""

    snapshot: Snapshot | None
    first_time: bool


class AdmitRound(Effect):
    """Ask the budget policy whether a round may start."""

    round: NonNegativeInt


class OpenSession(Effect):
    """Open an agent session; ``model`` is the one to use, ``""`` is the agent's own choice."""

    round: NonNegativeInt
    role: Role
    model: str = ""


class BuildPrompt(Effect):
    """Ask the handoff strategy for the text of the next turn.

    Attributes:
        round: its number.
        session_id: the session that it is for.
        nudge: how often the session was asked for its handoff, with this time; 0 for never.
        whole: the whole text is wanted; else the session knows it, and a nudge is enough.
    """

    round: NonNegativeInt
    session_id: str
    nudge: NonNegativeInt = 0
    whole: bool = True


class SendPrompt(Effect):
    """Send a stored prompt to its session; the turn runs until the agent is idle."""

    round: NonNegativeInt
    session_id: str
    prompt: str


class AbortTurn(Effect):
    """End the turn of ``order``; its result still arrives, with this outcome."""

    outcome: TurnOutcome


class Abandon(Effect):
    """Drop whatever is being done for ``order``; no answer is expected."""


class AwaitIdle(Effect):
    """Wait until no agent session of the loop is busy."""


class Settle(Effect):
    """End every process that the turn left behind."""


class TakeSnapshot(Effect):
    """Store the tree as it is now."""

    round: NonNegativeInt
    previous: Snapshot | None
    partial: bool


class RecallVerdicts(Effect):
    """Look up what the given evaluators said of this tree before."""

    tree: str
    evaluators: tuple[EvaluatorSpec, ...]


class Evaluate(Effect):
    """Run one evaluator on one tree.

    Attributes:
        evaluator: what to run.
        tree: the judged tree.
        round: 0 for the baseline.
        attempt: counted from 1; a retry after an ERROR counts on.
        timeout_s: seconds after which it is ended.
        baseline_completed: it was seen to complete on the base commit.
        flagged: an earlier run of it was interrupted by the end of its driver.
        warnings: what the evidence has to mention.
        record_digest: of the record of the base commit's tests; ``""`` when there is none.
        hardening: how far it is hardened.
        fresh: its checkout must not have been used before.
        model: the model of a judge, as ``PROVIDER:MODEL``.
        stage: what it is run for.
        showing: how often the tree will have been shown, with this time.
    """

    evaluator: EvaluatorSpec
    tree: str
    round: NonNegativeInt
    attempt: NonNegativeInt
    timeout_s: NonNegativeFloat
    baseline_completed: bool
    flagged: bool = False
    warnings: tuple[str, ...] = ()
    record_digest: str = ""
    hardening: Hardening = Hardening.NONE
    fresh: bool = False
    model: str = ""
    stage: Stage = Stage.FIRST
    showing: NonNegativeInt = 1

    def disclosed(self, report: EvaluatorReport) -> EvaluatorReport:
        """The report as it may be written down: of a hold-out only whether it passed."""
        report = report.evolve(stage=self.stage)
        return silenced(report) if self.stage is Stage.HOLDOUT else report

    @property
    def is_trial(self) -> bool:
        """Whether it only tells if hardening changes the results of the base commit."""
        harder = self.hardening is not Hardening.NONE
        return self.round == 0 and self.stage is Stage.FIRST and harder

    @property
    def is_baseline(self) -> bool:
        """Whether it judges the base commit, whose results are to be recorded."""
        return self.round == 0 and self.stage is Stage.FIRST and not self.is_trial


class PublishWork(Effect):
    """Commit the last tree on the loop's branch."""

    snapshot: Snapshot
    branch_tip: str


class ReleaseWorkspace(Effect):
    """Remove the worktree and the branch of a loop in which no turn was ever sent."""


class StartTimer(Effect):
    """Report ``TimerFired`` after so many seconds, unless a newer order was given.

    ``until`` is a moment as well, Unix seconds: what is promised for a time of day has come also
    where the machine has slept in between. Whichever is first counts.
    """

    timer: str
    seconds: NonNegativeFloat
    until: NonNegativeFloat | None = None
