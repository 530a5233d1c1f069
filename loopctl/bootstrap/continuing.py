"""Use case: go on with a loop whose driver is gone, or which has ended."""

import asyncio
import shlex
from collections.abc import Mapping
from itertools import chain
from pathlib import Path

from loopctl.bootstrap.agent import check_models, make_agent
from loopctl.bootstrap.containing import use_containers
from loopctl.bootstrap.driving import drive, ignore_wake_ups
from loopctl.bootstrap.place import (
    Place,
    Store,
    held_lease,
    open_project,
    open_store,
    refuse_running,
    spec_seal,
    toolbox,
)
from loopctl.bootstrap.sandboxing import check_sandbox
from loopctl.domain.evaluator_spec import JudgeExecutor
from loopctl.domain.events import CapChanges, LoopRestarted
from loopctl.domain.loop import LoopSpec
from loopctl.domain.stop import Status
from loopctl.driver.loop_driver import Outcome
from loopctl.errors import RepositoryError, UsageError
from loopctl.git.repository import UserRepository, discover
from loopctl.git.spec_seal import SpecSeal
from loopctl.ports import Observer
from loopctl.process.toolbox import Toolbox
from loopctl.store.database import Database
from loopctl.store.loop_documents import load_state
from loopctl.store.loops import StoredLoop, find, list_loops
from loopctl.workspace.project import project_id


def restart(
    name: str | None,
    folder: Path,
    changes: CapChanges,
    environment: Mapping[str, str],
    observers: tuple[Observer, ...],
) -> Outcome:
    """Continue a loop and return when it has ended; ``refused`` says why it cannot go on.

    Raises:
        UnknownNameError: there is no such loop.
        UsageError: it is completed, or its agent or one of its models cannot be used any more.
        LeaseError: its driver is alive.
        RepositoryError: its repository is gone.
        StoreError: the database failed.
    """
    ignore_wake_ups()
    with open_store(environment) as store:
        loop = choose(store.database, folder, name, running=False)
        refuse_running(store, loop)
        _refuse_completed(loop)
        event = LoopRestarted(changes=changes)
        return asyncio.run(take_over(store, loop, event, environment, observers))


def _check_agents(
    spec: LoopSpec, user: UserRepository, tools: Toolbox, environment: Mapping[str, str]
) -> None:
    if use_containers(spec.evaluators):
        tools.sandbox.check()
    check_models(_models(spec), environment)
    agent = make_agent(
        spec.agent,
        Path(spec.agent_folder),
        user,
        base_commit=spec.base_commit,
        tools=tools,
        environment=environment,
    )
    check_sandbox(spec.sandbox, agent, tools)


def _models(spec: LoopSpec) -> tuple[str, ...]:
    """Every model that the loop could ask: the agent's and the judges'."""
    judges = (each.executor for each in spec.evaluators)
    asked = (judge.models for judge in judges if isinstance(judge, JudgeExecutor))
    return (*spec.models, *chain.from_iterable(asked))


def _refuse_forged(loop: StoredLoop, seal: SpecSeal) -> None:
    """Refuse to go on with something else than what was asked for at the start.

    Raises:
        UsageError: the specification in the database is another one.
    """
    if seal.is_broken():
        raise UsageError(
            f"the loop {loop.name} is not what it was when it was started",
            why="its goal, commands or protection were changed in loopctl's database, which nobody "
            "but an intruder does; whoever did it has the rights of your user",
            next_step=f"loopctl diff {shlex.quote(loop.name)} shows its work; start a new loop "
            "with --sandbox auto, which keeps the agent from the database",
        )


def _refuse_completed(loop: StoredLoop) -> None:
    if loop.status is Status.COMPLETED:
        raise UsageError(
            f"the loop {loop.name} is completed",
            why="its goal is met, there is nothing to go on with",
            next_step=f"loopctl status {shlex.quote(loop.name)}, or loopctl run with a new goal",
        )


async def take_over(
    store: Store,
    loop: StoredLoop,
    event: LoopRestarted,
    environment: Mapping[str, str],
    observers: tuple[Observer, ...],
) -> Outcome:
    """Drive a loop that nobody drives."""
    with held_lease(store, loop.id) as lease:
        state = load_state(store.database, loop.id)
        user = discover(Path(loop.repository))
        async with toolbox(environment) as tools:
            if event.intent == "continue":  # ending it takes no agent and no key
                _check_agents(state.spec, user, tools, environment)
            with open_project(store, user) as project:
                if event.intent == "continue":
                    _refuse_forged(loop, spec_seal(store, project, loop.id))
                place = Place(store, user, project, loop.id, tools, environment)
                first = event.evolve(unaccounted_s=lease.unaccounted_s)
                return await drive(place, lease, state, first, observers)


def choose(database: Database, folder: Path, name: str | None, *, running: bool) -> StoredLoop:
    """The loop called ``name``, or the only one that can be meant when there is no name.

    Args:
        database: where the loops are.
        folder: where the command was typed; its project is looked at first.
        name: name or id; ``None`` when the user gave none.
        running: whether a running loop is meant, or one that can be restarted.

    Raises:
        UnknownNameError: there is no such loop.
        UsageError: there is no name and not exactly one such loop.
    """
    try:
        project = project_id(discover(folder))
    except RepositoryError:
        project = None
    if name is not None:
        return find(database, project, name)
    wanted = {Status.RUNNING} if running else set(Status) - {Status.COMPLETED}
    known = [loop for loop in list_loops(database, project) if loop.status in wanted]
    if len(known) == 1:
        return known[0]
    what = "running loop" if running else "loop that could be restarted"
    raise UsageError(
        f"there is no {what} here" if not known else f"there is more than one {what}",
        why=", ".join(loop.name for loop in known),
        next_step="loopctl list" if not known else "name one of them",
    )
