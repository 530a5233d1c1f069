"""Use case: say what a run here would do.

The checks are those of a start, in its order, but none ends the others. The specification of the
loop is built as a start builds it, with a project repository that is thrown away.
"""

import asyncio
import posixpath
from collections.abc import Mapping
from pathlib import Path

from loopctl.bootstrap import builtins
from loopctl.bootstrap.containing import check_containers
from loopctl.bootstrap.doctor.agent import agent
from loopctl.bootstrap.doctor.diagnosis import Finding, Topic, refusal, refused_by
from loopctl.bootstrap.doctor.imports import imports
from loopctl.bootstrap.doctor.judging import judging
from loopctl.bootstrap.doctor.machine import machine
from loopctl.bootstrap.doctor.programs import Surroundings
from loopctl.bootstrap.doctor.proof import proof
from loopctl.bootstrap.doctor.protection import protected
from loopctl.bootstrap.doctor.repository import repository
from loopctl.bootstrap.doctor.state import state
from loopctl.bootstrap.doctor.supplies import supplies, supplies_of_evaluators, variables
from loopctl.bootstrap.place import toolbox
from loopctl.bootstrap.preparing import prepare
from loopctl.bootstrap.request import StartRequest
from loopctl.bootstrap.scratch import scratch_project
from loopctl.bootstrap.specification import (
    check_branch,
    check_folder,
    check_objects,
    protection_of,
)
from loopctl.bootstrap.working_folder import working_folder
from loopctl.errors import LoopctlError, UsageError
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.repository import UserRepository, discover
from loopctl.observe.plain import one_line


def examine(
    request: StartRequest | None, folder: Path, environment: Mapping[str, str]
) -> tuple[Topic, ...]:
    """Every topic of a run.

    Args:
        request: what would be asked for; None: its configuration cannot be read.
        folder: where the command was typed.
        environment: loopctl's own.
    """
    try:
        user = discover(folder)
    except LoopctlError as error:
        return (
            Topic("repository", findings=(refusal(error),)),
            machine(environment),
            state(environment),
        )
    with scratch_project(user) as project:
        found = [repository(user, project)]
        if request is not None:
            request, *choices = _prepared(request, environment)
            found += choices
            found += asyncio.run(_request(request, user, project, environment))
    return *found, machine(environment), state(environment)


def _prepared(
    request: StartRequest, environment: Mapping[str, str]
) -> tuple[StartRequest, *tuple[Topic, ...]]:
    """The request as it would be started, and what was chosen for it, if anything."""
    try:
        request, told = prepare(request, environment)
    except LoopctlError as error:
        return request, Topic("choices", findings=(refusal(error),))
    if not told:
        return (request,)
    rows = tuple(("chosen", one_line(line)) for line in told)
    return request, Topic("choices", rows, {"chosen": list(told)})


async def _request(
    request: StartRequest,
    user: UserRepository,
    project: ProjectRepository,
    environment: Mapping[str, str],
) -> list[Topic]:
    async with toolbox(environment) as tools:
        known = frozenset(project.entries(user.head))
        cwd, misplaced = _cwd(request, user)
        misplaced += refused_by(lambda: check_containers(request, tools, environment))
        protection = protection_of(request, user, project, cwd)
        supplied = supplies_of_evaluators(request)
        where = Surroundings(
            top=user.top_level,
            known=known,
            protection=protection,
            share=tuple(map(posixpath.normpath, supplied.share)),
            setup=supplied.setup,
            path=environment.get("PATH", ""),
            cwd=cwd,
        )
        return [
            *([agent(request, user, tools, environment)] if request.agent else []),
            judging(request, tools, where),
            *proof(request, user, where, environment),
            protected(request, protection, known),
            supplies(request, user, where),
            *imports(request, user, project, tools, environment=environment, cwd=cwd),
            variables(request, environment, user),
            *_names(request, user, misplaced),
        ]


def _cwd(request: StartRequest, user: UserRepository) -> tuple[str, tuple[Finding, ...]]:
    """Where commands would run, relative to the root, or why they could not."""
    try:
        return working_folder(request, user), ()
    except UsageError as error:
        return "", (refusal(error),)


def _names(
    request: StartRequest, user: UserRepository, misplaced: tuple[Finding, ...]
) -> list[Topic]:
    """What has a name: folders, the branch, the plug-ins; a topic only when one is refused."""
    findings: list[Finding] = [
        *misplaced,
        *refused_by(lambda: check_folder(request)),
        *refused_by(lambda: check_branch(request, user)),
        *refused_by(lambda: check_objects(user)),
        *refused_by(lambda: builtins.BUDGET_POLICIES.make(request.plugins.budget_policy)),
        *refused_by(
            lambda: builtins.pricing_for(request.plugins.pricing, request.assumed, request.prices)
        ),
        *refused_by(lambda: builtins.HANDOFFS.make(request.plugins.handoff)),
    ]
    return [Topic("names", findings=tuple(findings))] if findings else []
