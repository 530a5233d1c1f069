"""What a front end asks for when it starts a loop, and the rules that need no repository."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Literal

from loopctl.bootstrap.container_request import check_container
from loopctl.bootstrap.evaluator_request import EvaluatorRequest, contract_specs
from loopctl.bootstrap.holdout_request import HoldOutRequest
from loopctl.bootstrap.judge_request import JudgeRequest
from loopctl.bootstrap.sandbox_request import SandboxRequest
from loopctl.domain.budget import Budget
from loopctl.domain.concern import OnConcern
from loopctl.domain.confinement import ContainerSettings
from loopctl.domain.evaluator_spec import (
    EvaluatorSpec,
    Isolation,
    ProviderExecutor,
    ShellExecutor,
    SingleMetric,
)
from loopctl.domain.loop import Assumption, Plugins
from loopctl.domain.pricing import ModelPrice
from loopctl.domain.supplies import EvaluatorSupplies, WorkspaceSupplies
from loopctl.errors import UsageError

DEFAULT_WAIT_S = 6 * 3600.0
AVAILABLE = (Isolation.SEPARATE_WORKTREE, Isolation.CONTAINER, Isolation.SAME_WORKSPACE)


@dataclass(frozen=True)
class StartRequest:
    """A new loop, as the user described it.

    Attributes:
        goal: the text for the agent.
        folder: where the command was typed.
        cwd: where agent and commands run, in the user's checkout; ``None`` is its root.
        agent: ``cmd:COMMAND``, ``PROVIDER:MODEL``, or the name or dotted path of a plug-in; ``""``
            and a provider without a model are for `model_choice` to fill in.
        model: the built-in agent's, where ``agent`` names none.
        fallback_models: models to use when that one cannot be used, in this order.
        models: both together, once they are chosen; empty for an agent that chooses by itself.
        stops: commands that must exit with 0.
        results: where each of them writes its results, in the same order; see ``ShellExecutor``.
        contracts: commands that name their criteria in a report.
        evaluators: names of declared evaluators; names or dotted paths of plug-ins.
        declared: the evaluators that the configuration declares, named or not.
        judge: the language model that judges the work; ``None`` for none.
        isolation: where evaluators run.
        sandbox: what the agent may see of the machine.
        budget: the caps, without the one on rounds.
        max_rounds: the cap on rounds; ``None`` is the default, 0 is none.
        max_wait_s: seconds that the loop may wait for a provider altogether.
        assumed: what a turn costs when the agent cannot say.
        prices: the user's own price table, the line that matters most first.
        on_concern: what a doubt about the goal does.
        require_handoff: whether a turn needs a written handoff; ``None``: where it can be written.
        protect: further globs to protect.
        allow: globs to open again.
        run_baseline: judge the base commit first.
        round_timeout_s: seconds for a turn.
        eval_timeout_s: seconds for an evaluator; ``None`` derives it from the baseline.
        evaluator_env: variables to pass to evaluators.
        workspace_supplies: what the worktree is given beside the base commit's files.
        evaluator_supplies: what an evaluator's checkout is given beside the judged tree.
        container: what evaluators in a container may see and do.
        name: the loop's name; ``None`` makes one from the goal.
        branch: the loop's branch; ``None`` makes one from the name.
        plugins: the implementations behind the other seams.
        log_detail: how much of each round is kept.
        holdout: what the agent never sees; ``None`` for nothing.
        confirm: how often everything has to pass on one snapshot.
        allow_new_tests: test files that the agent adds are run as well.
    """

    goal: str
    folder: Path
    agent: str
    model: str = ""
    fallback_models: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    stops: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    contracts: tuple[str, ...] = ()
    evaluators: tuple[str, ...] = ()
    declared: tuple[EvaluatorRequest, ...] = ()
    judge: JudgeRequest | None = None
    isolation: Isolation = Isolation.SEPARATE_WORKTREE
    sandbox: SandboxRequest = field(default_factory=SandboxRequest)
    budget: Budget = field(default_factory=Budget)
    max_rounds: int | None = None
    max_wait_s: float = DEFAULT_WAIT_S
    assumed: Assumption = field(default_factory=Assumption)
    prices: tuple[ModelPrice, ...] = ()
    on_concern: OnConcern = OnConcern.STOP
    require_handoff: bool | None = None
    protect: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    run_baseline: bool = True
    round_timeout_s: float = 1800.0
    eval_timeout_s: float | None = None
    evaluator_env: tuple[str, ...] = ()
    workspace_supplies: WorkspaceSupplies = field(default_factory=WorkspaceSupplies)
    evaluator_supplies: EvaluatorSupplies = field(default_factory=EvaluatorSupplies)
    container: ContainerSettings = field(default_factory=ContainerSettings)
    name: str | None = None
    branch: str | None = None
    cwd: Path | None = None
    plugins: Plugins = field(default_factory=Plugins)
    log_detail: Literal["full", "summary"] = "full"
    holdout: HoldOutRequest | None = None
    confirm: int = 1
    allow_new_tests: bool = False

    @property
    def picked(self) -> tuple[EvaluatorRequest, ...]:
        """The declared evaluators that are named."""
        return tuple(each for each in self.declared if each.name in self.evaluators)

    @property
    def isolations(self) -> frozenset[Isolation]:
        """Where evaluators run; a judge is none of them, because it runs nothing."""
        named = {each.name for each in self.picked}
        own = {each.isolation or self.isolation for each in self.picked}
        others = self.stops or self.contracts or set(self.evaluators) - named
        return frozenset(own | ({self.isolation} if others else set()))

    @property
    def is_in_place(self) -> bool:
        """Whether every evaluator runs where the agent works."""
        return self.isolations == {Isolation.SAME_WORKSPACE}

    @property
    def commands(self) -> tuple[str, ...]:
        """Every command that was typed to judge the work in sight of the agent."""
        named = (each.command for each in self.picked if each.command)
        return (*self.stops, *self.contracts, *named)

    @property
    def held_commands(self) -> tuple[str, ...]:
        """Every command that was typed for the hold-out."""
        return () if self.holdout is None else self.holdout.stops

    @property
    def is_judged(self) -> bool:
        """Whether anything judges the work that the agent may know of."""
        return bool(self.commands or self.evaluators or self.judge)


def check_request(request: StartRequest) -> None:
    """Refuse what cannot become a loop.

    Raises:
        UsageError: says what is missing and how to give it.
    """
    if not request.goal.strip():
        raise UsageError(
            "the goal is empty",
            next_step='loopctl run "make the failing tests pass" --stop "python -m pytest -q"',
        )
    if not request.goal.isprintable() and has_surrogates(request.goal):
        raise UsageError(
            "the goal is not valid UTF-8",
            next_step="put it into a UTF-8 file and pass @FILE",
        )
    if any(not command.strip() for command in (*request.stops, *request.contracts)):
        raise UsageError(
            "a stop command is empty",
            why="an empty command always succeeds and would prove nothing",
            next_step='give a command that fails now, such as --stop "python -m pytest -q"',
        )
    if request.holdout is not None:
        own = _executors(request)
        request.holdout.check(own, request.isolation, judged=request.is_judged)
    if not request.is_judged:
        raise UsageError(
            "nothing would judge the work",
            why="a loop without an evaluator could only believe what the agent says",
            next_step='add --stop "COMMAND" (exit status 0: goal met), or type: loopctl init',
        )
    _check_results(request)
    check_container(request.container)
    for place in (request.isolation, *(each.isolation for each in request.picked)):
        if place is not None and place not in AVAILABLE:
            raise UsageError(
                f"the isolation {place} is not available in this version",
                next_step=f"use --isolation {' or '.join(AVAILABLE)}",
            )


def _check_results(request: StartRequest) -> None:
    """Refuse results that belong to no command, or that lie outside of every checkout."""
    if request.results and len(request.results) != len(request.stops):
        raise UsageError(
            f"{len(request.results)} --results for {len(request.stops)} --stop",
            why="the first belongs to the first stop command, the second to the second",
            next_step="give one for each; --results none is for a command that writes none",
        )
    for path in (*request.results, *(each.results for each in request.picked)):
        parts = PurePosixPath(path).parts
        if path.startswith("/") or ".." in parts or parts[:1] == (".git",):
            raise UsageError(
                f"results cannot be {path!r}",
                why="results are written in the checkout, below the folder of the command",
                next_step="give a relative path, such as --results results.xml",
            )


def evaluator_specs(request: StartRequest, mask: Callable[[str], str]) -> tuple[EvaluatorSpec, ...]:
    """The evaluators that the request asks for, in the order in which they run: the judge last.

    Args:
        request: what the user asked for.
        mask: takes secrets out of a text. A criterion is called by its command, and its name is
            written wherever its verdict is; the command itself runs as it was typed.
    """
    commands = tuple(
        EvaluatorSpec(
            name=f"stop-{number}",
            criteria=SingleMetric(name=mask(executor.command)),
            executor=executor,
            isolation=request.isolation,
        )
        for number, executor in enumerate(_executors(request), start=1)
    )
    contracts = contract_specs(request.contracts, request.isolation, mask)
    named = tuple(_named(request, name, mask) for name in dict.fromkeys(request.evaluators))
    judge = () if request.judge is None else (request.judge.spec(mask),)
    return commands + contracts + named + judge


def _named(request: StartRequest, name: str, mask: Callable[[str], str]) -> EvaluatorSpec:
    """The evaluator that ``name`` means: a declared one, else a plug-in."""
    for declared in request.picked:
        if declared.name == name:
            return declared.spec(request.isolation, mask)
    return EvaluatorSpec(
        name=name,
        criteria=SingleMetric(name=name),
        executor=ProviderExecutor(name=name),
        isolation=request.isolation,
    )


def holdout_specs(request: StartRequest) -> tuple[EvaluatorSpec, ...]:
    """The evaluators that the agent never sees, in the order in which they run."""
    if request.holdout is None:
        return ()
    return request.holdout.specs(_executors(request), request.isolation)


def _executors(request: StartRequest) -> tuple[ShellExecutor, ...]:
    """Each stop command once, with where it writes its results."""
    results = request.results or ("",) * len(request.stops)
    commands: dict[str, str] = {}
    for command, written in zip(request.stops, results, strict=True):
        commands.setdefault(command, written)
    return tuple(
        ShellExecutor(command=command, results=written) for command, written in commands.items()
    )


def has_surrogates(text: str) -> bool:
    """Whether the text stands for bytes that are not UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False
