"""The container of one loop's evaluators: what of the machine their programs see.

Paths are the same inside as outside, because environments and results name them. Invariant: beside
the system and toolchains, which can be read, there is the one checkout with its HOME and TMPDIR;
the user's checkout, the loop's worktree, loopctl's state and its logs do not exist.
"""

import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from loopctl.domain.confinement import (
    DEFAULT_LIMITS,
    Confinement,
    ContainerSettings,
    Mount,
)
from loopctl.git.judged_objects import JudgedObjects
from loopctl.process.sandbox.owner import is_root
from loopctl.process.sandbox.system import parts_of_system
from loopctl.workspace.editable_installs import Pointer

_FOR_ALL = stat.S_IROTH | stat.S_IXOTH


@dataclass(frozen=True)
class Container:
    """What all containers of a loop have in common.

    Attributes:
        settings: what the user says.
        visible: folders and files of the machine that can be read.
        caches: the user's folders that are passed as they are, readable and writable.
        objects: what git shows of the judged tree; None without git, or with a history.
        history: folders of objects that git borrows from when it shows the history.
        roots: folders with files of the project, which do not exist in a container.
        hidden: further ones that do not: state, git folder, held-out files.
    """

    settings: ContainerSettings
    visible: tuple[str, ...] = ()
    caches: tuple[str, ...] = ()
    objects: JudgedObjects | None = None
    history: tuple[Path, ...] = ()
    roots: frozenset[str] = frozenset()
    hidden: tuple[Path, ...] = ()

    @property
    def can_stand(self) -> bool:
        """Whether a checkout can be used again: not when root has given it away."""
        return not is_root()

    def around(
        self, root: Path, pointers: Iterable[Pointer], *, hook: Path, home: Path, tmp: Path
    ) -> Confinement:
        """What programs see of one checkout.

        Args:
            root: the checkout.
            pointers: the editable installs that are redirected to it.
            hook: what redirects them, when it is there.
            home: its HOME.
            tmp: its TMPDIR.
        """
        objects = () if self.objects is None else (self.objects.folder,)
        visible = (each for path in self.visible for each in _opened(Path(path)))
        shown = map(str, (*visible, *objects, *self.history))
        return Confinement(
            mounts=(
                *(Mount(path=path, optional=True) for path in shown),
                Mount(path=str(hook), optional=True),
                *(Mount(path=path, writable=True) for path in self.caches),
                *(Mount(path=str(path), writable=True) for path in (home, tmp, root)),
                *self._counterparts(root, pointers),
            ),
            hidden=parts_of_system((*map(Path, self.roots), *self.hidden)),
            network=self.settings.network,
            limits=self.settings.limits.or_else(DEFAULT_LIMITS),
            backend=self.settings.backend,
        )

    def _counterparts(self, root: Path, pointers: Iterable[Pointer]) -> Iterator[Mount]:
        """The checkout's own files where an editable install leads to.

        Python leaves out a path that does not exist, and then there is nothing to redirect.
        """
        for inside in dict.fromkeys(pointer.inside for pointer in pointers):
            for project in sorted(self.roots):
                place = str(Path(project, inside))
                yield Mount(path=place, source=str(root / inside), optional=True)

    def labels(self) -> tuple[str, ...]:
        """What the evidence has to mention."""
        return ("the container may use the network",) if self.settings.network else ()


def _opened(path: Path) -> Iterator[Path]:
    """What is mounted so that programs can enter a folder which only root may enter outside.

    Its entries, in a folder that everybody may enter. What is in them keeps its permissions.
    """
    if is_root() and path.is_dir() and path.stat().st_mode & _FOR_ALL != _FOR_ALL:
        yield from sorted(path.iterdir())
    else:
        yield path
