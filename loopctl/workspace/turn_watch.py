"""What is watched beside the tree while a loop runs: the user's git folder and their home.

Invariant: it is looked at after each turn before anything of ours runs there, and once more when
the loop ends; from then on a change is not the agent's.
"""

from pathlib import Path
from typing import Self

from loopctl.domain.alert import Alert, Harm
from loopctl.git.repository import UserRepository
from loopctl.git.sentinel.watch import Sentinel
from loopctl.git.special_objects import special_objects
from loopctl.workspace.home_watch import HomeWatch
from loopctl.workspace.path_text import path_text

PUT_BACK = "put-back"


class TurnWatch:
    """The watches of one loop."""

    def __init__(self, sentinel: Sentinel, home: HomeWatch | None, *objects: Path) -> None:
        self._sentinel = sentinel
        self._home = home
        self._objects = objects

    @classmethod
    def of_loop(
        cls,
        user: UserRepository,
        worktree: Path,
        branch: str,
        index: Path,
        home: Path | None,
        *objects: Path,
    ) -> Self:
        """The watches of a loop whose private index is ``index``; its files lie beside it.

        Args:
            user: the user's repository.
            worktree: where the agent works.
            branch: short name of the loop's branch.
            index: the private index.
            home: the user's home; None is not watched.
            objects: further folders of git's objects.
        """
        picture, kept = index.with_name(f"{index.name}.sentinel"), index.with_name(PUT_BACK)
        sentinel = Sentinel(user, worktree, branch, file=picture, kept=kept)
        own = user.common_dir / "objects"
        return cls(sentinel, HomeWatch(home) if home else None, own, *objects)

    def begin(self) -> None:
        """Start watching; call it when the worktree is there and no agent runs."""
        self._sentinel.begin()
        if self._home is not None:
            self._home.begin()

    def compare(self) -> tuple[Alert, ...]:
        """What is different since the last call."""
        found = (*self._freed(), *self._sentinel.compare())
        if self._home is not None:
            found = (*found, *self._home.compare())
        return tuple(
            each.evolve(
                what=path_text(each.what),
                detail=path_text(each.detail),
                next_step=path_text(each.next_step),
            )
            for each in found
        )

    def _freed(self) -> tuple[Alert, ...]:
        """Take away what git would wait for; nothing is lost with it."""
        special = dict.fromkeys(
            each for folder in self._objects for each in special_objects(folder)
        )
        for each in special:
            each.unlink(missing_ok=True)
        return tuple(
            Alert(
                kind="git-folder",
                what=str(each),
                detail="was no file, and git would have waited for it",
                harm=Harm.ACTS,
                reverted=True,
            )
            for each in special
        )

    def end(self) -> None:
        """The loop has ended."""
        self._sentinel.end()
