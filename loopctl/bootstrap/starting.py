"""Use case: start a loop and drive it to its end.

Everything that can be refused is refused before anything is created: first what needs no
repository, then the repository, then the agent and the plug-ins.
"""

import asyncio
from collections.abc import Mapping

from loopctl.bootstrap.driving import drive, ignore_wake_ups
from loopctl.bootstrap.place import Place, held_lease, open_project, open_store, toolbox
from loopctl.bootstrap.request import StartRequest, check_request
from loopctl.bootstrap.specification import branch_for, check_parts, wanted_name
from loopctl.bootstrap.specifier import specifier
from loopctl.domain.events import LoopStarted
from loopctl.driver.loop_driver import Outcome
from loopctl.git.repository import discover
from loopctl.ports import Observer
from loopctl.store.loop_documents import create_loop, load_state


def start(
    request: StartRequest, environment: Mapping[str, str], observers: tuple[Observer, ...]
) -> Outcome:
    """Start a loop and return when it has ended.

    Args:
        request: what was asked for, with nothing left open (see `preparing`).
        environment: loopctl's own.
        observers: who watches.

    Raises:
        UsageError: the request cannot become a loop; nothing was created.
        RepositoryError: the repository cannot be used; nothing was created.
        StoreError: the database failed.
    """
    check_request(request)
    ignore_wake_ups()
    return asyncio.run(_start(request, environment, observers))


async def _start(
    request: StartRequest, environment: Mapping[str, str], observers: tuple[Observer, ...]
) -> Outcome:
    name = wanted_name(request)
    user = discover(request.folder)
    async with toolbox(environment) as tools:
        budget = check_parts(request, user, tools, environment)
        with open_store(environment) as store, open_project(store, user) as project:
            loop_id = create_loop(
                store.database,
                store.home,
                name,
                specifier(
                    request, budget, user, project, mask=tools.masker.mask, environment=environment
                ),
                lambda name: (
                    request.branch is None and user.branch_exists(branch_for(request, name))
                ),
            )
            place = Place(store, user, project, loop_id, tools, environment)
            with held_lease(store, loop_id) as lease:
                state = load_state(store.database, loop_id)
                return await drive(place, lease, state, LoopStarted(), observers)
