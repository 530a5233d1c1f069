"""What of the machine a sandboxed agent can see.

Its worktree, the system, toolchains, a HOME and a folder for temporary files of its own, a git
folder of its own. Invariant: of loopctl's folders the worktree alone is there, and of the user's
repository the objects, to be read; what is mounted in a folder that an agent writes to is
mounted on a real file or folder, never through a link that it has left there.
"""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from loopctl.domain.confinement import Confinement, Limits, Mount
from loopctl.process.sandbox.system import parts_of_system
from loopctl.workspace.agent_variables import TEMPORARY
from loopctl.workspace.removal import remove_folder


@dataclass(frozen=True)
class AgentFolders:
    """The folders of one loop that stand for others in its agent's sandbox.

    Attributes:
        root: holds them, and nobody sees it.
    """

    root: Path

    @property
    def home(self) -> Path:
        """HOME."""
        return self.root / "home"

    @property
    def temporary(self) -> Path:
        """``/tmp``."""
        return self.root / "tmp"

    @property
    def clone(self) -> Path:
        """The agent's git folder, which is at the same path in the sandbox."""
        return self.root / "git"

    @property
    def git_file(self) -> Path:
        """What is the worktree's ``.git``."""
        return self.root / "git-file"

    @property
    def pinned(self) -> Path:
        """What repositories of submodules find in place of the objects that loopctl keeps."""
        return self.root / "pinned"

    @property
    def outbox(self) -> Path:
        """Where the bundle of its commits is put."""
        return self.root / "out"


@dataclass(frozen=True)
class AgentView:
    """The view of one loop's agent.

    Attributes:
        folders: what stands for others.
        home: the user's HOME, which is the agent's path of it.
        worktree: where the agent works.
        objects: folders with git's objects.
        readable: further files and folders that it may read.
        writable: further ones that it may change.
        copies: folders of the user's of which it has copies, and where these are.
        hidden: folders that do not exist for it, but for what is mounted in them; those that lie
            in the system are empty.
        borrowed: the folder of objects that repositories of submodules borrow from.
        limits: its caps.
    """

    folders: AgentFolders
    home: Path
    worktree: Path
    objects: tuple[Path, ...]
    readable: tuple[Path, ...] = ()
    writable: tuple[Path, ...] = ()
    copies: tuple[tuple[Path, Path], ...] = ()
    hidden: tuple[Path, ...] = ()
    borrowed: Path | None = None
    limits: Limits = field(default_factory=Limits)

    def confinement(self, socket: str = "") -> Confinement:
        """The view as a value. Nothing of the agent may be alive when it is made.

        Args:
            socket: path of the socket of loopctl's tools; ``""`` for none.
        """
        private = [
            _mount(self.home, self.folders.home, writable=True),
            _mount(Path(TEMPORARY), self.folders.temporary, writable=True),
            *(_mount(path, source, writable=True) for path, source in self.copies),
        ]
        private.sort(key=lambda each: len(each.path))  # one may be in the other
        mounts = (
            *(_mount(path, optional=True) for path in self.readable),
            *(_mount(path, writable=True, optional=True) for path in self.writable),
            _mount(self.worktree, writable=True),
            _mount(self.worktree / ".git", self.folders.git_file),
            _mount(self.folders.clone, writable=True),
            *(_mount(path) for path in self.objects),
            *self._pinned(),
            *((_mount(Path(socket), writable=True),) if socket else ()),
        )
        return Confinement(
            mounts=_on_points(private, mounts),
            hidden=parts_of_system(self.hidden),
            home=str(self.home),
            network=True,
            limits=self.limits,
        )

    def bundling(self) -> Confinement:
        """What the program sees that brings the agent's commits out: no worktree, no network."""
        self.folders.outbox.mkdir(exist_ok=True, mode=0o700)
        mounts = (
            *(_mount(path, optional=True) for path in self.readable),
            *(_mount(path) for path in (*self.objects, self.folders.clone)),
            _mount(self.folders.outbox, writable=True),
        )
        return Confinement(mounts=mounts, hidden=parts_of_system(self.hidden), limits=self.limits)

    def _pinned(self) -> tuple[Mount, ...]:
        if self.borrowed is None or not self.folders.pinned.is_dir():
            return ()
        return (_mount(self.borrowed, self.folders.pinned),)


def _on_points(private: Sequence[Mount], mounts: Iterable[Mount]) -> tuple[Mount, ...]:
    """All of them, with what they are mounted on where that is in a private one."""
    every = (*private, *mounts)
    for mount in every:
        _make_point(mount, private)
    return every


def _make_point(mount: Mount, private: Sequence[Mount]) -> None:
    """Make what is mounted on, where that is in a folder that the agent writes to."""
    path, source = Path(mount.path), Path(mount.source or mount.path)
    within = [
        each for each in private if path.is_relative_to(each.path) and mount.path != each.path
    ]
    if within and source.exists():
        inner = max(within, key=lambda each: len(each.path))
        make_point(Path(inner.source), path.relative_to(inner.path), is_folder=source.is_dir())


def make_point(root: Path, inside: Path, *, is_folder: bool) -> None:
    """Make a folder or an empty file below ``root``, over real folders alone."""
    here = root
    for part in inside.parts[:-1]:
        here /= part
        _make_folder(here)
    point = root / inside
    if is_folder:
        _make_folder(point)
    elif point.is_symlink() or not point.is_file():
        if point.is_dir() and not point.is_symlink():
            remove_folder(point)
        point.unlink(missing_ok=True)
        point.touch(mode=0o600)


def _make_folder(path: Path) -> None:
    if path.is_symlink() or not path.is_dir():
        path.unlink(missing_ok=True)
        path.mkdir(mode=0o755)


def _mount(
    path: Path, source: Path | None = None, *, writable: bool = False, optional: bool = False
) -> Mount:
    where = "" if source is None else os.fspath(source)
    return Mount(path=os.fspath(path), source=where, writable=writable, optional=optional)
