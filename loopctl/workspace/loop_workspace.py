"""The worktree of one loop and its snapshots, as the driver uses them.

Invariant: one git operation of a loop at a time. A cancelled task does not stop the operation it
has begun; the next one waits until it is over, so that a release never overlaps an add.
"""

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from itertools import count
from pathlib import Path, PurePosixPath
from threading import Lock
from typing import ParamSpec, TypeVar

from loopctl.domain.alert import Harm, alert_text
from loopctl.domain.loop import LoopSpec
from loopctl.domain.snapshot import SHOWN_PATHS, Published, Snapshot
from loopctl.errors import WorkGoneError
from loopctl.git.branch import publish
from loopctl.git.kept_objects import keep_objects
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.repository import UserRepository
from loopctl.git.snapshot import SnapshotConflict, Snapshotter, TakenSnapshot
from loopctl.git.spec_seal import SpecSeal
from loopctl.ports import Difference, PreparedWorkspace
from loopctl.workspace.agent_commits import agent_ref
from loopctl.workspace.difference import difference
from loopctl.workspace.inside_folder import folder_inside
from loopctl.workspace.marker import Marker
from loopctl.workspace.path_text import listed, path_text
from loopctl.workspace.round_snapshot import describe_snapshot
from loopctl.workspace.sign_reader import SignReader
from loopctl.workspace.turn_watch import TurnWatch
from loopctl.workspace.uncommitted import uncommitted_work
from loopctl.workspace.worktree_contents import WorktreeContents
from loopctl.workspace.worktree_folder import WorktreeFolder
from loopctl.workspace.worktree_supplies import WorktreeSupplies

P = ParamSpec("P")
T = TypeVar("T")

_MARKER = "worktree.json"
_LOOKS = 3


class LoopWorkspace:
    """Implements `Workspace` with git.

    Args:
        spec: the loop's frozen specification.
        user: the repository that the branch lives in.
        project: the repository that the snapshots live in.
        folder: where the worktree is made; its parent is loopctl's alone.
        index: the private index; the marker lies beside it.
        loop_id: part of the snapshots' refs.
        supplies: what the worktree is given beside the files of git; None is nothing.
        home: the user's home, of which some files are watched; None watches none.
        seal: seals what was asked for; None seals nothing.
    """

    def __init__(
        self,
        spec: LoopSpec,
        user: UserRepository,
        project: ProjectRepository,
        *,
        folder: Path,
        index: Path,
        loop_id: str,
        supplies: WorktreeSupplies | None = None,
        home: Path | None = None,
        seal: SpecSeal | None = None,
    ) -> None:
        self._spec = spec
        self._user = user
        self._project = project
        self._folder = folder
        self._index = index
        self._loop_id = loop_id
        self._supplies = supplies
        self._seal = seal
        self._lock = Lock()
        marker = Marker(loop_id, str(folder), spec.branch, spec.base_commit)
        self._worktree = WorktreeFolder(user, project, marker, index.with_name(_MARKER))
        objects = project.path / "objects"
        self._watch = TurnWatch.of_loop(user, folder, spec.branch, index, home, objects)
        self._contents = WorktreeContents(user, project, folder, index, spec.base_commit)
        self._signs = SignReader(project, spec.protection, spec.base_commit)
        self._snapshotter = Snapshotter(project, folder, index, spec.base_commit)

    async def prepare(
        self, snapshot: Snapshot | None, *, first_time: bool, branch_tip: str
    ) -> PreparedWorkspace | None:
        """Create, adopt or rebuild the worktree.

        Args:
            snapshot: the newest one.
            first_time: no agent has run yet.
            branch_tip: commit id where loopctl last left the branch.

        Returns:
            The worktree; ``None`` when neither snapshot nor branch is left: nothing was made.

        Raises:
            GitError: branch or folder is somebody else's, or git could not do it.
            SupplyError: the worktree is there, but could not be supplied.
        """
        prepared = await self._alone(self._prepare, snapshot, first_time, branch_tip)
        if prepared is not None and self._supplies is not None:
            await self._supplies.provide()
        if prepared is not None:
            await self._alone(self._watch.begin)
        return prepared

    async def snapshot(
        self, round_number: int, previous: Snapshot | None, *, partial: bool
    ) -> Snapshot:
        """Store the tree as it is now.

        Its ref is ``refs/loopctl/<loop>/rounds/<round>``, with ``.partial`` for a turn that was
        cut short. When a driver died after setting the ref and the tree has moved on, the tree
        of now gets ``.2``, ``.3`` and so on behind it: no ref is ever moved.

        Raises:
            GitError: the worktree is gone, or git could not store it.
        """
        return await self._alone(self._snapshot, round_number, previous, partial)

    async def publish(self, snapshot: Snapshot, branch_tip: str) -> Published:
        """Commit the snapshot's tree on the loop's branch, if the branch is where it was left.

        Raises:
            GitError: git could not do it; the branch is as before.
        """
        return await self._alone(self._publish, snapshot, branch_tip)

    async def difference(self, tree: str, limit: int) -> Difference:
        """How ``tree`` differs from the base commit; the patch has ``limit`` bytes at most.

        Raises:
            GitError: git could not compare them.
        """
        base = self._spec.base_commit
        return await self._alone(difference, self._project, base, tree, limit)

    async def release(self) -> None:
        """Remove worktree and branch of a loop in which nothing was done; twice is harmless."""
        await self._alone(self._remove, self._spec.base_commit)

    def working_folder(self) -> Path:
        """Where an agent works; the root when an earlier turn has put something else there."""
        with suppress(WorkGoneError):
            return folder_inside(self._folder, self._spec.cwd)
        return self._folder

    async def only_here(self, snapshot: Snapshot) -> str:
        """What the worktree has that ``snapshot`` does not hold, for people; ``""`` is nothing.

        Files that git ignores are not looked at.

        Raises:
            GitError: the worktree is gone, or cannot be read.
        """
        return await self._alone(self._only_here, snapshot)

    def _only_here(self, snapshot: Snapshot) -> str:
        staged = self._snapshotter.staged()
        if staged.tree != snapshot.tree:
            return "its files were changed since its last round"
        if staged.left_out:
            return f"no snapshot holds {listed([each.path for each in staged.left_out])}"
        folders = {above for path in self._project.entries(staged.tree) for above in _above(path)}
        nested = sorted(each for each in folders if os.path.lexists(self._folder / each / ".git"))
        if nested:
            return f"no snapshot holds the history of the nested repository {listed(nested)}"
        return path_text("; ".join(staged.notes))

    async def retire(self) -> None:
        """Remove the worktree alone; the branch stays, and the next `prepare` rebuilds it.

        Raises:
            GitError: git could not do it, or the folder is not one that may be removed.
        """
        await self._alone(self._worktree.retire)

    async def discard(self, branch_tip: str) -> bool:
        """Remove worktree and branch, if the branch is where it was left; twice is harmless.

        Returns:
            Whether there was anything to remove.

        Raises:
            GitError: git could not do it, or the folder is not one that may be removed.
        """
        return await self._alone(self._remove, branch_tip)

    async def _alone(self, work: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
        def locked() -> T:
            with self._lock:
                return work(*args, **named)

        return await asyncio.to_thread(locked)

    def _prepare(
        self, snapshot: Snapshot | None, first_time: bool, branch_tip: str
    ) -> PreparedWorkspace | None:
        origin: str | None
        notes: tuple[str, ...] = ()
        if first_time:
            if self._seal is not None:
                self._seal.leave()
            keep_objects(self._project, self._spec.base_commit, self._spec.protection.covers)
            origin = self._worktree.create_or_adopt()
            if origin == "created":
                self._forget_files()
            notes = self._contents.complete(made=origin == "created")
            if origin == "created":
                notes = (*uncommitted_work(self._user), *notes)
            self._snapshotter.prepare()
        elif self._worktree.is_standing:
            origin = "adopted"
        else:
            if self._supplies is not None:
                self._supplies.forget()
            commit = snapshot.commit if snapshot else None
            origin = self._worktree.rebuild(commit, branch_tip)
            if origin:
                files = commit if commit and origin == "rebuilt-from-snapshot" else ""
                notes = self._contents.complete_again(files or self._worktree.tip)
        return PreparedWorkspace(self._folder, branch_tip, origin, notes) if origin else None

    def _snapshot(self, round_number: int, previous: Snapshot | None, partial: bool) -> Snapshot:
        base = self._spec.base_commit
        kept = previous is not None and self._project.read(previous.commit) is not None
        parent = previous.commit if previous is not None and kept else base
        name = f"{round_number}{'.partial' if partial else ''}"
        alerts = self._watch.compare()  # before any git of ours runs
        taken, late = self._take_settled(name, parent)
        snapshot = describe_snapshot(
            self._project,
            self._spec.protection,
            taken,
            base_commit=base,
            parent=parent,
            round_number=round_number,
            signs=self._signs,
            with_new_tests=self._spec.allow_new_tests,
        )
        shown = tuple(path_text(path) for path in late[:SHOWN_PATHS])
        return snapshot.evolve(alerts=alerts, late=shown)

    def _take_settled(self, name: str, parent: str) -> tuple[TakenSnapshot, list[str]]:
        """A snapshot that was looked at again, and what was written in the meantime."""
        late: dict[str, None] = {}
        for _ in range(_LOOKS):
            taken = self._take(name, parent)
            again = self._snapshotter.staged().tree
            if again == taken.tree:
                break
            late |= dict.fromkeys(each.path for each in self._project.diff(taken.tree, again))
        if late:
            note = f"written to after the turn had ended: {listed(list(late))}"
            taken = replace(taken, notes=(*taken.notes, note))
        return taken, list(late)

    def _take(self, name: str, parent: str) -> TakenSnapshot:
        message = f"loopctl: {self._spec.name}, round {name}\n"
        if self._seal is not None:
            message += f"\n{self._seal.trailer}"
        for attempt in count(1):
            suffix = f".{attempt}" if attempt > 1 else ""
            ref = f"refs/loopctl/{self._loop_id}/rounds/{name}{suffix}"
            try:
                return self._snapshotter.take(parent, message, ref)
            except SnapshotConflict:
                continue
        raise AssertionError("unreachable")

    def _publish(self, snapshot: Snapshot, branch_tip: str) -> Published:
        alerts = [each for each in self._watch.compare() if each.harm is Harm.ACTS]
        self._watch.end()
        done = publish(
            self._user,
            self._project,
            self._spec.branch,
            expected=branch_tip,
            snapshot=snapshot.commit,
            subject=f"{self._spec.name}: the tree after round {snapshot.round}",
            loop=self._spec.name,
            onto=self._project.resolve(agent_ref(self._loop_id, snapshot.round)),
        )
        notes = (done.note, *map(alert_text, alerts))
        note = "; ".join(path_text(note) for note in notes if note)
        return Published(commit=done.commit or "", moved=done.moved, note=note)

    def _remove(self, branch_tip: str) -> bool:
        found = self._worktree.remove(branch_tip)
        self._forget_files()
        return found

    def _forget_files(self) -> None:
        """Remove the private index and what is kept beside it, such as the note of supplies."""
        for file in self._index.parent.glob(f"{self._index.name}*"):
            file.unlink(missing_ok=True)


def _above(path: str) -> list[str]:
    """The folders that a path lies in, below the root."""
    return [str(folder) for folder in PurePosixPath(path).parents][:-1]
