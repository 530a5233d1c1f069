"""Many loops at a glance: as a table, and as JSON."""

from collections.abc import Mapping, Sequence
from typing import Any

from loopctl.cli.stored import standing
from loopctl.cli.table import table
from loopctl.domain.stop import exit_code_of
from loopctl.observe.plain import duration, iso_time, one_line
from loopctl.observe.stop_text import stop_sentence
from loopctl.store.lease import Owner
from loopctl.store.loops import StoredLoop

SCHEMA = "loopctl.list/1"
_HEAD = ("NAME", "STATUS", "ROUND", "WORKED", "WHY OR WHERE")


def list_table(loops: Sequence[StoredLoop], owners: Mapping[str, Owner]) -> str:
    """One line for each loop; loops of several projects can have the same name."""
    if not loops:
        return "no loop yet (loopctl run --help shows how to start one)"
    several = len({loop.project for loop in loops}) > 1
    rows = [
        (
            one_line(loop.name),
            *((one_line(loop.repository),) if several else ()),
            standing(loop, owners.get(loop.id)),
            str(loop.round),
            duration(loop.worked_s),
            f"{loop.phase}, {loop.step}" if loop.stop is None else stop_sentence(loop.stop),
        )
        for loop in loops
    ]
    return table((*_HEAD[:1], *(("IN",) if several else ()), *_HEAD[1:]), rows)


def list_object(loops: Sequence[StoredLoop], owners: Mapping[str, Owner]) -> dict[str, Any]:
    """The document of ``list --json``."""
    return {
        "schema": SCHEMA,
        "loops": [summary_object(loop, owners.get(loop.id)) for loop in loops],
    }


def summary_object(loop: StoredLoop, owner: Owner | None) -> dict[str, Any]:
    """What is known of a loop without reading its state."""
    return {
        "id": loop.id,
        "name": loop.name,
        "project": loop.project,
        "repository": loop.repository,
        "goal": loop.goal,
        "status": loop.status,
        "driver": driver_object(owner),
        "phase": loop.phase,
        "step": loop.step,
        "round": loop.round,
        "rounds_since_restart": loop.rounds_in_run,
        "worked_s": loop.worked_s,
        "stop": None if loop.stop is None else loop.stop.model_dump(mode="json"),
        "exit_code": None if loop.stop is None else int(exit_code_of(loop.stop)),
        "branch": loop.branch,
        "worktree": loop.worktree,
        "base_commit": loop.base_commit,
        "created_at": iso_time(loop.created_at),
        "updated_at": iso_time(loop.updated_at),
        "ended_at": None if loop.ended_at is None else iso_time(loop.ended_at),
    }


def driver_object(owner: Owner | None) -> dict[str, Any] | None:
    """Who drives a loop, or did last."""
    if owner is None:
        return None
    return {
        "pid": owner.identity.pid,
        "host": owner.identity.host,
        "alive": owner.alive,
        "heartbeat_at": iso_time(owner.heartbeat_at),
    }
