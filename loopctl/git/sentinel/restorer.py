"""Putting back: a finding with a remedy becomes an alert that says what was done.

Invariant: a path is put back only while it is as the picture has it; what somebody has changed
meanwhile is left alone. Files are replaced in one step, settings under git's own lock, and no
link is written through.
"""

import contextlib
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

from loopctl.domain.alert import Alert
from loopctl.errors import GitError
from loopctl.git.repository import UserRepository
from loopctl.git.sentinel.finding import Finding, PutBack, Remedy, SetRef, WriteSettings
from loopctl.git.sentinel.kept import Kept
from loopctl.git.sentinel.picture import Picture
from loopctl.git.sentinel.places import Places
from loopctl.git.sentinel.seen import Kind, Seen, is_folder, look

_LOCK_PATIENCE_S = 0.5
_PAUSE_S = 0.02
_SETTINGS = ("config", "config.worktree")


class Moved(GitError):
    """Somebody has changed it meanwhile."""


@dataclass
class Restorer:
    """Carries the remedies of one comparison out.

    Attributes:
        user: the repository.
        places: where it is.
        kept: where is kept what is taken away.
        before: the picture that is restored.
        now: the picture that differs.
    """

    user: UserRepository
    places: Places
    kept: Kept
    before: Picture
    now: Picture

    def __post_init__(self) -> None:
        self._done: dict[Remedy, str] = {}

    def carry_out(self, finding: Finding) -> Alert:
        """Put back what the finding is about, once for all findings with that remedy."""
        remedy, alert = finding.remedy, finding.alert
        if remedy is None:
            return alert.evolve(next_step=finding.undo)
        try:
            if remedy not in self._done:
                self._done[remedy] = self._apply(remedy)
        except (OSError, GitError) as error:
            detail = f"{alert.detail}; it could not be put back: {error}"
            return alert.evolve(detail=detail, next_step=finding.undo)
        kept = self._done[remedy]
        redo = finding.redo.replace("{kept}", kept) if kept or "{kept}" not in finding.redo else ""
        return alert.evolve(reverted=True, kept=kept, next_step=redo)

    def _apply(self, remedy: Remedy) -> str:
        match remedy:
            case PutBack(name=name):
                return self._put_back(name)
            case WriteSettings(name=name, content=content):
                path = Path(self.places.path(name))
                found = self.now.at(name)
                return self._replace(path, content, found.mode or 0o644, found)
            case SetRef(ref=ref, value=value):
                old = self.now.refs.values.get(ref, "")
                change = (ref, value) if value else ("-d", ref)
                expected = [old] if old else []
                self.user.sealed.run("update-ref", "--no-deref", *change, *expected)
                return ""
            case _:
                assert_never(remedy)

    def _put_back(self, name: str) -> str:
        old, found = self.before.at(name), self.now.at(name)
        path = Path(self.places.path(name))
        if not look(str(path)).is_same(found):
            raise Moved("it was changed again meanwhile")
        match old.kind:
            case Kind.FILE if old.content is not None:
                if found.kind is Kind.FILE and found.digest == old.digest:
                    path.chmod(old.mode)
                    return ""
                return self._replace(path, old.content, old.mode, found)
            case Kind.FILE:
                raise Moved("it is too large to be kept")
            case Kind.MISSING | Kind.OTHER:
                return self.kept.take(path, found)
            case Kind.LINK:
                kept = self.kept.take(path, found)
                path.symlink_to(os.fsdecode(old.content or b""))
                return kept
            case Kind.FOLDER:
                return self._put_back_folder(name, path, old, found)
            case _:
                assert_never(old.kind)

    def _put_back_folder(self, name: str, path: Path, old: Seen, found: Seen) -> str:
        """The folder, and every file that was seen in it."""
        kept = self.kept.take(path, found)
        path.mkdir(mode=old.mode)
        for inner, seen in self.before.seen.items():
            if inner.startswith(f"{name}/") and seen.kind is Kind.FILE and seen.content is not None:
                target = Path(self.places.path(inner))
                if target.parent == path:
                    _write(target, seen.content, seen.mode)
        return kept

    def _replace(self, path: Path, content: bytes, mode: int, found: Seen) -> str:
        """Let a file have this content; what was there is kept before."""
        if not is_folder(str(path.parent)):
            raise Moved(f"{path.parent} is no folder any more")
        if path.name not in _SETTINGS:
            kept = self.kept.take(path, found)
            _write(path, content, mode)
            return kept
        with _locked(path) as fresh:
            if not look(str(path)).is_same(found):
                raise Moved("it was changed again meanwhile")
            if found.kind is Kind.FILE and found.content is not None:
                kept = str(self.kept.copy(path.name, found.content))
            else:
                kept = self.kept.take(path, found)
            _write(path, content, mode, fresh)
        return kept


@contextmanager
def _locked(path: Path) -> Iterator[Path]:
    """Git's own lock on a file: the new content is written into it, and renamed over the file.

    A lock that stays is one that was left behind: every process of the turn has been ended.
    """
    lock = path.with_name(f"{path.name}.lock")
    deadline = time.monotonic() + _LOCK_PATIENCE_S
    while True:
        with contextlib.suppress(FileExistsError):
            os.close(os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600))
            break
        if time.monotonic() > deadline:
            lock = path.with_name(f"{path.name}.loopctl")
            lock.unlink(missing_ok=True)
            break
        time.sleep(_PAUSE_S)
    try:
        yield lock
    finally:
        lock.unlink(missing_ok=True)


def _write(path: Path, content: bytes, mode: int, fresh: Path | None = None) -> None:
    """Write a file in one step, as a file of whoever the folder belongs to."""
    fresh = fresh or path.with_name(f"{path.name}.loopctl")
    fresh.unlink(missing_ok=True)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        owner = path.parent.stat()
        with contextlib.suppress(PermissionError):
            os.fchown(descriptor, owner.st_uid, owner.st_gid)
        os.fchmod(descriptor, mode)
    fresh.replace(path)
