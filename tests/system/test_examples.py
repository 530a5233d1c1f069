"""The numbered examples do what their README files say."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from harness import World

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
CANNOT_RUN = 75


def run_example(world: World, *command: str) -> subprocess.CompletedProcess[str]:
    environment = dict(world.environment)
    environment["PATH"] = f"{Path(sys.executable).parent}:{environment['PATH']}"
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, cwd=world.folder
    )


def test_fix_failing_tests(world: World) -> None:
    """Two bugs, one repaired in each round, and the work is on the loop's branch."""
    done = run_example(world, "sh", str(EXAMPLES / "01-fix-failing-tests" / "run.sh"))
    assert done.returncode == 0, done.stderr
    assert "baseline: FAIL" in done.stderr
    assert "round 1: FAIL: 0 of 1" in done.stderr
    assert "round 2: PASS: 1 of 1" in done.stderr
    assert "pantry/units.py" in done.stdout


def test_contract(world: World) -> None:
    """One criterion more in each round, and each is told by its name."""
    done = run_example(world, "sh", str(EXAMPLES / "04-contract" / "run.sh"))
    assert done.returncode == 0, done.stderr
    assert "2 of 3 criteria fail: names, usage" in done.stderr
    assert "round 1: FAIL: 2 of 3" in done.stderr
    assert "round 2: PASS: 3 of 3" in done.stderr
    assert "FAIL usage\n    saw 'exit 1: IndexError" in done.stdout


@pytest.mark.timeout(300)  # the downloads' pace is not ours
@pytest.mark.parametrize(
    ("project", "shown"),
    [
        ("toolz", "toolz/tests/"),
        ("wsproto", "FAILED tests/test_server.py"),
        ("semver", "100.0%"),
        ("markupsafe", "[markupsafe._speedups"),
    ],
)
def test_real_project(world: World, project: str, shown: str) -> None:
    """A released project with its own suite, which runs as many tests when it is repaired.

    The user's checkout stays byte-identical.
    """
    script = EXAMPLES / "02-real-project" / "run.py"
    done = run_example(world, sys.executable, str(script), project, str(world.folder / "work"))
    if done.returncode == CANNOT_RUN:
        pytest.skip(f"the project cannot be had: {done.stdout.splitlines()[-1]}")
    assert done.returncode == 0, done.stdout + done.stderr
    for number in (1, 2):
        assert f"round {number}: FAIL: 0 of 1" in done.stderr
    assert "round 3: PASS: 1 of 1" in done.stderr
    assert shown in done.stdout
    before, after = re.findall(r"\{'passed': \d+.*?\}", done.stdout)
    assert before == after
    assert "byte-identical" in done.stdout


@pytest.mark.parametrize("judge", [(), ("--judge",)])
def test_builtin_agent(world: World, judge: tuple[str, ...]) -> None:
    """The built-in agent over a scripted model, alone and with a judge: counted to the token."""
    script = EXAMPLES / "03-builtin-agent" / "run.py"
    done = run_example(world, sys.executable, str(script), *judge)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "to the token" in done.stdout
    assert "goal met" in done.stderr
    if judge:
        assert "round 1: FAIL: 1 of 2" in done.stderr
        assert "pantry/units.py:8" in done.stdout  # what the judge cites
        assert "round 2: PASS: 2 of 2" in done.stderr
