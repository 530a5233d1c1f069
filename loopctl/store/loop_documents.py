"""The documents of a loop: its specification and its state, stored when it is created.

Invariant: a name is unique in its project, and the specification never changes once it is
stored.
"""

import hashlib
import secrets
import time
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

from pydantic_core import from_json, to_json
from sqlalchemy import bindparam, insert, select

from loopctl.domain.loop import LoopSpec, LoopState, begin
from loopctl.errors import UnknownNameError
from loopctl.process.masking import Masker
from loopctl.store.database import Database
from loopctl.store.home import StateHome
from loopctl.store.payload import PayloadWriter, load
from loopctl.store.problems import InvalidRowError
from loopctl.store.projection import Projection
from loopctl.store.tables import loops

_ADD = insert(loops)
_TAKEN = select(loops.c.id).where(
    loops.c.project == bindparam("of_project"), loops.c.name == bindparam("of_name")
)
_DOCUMENTS = select(loops.c.spec_json, loops.c.state_json).where(loops.c.id == bindparam("of_loop"))


def create_loop(
    database: Database,
    home: StateHome,
    name: str,
    make_spec: Callable[[str], LoopSpec],
    branch_exists: Callable[[str], bool],
) -> str:
    """Store a new loop under the first free name of ``name``, ``name-2``, ``name-3``...

    Args:
        database: where to.
        home: gets the loop's folder.
        name: the name wished for.
        make_spec: the specification of a loop of the given name.
        branch_exists: whether the branch of a loop of the given name is there already.

    Returns:
        The id of the loop.
    """
    for candidate in _candidates(name):
        if branch_exists(candidate):
            continue
        loop_id = _try_to_add(database, make_spec(candidate))
        if loop_id is not None:
            home.loop_folder(loop_id)
            return loop_id
    raise AssertionError("candidates never end")


def load_state(database: Database, loop_id: str) -> LoopState:
    """The state of a loop, validated.

    Raises:
        UnknownNameError: there is no such loop.
        InvalidRowError: specification or state do not fit; nothing is guessed.
    """
    with database.read() as connection:
        row = connection.execute(_DOCUMENTS, {"of_loop": loop_id}).one_or_none()
    if row is None:
        raise UnknownNameError(
            f"there is no loop with the id {loop_id!r}", next_step="loopctl list"
        )
    state = load(LoopState, _joined(row.spec_json, row.state_json), f"the state of loop {loop_id}")
    if state is None:
        raise InvalidRowError(
            f"the loop {loop_id} cannot be read",
            why="its row in the database does not fit its type (details are in the warning above)",
            next_step="loopctl list",
        )
    return state


def spec_digest(database: Database, loop_id: str) -> str:
    """SHA-256 of the specification of a loop as it is stored, hexadecimal; ``""`` for no loop."""
    with database.read() as connection:
        row = connection.execute(_DOCUMENTS, {"of_loop": loop_id}).one_or_none()
    return "" if row is None else hashlib.sha256(row.spec_json.encode()).hexdigest()


def _joined(spec_json: str, state_json: str) -> str:
    """The document of a state with its specification, which is stored beside it."""
    try:
        return to_json({**from_json(state_json), "spec": from_json(spec_json)}).decode()
    except (TypeError, ValueError):
        return state_json  # not even JSON, and reported as such


def _candidates(name: str) -> Iterator[str]:
    yield name
    for number in count(2):
        yield f"{name}-{number}"


def _try_to_add(database: Database, spec: LoopSpec) -> str | None:
    """Insert the loop unless its name was taken meanwhile."""
    loop_id = secrets.token_hex(6)
    state = begin(spec)
    now = time.time()
    row: dict[str, Any] = {
        **Projection(PayloadWriter(Masker({}))).row(state),
        "id": loop_id,
        "project": spec.project,
        "name": spec.name,
        "epoch": 0,
        "repository": spec.repository,
        "goal": spec.goal,
        "branch": spec.branch,
        "base_commit": spec.base_commit,
        "created_at": now,
        "updated_at": now,
        # The user's own text, byte for byte: what is run must be what was asked for.
        "spec_json": spec.model_dump_json(),
    }
    with database.write() as connection:
        key = {"of_project": spec.project, "of_name": spec.name}
        if connection.execute(_TAKEN, key).one_or_none() is not None:
            return None
        connection.execute(_ADD, row)
    return loop_id
