"""A bug becomes a report without secrets; an interruption becomes its exit code."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

CRASH = """
import sys
from loopctl.cli import main as boundary
def fail(arguments):
    raise {error}
boundary._run = fail
sys.exit(boundary.main())
"""


def crash(error: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", CRASH.format(error=error), *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def report_of(done: subprocess.CompletedProcess[str]) -> Path:
    why = next(line for line in done.stderr.splitlines() if line.startswith("  why: "))
    return Path(why.partition("the whole story is in ")[2])


def test_a_bug_leaves_a_report(tmp_path):
    secret = "correct-horse-battery"
    error = f"ZeroDivisionError('with {secret}')"
    done = crash(error, "run", "x", MY_API_KEY=secret)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    path = report_of(done)
    assert path.parent == tmp_path / "home" / "reports"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    text = path.read_text()
    assert secret not in text + done.stderr
    for part in ("loopctl ", "Python ", "['run', 'x']", "ZeroDivisionError", "Traceback"):
        assert part in text


def test_a_report_finds_a_place(tmp_path):
    (tmp_path / "file").write_text("")
    done = crash("OSError('x')", LOOPCTL_HOME=str(tmp_path / "file"), TMPDIR=str(tmp_path))
    assert done.returncode == 1
    assert report_of(done).parent == tmp_path


def test_an_interruption():
    done = crash("KeyboardInterrupt")
    assert (done.returncode, done.stderr) == (130, "loopctl: interrupted\n")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        ("boundary.LoopctlError('a', why='b', next_step='c')", 1),
        ("boundary.UsageError('a', why='b', next_step='c')", 2),
    ],
)
def test_an_error_on_purpose(error, code):
    done = crash(error)
    assert (done.returncode, done.stderr) == (code, "loopctl: a\n  why: b\n  next: c\n")


def test_an_error_is_shown_without_being_obeyed():
    done = crash(r"boundary.UsageError('\x1b[2Jcleared')")
    assert done.stderr == "loopctl: \\x1b[2Jcleared\n"
