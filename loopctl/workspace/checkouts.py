"""Checkouts: the places in which evaluators run.

``separate-worktree`` is a fresh export of the judged tree in a folder that nobody can guess;
``same-workspace`` is the worktree itself. Invariant: either way the evaluator gets an environment
from the allow-list and a HOME and a TMPDIR that nobody has written to, used once.
"""

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Lock

from loopctl.domain.evaluator_spec import Isolation
from loopctl.errors import UsageError
from loopctl.git.export import export_tree
from loopctl.git.project_repository import ProjectRepository
from loopctl.ports import Checkout
from loopctl.process.environment import evaluator_environment
from loopctl.workspace.path_text import path_text
from loopctl.workspace.removal import remove_folder

_AVAILABLE = (Isolation.SEPARATE_WORKTREE, Isolation.SAME_WORKSPACE)


class LoopCheckouts:
    """The checkouts of one loop.

    Args:
        project: where the trees are.
        root: a folder for this loop's checkouts alone; made when it is not there.
        environment: the user's variables.
        passed: names of variables that evaluators receive beside the fixed ones.
    """

    def __init__(
        self,
        project: ProjectRepository,
        root: Path,
        environment: Mapping[str, str],
        passed: tuple[str, ...] = (),
    ) -> None:
        self._project = project
        self._root = root
        self._environment = dict(environment)
        self._passed = passed

    @asynccontextmanager
    async def open(
        self, tree: str, isolation: Isolation, workspace: Path
    ) -> AsyncIterator[Checkout]:
        """A checkout of ``tree``; its folder is removed afterwards, while the loop goes on.

        Args:
            tree: tree id, the judged one.
            isolation: what kind of place.
            workspace: the loop's worktree.

        Raises:
            UsageError: this version has no such isolation.
            GitError: the tree could not be exported.
        """
        if isolation not in _AVAILABLE:
            raise UsageError(
                f"the isolation {isolation} is not available in this version",
                next_step="use --isolation " + " or ".join(_AVAILABLE),
            )
        place, busy = self._new_place(), Lock()
        try:
            folder = workspace
            warnings: tuple[str, ...] = ()
            if isolation is Isolation.SEPARATE_WORKTREE:
                folder = place / "work"
                links = await asyncio.to_thread(self._export, tree, folder, busy)
                warnings = tuple(
                    f"{path_text(link)} is a link that leads out of the tree: it was left out"
                    for link in links
                )
            yield Checkout(folder, tree, isolation, self._variables(place), warnings)
        finally:
            # The event loop waits for its worker threads when it ends: nothing stays behind.
            asyncio.get_running_loop().run_in_executor(None, _discard, place, busy)

    def sweep(self) -> None:
        """Remove what the checkouts of a dead driver have left; call it before the first one."""
        if self._root.is_dir():
            for name in os.listdir(self._root):  # noqa: PTH208 - only the names
                remove_folder(self._root / name)

    def _new_place(self) -> Path:
        """A new folder with an empty HOME and TMPDIR, for us alone."""
        self._root.mkdir(parents=True, exist_ok=True, mode=0o700)
        place = Path(tempfile.mkdtemp(dir=self._root, prefix=""))
        for name in ("home", "tmp"):
            (place / name).mkdir(mode=0o700)
        return place

    def _export(self, tree: str, folder: Path, busy: Lock) -> tuple[str, ...]:
        with busy:
            return export_tree(self._project, tree, folder)

    def _variables(self, place: Path) -> dict[str, str]:
        home, tmp = str(place / "home"), str(place / "tmp")
        return evaluator_environment(self._environment, self._passed, home, tmp)


def _discard(place: Path, busy: Lock) -> None:
    """Remove a checkout; an export that a cancelled task has begun ends first."""
    with busy:
        remove_folder(place)
