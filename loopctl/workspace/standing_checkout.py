"""A standing checkout: the folder of a big tree that evaluations use one after the other.

Writing 60,000 files takes longer than most checks. Before each evaluation the folder is made what
a fresh one would be; when that fails for any reason it is thrown away and made anew. Invariants:
two evaluations never use it at once, and what was not filled to its end is not used again.
"""

import contextlib
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from loopctl.errors import GitError
from loopctl.git.judged_objects import JudgedObjects
from loopctl.git.swept_folder import Stamp
from loopctl.workspace.checkout_files import CheckoutFiles, StandingFiles
from loopctl.workspace.removal import remove_folder
from loopctl.workspace.setup_products import SetupProducts

# Fewer files are written anew in less than a tenth of a second, which is not worth that a PASS
# on a folder that was used before has to be confirmed in a fresh one.
SMALLEST = 2_000
_WORK = "work"


class Filled(NamedTuple):
    """A checkout with its files.

    Attributes:
        folder: its root.
        warnings: what the evidence has to mention.
        reused: the folder was used before.
        stamps: what its files were like when they were written; None when nobody has looked.
    """

    folder: Path
    warnings: tuple[str, ...]
    reused: bool
    stamps: Mapping[str, Stamp] | None = None


class StandingCheckout:
    """The one standing checkout of a loop; its folder comes and goes.

    Args:
        root: a folder for this loop's checkouts alone, in which names nobody can guess are made.
        files: what a checkout is filled with.
    """

    def __init__(self, root: Path, files: CheckoutFiles) -> None:
        self._root = root
        self._files = files
        self._taken = Lock()
        self._working = Lock()
        self._place: Path | None = None  # holds the files
        self._beside: Path | None = None  # holds their index, and what was swept away
        self._standing: StandingFiles | None = None

    def suits(self, tree: str) -> bool:
        """Whether a tree is big enough to be worth it.

        Raises:
            GitError: there is no such tree.
        """
        return self._files.count(tree) >= SMALLEST

    def take(self) -> bool:
        """Reserve it for one evaluation; False: another one has it."""
        return self._taken.acquire(blocking=False)

    def release(self) -> None:
        """End the reservation; the next one may use the folder."""
        self._taken.release()

    def abandon(self) -> None:
        """Remove it and end the reservation; work that a cancelled task has begun ends first."""
        with self._working:
            self._discard()
        self._taken.release()

    def fill(
        self, tree: str, products: SetupProducts | None, objects: JudgedObjects | None = None
    ) -> Filled:
        """Make it a checkout of ``tree``; only for who has taken it.

        Args:
            tree: tree id, the judged one.
            products: what the setup has made, when it was run.
            objects: what git borrows from, when not from everything that there is.

        Raises:
            GitError: the tree could not be exported.
            SupplyError: something could not be copied.
        """
        with self._working:
            if self._standing is not None and self._is_alone():
                # Whatever is wrong with the old folder, a new one has it not.
                with contextlib.suppress(GitError, OSError):
                    return self._filled(self._standing, tree, products, objects, reused=True)
            self._discard()
            self._standing = self._make()
            return self._filled(self._standing, tree, products, objects, reused=False)

    def empty_trash(self) -> None:
        """Remove what was swept away; this may take as long as there is a lot."""
        standing = self._standing
        if standing is not None:
            trash = standing.export.trash
            with contextlib.suppress(OSError):
                for name in os.listdir(trash):  # noqa: PTH208 - only the names
                    remove_folder(trash / name)

    def _is_alone(self) -> bool:
        """Whether nothing was put beside the folder: tools look for their settings above it."""
        try:
            return self._place is not None and os.listdir(self._place) == [_WORK]  # noqa: PTH208
        except OSError:
            return False

    def _filled(
        self,
        standing: StandingFiles,
        tree: str,
        products: SetupProducts | None,
        objects: JudgedObjects | None,
        *,
        reused: bool,
    ) -> Filled:
        folder = standing.export.folder
        warnings = self._files.fill(tree, folder, products, standing, objects)
        plain = products is None and self._files.is_plain(tree)
        return Filled(folder, warnings, reused, standing.export.stamps if plain else None)

    def _make(self) -> StandingFiles:
        self._root.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._place = Path(tempfile.mkdtemp(dir=self._root, prefix=""))
        self._beside = Path(tempfile.mkdtemp(dir=self._root, prefix=""))
        return self._files.standing(self._place / _WORK, self._beside)

    def _discard(self) -> None:
        self._standing = None
        for folder in (self._place, self._beside):
            if folder is not None:
                remove_folder(folder)
        self._place = self._beside = None
