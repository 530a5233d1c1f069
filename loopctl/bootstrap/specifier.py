"""From a request and a repository to the frozen specification of a loop, but for its name.

Invariant: everything that a verdict will rest on is looked at here, before an agent exists, and
written down; a loop never looks again at what an agent could have changed.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from loopctl.bootstrap.doctor.programs import Surroundings
from loopctl.bootstrap.equipping import workbench_of
from loopctl.bootstrap.holding_out import frozen_holdout
from loopctl.bootstrap.redirecting import checked_redirections
from loopctl.bootstrap.request import StartRequest, evaluator_specs, holdout_specs
from loopctl.bootstrap.specification import branch_for, protection_of
from loopctl.bootstrap.supplying import checked_supplies
from loopctl.bootstrap.working_folder import working_folder
from loopctl.domain.budget import Budget
from loopctl.domain.evaluator_spec import EvaluatorSpec
from loopctl.domain.holdout import HoldOut
from loopctl.domain.loop import LoopSpec
from loopctl.domain.protection import Protection
from loopctl.domain.supplies import EvaluatorSupplies, WorkspaceSupplies
from loopctl.domain.tool import Workbench
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.repository import UserRepository
from loopctl.workspace.path_text import path_text
from loopctl.workspace.project import project_id

SHOWN_FOLDERS = 20


@dataclass(frozen=True)
class Specifier:
    """What was found before a start, and the specification that it makes.

    Attributes:
        request: what the user asked for.
        budget: the caps.
        user: the user's repository.
        base_tree: tree id of the commit that the loop starts from.
        cwd: where agent and commands run, relative to the root.
        evaluators: those that the agent may know of.
        holdout: what it never sees.
        protection: what is put back before every evaluation.
        given: what the worktree is supplied with.
        judged_with: what checkouts are supplied with.
        workbench: the tools and variables of evaluators.
        told: lines for the user about what leads elsewhere.
        ignored: folders of the checkout that git ignores, the first few.
    """

    request: StartRequest
    budget: Budget
    user: UserRepository
    base_tree: str
    cwd: str
    evaluators: tuple[EvaluatorSpec, ...]
    holdout: HoldOut | None
    protection: Protection
    given: WorkspaceSupplies
    judged_with: EvaluatorSupplies
    workbench: Workbench
    told: tuple[str, ...]
    ignored: tuple[str, ...]

    def __call__(self, name: str) -> LoopSpec:
        """The specification of the loop, called ``name``."""
        request, user = self.request, self.user
        return LoopSpec(
            name=name,
            goal=request.goal,
            project=project_id(user),
            repository=str(user.top_level),
            base_commit=user.head,
            base_tree=self.base_tree,
            branch=branch_for(request, name),
            agent=request.agent,
            models=request.models,
            agent_folder=str(request.folder),
            cwd=self.cwd,
            evaluators=self.evaluators,
            budget=self.budget,
            run_baseline=request.run_baseline,
            round_timeout_s=request.round_timeout_s,
            eval_timeout_s=request.eval_timeout_s,
            max_wait_s=request.max_wait_s,
            protection=self.protection,
            evaluator_env=request.evaluator_env,
            workspace_supplies=self.given,
            evaluator_supplies=self.judged_with,
            assumed=request.assumed,
            plugins=request.plugins,
            log_detail=request.log_detail,
            ignored_folders=self.ignored,
            redirections=self.told,
            workbench=self.workbench,
            on_concern=request.on_concern,
            require_handoff=request.require_handoff,
            prices=request.prices,
            holdout=self.holdout,
            confirm=request.confirm,
            allow_new_tests=request.allow_new_tests,
            container=request.container,
            sandbox=request.sandbox.settings,
        )


def specifier(
    request: StartRequest,
    budget: Budget,
    user: UserRepository,
    project: ProjectRepository,
    *,
    mask: Callable[[str], str],
    environment: Mapping[str, str],
) -> Specifier:
    """Look at the repository and the machine; the name is not certain yet.

    Raises:
        UsageError: something that the loop is to be supplied with cannot be used, or what is
            installed leads to the user's files and cannot be redirected.
    """
    evaluators, cwd = evaluator_specs(request, mask), working_folder(request, user)
    every = (*evaluators, *holdout_specs(request))
    given, judged_with = checked_supplies(request, user, cwd)
    protection = protection_of(request, user, project, cwd)
    workbench, left_out = workbench_of(
        every, judged_with, user=user, project=project, environment=environment, cwd=cwd
    )
    where = Surroundings(
        top=user.top_level,
        known=frozenset(project.entries(user.head)),
        protection=protection,
        share=judged_with.share,
        setup=judged_with.setup,
        path=environment.get("PATH", ""),
        cwd=cwd,
    )
    holdout = frozen_holdout(request, user, where, environment)
    redirections = checked_redirections(
        every,
        request.evaluator_env,
        judged_with,
        user=user,
        project=project,
        environment=environment,
        cwd=cwd,
    )
    return Specifier(
        request=request,
        budget=budget,
        user=user,
        base_tree=project.tree_of(user.head),
        cwd=cwd,
        evaluators=evaluators,
        holdout=holdout,
        protection=protection,
        given=given,
        judged_with=judged_with,
        workbench=workbench,
        told=(*redirections, *left_out),
        ignored=tuple(path_text(path) for path in user.ignored_folders()[:SHOWN_FOLDERS]),
    )
