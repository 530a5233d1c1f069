"""A loop: one goal being pursued, with its frozen specification and its state.

The specification is fixed when the loop starts and never changes; what a restart changes (caps)
lives in the state. The state is everything that the next decision depends on. It is stored as
one validated document in the transaction of every decision, so that a driver that died can be
continued from it.
"""

from typing import Literal

from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from loopctl.domain.agent_session import OpenTurn, TurnResult
from loopctl.domain.budget import Budget, Reservation, Spent
from loopctl.domain.concern import OnConcern, RaisedConcern
from loopctl.domain.confinement import ContainerSettings, SandboxSettings
from loopctl.domain.evaluation import BaselineRun, Evaluation
from loopctl.domain.evaluator_spec import EvaluatorSpec
from loopctl.domain.handoff import WrittenHandoff
from loopctl.domain.holdout import HoldOut
from loopctl.domain.ledger import Ledger
from loopctl.domain.pricing import ModelPrice
from loopctl.domain.protection import Protection
from loopctl.domain.seen import Seen
from loopctl.domain.snapshot import Published, Snapshot
from loopctl.domain.spending import OpenSpend
from loopctl.domain.stage import Stage
from loopctl.domain.step import Phase, Step
from loopctl.domain.stop import BudgetCap, Status, StopCondition
from loopctl.domain.stuck import Streaks
from loopctl.domain.supplies import EvaluatorSupplies, WorkspaceSupplies
from loopctl.domain.tool import Workbench
from loopctl.domain.value import Value
from loopctl.domain.waiting import Wait


class Assumption(Value):
    """What the user says a turn costs when the agent cannot."""

    micro_usd: NonNegativeInt | None = None
    tokens: NonNegativeInt | None = None


class Plugins(Value):
    """Which implementation stands behind each seam: a registered name or a dotted path."""

    handoff: str = "fresh-with-summary"
    budget_policy: str = "preflight"
    pricing: str = "prices"


class LoopSpec(Value):
    """What was asked for, frozen at start.

    Attributes:
        name: unique within the project.
        goal: the user's text, byte for byte.
        project: id of the project (see ``workspace``).
        repository: the user's checkout.
        base_commit: full object id that the work starts from.
        base_tree: object id of its tree.
        branch: the loop's own branch.
        agent: what drives the work, such as ``cmd:./agent.sh``.
        models: what the agent may use, as ``PROVIDER:MODEL``: the configured one, then those to
            fall back on; empty when the agent chooses by itself.
        evaluators: what judges the work; never empty.
        budget: the caps asked for at start.
        run_baseline: whether the evaluators run on the base commit first.
        round_timeout_s: seconds after which a turn is ended.
        eval_timeout_s: seconds after which an evaluator is ended; ``None`` derives it from the
            baseline.
        max_wait_s: seconds that a loop may wait for a provider altogether.
        protection: the paths that are restored before every evaluation.
        evaluator_env: variables that evaluators receive beside the fixed ones.
        assumed: what a turn costs when the agent cannot say.
        plugins: the implementations behind the seams.
        log_detail: ``full`` keeps every prompt, ``summary`` keeps their digests.
        ignored_folders: folders of the checkout that git ignores and no checkout of ours has.
        agent_folder: where a relative path in ``agent`` was typed.
        cwd: folder in which agent and commands run, relative to the root; ``""`` is the root.
        workspace_supplies: what the worktree is given beside the base commit's files.
        evaluator_supplies: what an evaluator's checkout is given beside the judged tree.
        redirections: what of the user's environment led to the user's files, a line for each.
        on_concern: what a doubt about the goal does.
        require_handoff: whether a turn needs a written handoff; ``None`` asks for it where the
            agent has the tools.
        prices: the user's own price table; it goes before every other.
        holdout: what the agent never sees.
        confirm: how often everything has to pass on one snapshot.
        allow_new_tests: test files that the agent adds are run as well, in a second pass.
        container: what evaluators in a container may see and do.
        sandbox: what the agent may see and do.
        workbench: what evaluators work with beside the tree.
    """

    name: str
    goal: str
    project: str
    repository: str
    base_commit: str
    base_tree: str
    branch: str
    agent: str
    models: tuple[str, ...] = ()
    evaluators: tuple[EvaluatorSpec, ...]
    budget: Budget = Budget()
    run_baseline: bool = True
    round_timeout_s: PositiveFloat = 1800.0
    eval_timeout_s: PositiveFloat | None = None
    max_wait_s: PositiveFloat = 6 * 3600.0
    protection: Protection = Protection()
    evaluator_env: tuple[str, ...] = ()
    assumed: Assumption = Assumption()
    plugins: Plugins = Plugins()
    log_detail: Literal["full", "summary"] = "full"
    ignored_folders: tuple[str, ...] = ()
    agent_folder: str = ""
    cwd: str = ""
    workspace_supplies: WorkspaceSupplies = WorkspaceSupplies()
    evaluator_supplies: EvaluatorSupplies = EvaluatorSupplies()
    redirections: tuple[str, ...] = ()
    on_concern: OnConcern = OnConcern.STOP
    require_handoff: bool | None = None
    prices: tuple[ModelPrice, ...] = ()
    holdout: HoldOut | None = None
    confirm: PositiveInt = 1
    allow_new_tests: bool = False
    container: ContainerSettings = ContainerSettings()
    sandbox: SandboxSettings = SandboxSettings()
    workbench: Workbench = Workbench()

    @property
    def holdouts(self) -> tuple[EvaluatorSpec, ...]:
        """The evaluators that the agent never sees."""
        return () if self.holdout is None else self.holdout.evaluators

    @property
    def all_evaluators(self) -> tuple[EvaluatorSpec, ...]:
        """Every evaluator, those that the agent never sees at the end."""
        return (*self.evaluators, *self.holdouts)


class Clock(Value):
    """When the last event happened: Unix time, and the monotonic time of its driver, seconds."""

    at: float = 0.0
    mono: float = 0.0


class OpenRound(Value):
    """A round whose verdict is not known yet.

    Attributes:
        number: counted from 1, never reused once its prompt was sent.
        reservation: what its turn was admitted for.
        session_id: the agent session that works on it.
        turn: the prompt in flight; ``None`` before it is sent and after its end was seen.
        result: what the turn came to; ``None`` before its end was seen.
        prompted: a prompt of this round was sent.
        limits: how often a provider refused it.
        has_tools: the session can call loopctl's tools.
        remembers: the session knows its earlier turns.
        is_metered: the session asks for every request, and its turns carry no usage.
        nudges: how often this session was asked for its handoff.
        handoff: what the session handed over in the turn in flight; it is applied at its end.
    """

    number: NonNegativeInt
    reservation: Reservation = Reservation()
    session_id: str = ""
    turn: OpenTurn | None = None
    result: TurnResult | None = None
    prompted: bool = False
    limits: NonNegativeInt = 0
    has_tools: bool = False
    remembers: bool = False
    is_metered: bool = False
    nudges: NonNegativeInt = 0
    handoff: WrittenHandoff | None = None


class LoopState(Value):
    """Everything that the next decision depends on.

    Attributes:
        spec: the frozen specification (stored beside the state, not in it).
        budget: the caps in force.
        status: ``running`` until the loop has ended.
        phase: who is at work.
        step: where inside the phase.
        order: number of the newest order given to the driver; the result of an older one is stale.
        clock: when the last event happened.
        spent: what was used so far.
        streaks: what happened how often in a row.
        last_round: the highest round number that was prompted.
        round: the open round.
        workspace: folder of the worktree; ``""`` before it is there.
        branch_tip: where loopctl last left the loop's branch.
        baseline: runs on the base commit; ``None`` before all of them are over.
        snapshot: the newest snapshot.
        evaluation: the evaluation under way.
        ledger: the verdicts on the newest judged tree.
        stop: why the loop ends or has ended.
        published: where the last tree went.
        spends: requests that were granted and have not ended.
        over_cap: the cap for which a request was refused.
        failed_models: those that could not be used since the loop was started or restarted.
        waiting: the wait for a provider that is under way.
        concerns: those of the last half minute.
        ever_passed: a criterion has passed, or more tests than at the base commit have.
        no_progress_raised: the heuristic has raised its concern.
        seen: the criteria that contracts have named.
    """

    spec: LoopSpec
    budget: Budget
    status: Status = Status.RUNNING
    phase: Phase = Phase.CODING
    step: Step = Step.BASELINE
    order: NonNegativeInt = 0
    clock: Clock = Clock()
    spent: Spent = Spent()
    streaks: Streaks = Streaks()
    last_round: NonNegativeInt = 0
    round: OpenRound | None = None
    workspace: str = ""
    branch_tip: str = ""
    baseline: tuple[BaselineRun, ...] | None = None
    snapshot: Snapshot | None = None
    evaluation: Evaluation | None = None
    ledger: Ledger = Ledger()
    stop: StopCondition | None = None
    published: Published | None = None
    spends: tuple[OpenSpend, ...] = ()
    over_cap: BudgetCap | None = None
    failed_models: tuple[str, ...] = ()
    waiting: Wait | None = None
    concerns: tuple[RaisedConcern, ...] = ()
    ever_passed: bool = False
    no_progress_raised: bool = False
    seen: Seen = ()

    @property
    def is_over(self) -> bool:
        """Whether the loop has ended."""
        return self.status is not Status.RUNNING

    @property
    def round_number(self) -> int:
        """The open round, else the last one; 0 before the first."""
        return self.round.number if self.round is not None else self.last_round

    @property
    def open_round(self) -> OpenRound:
        """The open round, where there must be one."""
        if self.round is None:
            raise ValueError("no round is open")
        return self.round

    @property
    def open_evaluation(self) -> Evaluation:
        """The evaluation under way, where there must be one."""
        if self.evaluation is None:
            raise ValueError("no evaluation is under way")
        return self.evaluation

    @property
    def judged_tree(self) -> str:
        """The tree that evaluators see now: of the newest snapshot, else of the base commit."""
        return self.spec.base_tree if self.snapshot is None else self.snapshot.judged_tree

    def ordered(self, **changes: object) -> "LoopState":
        """A copy with ``changes`` in which a new order is given: older answers become stale."""
        return self.evolve(order=self.order + 1, **changes)

    @property
    def baseline_runs(self) -> tuple[BaselineRun, ...]:
        """The runs on the base commit that are over."""
        open_runs = () if self.evaluation is None else self.evaluation.runs
        return open_runs if self.baseline is None else self.baseline

    @property
    def is_first_look(self) -> bool:
        """Whether evaluators are seen on the base commit for the first time."""
        evaluation = self.evaluation
        if self.baseline is not None or evaluation is None:
            return False
        return evaluation.stage is Stage.FIRST

    def baseline_run(self, name: str) -> BaselineRun | None:
        """The run on the base commit of the evaluator called ``name``, once it is over."""
        return next((run for run in self.baseline_runs if run.evaluator == name), None)

    def evaluator(self, name: str) -> EvaluatorSpec:
        """The specification of the evaluator called ``name``."""
        return next(spec for spec in self.spec.all_evaluators if spec.name == name)


def model_to_use(models: tuple[str, ...], failed: tuple[str, ...]) -> str:
    """The first model that has not failed, else the first of all; ``""`` when none is named."""
    return next((model for model in models if model not in failed), next(iter(models), ""))


def begin(spec: LoopSpec) -> LoopState:
    """The state of a loop that nothing has happened to."""
    return LoopState(spec=spec, budget=spec.budget, branch_tip=spec.base_commit)
