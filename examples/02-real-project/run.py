"""Break a real project, let loopctl drive an agent until the project's own suite passes, and check.

Usage: run.py [--cache FOLDER] [PROJECT] [FOLDER]. Exits with loopctl's code; 1: the user's checkout
changed, or other numbers of tests ran than before the project was broken; 75: the project or what
it needs cannot be had.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from counting import counts_of
from project import Project, load, names
from repository import commit_broken, fetch, fingerprint, unpack

HERE = Path(__file__).resolve().parent
CANNOT_RUN = 75
SHOWN_LINES = 8


class Run:
    """One run with a project, in a folder that holds everything."""

    def __init__(self, project: Project, work: Path) -> None:
        self.project = project
        self.repository = work / "repository"
        self.name = f"repair-{project.folder.name}"
        # Whichever way this interpreter was called: the projects' commands call it `python3`.
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        self.variables = os.environ | {"PATH": path, "LOOPCTL_HOME": str(work / "home")}
        self.activated = self.variables | {"PATH": f"{work / 'environment' / 'bin'}:{path}"}

    def prepare(self) -> None:
        """Do what the project's user has done before.

        Raises:
            subprocess.CalledProcessError: something could not be installed.
        """
        command = self.project.prepare
        subprocess.run(command, shell=True, cwd=self.repository, env=self.variables, check=True)

    def count_tests(self) -> dict[str, int]:
        """Run the stop command in the user's checkout, and count."""
        settings = tomllib.loads((self.repository / "loopctl.toml").read_text(encoding="utf-8"))
        command = ["/bin/sh", "-c", settings["stop"][0]]
        return counts_of(self._run(command, subprocess.PIPE).stdout)

    def loopctl(
        self, *arguments: str, stdout: int | None = None
    ) -> "subprocess.CompletedProcess[str]":
        """Run loopctl in the repository, its state beside it."""
        return self._run([sys.executable, "-m", "loopctl", *arguments], stdout)

    def _run(self, command: list[str], stdout: int | None) -> "subprocess.CompletedProcess[str]":
        place = {"cwd": self.repository, "env": self.activated}
        return subprocess.run(command, check=False, stdout=stdout, text=True, **place)

    def repair(self) -> int:
        """Run the loop; return its exit code."""
        agent = shlex.join([sys.executable, str(HERE / "agent.py"), self.project.folder.name])
        goal = "make the failing tests pass"
        return self.loopctl("run", goal, "--agent", f"cmd:{agent}", "--name", self.name).returncode

    def show(self) -> list[dict[str, int]]:
        """Show the end of each round's evidence; return each one's tests, the baseline first."""
        told = self.loopctl("show", self.name, "--json", stdout=subprocess.PIPE).stdout
        counts = []
        for each in json.loads(told)["rounds"]:
            evaluation = each["evaluations"][-1]
            evidence = evaluation["criteria"][0]["evidence"]
            print(f"round {each['round']}: {evaluation['verdict']}")
            print(*(f"    {line}" for line in evidence[-SHOWN_LINES:]), sep="\n")
            counts.append(counts_of("\n".join(evidence)))
        return counts


def run(project: Project, archive: Path, work: Path) -> int:
    """Break, repair and compare; return the exit code."""
    this = Run(project, work)
    unpack(project, archive, this.repository)
    this.prepare()
    whole = this.count_tests()
    commit_broken(project, this.repository)
    before = fingerprint(this.repository)
    code = this.repair()
    repaired = this.show()[-1]
    after = fingerprint(this.repository)
    print(f"Tests before the project was broken: {whole}; after the last round: {repaired}.")
    changed = sorted(k for k in before | after if before.get(k) != after.get(k))
    if changed:
        print(f"The user's checkout CHANGED: {', '.join(changed)}")
        return 1
    print(f"The user's checkout is byte-identical ({len(before)} digests compared).")
    return code or int(whole != repaired)


def main() -> int:
    """Parse the command line, get the project, and run."""
    parser = argparse.ArgumentParser(description="Run loopctl on a real project.")
    parser.add_argument("project", nargs="?", choices=names(), default="toolz")
    parser.add_argument("folder", nargs="?", type=Path, help="keep everything here (new folder)")
    parser.add_argument("--cache", type=Path, help="where the source distribution is kept")
    arguments = parser.parse_args()
    project = load(arguments.project)
    with tempfile.TemporaryDirectory() as temporary:
        work = (arguments.folder or Path(temporary, "work")).resolve()
        work.mkdir(parents=True)
        try:
            return run(project, fetch(project, arguments.cache or work), work)
        except subprocess.CalledProcessError:
            print("The project or what it needs cannot be had; above is why")
            return CANNOT_RUN


if __name__ == "__main__":
    sys.exit(main())
