"""The environment that judges, looked at before and after each evaluation.

Invariant: what an interpreter or a test runner loads by itself is as it was when the driver
started, or there is no verdict. Its compiled code may come, because whoever runs a module compiles
it; what is there is never honestly written again unless its source is. Other packages may come and
go: that is told. Where no run on the base commit has shown what the commands themselves write,
everything is only told.
"""

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from loopctl.errors import SupplyError
from loopctl.workspace.base_writes import BaseWrites
from loopctl.workspace.installed_files import Installed, Stamp
from loopctl.workspace.path_text import listed
from loopctl.workspace.resolved_tools import digest_of

_CHANGED = 3  # position of the time of any change in a stamp
_RESTART = "loopctl status NAME --restart takes the environment as it is now"


@dataclass
class InstalledWatch:
    """The environment of one driver. Make it before an agent is at work.

    Attributes:
        look: looks at it.
        points_back: whether a file is an editable install of the project, which is redirected and
            may be made again by anybody.
        writes: what judging the base commit writes to.
        enforced: a change is refused, not only told.
    """

    look: Callable[[], Installed]
    points_back: Callable[[str], bool]
    writes: BaseWrites
    enforced: bool = True
    _known: Installed = field(init=False)
    _linked: dict[str, str] = field(init=False)
    _compiled: dict[str, Stamp] = field(init=False)
    _modules: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        """Look for the first time."""
        self._known = self.look()
        self._linked = _digests_of_linked(self._known.judging)
        self._compiled = dict(self._known.compiled)
        self._modules = frozenset(self._known.modules)

    @property
    def modules(self) -> frozenset[str]:
        """What Python could import of it as the driver started."""
        return self._modules

    def check(self) -> tuple[str, ...]:
        """Refuse to judge in an environment that was changed; return what is to be told.

        Raises:
            SupplyError: it names the files.
        """
        known, now = self._known, self.look()
        changed, pointers = self._changed(known, now)
        if changed and self.enforced:
            raise _refusal(changed)
        self._accept(now)
        named = sorted(
            name for name, stamp in now.packages.items() if known.packages.get(name) != stamp
        )
        return (
            *((f"the environment that judges was changed: {listed(changed)}",) if changed else ()),
            *((f"the project was installed again: {listed(pointers)}",) if pointers else ()),
            *((f"installed since the start: {listed(named)}",) if named else ()),
        )

    def moved(self, *, is_base: bool) -> tuple[str, ...]:
        """The files that were written to since the last check.

        Args:
            is_base: the base tree was judged meanwhile: what was changed may be changed again.
        """
        now = self.look()
        changed = self._differences(self._known, now)
        compiled = self._compiled_again(now)
        if is_base:
            self.writes.add(changed)
            self._accept(now)
            self._compiled |= now.compiled
            return tuple(changed) if self.enforced else ()
        own = [path for path in changed if path not in self.writes and not self.points_back(path)]
        return (*own, *compiled) if self.enforced else ()

    def _changed(self, known: Installed, now: Installed) -> tuple[list[str], list[str]]:
        """What may not have changed, and the editable installs among the rest."""
        changed = [path for path in self._differences(known, now) if path not in self.writes]
        pointers = [path for path in changed if self.points_back(path)]
        judging = [path for path in changed if path not in pointers]
        return [*judging, *self._compiled_again(now)], pointers

    def _compiled_again(self, now: Installed) -> list[str]:
        """Compiled code that was written over; what is new is known from now on.

        What is gone stays known, so that taking it away and putting it back is no way round.
        """
        self._compiled = {**now.compiled, **self._compiled}
        return sorted(path for path, stamp in now.compiled.items() if self._compiled[path] != stamp)

    def _accept(self, now: Installed) -> None:
        """Go on from here; packages stay as they were at the start, so that all are told."""
        self._known = Installed(now.judging, self._known.packages)

    def _differences(self, known: Installed, now: Installed) -> list[str]:
        paths = known.judging.keys() | now.judging.keys()
        touched = (path for path in paths if known.judging.get(path) != now.judging.get(path))
        return sorted(path for path in touched if not self._is_only_linked(path, known, now))

    def _is_only_linked(self, path: str, known: Installed, now: Installed) -> bool:
        """Whether nothing but the number of names of a file may have changed, not its content."""
        before, after = known.judging.get(path, ()), now.judging.get(path, ())
        return (
            path in self._linked
            and before[:_CHANGED] == after[:_CHANGED]
            and _digest(path) == self._linked[path]
        )


def _digests_of_linked(paths: Iterable[str]) -> dict[str, str]:
    """The digests of files with more names than one, which get new ones elsewhere.

    Installers that keep a cache link one file into many environments.
    """
    return {path: _digest(path) for path in paths if _is_linked(path)}


def _is_linked(path: str) -> bool:
    try:
        return os.stat(path).st_nlink > 1  # noqa: PTH116 - asked for hundreds of files
    except OSError:
        return False


def _digest(path: str) -> str:
    try:
        return digest_of(path)
    except OSError:
        return ""


def _refusal(changed: list[str]) -> SupplyError:
    return SupplyError(
        f"the environment that judges was changed while the loop was running: {listed(changed)}",
        why="a test runner loads these files by itself, so that they could give any verdict",
        next_step=f"find out who did it and undo it, or: {_RESTART}",
        evidence=(f"changed in the environment that judges: {listed(changed)}",),
    )
