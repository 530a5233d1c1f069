"""What leads programs to the user's checkout instead of their own: seen at start, led elsewhere.

Invariant: a loop whose evaluators cannot be led to what they are to judge does not start.
"""

import os
import posixpath
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from loopctl.domain.evaluator_spec import EvaluatorSpec, ShellExecutor
from loopctl.domain.loop import LoopSpec
from loopctl.domain.supplies import EvaluatorSupplies, lacks, share_line
from loopctl.errors import SupplyError, UsageError
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.repository import UserRepository
from loopctl.process.toolbox import Toolbox
from loopctl.workspace.checkout_environment import CheckoutEnvironment
from loopctl.workspace.checkout_imports import CheckoutImports
from loopctl.workspace.command_programs import names_of, programs_of
from loopctl.workspace.editable_installs import Pointer, ProjectRoots, spellings
from loopctl.workspace.import_probe import ImportProbe
from loopctl.workspace.interpreters import Commands
from loopctl.workspace.path_text import path_text
from loopctl.workspace.redirection import Redirection, redirected_lines

_NOWHERE = Path("/nonexistent")
_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
_LONGEST_SCRIPT = 200_000  # bytes
_BUILT = (".py", ".so", ".pyd")
_LEGACY = ("easy-install.pth", ".egg-link")
_SHOWN = 10


def checked_redirections(
    evaluators: tuple[EvaluatorSpec, ...],
    passed: tuple[str, ...],
    supplies: EvaluatorSupplies,
    *,
    user: UserRepository,
    project: ProjectRepository,
    environment: Mapping[str, str],
    cwd: str = "",
) -> tuple[str, ...]:
    """What will be redirected in the loop's evaluations, one line each.

    Args:
        evaluators: those of the loop.
        passed: the variables that they receive.
        supplies: what their checkouts are given.
        user: the repository; no agent exists.
        project: loopctl's own one.
        environment: the user's.
        cwd: folder in which the evaluators run, relative to the root.

    Raises:
        UsageError: something cannot be redirected; nothing was created.
    """
    commands = run_commands(evaluators, project, user.head, cwd)
    redirection = Redirection(spellings(user.checkouts()), commands)
    made = CheckoutEnvironment(environment, passed, {}, supplies, user.top_level)
    # A shared environment is a copy, which does not exist yet, and in which nothing leads back.
    variables = made.seen_from(_NOWHERE)
    _refuse_own_programs(variables["PATH"], commands, user, project)
    found = redirection.find(variables, _NOWHERE)
    try:
        redirection.check(found)
    except SupplyError as error:
        raise UsageError(error.message, why=error.why, next_step=error.next_step) from error
    copies = redirection.copies(variables, _NOWHERE)
    lacking = _lacking(found.pointers, supplies, user, project)
    return (*found.told, *redirected_lines(found.pointers), *copies, *lacking)


def run_commands(
    evaluators: Iterable[EvaluatorSpec],
    project: ProjectRepository,
    base_commit: str,
    cwd: str = "",
) -> Commands:
    """The commands of the evaluators, with the scripts of the base commit that they run."""
    shell = tuple(
        each.executor.command for each in evaluators if isinstance(each.executor, ShellExecutor)
    )
    entries = project.entries(base_commit)
    names = [name for command in shell for name in programs_of(command)]
    if any("make" in command for command in shell):
        names += _MAKEFILES
    names = [posixpath.normpath(posixpath.join(cwd, name)) for name in names]
    contents = (project.read(entries[name].blob) for name in names if name in entries)
    scripts = (os.fsdecode(content[2][:_LONGEST_SCRIPT]) for content in contents if content)
    return Commands(shell, tuple(scripts), cwd)


def project_roots(user: UserRepository, worktree: Path) -> frozenset[str]:
    """Every folder with files of the project, in every spelling."""
    return spellings((*user.checkouts(), worktree))


def checkout_imports(
    spec: LoopSpec,
    user: UserRepository,
    project: ProjectRepository,
    tools: Toolbox,
    worktree: Path,
) -> CheckoutImports:
    """What leads the evaluators of a loop to their checkouts."""
    commands = run_commands(spec.all_evaluators, project, spec.base_commit, spec.cwd)
    redirection = Redirection(project_roots(user, worktree), commands)
    return CheckoutImports(redirection, ImportProbe(tools, commands))


def _refuse_own_programs(
    path: str, commands: Commands, user: UserRepository, project: ProjectRepository
) -> None:
    """Refuse a program that PATH finds among the committed files of the user's checkout."""
    roots = ProjectRoots.of(spellings(user.checkouts()), _NOWHERE)
    entries = project.entries(user.head)
    for name in (name for command in commands.shell for name in names_of(command)):
        program = shutil.which(name, path=path)
        inside = None if program is None else roots.inside(os.path.realpath(program))
        if program is not None and inside is not None and inside in entries:
            near = posixpath.relpath(inside, commands.cwd or ".")
            raise UsageError(
                f"{name} is {path_text(program)}, which is {path_text(inside)} of your checkout",
                why="it would judge with your files, not with those of the loop",
                next_step=f"name it by its path: ./{path_text(near)}",
            )


def _lacking(
    pointers: tuple[Pointer, ...],
    supplies: EvaluatorSupplies,
    user: UserRepository,
    project: ProjectRepository,
) -> tuple[str, ...]:
    """What the packages have in the user's checkout that git ignores, such as built modules."""
    if not pointers:
        return ()
    tracked = {path.rpartition("/")[0] for path in project.entries(user.head)}
    found = (
        path.removesuffix("/")
        for path in user.ignored_paths()
        if any(_is_needed(path, pointer, tracked, user.top_level) for pointer in pointers)
    )
    missing = tuple(path_text(path) for path in found if path not in supplies.share)[:_SHOWN]
    if not missing:
        return ()
    supply = f"build them in the stop command, or {share_line(missing)} supplies them"
    return (f"{lacks(missing)}; {supply}",)


def _is_needed(path: str, pointer: Pointer, tracked: set[str], top: Path) -> bool:
    """Whether an ignored path is imported through the pointer.

    It is when the pointer leads into it, or when it is a module or a package among tracked files.
    Metadata lies beside the sources when an old tool has installed them.
    """
    inside = pointer.inside
    if f"{inside}/".startswith(path):
        return True
    folder = inside.rpartition("/")[0] if inside.endswith(".py") else inside
    if folder and not path.startswith(f"{folder}/"):
        return False
    if path.endswith(".egg-info/"):
        return pointer.file.name.endswith(_LEGACY)
    is_package = path.endswith("/") and (top / path / "__init__.py").is_file()
    beside = path.rstrip("/").rpartition("/")[0]
    return (path.endswith(_BUILT) or is_package) and beside in {"", *tracked}
