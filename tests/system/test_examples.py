"""The numbered examples do what their README files say."""

import subprocess
import sys
from pathlib import Path

import pytest
from harness import World

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
NO_SOURCE_DISTRIBUTION = 75


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


def test_real_project(world: World) -> None:
    """A released project with its own suite; the user's checkout stays byte-identical."""
    script = EXAMPLES / "02-real-project" / "run.py"
    done = run_example(world, sys.executable, str(script), str(world.folder / "work"))
    if done.returncode == NO_SOURCE_DISTRIBUTION:
        pytest.skip(f"the source distribution cannot be had: {done.stdout.splitlines()[-1]}")
    assert done.returncode == 0, done.stderr
    for number in (1, 2):
        assert f"round {number}: FAIL: 0 of 1" in done.stderr
    assert "round 3: PASS: 1 of 1" in done.stderr
    assert "byte-identical" in done.stdout
