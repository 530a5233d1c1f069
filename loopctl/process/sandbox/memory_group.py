"""A cap on the memory of everything in a sandbox together, its temporary files included.

A limit of the kernel's for one process says nothing of a thousand of them. A control group does,
where one can be made: as root, or below a group that hands the controller on. Invariant: a group
goes with its program, and one that a killed driver has left goes when the next one is made.
"""

import contextlib
import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PREFIX = "loopctl-memory-"
_OWN = Path("/proc/self/cgroup")
_MOUNTED = Path("/sys/fs/cgroup")
_PROCESSES = "cgroup.procs"
_CONTROLLERS = "cgroup.subtree_control"
_CAPS = (
    # Of the second version, then of the first; those of the swap come after those of memory.
    {"memory.max": "{}", "memory.swap.max": "0", "memory.oom.group": "1"},
    {"memory.limit_in_bytes": "{}", "memory.memsw.limit_in_bytes": "{}"},
)
_ENTER = 'echo $$ >"$0" && exec "$@"'
_LEFT_S = 60.0
_PATIENCE_S = 1.0
_PAUSE_S = 0.005


@contextmanager
def memory_group(limit_bytes: int | None) -> Iterator[tuple[str, ...]]:
    """The start of a command line that puts what follows into a group of its own.

    It is empty where there is no limit, or no group can be made.
    """
    group = None if limit_bytes is None else _make(limit_bytes)
    if group is None:
        yield ()
        return
    try:
        yield ("/bin/sh", "-c", _ENTER, os.fspath(group / _PROCESSES))
    finally:
        _remove(group)


def _make(limit_bytes: int) -> Path | None:
    for parent in _parents():
        _remove_left(parent)
        group = parent / f"{_PREFIX}{secrets.token_hex(8)}"
        try:
            group.mkdir()
        except OSError:
            continue
        if any(_is_capped(group, caps, limit_bytes) for caps in _CAPS):
            return group
        _remove(group)
    return None


def _is_capped(group: Path, caps: dict[str, str], limit_bytes: int) -> bool:
    """Write the caps that this kernel knows; whether the first one holds."""
    try:
        for name, value in caps.items():
            if (group / name).exists():
                (group / name).write_text(value.format(limit_bytes))
    except OSError:
        return False
    return (group / next(iter(caps))).exists()


def _parents() -> Iterator[Path]:
    """Groups below which one with a cap on memory may be made: our own, or the one above it."""
    try:
        rows = _OWN.read_text().splitlines()
    except OSError:
        return
    for controllers, path in (row.split(":", 2)[1:] for row in rows):
        inside = path.lstrip("/")
        if controllers == "memory":
            yield _MOUNTED / "memory" / inside
        elif not controllers:
            own = _MOUNTED / inside
            yield from (each for each in (own, own.parent) if _hands_on(each))


def _hands_on(group: Path) -> bool:
    try:
        return "memory" in (group / _CONTROLLERS).read_text().split()
    except OSError:
        return False


def _remove(group: Path) -> None:
    """Remove a group; the kernel needs a moment when the last process has just gone."""
    give_up = time.monotonic() + _PATIENCE_S
    while time.monotonic() < give_up:
        try:
            group.rmdir()
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(_PAUSE_S)
        else:
            return


def _remove_left(parent: Path) -> None:
    """Remove what killed drivers have left: empty, and not made just now."""
    for group in parent.glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            if time.time() - group.stat().st_mtime > _LEFT_S:
                group.rmdir()
