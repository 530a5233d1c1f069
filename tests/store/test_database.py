"""The database as a whole: created once, never begun afresh, shared, full, busy."""

import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys
import time

import pytest
from sqlalchemy import text
from store_world import Run, make_spec, new_home, new_loop

from loopctl.domain.criteria import Verdict
from loopctl.domain.events import CancelRequested
from loopctl.errors import StoreError
from loopctl.store.database import Database
from loopctl.store.event_log import events_of
from loopctl.store.loop_documents import create_loop, load_state
from loopctl.store.loops import list_loops
from loopctl.store.problems import (
    BusyDatabaseError,
    CorruptDatabaseError,
    DiskFullError,
    NewerDatabaseError,
    UnreadableDatabaseError,
)

PRELUDE = """
import sys
sys.path[:0] = sys.argv[1].split(":")
from store_world import Run, make_spec, new_loop
from loopctl.domain.criteria import Verdict
from loopctl.store.database import Database
from loopctl.store.home import state_home
home = state_home({"LOOPCTL_HOME": sys.argv[2]})
"""
MANY = """
import os
def many(count, work):
    children = []
    for _ in range(count):
        child = os.fork()
        if child == 0:
            work()
            os._exit(0)
        children.append(child)
    print([os.waitpid(child, 0)[1] for child in children])
"""
OPENERS = (
    PRELUDE
    + MANY
    + """
def work():
    database = Database.open(home)
    new_loop(database, home)
    database.close()
many(10, work)
"""
)
WRITERS = (
    PRELUDE
    + MANY
    + """
def work():
    database = Database.open(home)
    run = Run(database, home, new_loop(database, home))
    run.start()
    for number in range(1, 6):
        run.round(number, Verdict.FAIL)
    run.round(6, Verdict.PASS)
    run.publish()
    run.close()
many(8, work)
"""
)
HOLDER = (
    PRELUDE
    + """
import time
database = Database.open(home)
with database.write():
    print("held", flush=True)
    time.sleep(float(sys.argv[3]))
"""
)


def start(script, home, *args):
    path = ":".join(sys.path)
    command = [sys.executable, "-W", "error", "-c", script, path, str(home.path), *args]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(process):
    out, err = process.communicate(timeout=100)
    assert process.returncode == 0, err
    return out


@pytest.fixture
def closed(home):
    """A home whose database holds one loop, closed."""
    database = Database.open(home)
    new_loop(database, home)
    database.close()
    return home


def test_is_created_once_and_opened_again(home):
    first = Database.open(home)
    loop_id = new_loop(first, home)
    first.close()
    second = Database.open(home)
    assert [loop.id for loop in list_loops(second)] == [loop_id]
    with second.read() as connection:
        assert connection.scalar(text("PRAGMA journal_mode")) == "wal"
        assert connection.scalar(text("PRAGMA synchronous")) == 2
        assert connection.scalar(text("PRAGMA foreign_keys")) == 1
    second.close()


def test_reading_a_current_database_does_not_import_alembic(closed):
    script = (
        PRELUDE
        + "Database.open(home); print('alembic' in sys.modules, 'sqlalchemy.orm' in sys.modules)"
    )
    assert finish(start(script, closed)) == "False False\n"


def test_ten_processes_may_start_at_once_in_a_new_home(home):
    assert finish(start(OPENERS, home)) == f"{[0] * 10}\n"
    database = Database.open(home)
    names = sorted(loop.name for loop in list_loops(database))
    assert names == sorted(["fix", *(f"fix-{number}" for number in range(2, 11))])
    database.close()


def test_a_newer_version_is_refused_and_left_alone(closed):
    with sqlite3.connect(closed.database) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0999'")
    connection.close()
    before = closed.database.read_bytes()
    with pytest.raises(NewerDatabaseError) as refused:
        Database.open(closed)
    assert "0999" in refused.value.why
    assert closed.database.read_bytes() == before


def zero_length(path):
    path.write_bytes(b"")


def all_zeros(path):
    path.write_bytes(bytes(path.stat().st_size))


def bad_header(path):
    path.write_bytes(b"not a database" + path.read_bytes()[14:])


def a_hundred_bytes(path):
    path.write_bytes(path.read_bytes()[:100])


def one_page(path):
    path.write_bytes(path.read_bytes()[:8192])


def gone(path):
    path.unlink()


@pytest.mark.parametrize(
    "damage", [zero_length, all_zeros, bad_header, a_hundred_bytes, one_page, gone]
)
def test_a_damaged_database_is_never_begun_afresh(closed, damage):
    damage(closed.database)
    exists = closed.database.exists()
    before = closed.database.read_bytes() if exists else None
    for _ in range(2):
        with pytest.raises(CorruptDatabaseError) as refused:
            Database.open(closed)
        assert str(closed.database) in refused.value.message
        assert refused.value.next_step
    assert closed.database.exists() is exists
    assert not exists or closed.database.read_bytes() == before


def test_a_leftover_journal_without_its_database_is_refused(home):
    home.database.with_name("loopctl.db-wal").write_bytes(b"changes")
    with pytest.raises(CorruptDatabaseError, match="damaged") as refused:
        Database.open(home)
    assert "loopctl.db-wal" in refused.value.why


def test_a_creation_that_was_cut_short_is_finished(home):
    home.database.touch(mode=0o600)
    Database.open(home).close()
    with sqlite3.connect(home.database) as connection:
        assert connection.execute("SELECT count(*) FROM loops").fetchone() == (0,)
    connection.close()


def test_a_damaged_page_is_reported_where_it_is_met(closed):
    content = bytearray(closed.database.read_bytes())
    database = Database.open(closed)
    with database.read() as connection:
        page = connection.scalar(text("SELECT rootpage FROM sqlite_master WHERE name = 'loops'"))
    database.close()
    content[(page - 1) * 8192 : page * 8192] = b"\xff" * 8192
    closed.database.write_bytes(content)
    database = Database.open(closed)
    with pytest.raises(CorruptDatabaseError):
        list_loops(database)
    database.close()


def test_a_folder_in_its_place_is_reported(home):
    home.database.mkdir()
    with pytest.raises(UnreadableDatabaseError):
        Database.open(home)


def play_rounds(run):
    for number in range(1, 500):
        run.round(number, Verdict.FAIL)


def test_a_full_database_loses_nothing_and_says_so(run):
    run.start()
    connection = run.journal._writer._connection  # the limit is the connection's own
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {pages + 1}")
    with pytest.raises(DiskFullError) as refused:
        play_rounds(run)
    assert "df -h" in refused.value.next_step
    assert load_state(run.database, run.loop_id) == run.state
    assert [entry.seq for entry in events_of(run.database, run.loop_id)] == [
        entry.seq for entry in run.entries
    ]
    connection.execute("PRAGMA max_page_count = 100000")
    run.step(CancelRequested())  # the loop goes on where it was
    assert load_state(run.database, run.loop_id) == run.state


@pytest.mark.skipif(
    sys.platform != "linux" or os.geteuid() != 0 or not shutil.which("mount"),
    reason="needs a file system of its own",
)
def test_a_full_file_system_loses_nothing_and_says_so(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=700k,mode=700", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("may not mount here")
    try:
        home = new_home(disk)
        database = Database.open(home)
        run = Run(database, home, new_loop(database, home))
        run.start()
        with pytest.raises(DiskFullError):
            play_rounds(run)
        assert load_state(database, run.loop_id) == run.state
        run.journal.close()
        database.close()
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


def test_a_writer_waits_for_another_one(run):
    run.start()
    holder = start(HOLDER, run.home, "3")
    assert holder.stdout.readline() == "held\n"
    run.prompt(1)
    finish(holder)
    assert load_state(run.database, run.loop_id).last_round == 1


def test_waiting_is_bounded_and_an_error(run, home):
    run.start()
    impatient = Database.open(home, busy_s=0.1)
    holder = start(HOLDER, run.home, "60")
    assert holder.stdout.readline() == "held\n"
    try:
        with pytest.raises(BusyDatabaseError) as refused:
            create_loop(impatient, home, "other", make_spec, lambda name: False)
        assert "fuser" in refused.value.next_step
        assert [loop.name for loop in list_loops(impatient)] == ["fix"]  # readers are not held up
    finally:
        holder.kill()
        holder.communicate()
        impatient.close()


def test_eight_drivers_and_a_reader_share_one_database(home):
    Database.open(home).close()
    writers = start(WRITERS, home)
    reader = Database.open(home)
    while writers.poll() is None:
        for loop in list_loops(reader):
            state = load_state(reader, loop.id)
            last = events_of(reader, loop.id)[-1:]
            assert state.last_round >= loop.round - 1
            assert not last or last[0].seq >= 1
        time.sleep(0.05)
    assert finish(writers) == f"{[0] * 8}\n"
    assert {(loop.status, loop.round) for loop in list_loops(reader)} == {("completed", 6)}
    reader.close()


def test_an_error_inside_a_transaction_undoes_it(database, home):
    loop_id = new_loop(database, home)
    with contextlib.suppress(RuntimeError), database.write() as connection:
        connection.execute(text("DELETE FROM loops"))
        raise RuntimeError
    assert [loop.id for loop in list_loops(database)] == [loop_id]
    with pytest.raises(StoreError), database.write() as connection:
        connection.execute(text("DELETE FROM nowhere"))
