"""The driver's own connection: the same statements, the same transactions, less ado."""

import contextlib

import pytest
from sqlalchemy import bindparam, select, update
from sqlalchemy.exc import InvalidRequestError

from loopctl.errors import StoreError
from loopctl.store.connection import Durability
from loopctl.store.loops import list_loops
from loopctl.store.tables import loops

RENAME = update(loops).where(loops.c.id == bindparam("of_loop"), loops.c.status == "running")


@pytest.fixture
def writer(run):
    writer = run.database.writer()
    yield writer
    writer.close()


def names(run):
    return [loop.name for loop in list_loops(run.database)]


def test_what_is_committed_is_seen_by_others(run, writer):
    with writer.transaction(Durability.FULL) as transaction:
        done = transaction.execute(RENAME, {"of_loop": run.loop_id, "name": "other"})
        assert done.rowcount == 1
        assert names(run) == ["fix"]
    assert names(run) == ["other"]


def test_the_order_of_the_values_does_not_matter(run, writer):
    with writer.transaction(Durability.NORMAL) as transaction:
        transaction.execute(RENAME, {"name": "one", "goal": "g", "of_loop": run.loop_id})
        transaction.execute(RENAME, {"goal": "h", "of_loop": run.loop_id, "name": "two"})
    (loop,) = list_loops(run.database)
    assert (loop.name, loop.goal) == ("two", "h")


def test_an_exception_undoes_everything_and_the_next_transaction_works(run, writer):
    with contextlib.suppress(KeyError), writer.transaction(Durability.FULL) as transaction:
        transaction.execute(RENAME, {"of_loop": run.loop_id, "name": "other"})
        raise KeyError
    assert names(run) == ["fix"]
    with writer.transaction(Durability.FULL) as transaction:
        transaction.execute(RENAME, {"of_loop": run.loop_id, "name": "third"})
    assert names(run) == ["third"]


def test_an_error_of_the_database_is_explained(run, writer):
    with pytest.raises(StoreError) as refused, writer.transaction(Durability.FULL) as transaction:
        transaction.execute(RENAME, {"of_loop": run.loop_id, "status": "no such status"})
    assert "CHECK" in refused.value.why


def test_a_value_that_is_missing_is_an_error(run, writer):
    with (
        pytest.raises(InvalidRequestError, match="of_loop"),
        writer.transaction(Durability.FULL) as transaction,
    ):
        transaction.execute(RENAME, {"name": "other"})
    assert names(run) == ["fix"]


@pytest.mark.parametrize("durability", Durability)
def test_each_transaction_has_its_durability(run, writer, durability):
    levels = {Durability.FULL: 2, Durability.NORMAL: 1}
    for kind in (Durability.NORMAL, Durability.FULL, durability):
        with writer.transaction(kind):
            (level,) = writer._connection.execute("PRAGMA synchronous").fetchone()
        assert level == levels[kind]


def test_a_connection_that_is_given_back_remembers_its_durability(run, writer):
    with writer.transaction(Durability.NORMAL):
        pass
    writer.close()
    with run.database.write(Durability.FULL) as connection:
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2
        assert connection.scalar(select(loops.c.name)) == "fix"
