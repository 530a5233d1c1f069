"""Use case: judge a loop's last tree again from scratch, and hold the result against the loop's.

Invariant: nothing of the loop is changed. What is run, runs in a folder of its own that is gone
afterwards; the loop's rows are read, and its objects are hashed again.
"""

import asyncio
import shlex
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from loopctl.bootstrap import builtins
from loopctl.bootstrap.continuing import choose
from loopctl.bootstrap.place import (
    Store,
    loop_workspace,
    open_project,
    open_store,
    refuse_running,
    toolbox,
    worktree_folder,
)
from loopctl.bootstrap.supplying import loop_checkouts
from loopctl.bootstrap.verify_lookups import composed_again, stored_lookups, waiting_lookups
from loopctl.domain.evaluator_spec import EvaluatorSpec, Isolation
from loopctl.domain.ledger import Ledger
from loopctl.domain.loop import LoopSpec, LoopState
from loopctl.domain.phases.ledgers import judged_ledger
from loopctl.domain.snapshot import Snapshot
from loopctl.domain.stop import Errored, Status
from loopctl.domain.verification import Verification, baseline_again, criteria_again
from loopctl.driver.rejudging import Rejudging
from loopctl.errors import GitError, LeaseError, UsageError
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.repository import UserRepository, discover
from loopctl.ports import Activity, Checkouts, Evaluator, Workspace
from loopctl.store.file_lock import FileLock
from loopctl.store.loop_documents import load_state
from loopctl.store.loops import StoredLoop
from loopctl.workspace.removal import remove_folder

_FROZEN = ("history-tags", "history-shallow")


@dataclass(frozen=True)
class Wish:
    """How a loop is to be verified.

    Attributes:
        judges: those that are paid for are asked as well.
        keep_going: judge the tree also when something that was looked up is not as it was.
        tell: is told what is done next.
    """

    judges: bool
    keep_going: bool
    tell: Callable[[str], None]


@dataclass(frozen=True)
class _Case:
    """Everything that one verification is made of."""

    store: Store
    loop: StoredLoop
    state: LoopState
    user: UserRepository
    project: ProjectRepository
    environment: Mapping[str, str]
    wish: Wish

    @property
    def asked(self) -> LoopSpec:
        """The loop's specification with those evaluators that are asked again."""
        spec = self.state.spec
        kept = tuple(_apart(each) for each in spec.evaluators if self._is_asked(each))
        return spec.evolve(evaluators=kept)

    @property
    def not_asked(self) -> tuple[str, ...]:
        """Who is left out."""
        evaluators = self.state.spec.evaluators
        return tuple(each.name for each in evaluators if not self._is_asked(each))

    @property
    def notes(self) -> tuple[str, ...]:
        """What is done in another way than in the loop."""
        moved = [
            each.name
            for each in self.state.spec.evaluators
            if each.isolation is Isolation.SAME_WORKSPACE
        ]
        if not moved:
            return ()
        place = "in a fresh checkout with protected paths as at the base commit"
        return (f"{', '.join(moved)} judged where the agent worked; now {place}",)

    def _is_asked(self, spec: EvaluatorSpec) -> bool:
        return spec.is_deterministic or self.wish.judges


@dataclass(frozen=True)
class _Bench:
    """What evaluators are run with; see ``driver.judging.Bench``."""

    checkouts: Checkouts
    evaluators: Mapping[str, Evaluator]
    workspace: Workspace
    own_environment: Mapping[str, str]
    logs: Path

    def show(self, activity: Activity) -> None:
        """Nobody watches."""


def verify(name: str, folder: Path, environment: Mapping[str, str], wish: Wish) -> Verification:
    """Judge the last tree of an ended loop again.

    Args:
        name: name or id of the loop.
        folder: where the command was typed.
        environment: loopctl's own.
        wish: what exactly is to be done.

    Raises:
        UsageError: the loop has not ended, or nobody would judge it.
        LeaseError: it is running, or is being verified already.
        RepositoryError: its repository is gone.
        StoreError: the database failed.
    """
    with open_store(environment) as store:
        loop = choose(store.database, folder, name, running=False)
        refuse_running(store, loop)
        state = load_state(store.database, loop.id)
        _refuse_open(state)
        user = discover(Path(loop.repository))
        with _alone(store, loop), open_project(store, user) as project:
            case = _Case(store, loop, state, user, project, environment, wish)
            _refuse_unjudged(case)
            return asyncio.run(_verify(case))


async def _verify(case: _Case) -> Verification:
    state = case.state
    case.wish.tell("looking up what was stored")
    lookups = list(waiting_lookups(case.project))
    is_waiting = bool(lookups)
    if not is_waiting:
        lookups += stored_lookups(case.project, state)
    snapshot = state.snapshot
    problem = ""
    if snapshot is not None and not is_waiting:
        try:
            snapshot, found = composed_again(case.project, state, snapshot)
            lookups += found
        except GitError as error:
            problem = f"{error.message}: {error.why}"
    result = Verification(
        loop=case.loop.name,
        commit="" if state.snapshot is None else state.snapshot.commit,
        lookups=tuple(lookups),
        criteria=criteria_again(state.ledger, Ledger(), ()),
        not_asked=case.not_asked,
        problem=problem,
        notes=case.notes,
    )
    holds = all(lookup.holds for lookup in lookups)
    if problem or is_waiting or not (holds or case.wish.keep_going):
        return result
    return await _judged(case, snapshot, result)


async def _judged(case: _Case, snapshot: Snapshot | None, result: Verification) -> Verification:
    """The result with what comes of judging base commit and snapshot again."""
    spec, state = case.asked, case.state
    async with toolbox(case.environment) as tools:
        with _scratch(case) as folder:
            bench = _Bench(
                checkouts=loop_checkouts(
                    spec,
                    case.user,
                    case.project,
                    tools=tools,
                    environment=case.environment,
                    folder=folder,
                    worktree=worktree_folder(case.store, spec),
                ),
                evaluators={
                    each.name: builtins.evaluator_for(each.executor, tools)
                    for each in spec.all_evaluators
                },
                workspace=loop_workspace(case.store, case.user, case.project, spec, folder.name),
                own_environment=case.environment,
                logs=folder / "logs",
            )
            pricing = builtins.pricing_for(spec.plugins.pricing, spec.assumed, spec.prices)
            again = Rejudging(spec, state.workspace, bench, pricing, case.wish.tell)
            await again.judge_base(alone=snapshot is None)
            runs = again.state.baseline or ()
            if snapshot is not None and not isinstance(again.state.stop, Errored):
                await again.judge(snapshot)
    return result.evolve(
        tree=spec.base_tree if snapshot is None else snapshot.judged_tree,
        baseline=baseline_again(state.baseline or (), runs),
        criteria=criteria_again(state.ledger, _ledger(again, snapshot), again.reports),
        problem=_problem(again.state),
    )


def _ledger(again: Rejudging, snapshot: Snapshot | None) -> Ledger:
    """What the verification came to; of a base commit that fails the machine keeps no ledger."""
    if again.state.ledger.judged or snapshot is not None:
        return again.state.ledger if again.state.ledger.judged else Ledger()
    last = {report.evaluator: report.headlines() for report in again.reports}
    return judged_ledger(again.state.spec.base_tree, tuple(last.values()))


def _problem(state: LoopState) -> str:
    """Why not everything could be judged."""
    if isinstance(state.stop, Errored):
        return state.stop.detail
    return "" if state.waiting is None else f"a provider refuses work: {state.waiting.problem}"


def _apart(spec: EvaluatorSpec) -> EvaluatorSpec:
    """The evaluator, in a place that the agent never had."""
    in_place = spec.isolation is Isolation.SAME_WORKSPACE
    return spec.evolve(isolation=Isolation.SEPARATE_WORKTREE) if in_place else spec


def _refuse_open(state: LoopState) -> None:
    if state.status is Status.RUNNING:
        name = shlex.quote(state.spec.name)
        raise UsageError(
            f"the loop {state.spec.name} has not ended",
            why="its driver is gone; what it has to show is not known",
            next_step=f"loopctl status {name} --restart, or loopctl cancel {name}",
        )


def _refuse_unjudged(case: _Case) -> None:
    if not case.asked.evaluators:
        raise UsageError(
            f"nothing would judge the loop {case.loop.name} again",
            why="only a language model judges it, which is paid for and not asked by itself",
            next_step=f"loopctl verify {shlex.quote(case.loop.name)} --judge",
        )


@contextmanager
def _alone(store: Store, loop: StoredLoop) -> Iterator[None]:
    """One verification of a loop at a time."""
    lock = FileLock.try_acquire(store.home.locks / f"{loop.id}.verify.lock")
    if lock is None:
        raise LeaseError(f"the loop {loop.name} is being verified already", next_step="wait")
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _scratch(case: _Case) -> Iterator[Path]:
    """A folder like a loop's own, for this time alone; one of an earlier time is removed."""
    folder = case.store.home.loop_folder(f"verify-{case.loop.id}")
    remove_folder(folder)
    folder = case.store.home.loop_folder(folder.name)
    (folder / "logs").mkdir(mode=0o700)
    own = case.store.home.loop_folder(case.loop.id)
    for name in _FROZEN:  # the history as it was before an agent could make tags
        if (own / name).exists():
            shutil.copyfile(own / name, folder / name)
    try:
        yield folder
    finally:
        remove_folder(folder)
