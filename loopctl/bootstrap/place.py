"""Where everything of one loop is: its repository, its folders, its process guard.

A place is opened by a use case and closed when the driver has ended. Closing it ends every
process that was started for the loop.
"""

import os
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from loopctl.bootstrap import builtins
from loopctl.domain.loop import LoopSpec
from loopctl.driver.world import World
from loopctl.errors import UsageError
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.repository import UserRepository
from loopctl.ports import AgentRunner, Journal, Observer
from loopctl.process.guard_client import Guard
from loopctl.process.identity import ProcessIdentity
from loopctl.process.leftovers import Leftovers
from loopctl.process.masking import Masker
from loopctl.process.toolbox import Toolbox
from loopctl.store.database import Database
from loopctl.store.home import StateHome, state_home
from loopctl.store.journal import LoopJournal
from loopctl.store.lease import Lease, acquire
from loopctl.workspace.agent_environment import agent_environment
from loopctl.workspace.checkouts import LoopCheckouts
from loopctl.workspace.loop_workspace import LoopWorkspace
from loopctl.workspace.project import project_id


@asynccontextmanager
async def toolbox(environment: Mapping[str, str]) -> AsyncIterator[Toolbox]:
    """A process guard for the time of one driver; nothing it started outlives the context."""
    guard = await Guard.start()
    try:
        yield Toolbox(guard, Masker.from_environment(environment))
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

    def world(self, spec: LoopSpec, journal: Journal, observers: tuple[Observer, ...]) -> World:
        """Build the ports of the loop.

        Raises:
            UsageError: the agent or a plug-in cannot be used any more.
        """
        folder = self.store.home.loop_folder(self.loop_id)
        logs = folder / "logs"
        logs.mkdir(mode=0o700, exist_ok=True)
        checkouts = LoopCheckouts(
            self.project, folder / "checkouts", self.environment, spec.evaluator_env
        )
        checkouts.sweep()
        workspace = LoopWorkspace(
            spec,
            self.user,
            self.project,
            folder=self.store.home.project_folder(spec.project) / "worktrees" / spec.name,
            index=folder / "index",
            loop_id=self.loop_id,
        )
        return World(
            journal=journal,
            workspace=workspace,
            checkouts=checkouts,
            processes=Leftovers(self.tools.guard),
            agent=make_agent(
                spec.agent, Path(spec.agent_folder), self.user, spec.base_commit, self.tools
            ),
            evaluators={
                evaluator.name: builtins.evaluator_for(evaluator.executor, self.tools)
                for evaluator in spec.evaluators
            },
            policy=builtins.BUDGET_POLICIES.make(spec.plugins.budget_policy),
            pricing=builtins.PRICING.make(spec.plugins.pricing, assumed=spec.assumed),
            strategy=builtins.HANDOFFS.make(spec.plugins.handoff),
            observers=observers,
            environment=lambda number: agent_environment(self.environment, spec.name, number),
            logs=logs,
        )


def make_agent(
    agent: str, folder: Path, user: UserRepository, base_commit: str, tools: Toolbox
) -> AgentRunner:
    """The agent runner that ``agent`` names: ``SCHEME:ARGUMENT``, a name, or a dotted path.

    Args:
        agent: as the user typed it.
        folder: where it was typed.
        user: the user's repository.
        base_commit: what the agent's worktree starts from.
        tools: what starts programs.

    Raises:
        UsageError: there is none, or it cannot be used here.
    """
    scheme, separator, argument = agent.partition(":")
    known = separator and scheme in builtins.AGENTS.names()
    name = scheme if known else agent
    if not name:
        raise UsageError(
            "no agent is named", next_step='add --agent "cmd:./my-agent.sh" (or another command)'
        )

    def is_tracked(path: str) -> bool:
        inside = os.path.relpath(folder / path, user.top_level)
        return user.path_in_commit(base_commit, inside)

    runner = builtins.AGENTS.make(
        name,
        argument=argument if known else "",
        folder=folder,
        is_tracked=is_tracked,
        tools=tools,
    )
    runner.check()
    return runner
