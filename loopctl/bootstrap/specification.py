"""Whether a request can become a loop in this repository: each part is seen before a start.

Invariant: nothing is created here, and each check can be made alone, as the doctor does.
"""

from collections.abc import Mapping

from loopctl.bootstrap import builtins
from loopctl.bootstrap.agent import check_models, make_agent
from loopctl.bootstrap.caps import check_budget, models_of
from loopctl.bootstrap.containing import check_containers
from loopctl.bootstrap.evaluator_names import check_evaluator_names
from loopctl.bootstrap.naming import check_name, name_from_goal
from loopctl.bootstrap.request import (
    StartRequest,
    evaluator_specs,
    has_surrogates,
    holdout_specs,
)
from loopctl.bootstrap.sandboxing import check_sandbox
from loopctl.domain.budget import Budget
from loopctl.domain.protection import Protection
from loopctl.errors import RepositoryError, UsageError
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.repository import UserRepository
from loopctl.process.toolbox import Toolbox
from loopctl.workspace.protection import build_protection

BRANCH_PREFIX = "loopctl/"


def check_parts(
    request: StartRequest, user: UserRepository, tools: Toolbox, environment: Mapping[str, str]
) -> Budget:
    """See that the agent and every plug-in of the request can be used; return the caps.

    Raises:
        UsageError: one of them cannot; nothing was created.
        RepositoryError: a part of the base commit is not here.
    """
    check_folder(request)
    check_branch(request, user)
    check_objects(user)
    agent = make_agent(
        request.agent,
        request.folder,
        user,
        base_commit=user.head,
        tools=tools,
        environment=environment,
    )
    check_sandbox(request.sandbox.settings, agent, tools)
    check_models(models_of(request), environment)
    check_evaluator_names(request)
    for spec in (*evaluator_specs(request, tools.masker.mask), *holdout_specs(request)):
        builtins.evaluator_for(spec.executor, tools)
    check_containers(request, tools, environment)
    builtins.BUDGET_POLICIES.make(request.plugins.budget_policy)
    pricing = builtins.pricing_for(request.plugins.pricing, request.assumed, request.prices)
    builtins.HANDOFFS.make(request.plugins.handoff)
    return check_budget(request, agent, pricing.rate)


def check_folder(request: StartRequest) -> None:
    """See that the path of the folder is text.

    Raises:
        UsageError: it is not.
    """
    if has_surrogates(str(request.folder)):
        raise UsageError(
            "the path of this folder is not valid UTF-8",
            why="it could not be stored nor shown",
            next_step="rename the folder, or clone the repository to another one",
        )


def check_objects(user: UserRepository) -> None:
    """See that the whole base commit is here.

    Raises:
        RepositoryError: a partial clone has not fetched all of it.
    """
    missing = user.missing_objects(user.head)
    if missing:
        raise RepositoryError(
            f"this partial clone lacks {missing} objects of the commit that the loop starts from",
            why="a loop gets the whole tree, and loopctl fetches nothing by itself",
            next_step="git rev-list --objects --missing=print 'HEAD^{tree}' | sed -n 's/^?//p' | "
            "git fetch origin --no-tags --no-write-fetch-head --filter=blob:none --stdin",
        )


def check_branch(request: StartRequest, user: UserRepository) -> None:
    """See that git can make the loop's branch.

    Raises:
        UsageError: it cannot.
    """
    wanted = branch_for(request, wanted_name(request))
    another = "choose another --branch, or leave it out"
    if not user.can_be_branch(wanted):
        raise UsageError(f"{wanted!r} cannot be the name of a branch", next_step=another)
    if request.branch is not None and user.branch_exists(wanted):
        raise UsageError(
            f"the branch {wanted!r} exists already",
            why="loopctl works on a branch of its own and never takes one of yours",
            next_step=another,
        )
    hindrance = user.branch_in_the_way(wanted)
    if hindrance is not None:
        raise UsageError(
            f"git cannot make the branch {wanted!r} beside your branch {hindrance!r}",
            next_step="choose another --branch, such as --branch loop-1",
        )


def wanted_name(request: StartRequest) -> str:
    """The name that the loop would like to have; a number is added when it is taken.

    Raises:
        UsageError: the user's own choice cannot be used.
    """
    return name_from_goal(request.goal) if request.name is None else check_name(request.name)


def branch_for(request: StartRequest, name: str) -> str:
    """The branch of a loop called ``name``."""
    return request.branch or f"{BRANCH_PREFIX}{name}"


def protection_of(
    request: StartRequest, user: UserRepository, project: ProjectRepository, cwd: str
) -> Protection:
    """What is protected in a loop of this request."""
    supplies = request.evaluator_supplies
    return build_protection(
        project,
        user.head,
        commands=(*request.commands, supplies.setup, supplies.teardown),
        protect=request.protect,
        allow=request.allow,
        cwd=cwd,
    )
