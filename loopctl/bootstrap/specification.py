"""From a request and a repository to the frozen specification of a loop."""

from collections.abc import Callable, Mapping

from loopctl.bootstrap import builtins
from loopctl.bootstrap.agent import check_models, make_agent
from loopctl.bootstrap.caps import check_budget, models_of
from loopctl.bootstrap.naming import check_name, name_from_goal
from loopctl.bootstrap.redirecting import checked_redirections
from loopctl.bootstrap.request import StartRequest, evaluator_specs, has_surrogates
from loopctl.bootstrap.supplying import checked_supplies
from loopctl.bootstrap.working_folder import working_folder
from loopctl.domain.budget import Budget
from loopctl.domain.loop import LoopSpec
from loopctl.domain.protection import Protection
from loopctl.errors import RepositoryError, UsageError
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.repository import UserRepository
from loopctl.process.toolbox import Toolbox
from loopctl.workspace.path_text import path_text
from loopctl.workspace.project import project_id
from loopctl.workspace.protection import build_protection

BRANCH_PREFIX = "loopctl/"
SHOWN_FOLDERS = 20


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
    check_models(models_of(request), environment)
    for spec in evaluator_specs(request, tools.masker.mask):
        builtins.evaluator_for(spec.executor, tools)
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
        commands=(*request.stops, supplies.setup, supplies.teardown),
        protect=request.protect,
        allow=request.allow,
        cwd=cwd,
    )


def specifier(
    request: StartRequest,
    budget: Budget,
    user: UserRepository,
    project: ProjectRepository,
    *,
    mask: Callable[[str], str],
    environment: Mapping[str, str],
) -> Callable[[str], LoopSpec]:
    """A function that makes the specification as soon as the name is certain.

    Raises:
        UsageError: something that the loop is to be supplied with cannot be used, or what is
            installed leads to the user's files and cannot be redirected.
    """
    evaluators = evaluator_specs(request, mask)
    cwd = working_folder(request, user)
    given, judged_with = checked_supplies(request, user, cwd)
    protection = protection_of(request, user, project, cwd)
    base_tree = project.tree_of(user.head)
    redirections = checked_redirections(
        evaluators,
        request.evaluator_env,
        judged_with,
        user=user,
        project=project,
        environment=environment,
        cwd=cwd,
    )
    ignored = tuple(path_text(path) for path in user.ignored_folders()[:SHOWN_FOLDERS])

    def specify(name: str) -> LoopSpec:
        return LoopSpec(
            name=name,
            goal=request.goal,
            project=project_id(user),
            repository=str(user.top_level),
            base_commit=user.head,
            base_tree=base_tree,
            branch=branch_for(request, name),
            agent=request.agent,
            models=request.models,
            agent_folder=str(request.folder),
            cwd=cwd,
            evaluators=evaluators,
            budget=budget,
            run_baseline=request.run_baseline,
            round_timeout_s=request.round_timeout_s,
            eval_timeout_s=request.eval_timeout_s,
            max_wait_s=request.max_wait_s,
            protection=protection,
            evaluator_env=request.evaluator_env,
            workspace_supplies=given,
            evaluator_supplies=judged_with,
            assumed=request.assumed,
            plugins=request.plugins,
            log_detail=request.log_detail,
            ignored_folders=ignored,
            redirections=redirections,
            on_concern=request.on_concern,
            require_handoff=request.require_handoff,
            prices=request.prices,
        )

    return specify
