"""Where everything of one loop is: its repository, its folders, its process guard.

A place is opened by a use case and closed when the driver has ended. Closing it ends every
process that was started for the loop.
"""

import shlex
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from loopctl.bootstrap import builtins
from loopctl.bootstrap.agent import make_agent
from loopctl.bootstrap.redirecting import project_roots
from loopctl.bootstrap.sandboxing import loop_sandbox
from loopctl.bootstrap.supplying import (
    CHECKOUTS,
    INDEX,
    PRODUCTS,
    agent_variables,
    loop_checkouts,
    worktree_supplies,
)
from loopctl.domain.loop import LoopSpec
from loopctl.driver.world import World
from loopctl.errors import LeaseError
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.repository import UserRepository
from loopctl.git.spec_seal import SpecSeal
from loopctl.ports import Journal, Observer, Processes, ToolDesk
from loopctl.process.guard_client import Guard
from loopctl.process.identity import ProcessIdentity
from loopctl.process.leftovers import Leftovers
from loopctl.process.marked import MARK
from loopctl.process.masking import Masker
from loopctl.process.sandbox.programs import find_programs
from loopctl.process.sandbox.sandbox import Sandbox
from loopctl.process.toolbox import Toolbox
from loopctl.store.database import Database
from loopctl.store.home import StateHome, state_home
from loopctl.store.journal import LoopJournal
from loopctl.store.lease import Lease, acquire, owner
from loopctl.store.loop_documents import spec_digest
from loopctl.store.loops import StoredLoop
from loopctl.workspace.home_watch import home_of
from loopctl.workspace.loop_workspace import LoopWorkspace
from loopctl.workspace.project import project_id
from loopctl.workspace.removal import remove_folder
from loopctl.workspace.worktree_supplies import WorktreeSupplies

CONTROL_GROUP = "control-group"


@asynccontextmanager
async def toolbox(environment: Mapping[str, str]) -> AsyncIterator[Toolbox]:
    """A process guard for the time of one driver; nothing it started outlives the context."""
    guard = await Guard.start()
    try:
        sandbox = Sandbox(find_programs(environment.get("PATH", "")))
        yield Toolbox(guard, Masker.from_environment(environment), sandbox)
    finally:
        guard.close()


class Store(NamedTuple):
    """The state folder and its open database."""

    home: StateHome
    database: Database


@contextmanager
def open_store(environment: Mapping[str, str]) -> Iterator[Store]:
    """The state folder and its database, created on first use.

    Raises:
        HomeError: the folder cannot be used.
        StoreError: the database cannot be used.
    """
    home = state_home(environment)
    database = Database.open(home)
    try:
        yield Store(home, database)
    finally:
        database.close()


@contextmanager
def open_project(store: Store, user: UserRepository) -> Iterator[ProjectRepository]:
    """Open loopctl's own repository of the project, created on first use."""
    folder = store.home.project_folder(project_id(user)) / "objects.git"
    project = ProjectRepository.open_or_create(folder, user)
    try:
        yield project
    finally:
        project.close()


@contextmanager
def held_lease(store: Store, loop_id: str) -> Iterator[Lease]:
    """The right to drive the loop, given back at the end.

    Raises:
        LeaseError: another driver lives; it is named.
    """
    lease = acquire(store.database, loop_id, ProcessIdentity.of_current(), store.home.locks)
    try:
        yield lease
    finally:
        lease.release()


def refuse_running(store: Store, loop: StoredLoop) -> None:
    """Refuse what would meddle with a driver at work.

    Raises:
        LeaseError: the loop's driver lives; it is named.
    """
    driver = owner(store.database, loop.id)
    if driver is not None and driver.alive:
        raise LeaseError(
            f"the loop {loop.name} is running (process {driver.identity.pid})",
            why="its work is not finished",
            next_step=f"wait for it, or loopctl cancel {shlex.quote(loop.name)}",
        )


def loop_workspace(
    store: Store,
    user: UserRepository,
    project: ProjectRepository,
    spec: LoopSpec,
    loop_id: str,
    *,
    supplies: WorktreeSupplies | None = None,
    home: Path | None = None,
    seal: SpecSeal | None = None,
) -> LoopWorkspace:
    """The worktree of a loop, with the private index beside its other files."""
    return LoopWorkspace(
        spec,
        user,
        project,
        folder=worktree_folder(store, spec),
        index=store.home.loop_folder(loop_id) / INDEX,
        loop_id=loop_id,
        supplies=supplies,
        home=home,
        seal=seal,
    )


def spec_seal(store: Store, project: ProjectRepository, loop_id: str) -> SpecSeal:
    """The seal of what a loop was asked for, as the database has it now."""
    return SpecSeal(project, loop_id, spec_digest(store.database, loop_id))


def worktree_folder(store: Store, spec: LoopSpec) -> Path:
    """Where the worktree of a loop is made."""
    return store.home.project_folder(spec.project) / "worktrees" / spec.name


@dataclass(frozen=True)
class Place:
    """What the parts of one loop are built from.

    Attributes:
        store: the state folder and its database.
        user: the user's repository.
        project: loopctl's own repository of the project.
        loop_id: the loop's row.
        tools: what starts programs.
        environment: loopctl's own environment.
    """

    store: Store
    user: UserRepository
    project: ProjectRepository
    loop_id: str
    tools: Toolbox
    environment: Mapping[str, str]

    @contextmanager
    def journal(self, lease: Lease) -> Iterator[LoopJournal]:
        """The store, as the holder of ``lease`` sees it."""
        journal = LoopJournal(self.store.database, self.loop_id, lease.epoch, self.tools.masker)
        try:
            yield journal
        finally:
            journal.close()

    @asynccontextmanager
    async def processes(self) -> AsyncIterator[Leftovers]:
        """Everything that is started for the loop; what a dead driver left is ended first."""
        note = self.store.home.loop_folder(self.loop_id) / CONTROL_GROUP
        processes = Leftovers(self.tools.guard, self.loop_id, note)
        await processes.begin()
        try:
            yield processes
        finally:
            await processes.close()

    def world(
        self,
        spec: LoopSpec,
        journal: Journal,
        desk: ToolDesk,
        observers: tuple[Observer, ...],
        processes: Processes,
    ) -> World:
        """Build the ports of the loop. Whether its agent could work was seen before.

        Raises:
            UsageError: the agent or a plug-in cannot be used any more.
        """
        folder = self.store.home.loop_folder(self.loop_id)
        logs = folder / "logs"
        logs.mkdir(mode=0o700, exist_ok=True)
        worktree = worktree_folder(self.store, spec)
        checkouts = loop_checkouts(
            spec,
            self.user,
            self.project,
            tools=self.tools,
            environment=self.environment,
            folder=folder,
            worktree=worktree,
        )
        checkouts.sweep()
        roots = project_roots(self.user, worktree)

        def variables(number: int) -> dict[str, str]:
            return agent_variables(
                spec, self.environment, worktree, number, roots=roots, folder=folder
            ) | {MARK: self.loop_id}

        agent = make_agent(
            spec.agent,
            Path(spec.agent_folder),
            self.user,
            base_commit=spec.base_commit,
            tools=self.tools,
            environment=self.environment,
            is_checked=False,
        )
        sandbox = loop_sandbox(
            spec,
            self.user,
            self.project,
            agent,
            tools=self.tools,
            environment=variables(0),
            folder=folder,
            worktree=worktree,
        )
        supplies = worktree_supplies(
            spec,
            self.project,
            tools=self.tools,
            variables=variables(0),
            folder=folder,
            worktree=worktree,
            sandbox=sandbox,
        )
        return World(
            journal=journal,
            workspace=loop_workspace(
                self.store,
                self.user,
                self.project,
                spec,
                self.loop_id,
                supplies=supplies,
                home=home_of(self.environment),
                seal=spec_seal(self.store, self.project, self.loop_id),
            ),
            checkouts=checkouts,
            processes=processes,
            agent=agent,
            evaluators={
                evaluator.name: builtins.evaluator_for(evaluator.executor, self.tools)
                for evaluator in spec.all_evaluators
            },
            policy=builtins.BUDGET_POLICIES.make(spec.plugins.budget_policy),
            pricing=builtins.pricing_for(spec.plugins.pricing, spec.assumed, spec.prices),
            strategy=builtins.HANDOFFS.make(spec.plugins.handoff),
            observers=observers,
            desk=desk,
            environment=variables,
            own_environment=self.environment,
            logs=logs,
            sandbox=sandbox,
        )

    def forget_products(self) -> None:
        """Remove what setups have made and the checkouts: large, and a restart makes them again."""
        for name in (PRODUCTS, CHECKOUTS):
            remove_folder(self.store.home.loop_folder(self.loop_id) / name)
