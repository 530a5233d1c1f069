"""The sentinel at work: from picture to picture, with alerts for what differs.

Invariant: the picture goes on from comparison to comparison, so that nothing is missed between
two turns. One that another driver has left is compared and nothing is put back: while nobody drove
the loop, the user may have changed what they liked.
"""

import contextlib
import os
from dataclasses import replace
from pathlib import Path

from loopctl.domain.alert import SHOWN_ALERTS, Alert, Harm
from loopctl.git.repository import UserRepository
from loopctl.git.sentinel.compare import findings
from loopctl.git.sentinel.kept import Kept
from loopctl.git.sentinel.picture import NOTHING, Picture, take_picture
from loopctl.git.sentinel.picture_file import read_picture, write_picture
from loopctl.git.sentinel.places import Places, places_of
from loopctl.git.sentinel.restorer import Restorer
from loopctl.git.sentinel.seen import is_folder
from loopctl.git.sentinel.siblings import Siblings


class Sentinel:
    """Watches the user's repository for one loop. One caller at a time.

    Args:
        user: the repository.
        worktree: where the agent works.
        branch: short name of the loop's branch.
        file: where the picture is stored for the next driver.
        kept: folder for what is taken away.
    """

    def __init__(
        self, user: UserRepository, worktree: Path, branch: str, *, file: Path, kept: Path
    ) -> None:
        self._user = user
        self._worktree = worktree
        self._branch = branch
        self._file = file
        self._kept = Kept(kept, user.common_dir)
        self._places: Places | None = None
        self._picture: Picture | None = None
        self._is_inherited = False
        self._siblings = Siblings()

    def begin(self) -> None:
        """Start watching: from the picture that a dead driver has left, or from what is there.

        Call it when the worktree is there, also when it had to be made again.
        """
        places = self._places = places_of(self._user, self._worktree, self._branch)
        left, now = read_picture(self._file), take_picture(places)
        self._is_inherited = left is not None
        others = self._file.parent.parent.glob(f"*/{self._file.name}")
        self._siblings = Siblings.of(places, (each for each in others if each != self._file), now)
        if left is None:
            self._picture = now
            self._store(now)
        else:
            own = (places.git_file, places.own_unit or places.git_file)
            seen = {name: each for name, each in left.seen.items() if not name.startswith(own)}
            seen |= {name: each for name, each in now.seen.items() if name.startswith(own)}
            self._picture = replace(left, seen=seen)

    def compare(self) -> tuple[Alert, ...]:
        """What is different since the last call; what is safe to put back is put back."""
        if self._places is None or self._picture is None:
            self.begin()
        places, before = self._places, self._picture or NOTHING
        if places is None:
            return ()
        if not is_folder(places.common_dir):
            return (_gone(places.common_dir),)
        now = take_picture(places, before)
        before = self._siblings.settled(before, now)
        found = [self._siblings.left_alone(each) for each in findings(places, before, now)]
        remedies = any(each.remedy for each in found) and not self._is_inherited
        if self._is_inherited:
            alerts = [each.alert.evolve(next_step=each.undo) for each in found]
        else:
            restorer = Restorer(self._user, places, self._kept, before, now)
            alerts = [restorer.carry_out(each) for each in found]
        self._is_inherited = False
        self._picture = take_picture(places, now) if remedies else now
        if found or not self._file.exists():
            self._store(self._picture)
        return _bounded([_plain(each) for each in alerts])

    def _store(self, picture: Picture) -> None:
        """Keep it for the next driver; a full disk costs no round, only that."""
        with contextlib.suppress(OSError):
            write_picture(self._file, picture)

    def end(self) -> None:
        """The loop has ended: what changes from now on is not the agent's."""
        self._file.unlink(missing_ok=True)


def _gone(folder: str) -> Alert:
    return Alert(
        kind="git-folder",
        what=folder,
        detail="is no folder any more: nothing in it can be looked at",
    )


def _plain(alert: Alert) -> Alert:
    """The alert with every byte that is no text as an escape."""
    texts = {"what": alert.what, "detail": alert.detail, "next_step": alert.next_step}
    escaped = {k: os.fsencode(v).decode(errors="backslashreplace") for k, v in texts.items()}
    return alert.evolve(**escaped)


def _bounded(alerts: list[Alert]) -> tuple[Alert, ...]:
    hidden = len(alerts) - SHOWN_ALERTS
    if hidden <= 0:
        return tuple(alerts)
    acting = sum(each.harm is Harm.ACTS for each in alerts[SHOWN_ALERTS - 1 :])
    more = Alert(
        kind="git-folder",
        what=f"{hidden + 1} more",
        detail="changes that are not listed",
        harm=Harm.ACTS if acting else Harm.TOLD,
    )
    return (*alerts[: SHOWN_ALERTS - 1], more)
