"""The scripted agent of the first example: one bug a round, decided by the files alone."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "01-fix-failing-tests"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    make = [sys.executable, str(EXAMPLE / "make_repository.py"), str(tmp_path / "repository")]
    subprocess.run(make, check=True)
    return tmp_path / "repository"


def agent(repository: Path) -> str:
    done = subprocess.run(
        [sys.executable, str(EXAMPLE / "agent.py")],
        cwd=repository,
        input="repair it\n",
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def suite_passes(repository: Path) -> bool:
    command = [sys.executable, "-B", "-m", "unittest", "-q"]
    done = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=False)
    assert "Ran 8 tests" in done.stderr
    return done.returncode == 0


def test_two_rounds_lead_from_red_to_green(repository):
    assert not suite_passes(repository)
    agent(repository)
    assert not suite_passes(repository)
    agent(repository)
    assert suite_passes(repository)
    assert "nothing left" in agent(repository)


def test_only_product_code_is_touched(repository):
    agent(repository)
    agent(repository)
    status = ["git", "status", "--porcelain"]
    done = subprocess.run(status, cwd=repository, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["M", "pantry/shopping.py", "M", "pantry/units.py"]
