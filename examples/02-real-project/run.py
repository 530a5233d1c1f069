"""Break a real project, let loopctl drive an agent until the project's own suite passes, and check.

Usage: run.py [--cache FOLDER] [FOLDER]. Exits with loopctl's code; 1: the user's checkout changed;
75: the source distribution cannot be had, or this interpreter has no pytest.
"""

import argparse
import importlib.util
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from breakage import BREAKS
from repository import fetch, fingerprint, make_repository

HERE = Path(__file__).resolve().parent
NAME = "repair-toolz"
CANNOT_RUN = 75


def loopctl(work: Path, *arguments: str) -> int:
    """Run loopctl in the repository, its state beside it, and return its exit code."""
    env = os.environ | {"LOOPCTL_HOME": str(work / "home")}
    command = [sys.executable, "-m", "loopctl", *arguments]
    return subprocess.run(command, cwd=work / "repository", env=env, check=False).returncode


def run(archive: Path, work: Path) -> int:
    """Run the loop in `work`, show its rounds, compare the checkout; return the exit code."""
    repository = work / "repository"
    make_repository(archive, repository)
    before = fingerprint(repository)
    # The evaluator gets PATH from the user, but the interpreter with pytest need not be on it.
    stop = f"{shlex.quote(sys.executable)} -m pytest -q"
    agent = shlex.join([sys.executable, str(HERE / "agent.py")])
    goal = "make the failing tests pass"
    options = ["--stop", stop, "--max-rounds", "5", "--agent", f"cmd:{agent}", "--name", NAME]
    code = loopctl(work, "run", goal, *options)
    for number in range(1, len(BREAKS) + 1):
        loopctl(work, "show", NAME, "--round", str(number))
    after = fingerprint(repository)
    changed = sorted(k for k in before | after if before.get(k) != after.get(k))
    if changed:
        print(f"The user's checkout CHANGED: {', '.join(changed)}")
        return 1
    print(f"The user's checkout is byte-identical ({len(before)} digests compared).")
    return code


def main() -> int:
    """Parse the command line, get the project, and run."""
    parser = argparse.ArgumentParser(description="Run loopctl on a real project.")
    parser.add_argument("folder", nargs="?", type=Path, help="keep everything here (new folder)")
    parser.add_argument("--cache", type=Path, help="where the source distribution is kept")
    arguments = parser.parse_args()
    if importlib.util.find_spec("pytest") is None:
        print(f"{sys.executable} has no pytest: run this with the interpreter of `make setup`")
        return CANNOT_RUN
    with tempfile.TemporaryDirectory() as temporary:
        work = (arguments.folder or Path(temporary, "work")).resolve()
        work.mkdir(parents=True)
        try:
            archive = fetch(arguments.cache or work)
        except subprocess.CalledProcessError:
            print("The source distribution cannot be had; pip says why above")
            return CANNOT_RUN
        return run(archive, work)


if __name__ == "__main__":
    sys.exit(main())
