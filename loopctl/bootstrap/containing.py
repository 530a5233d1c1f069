"""Containers of a loop's evaluators: seen to be possible before a start, built for a driver.

Invariant: what a container could not do is refused by name before anything is created; none of it
is done outside instead.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

from loopctl.bootstrap.request import StartRequest, evaluator_specs
from loopctl.domain.confinement import ContainerSettings
from loopctl.domain.evaluator_spec import EvaluatorSpec, Isolation, ShellExecutor
from loopctl.domain.loop import LoopSpec
from loopctl.domain.supplies import EvaluatorGit, EvaluatorSupplies
from loopctl.errors import UsageError
from loopctl.git.judged_objects import JudgedObjects
from loopctl.git.object_folders import object_folders
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.repository import UserRepository
from loopctl.process.sandbox.owner import is_root
from loopctl.process.toolbox import Toolbox
from loopctl.store.home import home_path
from loopctl.workspace.checkout_environment import CheckoutEnvironment
from loopctl.workspace.container import Container
from loopctl.workspace.path_text import listed, path_text
from loopctl.workspace.visible_toolchains import Hidden, visible_toolchains

OBJECTS = "objects"
_OTHER = "use --isolation separate-worktree"
_NOWHERE = Path("/nonexistent")


def check_containers(request: StartRequest, tools: Toolbox, environment: Mapping[str, str]) -> None:
    """See that the containers of a request can be made, when there are any.

    Raises:
        UsageError: one could not be; says why and what to do.
    """
    if not use_containers(evaluator_specs(request, tools.masker.mask)):
        return
    tools.sandbox.check()
    home = home_path(environment)
    _check_read(request.container, Hidden((home, home.resolve())))
    if is_root():
        _check_as_root(request.evaluator_supplies)


def use_containers(specs: Iterable[EvaluatorSpec]) -> bool:
    """Whether one of these evaluators runs in a container."""
    return any(spec.isolation is Isolation.CONTAINER for spec in specs)


def loop_container(
    spec: LoopSpec,
    user: UserRepository,
    project: ProjectRepository,
    environment: CheckoutEnvironment,
    *,
    home: Path,
    checkouts: Path,
    roots: frozenset[str],
) -> Container | None:
    """What the containers of a loop have in common; None when it has none.

    Args:
        spec: the loop.
        user: the user's repository.
        project: loopctl's own one.
        environment: what gives evaluators their variables.
        home: loopctl's state folder.
        checkouts: the folder of the loop's checkouts.
        roots: the folders with files of the project.
    """
    held_out = spec.holdout.evaluators if spec.holdout else ()
    if not use_containers((*spec.evaluators, *held_out)):
        return None
    supplies, settings = spec.evaluator_supplies, spec.container
    shell = [
        each.executor.command
        for each in (*spec.evaluators, *held_out)
        if isinstance(each.executor, ShellExecutor)
    ]
    visible = visible_toolchains(
        environment.seen_from(_NOWHERE),
        (*shell, supplies.setup, supplies.teardown),
        [user.top_level / share for share in supplies.share],
        Hidden(
            own=tuple(dict.fromkeys((home, home.resolve(), *held_out_folders(spec)))),
            projects=(*user.checkouts(), user.common_dir),
            homes=(environment.home,),
        ),
    )
    objects, history = None, tuple[Path, ...]()
    if supplies.git is EvaluatorGit.ONE_COMMIT:
        objects = JudgedObjects(project, checkouts / OBJECTS)
    elif supplies.git is EvaluatorGit.HISTORY:
        history = object_folders(project.path / "objects")
    caches = tuple(str(environment.cache(cache)) for cache in supplies.cache)
    return Container(
        settings,
        (*visible, *settings.read),
        caches,
        objects,
        history,
        roots,
        hidden=(home, user.common_dir, *held_out_folders(spec)),
    )


def held_out_folders(spec: LoopSpec) -> tuple[Path, ...]:
    """The folder of held-out files, which nobody may see as it lies."""
    return (Path(spec.holdout.folder),) if spec.holdout and spec.holdout.folder else ()


def _check_read(settings: ContainerSettings, hidden: Hidden) -> None:
    for path in map(Path, settings.read):
        if hidden.would_show(path) or hidden.holds(path):
            raise UsageError(
                f"[container] read cannot name {path_text(str(path))}",
                why=f"loopctl keeps its state in {path_text(str(hidden.own[0]))}, which no "
                "evaluator may see",
                next_step="name the parts that are needed",
            )


def _check_as_root(supplies: EvaluatorSupplies) -> None:
    """Refuse what programs that are not root could not use, as loopctl itself is root."""
    because = "as root, programs in a container run as a user without rights, who may not read it"
    if supplies.cache:
        raise UsageError(
            f"[evaluator] cache ({listed(supplies.cache)}) cannot be used in a container of root",
            why=because,
            next_step=f"run loopctl as an ordinary user, take it out, or {_OTHER}",
        )
    if supplies.git is EvaluatorGit.HISTORY:
        raise UsageError(
            '[evaluator] git = "history" cannot be used in a container of root',
            why=because,
            next_step=f'run loopctl as an ordinary user, use git = "one-commit", or {_OTHER}',
        )
