"""The state folder: private, found, refused for a reason."""

import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from store_world import Run, new_home, new_loop

from loopctl.domain.criteria import Verdict
from loopctl.store.database import Database
from loopctl.store.home import HomeError, state_home

OPEN_AS_NOBODY = """
import os, sys
from loopctl.store.home import HomeError, state_home
if os.geteuid() == 0:
    os.setgid(65534); os.setuid(65534)
try:
    state_home({"LOOPCTL_HOME": sys.argv[1]})
except HomeError as error:
    print(error, error.why)
"""


def modes(folder):
    return {
        str(path.relative_to(folder)): stat.S_IMODE(path.stat().st_mode)
        for path in (folder, *folder.rglob("*"))
    }


def test_everything_is_private_under_any_umask(tmp_path):
    before = os.umask(0)
    try:
        home = new_home(tmp_path)
        database = Database.open(home)
        run = Run(database, home, new_loop(database, home))
        run.start()
        run.round(1, Verdict.FAIL)
        home.project_folder("p1")
        found = modes(home.path)
        run.close()
        database.close()
    finally:
        os.umask(before)
    assert {"loopctl.db-wal", "loopctl.db-shm", "locks/schema.lock", "projects/p1"} <= set(found)
    for name, mode in found.items():
        assert mode == (0o700 if (home.path / name).is_dir() else 0o600), name


def test_the_platforms_folder_is_the_default(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "deep/state"))
    monkeypatch.setenv("HOME", str(tmp_path))
    for environment in ({}, {"LOOPCTL_HOME": ""}):
        home = state_home(environment)
        assert home.path.name == "loopctl"
        assert home.path.is_relative_to(tmp_path)
        assert home.path.is_dir()


def test_a_folder_that_cannot_be_used_is_refused_with_the_reason(tmp_path):
    (tmp_path / "file").write_text("mine")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere/home")
    for path, why in (
        ("relative/home", "relative"),
        (tmp_path / "file", "not a folder"),
        (tmp_path / "file/home", "Not a directory"),
        (tmp_path / "missing/home", "does not exist"),
        (tmp_path / "dangling", "exist"),
        (tmp_path / "loop", "symbolic links"),
    ):
        with pytest.raises(HomeError) as refused:
            state_home({"LOOPCTL_HOME": str(path)})
        assert str(path) in refused.value.message
        assert why in refused.value.why
        assert "LOOPCTL_HOME" in refused.value.next_step
    assert (tmp_path / "file").read_text() == "mine"
    assert not (tmp_path / "missing").exists()


@pytest.fixture
def open_folder():
    """A folder that every user can reach, unlike ``tmp_path``."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def test_an_unwritable_folder_and_somebody_elses_are_refused(open_folder):
    locked = open_folder / "locked"
    locked.mkdir(mode=0o500)
    command = [sys.executable, "-c", OPEN_AS_NOBODY]
    source = {"PYTHONPATH": os.pathsep.join(sys.path)}
    for path, why in ((locked, ("another user", "written")), (locked / "home", ("denied",))):
        done = subprocess.run(
            [*command, str(path)], capture_output=True, text=True, check=True, env=source
        )
        assert any(word in done.stdout for word in why), done.stdout
    assert list(locked.iterdir()) == []


def test_an_open_empty_folder_is_made_private_but_not_one_with_other_files(tmp_path):
    empty, shared = tmp_path / "empty", tmp_path / "shared"
    for folder in (empty, shared):
        folder.mkdir()
        folder.chmod(0o777)
    (shared / "notes.txt").touch()
    assert state_home({"LOOPCTL_HOME": str(empty)}).path == empty
    assert stat.S_IMODE(empty.stat().st_mode) == 0o700
    with pytest.raises(HomeError, match="cannot be the state folder"):
        state_home({"LOOPCTL_HOME": str(shared)})
    assert stat.S_IMODE(shared.stat().st_mode) == 0o777
