"""Where loopctl would keep what happens: folder, database, room."""

import shutil
from collections.abc import Mapping
from pathlib import Path

from loopctl.bootstrap.doctor.diagnosis import Topic, refusal, warning
from loopctl.errors import LoopctlError
from loopctl.observe.plain import byte_size
from loopctl.store.home import home_path, look_at_home
from loopctl.store.look import is_current, stored_version

_SCARCE = 1_000_000_000  # bytes: a few copies of a large environment


def state(environment: Mapping[str, str]) -> Topic:
    """The state folder as it is, or as it would be made."""
    path = home_path(environment)
    free = _free(path)
    facts: dict[str, object] = {
        "folder": str(path),
        "exists": path.is_dir(),
        "database": None,
        "version": None,
        "free_bytes": free,
    }
    rows = [("folder", f"{path}{'' if path.is_dir() else ' (made on first use)'}")]
    try:
        home = look_at_home(environment)
        version = stored_version(home)
    except LoopctlError as error:
        return Topic("state", tuple(rows), facts, (refusal(error),))
    facts |= {"database": str(home.database), "version": version}
    rows.append(("database", _database_text(version)))
    findings = []
    if free is not None:
        rows.append(("free", byte_size(free)))
        if free < _SCARCE:
            findings.append(
                warning(
                    "little room is left where loopctl keeps its worktrees and checkouts",
                    f"make room, or export LOOPCTL_HOME=DIRECTORY on another disk than {path}",
                )
            )
    return Topic("state", tuple(rows), facts, tuple(findings))


def _database_text(version: str | None) -> str:
    if version is None:
        return "none yet (made on first use)"
    return f"version {version}{'' if is_current(version) else ' (upgraded on first use)'}"


def _free(path: Path) -> int | None:
    """Bytes that are free where the folder is, or would be."""
    for place in (path, *path.parents):
        try:
            return shutil.disk_usage(place).free
        except OSError:
            continue
    return None
