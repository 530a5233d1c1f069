"""The held-out files in an evaluator's checkout, where they lie over the judged tree.

Invariant: what is laid over is exactly what was there at start; nothing of it is written through a
link of the tree, and the folder itself is in no checkout that others see.
"""

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from loopctl.domain.holdout import HoldOut
from loopctl.errors import SupplyError
from loopctl.workspace.folder_copy import Move, copy_moved
from loopctl.workspace.holdout_digest import digest_of
from loopctl.workspace.removal import remove_folder

LayOver = Callable[[Path, Path], None]


def nothing_held_out(checkout: Path, beside: Path) -> None:
    """For a loop without held-out files."""
    del checkout, beside


class HoldOutFiles:
    """Lays the files of a hold-out over checkouts.

    Args:
        holdout: what is held out; it has a folder.
    """

    def __init__(self, holdout: HoldOut) -> None:
        self._folder = Path(holdout.folder)
        self._digest = holdout.digest

    def lay_over(self, checkout: Path, beside: Path) -> None:
        """Put every held-out file into ``checkout``, in the place of whatever is there.

        Args:
            checkout: a fresh one, to be used once.
            beside: a folder of ours on the same file system.

        Raises:
            SupplyError: the folder is not what it was at start, or cannot be read.
        """
        # What is compared is what is used: a copy that nobody else knows of.
        copy = Path(tempfile.mkdtemp(dir=beside, prefix="held-"))
        try:
            kept = copy / "files"
            shutil.copytree(self._folder, kept, symlinks=True)
            if digest_of(kept) != self._digest:
                raise SupplyError(
                    "the hold-out folder is not what it was when the loop was started",
                    why=f"something in {self._folder} was changed, and it may not judge any more",
                    next_step="put it back as it was and restart the loop, or start a new loop",
                )
            for file in (path for path in kept.rglob("*") if path.is_file()):
                copy_moved(file, checkout / file.relative_to(kept), Move(kept, checkout))
        except OSError as error:
            raise SupplyError(
                "the held-out files could not be laid over the checkout",
                why=str(error),
                next_step="make the folder readable, then restart the loop",
            ) from error
        finally:
            remove_folder(copy)
