"""The place of one checkout: its files, its HOME and its TMPDIR, in a folder used once.

Invariant: blocking work in it is done one piece after the other, and ends before it is removed:
a cancelled task leaves no thread that writes into a folder that is going.
"""

import asyncio
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import TypeVar

from loopctl.domain.confinement import Confinement
from loopctl.process.sandbox.owner import UNPRIVILEGED
from loopctl.workspace.container import Container
from loopctl.workspace.ownership import give
from loopctl.workspace.redirection import HOOK, Led
from loopctl.workspace.removal import remove_folder
from loopctl.workspace.short_folder import make_short_folder

T = TypeVar("T")


class CheckoutPlace:
    """The folder of one checkout.

    Args:
        folder: empty, for us alone; no one else knows its name.

    Attributes:
        folder: as given.
        work: where the files of the tree are put.
        home: HOME of the programs.
        hook: what leads interpreters to the files, when there is anything to lead.
        tmp: TMPDIR of the programs; the folder itself until a shorter one is made.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.work = folder / "work"
        self.home = folder / "home"
        self.hook = folder / HOOK
        self.tmp = folder
        self._lock = Lock()

    def named(self, root: Path) -> dict[str, Path]:
        """The folders of an evaluation in ``root``: each has another name the next time."""
        return {"CHECKOUT": root, "HOME": self.home, "TMPDIR": self.tmp}

    async def give(self, root: Path, box: Container | None) -> None:
        """Let the programs of a container write to the checkout and its folders.

        Raises:
            OSError: as root, one could not be given to their user id.
        """
        if box is not None:
            ours = [self.home, self.tmp, root, *filter(Path.exists, [self.hook])]
            await self.in_thread(lambda: give(UNPRIVILEGED, *ours))

    def around(
        self, root: Path, box: Container | None, led: Led | None = None
    ) -> Confinement | None:
        """What programs see when their files are in ``root``."""
        if box is None:
            return None
        pointers = led.pointers if led else ()
        return box.around(root, pointers, hook=self.hook, home=self.home, tmp=self.tmp)

    async def in_thread(self, work: Callable[[], T]) -> T:
        """Do blocking work in the folder."""

        def locked() -> T:
            with self._lock:
                return work()

        return await asyncio.to_thread(locked)

    def discard(self) -> None:
        """Remove it; work that a cancelled task has begun ends first."""
        with self._lock:
            remove_folder(self.tmp)
            remove_folder(self.folder)


@contextmanager
def new_place(root: Path) -> Iterator[CheckoutPlace]:
    """A new folder with an empty HOME and TMPDIR, for us alone; it is removed at the end.

    Args:
        root: the folder in which it is made; made when it is not there.
    """
    root.mkdir(parents=True, exist_ok=True, mode=0o700)
    place = CheckoutPlace(Path(tempfile.mkdtemp(dir=root, prefix="")))
    try:
        place.home.mkdir(mode=0o700)
        place.tmp = make_short_folder(place.folder)
        yield place
    finally:
        # The event loop waits for its worker threads when it ends: nothing stays behind.
        asyncio.get_running_loop().run_in_executor(None, place.discard)
