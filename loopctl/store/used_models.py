"""The models that the loops of a project have used, read from their specifications.

Invariant: looking at them changes nothing, as everything in `look`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pydantic_core import from_json

from loopctl.store.home import StateHome
from loopctl.store.look import looking, stored_version
from loopctl.store.payload import log_invalid
from loopctl.store.problems import explained

_NEWEST = (
    "SELECT id, spec_json FROM loops WHERE project = ? ORDER BY created_at DESC, id DESC LIMIT 100"
)


@dataclass(frozen=True)
class UsedModels:
    """Models as ``PROVIDER:MODEL``, the newest first."""

    coder: tuple[str, ...] = ()
    judge: tuple[str, ...] = ()


def used_models(home: StateHome, project: str) -> UsedModels:
    """What the newest hundred loops of a project were started with.

    Raises:
        StoreError: the database is damaged, lost, or newer than this program.
    """
    if stored_version(home) is None:
        return UsedModels()
    with explained(home.database), looking(home.database) as connection:
        rows = connection.execute(_NEWEST, (project,)).fetchall()
    coder: list[str] = []
    judge: list[str] = []
    for loop_id, text in rows:
        try:
            spec = from_json(text)
            coder += spec.get("models", ())[:1]
            judge += _judges(spec)
        except (ValueError, AttributeError, KeyError, TypeError) as error:
            log_invalid(f"specification of loop {loop_id}", error)
    return UsedModels(tuple(dict.fromkeys(coder)), tuple(dict.fromkeys(judge)))


def _judges(spec: dict[str, Any]) -> Iterator[str]:
    for evaluator in spec["evaluators"]:
        executor = evaluator["executor"]
        if executor["kind"] == "llm-judge":
            yield executor["model"]
