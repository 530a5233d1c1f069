"""What evaluators work with beside the tree: found at start, watched by every driver.

Invariant: what is found is frozen in the specification before an agent exists.
"""

import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from loopctl.bootstrap.redirecting import project_roots, run_commands
from loopctl.domain.evaluator_spec import EvaluatorSpec
from loopctl.domain.loop import LoopSpec
from loopctl.domain.supplies import EvaluatorSupplies
from loopctl.domain.tool import Workbench
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.repository import UserRepository
from loopctl.process.environment import is_locale
from loopctl.store.home import home_path
from loopctl.workspace.base_writes import BaseWrites
from loopctl.workspace.checkout_environment import CheckoutEnvironment
from loopctl.workspace.checkout_files import CheckoutFiles
from loopctl.workspace.editable_installs import ProjectRoots
from loopctl.workspace.installed_again import is_installed_again
from loopctl.workspace.installed_files import Installed, look
from loopctl.workspace.installed_watch import InstalledWatch
from loopctl.workspace.interpreters import site_folders
from loopctl.workspace.path_text import path_text
from loopctl.workspace.resolved_tools import named_words, resolve_tools
from loopctl.workspace.search_path import Places, SearchPath, search_path
from loopctl.workspace.tool_watch import ToolWatch
from loopctl.workspace.watched_inputs import WatchedInputs

_NOWHERE = Path("/nonexistent")
_WRITES = "base-writes.json"
_SCRIPTS = "scripts"
_NODE_MODULES = "node_modules"


def workbench_of(
    evaluators: Iterable[EvaluatorSpec],
    supplies: EvaluatorSupplies,
    *,
    user: UserRepository,
    project: ProjectRepository,
    environment: Mapping[str, str],
    cwd: str = "",
) -> tuple[Workbench, tuple[str, ...]]:
    """What the evaluators of a loop work with, and what the user is to be told of it.

    Args:
        evaluators: all of them, the held-out ones among them.
        supplies: what their checkouts are given.
        user: the repository; no agent exists.
        project: loopctl's own one.
        environment: the user's.
        cwd: folder in which the evaluators run, relative to the root.
    """
    commands = run_commands(evaluators, project, user.head, cwd)
    shell = tuple(filter(None, (*commands.shell, supplies.setup, supplies.teardown)))
    names = named_words((*shell, *commands.scripts))
    places = Places(
        home_path(environment),
        (*user.checkouts(), Path(environment.get("TMPDIR") or tempfile.gettempdir())),
        tuple(user.top_level / path for path in supplies.share),
    )
    path = search_path(environment.get("PATH", ""), names, places)
    locale = {name: value for name, value in sorted(environment.items()) if is_locale(name)}
    bench = Workbench(
        variables=tuple({"PATH": path.value, **locale}.items()),
        tools=resolve_tools(shell, commands.scripts, path.value),
    )
    return bench, _told(path)


def watched_inputs(
    spec: LoopSpec,
    files: CheckoutFiles,
    variables: CheckoutEnvironment,
    *,
    user: UserRepository,
    project: ProjectRepository,
    folder: Path,
    worktree: Path,
) -> WatchedInputs:
    """What the verdicts of a loop, whose own folder is ``folder``, rest on.

    Args:
        spec: the loop.
        files: what its checkouts are filled with.
        variables: the variables of its evaluators.
        user: its repository.
        project: loopctl's own one.
        folder: the loop's own, for what is to be kept.
        worktree: where its agent works.
    """
    writes = BaseWrites(folder / _WRITES)
    commands = run_commands(spec.all_evaluators, project, spec.base_commit, spec.cwd)
    roots = ProjectRoots.of(project_roots(user, worktree), _NOWHERE)
    shared = spec.evaluator_supplies.share
    # The copies are made anew each time: what they are copies of is looked at.
    place = Path(spec.repository) if shared else _NOWHERE
    node = [place / path for path in shared if Path(path).name == _NODE_MODULES]

    def look_around() -> Installed:
        return look(site_folders(variables.variables(_NOWHERE, _NOWHERE), commands, place), node)

    return WatchedInputs(
        files,
        spec.protection,
        base_tree=spec.base_tree,
        tools=ToolWatch(spec.workbench, writes, folder / _SCRIPTS),
        installed=InstalledWatch(
            look_around,
            lambda file: is_installed_again(file, roots),
            writes,
            enforced=spec.run_baseline,
        ),
    )


def _told(path: SearchPath) -> tuple[str, ...]:
    return tuple(
        f"left out of PATH for evaluators, because others write there: {path_text(entry)}"
        for entry in path.left_out
    )
