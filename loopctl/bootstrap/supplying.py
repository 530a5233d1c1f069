"""What a loop's worktree and checkouts are supplied with: checked at start, built for a driver."""

import re
from collections.abc import Mapping
from pathlib import Path

from loopctl.bootstrap.containing import loop_container
from loopctl.bootstrap.equipping import watched_inputs
from loopctl.bootstrap.redirecting import checkout_imports, project_roots
from loopctl.bootstrap.request import StartRequest
from loopctl.domain.loop import LoopSpec
from loopctl.domain.supplies import EvaluatorGit, EvaluatorSupplies, WorkspaceSupplies
from loopctl.errors import UsageError
from loopctl.git.checkout_repository import History, read_history
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.repository import UserRepository
from loopctl.ports import AgentSandbox
from loopctl.process.marked import MARK
from loopctl.process.toolbox import Toolbox
from loopctl.workspace.agent_environment import agent_environment
from loopctl.workspace.checkout_environment import CheckoutEnvironment
from loopctl.workspace.checkout_files import CheckoutFiles
from loopctl.workspace.checkouts import LoopCheckouts
from loopctl.workspace.evaluator_setup import EvaluatorSetup
from loopctl.workspace.holdout_files import HoldOutFiles, LayOver, nothing_held_out
from loopctl.workspace.redirection import Redirection
from loopctl.workspace.setup_command import SetupCommand
from loopctl.workspace.setup_products import SetupProducts
from loopctl.workspace.shared_paths import checked_shares, inside_checkout, redirected
from loopctl.workspace.teardown import LONGEST_TEARDOWN_S, Teardown
from loopctl.workspace.worktree_supplies import WorktreeSupplies

INDEX = "index"
PRODUCTS = "setup"
CHECKOUTS = "checkouts"


def checked_supplies(
    request: StartRequest, user: UserRepository, cwd: str
) -> tuple[WorkspaceSupplies, EvaluatorSupplies]:
    """The supplies of the request, with every path checked and in its plainest form.

    Args:
        request: what the user asked for.
        user: the user's repository.
        cwd: where commands run; a checkout that is limited to paths has this folder as well.

    Raises:
        UsageError: a path cannot be used; nothing was created.
    """
    given, judged_with = request.workspace_supplies, request.evaluator_supplies
    paths = tuple(inside_checkout(path, "[evaluator] paths") for path in judged_with.paths)
    if paths and cwd:
        paths = tuple(dict.fromkeys((*paths, cwd)))
    for path in paths:
        if not user.path_in_commit(user.head, path):
            raise UsageError(
                f"[evaluator] paths names {path}, which the base commit does not have",
                next_step="commit it, or take it out of [evaluator] paths",
            )
    for cache in judged_with.cache:
        if not cache.startswith(("~/", "/")) or ".." in cache.split("/"):
            raise UsageError(
                f"[evaluator] cache cannot name {cache!r}",
                why="a cache is an absolute path, or begins with ~/",
            )
    return (
        given.evolve(share=checked_shares(user, given.share, "[workspace] share")),
        judged_with.evolve(
            share=checked_shares(user, judged_with.share, "[evaluator] share"), paths=paths
        ),
    )


def loop_checkouts(
    spec: LoopSpec,
    user: UserRepository,
    project: ProjectRepository,
    *,
    tools: Toolbox,
    environment: Mapping[str, str],
    folder: Path,
    worktree: Path,
) -> LoopCheckouts:
    """The checkouts of a loop whose own folder is ``folder``."""
    supplies, source, logs = spec.evaluator_supplies, Path(spec.repository), folder / "logs"
    history = None
    if supplies.git is EvaluatorGit.HISTORY:
        history = _frozen_history(user, spec.base_commit, folder)
    setup = teardown = None
    if supplies.setup:
        setup = EvaluatorSetup(
            SetupCommand("[evaluator] setup", supplies.setup, tools),
            SetupProducts(project, folder / PRODUCTS, supplies.setup),
            logs,
        )
    if supplies.teardown:
        teardown = SetupCommand(
            "[evaluator] teardown", supplies.teardown, tools, LONGEST_TEARDOWN_S
        )
    compose = _compose_project(spec.name, folder.name)
    fixed = {"COMPOSE_PROJECT_NAME": compose, MARK: folder.name}
    files = CheckoutFiles(
        project,
        spec.base_commit,
        supplies,
        source,
        history=history,
        protection=spec.protection,
    )
    frozen = dict(spec.workbench.variables)
    variables = CheckoutEnvironment(
        environment, spec.evaluator_env, fixed, supplies, source, frozen=frozen
    )
    home, checkouts = folder.parent.parent, folder / CHECKOUTS
    return LoopCheckouts(
        checkouts,
        files,
        variables,
        setup,
        Teardown(teardown, logs),
        imports=checkout_imports(spec, user, project, tools, worktree),
        cwd=spec.cwd,
        home=home,
        hold_out=_hold_out(spec),
        inputs=watched_inputs(
            spec,
            files,
            variables,
            user=user,
            project=project,
            folder=folder,
            worktree=worktree,
        ),
        container=loop_container(
            spec,
            user,
            project,
            variables,
            home=home,
            checkouts=checkouts,
            roots=project_roots(user, worktree),
        ),
    )


def _hold_out(spec: LoopSpec) -> LayOver:
    """What lays the held-out files over a checkout."""
    if spec.holdout is None or not spec.holdout.folder:
        return nothing_held_out
    return HoldOutFiles(spec.holdout).lay_over


def worktree_supplies(
    spec: LoopSpec,
    project: ProjectRepository,
    *,
    tools: Toolbox,
    variables: Mapping[str, str],
    folder: Path,
    worktree: Path,
    sandbox: AgentSandbox | None,
) -> WorktreeSupplies:
    """The supplies of the worktree of a loop whose own folder is ``folder``."""
    supplies = spec.workspace_supplies
    setup = None
    if supplies.setup:
        setup = SetupCommand("[workspace] setup", supplies.setup, tools)
    return WorktreeSupplies(
        project=project,
        supplies=supplies,
        source=Path(spec.repository),
        folder=worktree,
        note=folder / f"{INDEX}.supplied",  # goes when the index goes: with the worktree
        setup=setup,
        environment=variables,
        log=folder / "logs" / "workspace-setup.log",
        sandbox=sandbox,
    )


def agent_variables(
    spec: LoopSpec,
    environment: Mapping[str, str],
    worktree: Path,
    round_number: int,
    *,
    roots: frozenset[str],
    folder: Path,
) -> dict[str, str]:
    """The agent's variables in a round.

    An activated environment that is shared is its copy, and an editable install of the project
    leads to the worktree.

    Args:
        spec: the loop.
        environment: the user's.
        worktree: where the agent works.
        round_number: counted from 1.
        roots: folders with files of the project.
        folder: the loop's own, for what is to be written.
    """
    shared = spec.workspace_supplies.share
    own = redirected(environment, Path(spec.repository), worktree, shared)
    led = Redirection(roots).lead_if_possible(own, worktree, folder)
    return agent_environment(led.variables, spec.name, round_number)


def _frozen_history(user: UserRepository, base_commit: str, folder: Path) -> History:
    """The history as it was before an agent could make tags in the user's repository."""
    tags, shallow = folder / "history-tags", folder / "history-shallow"
    if not shallow.exists():
        read = read_history(user, base_commit)
        tags.write_bytes(read.tags)
        shallow.write_bytes(read.shallow)
    return History(tags.read_bytes(), shallow.read_bytes())


def _compose_project(name: str, loop_id: str) -> str:
    """A name that docker compose accepts; containers of two loops never meet."""
    return re.sub(r"[^a-z0-9_-]", "-", f"loopctl-{name}-{loop_id[:8]}".lower())
