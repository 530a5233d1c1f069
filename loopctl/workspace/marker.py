"""The marker: a note, outside the worktree, that says which folder and branch a loop has made.

It is written before the worktree is made and removed after it is gone. Invariant: a folder or
branch that no marker names is not ours, whatever it is called.
"""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from loopctl.errors import GitError


@dataclass(frozen=True, slots=True)
class Marker:
    """What a loop has made, or was about to make.

    Attributes:
        loop: id of the loop.
        path: folder of the worktree.
        branch: short name of the branch.
        base: commit id at which the branch was made.
        complete: the worktree was made to its end.
    """

    loop: str
    path: str
    branch: str
    base: str
    complete: bool = False


def read_marker(file: Path) -> Marker | None:
    """The marker, ``None`` when there is none.

    Raises:
        GitError: the file is damaged, so that nothing can be said about folder and branch.
    """
    try:
        return Marker(**json.loads(file.read_bytes()))
    except FileNotFoundError:
        return None
    except (ValueError, TypeError) as error:
        raise GitError(
            f"{file} is damaged",
            why="it says which worktree and branch belong to the loop",
            next_step=f"look at the worktree beside it, then rm {file}",
        ) from error


def write_marker(file: Path, marker: Marker) -> None:
    """Store the marker; it is on the disk before this returns."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    fresh = file.with_name(file.name + ".new")
    fresh.touch(mode=0o600)
    with fresh.open("w") as stream:
        json.dump(asdict(marker), stream)
        stream.flush()
        os.fsync(stream.fileno())
    fresh.replace(file)
