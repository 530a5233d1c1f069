"""The tools of a loop, looked at before and after each evaluation.

Invariant: a tool counts as the same only while PATH leads to the same file, and the file has the
same content. Contents are read again only where something of a file has changed.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from loopctl.domain.tool import ResolvedTool, Workbench
from loopctl.errors import SupplyError
from loopctl.workspace.base_writes import BaseWrites
from loopctl.workspace.path_text import listed, path_text
from loopctl.workspace.path_watch import PathWatch
from loopctl.workspace.resolved_tools import digest_of, find_tool

_RESTART = "loopctl status NAME --restart takes the tools as they are now"


@dataclass(frozen=True, slots=True)
class _State:
    """What a tool is like."""

    path: str
    real: str
    stamp: tuple[int, ...]
    digest: str


class ToolWatch:
    """The tools of one driver. Make it before an agent is at work.

    Args:
        bench: what they were at the start of the loop.
        writes: what judging the base commit writes to.
        kept: a folder of our own for copies of scripts.
    """

    def __init__(self, bench: Workbench, writes: BaseWrites, kept: Path) -> None:
        self._path = dict(bench.variables).get("PATH", "")
        self._writes = writes
        self._kept = kept
        self._offered = PathWatch(self._path)
        self._known: dict[str, _State | None] = {}
        told = []
        for tool in bench.tools:
            state = self._known[tool.name] = self._now(tool)
            if state is None or (state.real, state.digest) != (tool.real, tool.digest):
                told.append(f"{path_text(tool.path)} is not what it was when the loop began")
            elif tool.name.startswith("/"):
                self._keep(state)
        self.told = tuple(told)
        """What the evidence has to mention: the loop was restarted with other tools."""

    def check(self) -> tuple[str, ...]:
        """Refuse to judge with other tools; return what is to be told.

        Raises:
            SupplyError: it names the first that is another one.
        """
        for name, now in self._changed():
            known = self._known[name]
            if known is not None and not self._excused(known, now):
                raise self._refusal(name, known, now)
            self._known[name] = now
        seen = self._offered.look()
        for before, path in seen.hidden.items():
            if path not in self._writes:
                raise _hidden(before, path)
        others = [path for path in seen.others if path not in self._writes]
        return (*self.told, *((f"new on PATH: {listed(others)}",) if others else ()))

    def moved(self, *, is_base: bool) -> tuple[str, ...]:
        """The tools that were changed since the last check.

        Args:
            is_base: the base tree was judged meanwhile: what was changed may be changed again.
        """
        found = []
        for name, now in self._changed(written=is_base):
            known = self._known[name] or now
            if known is None:
                continue
            found.append(path_text(known.path))
            if is_base:
                self._writes.add([known.path])
            if is_base or known.path in self._writes:
                self._known[name] = now
        if is_base:
            self._writes.add(self._offered.accept())
        return tuple(found)

    def _changed(self, *, written: bool = False) -> Iterator[tuple[str, _State | None]]:
        """Those that are not as they were, with what they are now.

        Args:
            written: also those that were written to and have the same content.
        """
        for name, known in list(self._known.items()):
            found = find_tool(name, self._path)
            if known is not None and found == known.path:
                real = os.path.realpath(found)
                stamp = _stamp(real)
                if (real, stamp) == (known.real, known.stamp):
                    continue
                same = real == known.real and bool(stamp) and _digest(real) == known.digest
                if same and not written:
                    self._known[name] = _State(found, real, stamp, known.digest)
                    continue
            yield name, None if found is None else _state(found)

    def _now(self, tool: ResolvedTool) -> _State | None:
        found = find_tool(tool.name, self._path)
        if found is None:
            return None
        real = os.path.realpath(found)
        stamp = _stamp(real)
        if real == tool.real and stamp and stamp[:2] == (tool.size, tool.written_ns):
            return _State(found, real, stamp, tool.digest)
        return _state(found)

    def _excused(self, known: _State, now: _State | None) -> bool:
        return known.path in self._writes and now is not None and now.path == known.path

    def _keep(self, script: _State) -> None:
        """Keep a copy of a script, for whoever wants it back."""
        copy = self._kept / script.digest[:16]
        if not copy.exists():
            self._kept.mkdir(mode=0o700, parents=True, exist_ok=True)
            copy.touch(mode=0o600)
            copy.write_bytes(Path(script.real).read_bytes())

    def _refusal(self, name: str, known: _State, now: _State | None) -> SupplyError:
        shown, path = path_text(name), path_text(known.path)
        if now is None:
            happened = f"{path} is gone"
        elif now.path != known.path:
            happened = f"{shown} is {path_text(now.path)} now, and was {path}"
        else:
            happened = f"{path} was changed"
        copy = self._kept / known.digest[:16]
        back = f"bring it back (cp {copy} {path}), or: " if copy.exists() else ""
        return SupplyError(
            f"{happened}, since the loop began",
            why="a verdict that another program gives is not the one that was asked for",
            next_step=f"{back}{_RESTART}",
        )


def _hidden(before: str, path: str) -> SupplyError:
    return SupplyError(
        f"{path_text(path)} came before {path_text(before)} on PATH since the loop began",
        why="whatever judges the work and calls it would get another program",
        next_step=f"remove it, or: {_RESTART}",
    )


def _state(found: str) -> _State:
    real = os.path.realpath(found)
    return _State(found, real, _stamp(real), _digest(real))


def _digest(real: str) -> str:
    try:
        return digest_of(real)
    except OSError:
        return ""


def _stamp(real: str) -> tuple[int, ...]:
    """Size and time of writing first; empty when it is gone."""
    try:
        seen = os.stat(real)  # noqa: PTH116 - asked often
    except OSError:
        return ()
    return seen.st_size, seen.st_mtime_ns, seen.st_ino, seen.st_ctime_ns, seen.st_mode
