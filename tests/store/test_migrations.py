"""The migrations lead to the tables, and back."""

import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import text
from store_world import new_home, new_loop

import loopctl
from alembic import command
from loopctl.domain.criteria import Verdict
from loopctl.store.connection import WRITES, open_engine
from loopctl.store.database import Database
from loopctl.store.migration import configuration
from loopctl.store.schema import VERSION
from loopctl.store.tables import metadata


@pytest.fixture
def engine(tmp_path):
    path = tmp_path / "migrated 100%.db"
    path.touch()
    engine = open_engine(path).execution_options(**{WRITES: True})
    yield engine
    engine.dispose()


def schema(engine):
    with engine.connect() as connection:
        found = connection.exec_driver_sql(
            "SELECT type, name, sql FROM sqlite_master"
            " WHERE name NOT LIKE 'sqlite_%' AND name <> 'alembic_version' ORDER BY name"
        )
        return {(row.type, row.name): sorted(_definitions(row.sql)) for row in found if row.sql}


def _definitions(sql):
    """The parts of a statement in any order: that of columns and constraints means nothing."""
    parts, depth = [""], 0
    for letter in " ".join(sql.split()):
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 1:
            parts.append("")
        else:
            parts[-1] += letter
    head, _, first = parts[0].partition("(")
    last = parts[-1].removesuffix(")") if len(parts) > 1 else parts[-1]
    return [
        head.strip().replace(chr(34), ""),
        first.strip(),
        *(part.strip() for part in (*parts[1:-1], last)),
    ]


def test_the_version_is_the_newest_revision(engine):
    with engine.connect() as connection:
        scripts = ScriptDirectory.from_config(configuration(connection))
    assert scripts.get_current_head() == VERSION
    revisions = [script.revision for script in scripts.walk_revisions()]
    assert revisions == sorted(revisions, reverse=True)  # they are compared as text


def test_up_down_and_up_again(engine):
    with engine.begin() as connection:
        command.upgrade(configuration(connection), "head")
    first = schema(engine)
    with engine.begin() as connection:
        command.downgrade(configuration(connection), "base")
    assert schema(engine) == {}
    with engine.begin() as connection:
        command.upgrade(configuration(connection), "head")
    assert schema(engine) == first


def test_the_migrated_schema_equals_the_tables(engine, tmp_path):
    with engine.begin() as connection:
        command.upgrade(configuration(connection), "head")
        command.check(configuration(connection))
    path = tmp_path / "created.db"
    path.touch()
    created = open_engine(path)
    with created.begin() as connection:
        metadata.create_all(connection)
    expected = schema(created)
    created.dispose()
    migrated = schema(engine)
    assert migrated.pop(("trigger", "events_append_only"))
    assert migrated == expected


def test_a_failed_upgrade_leaves_nothing_behind(tmp_path):
    home = new_home(tmp_path)
    with sqlite3.connect(home.database) as connection:
        connection.execute("CREATE TABLE transitions (id INTEGER)")
    connection.close()
    with pytest.raises(Exception, match="refused"):
        Database.open(home)
    with sqlite3.connect(home.database) as connection:
        tables = connection.execute("SELECT name FROM sqlite_master").fetchall()
    connection.close()
    assert tables == [("transitions",)]


def test_a_loop_goes_with_all_its_rows(run):
    other = new_loop(run.database, run.home)
    run.start()
    run.round(1, Verdict.FAIL)
    with run.database.write() as connection:
        connection.execute(text("DELETE FROM loops WHERE id = :id"), {"id": run.loop_id})
    with run.database.read() as connection:
        left = {
            table.name: connection.scalar(text(f"SELECT count(*) FROM {table.name}"))
            for table in metadata.sorted_tables
        }
    assert left.pop("loops") == 1
    assert set(left.values()) == {0}
    assert other


def test_an_installed_package_brings_its_migrations(tmp_path):
    """As the wheel has it: the folder of the migrations is inside the package."""
    source = Path(loopctl.__file__).parent
    site = tmp_path / "site"
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(source, site / "loopctl", ignore=ignore)
    shutil.copytree(source.parent / "alembic", site / "loopctl/migrations", ignore=ignore)
    script = (
        "import sys; from pathlib import Path; from loopctl.store.database import Database;"
        "from loopctl.store.home import StateHome; from loopctl.store.migration import scripts;"
        "Database.open(StateHome(Path(sys.argv[1]))); print(scripts())"
    )
    (tmp_path / "home").mkdir()
    command_line = [sys.executable, "-c", script, str(tmp_path / "home")]
    done = subprocess.run(
        command_line, cwd=site, env={"PYTHONPATH": "."}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert Path(site, done.stdout.strip()) == site / "loopctl/migrations"
