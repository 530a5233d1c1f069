"""Streams that are closed, poor, full or gone do not end a command, and are never written over."""

import os
import subprocess
from pathlib import Path

import pytest
from invocation import PROGRAM


def shell(command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    program = " ".join(f"'{word}'" for word in PROGRAM)
    return subprocess.run(
        ["sh", "-c", command.replace("loopctl", program)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams(closed, tmp_path):
    done = shell(f"loopctl status {closed}; echo $? >code")
    assert (tmp_path / "here" / "code").read_text() == "0\n"
    assert "Traceback" not in done.stderr
    assert (tmp_path / "home" / "loopctl.db").read_bytes()[:6] == b"SQLite"


def test_a_reader_that_went_away():
    assert shell("{ loopctl status; echo $? >code; } | true; cat code").stdout == "0\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a full device")
def test_a_full_disk_is_told():
    done = shell("loopctl status >/dev/full")
    assert done.returncode == 1
    assert done.stderr.startswith("loopctl: the output could not be written")
    assert "Traceback" not in done.stderr


def test_a_stream_that_knows_ascii_alone():
    done = shell("loopctl status ünknown", LC_ALL="C", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 2
    assert done.stderr.isascii()
    assert "nknown" in done.stderr


def test_without_a_terminal_of_any_kind():
    done = shell("env -u TERM CI=1 loopctl status <&-")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout


def test_in_a_folder_that_was_deleted():
    done = shell("mkdir gone; cd gone; rmdir ../gone; loopctl list")
    assert done.returncode == 2
    assert "cd to your repository" in done.stderr
    assert shell("mkdir gone; cd gone; rmdir ../gone; loopctl --help").returncode == 0
