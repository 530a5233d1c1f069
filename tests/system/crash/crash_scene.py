"""One repository with one loop for the crash matrix, and the process in which it is driven."""

import os
import shutil
import subprocess
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import git  # noqa: F401 - the driver imports it late, each time again

from loopctl.bootstrap.continuing import restart
from loopctl.bootstrap.request import StartRequest
from loopctl.bootstrap.starting import start
from loopctl.domain.budget import Budget
from loopctl.domain.events import CapChanges
from loopctl.domain.loop import Assumption
from loopctl.domain.stop import exit_code_of
from loopctl.store.database import Database
from loopctl.store.home import state_home

TURN_MICRO_USD = 400_000

AGENT = """\
cat > /dev/null
echo "begin $LOOPCTL_ROUND $$" >> {folder}/record
echo "line $LOOPCTL_ROUND $$" >> work.txt
if test -e {folder}/hold; then
    touch {folder}/held
    exec sleep 60
fi
echo "end $LOOPCTL_ROUND $$" >> {folder}/record
echo "did a part of the work"
"""
CHECK = 'test "$(wc -l < work.txt)" -ge 3\n'


@dataclass(frozen=True)
class Scene:
    """One repository with one loop."""

    folder: Path

    @property
    def record(self) -> Path:
        return self.folder / "record"

    @property
    def hold(self) -> Path:
        """While this file is there, the agent stops halfway through its turn."""
        return self.folder / "hold"

    @property
    def held(self) -> Path:
        """The agent has stopped halfway."""
        return self.folder / "held"

    @property
    def environment(self) -> dict[str, str]:
        home = self.folder / "home"
        home.mkdir(exist_ok=True)
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "LOOPCTL_HOME": str(self.folder / "state"),
        }

    def build(self) -> None:
        """Make what a user has who knows loopctl: a repository, and a database without a loop."""
        repository = self.folder / "repository"
        repository.mkdir(parents=True)
        (repository / "work.txt").write_text("")
        (repository / "check.sh").write_text(CHECK)
        identity = ("-c", "user.name=T", "-c", "user.email=t@example.org")
        for words in (
            ("init", "-q", "--template="),
            ("add", "-A"),
            (*identity, "commit", "-qm", "base"),
        ):
            subprocess.run(["git", *words], cwd=repository, env=self.environment, check=True)
        Database.open(state_home(self.environment)).close()

    def copy_of(self, built: "Scene") -> None:
        """Be as the other one was when it was built."""
        shutil.copytree(built.folder, self.folder)
        (self.folder / "agent.sh").write_text(AGENT.format(folder=self.folder))

    def request(self) -> StartRequest:
        return StartRequest(
            goal="write three lines",
            folder=self.folder / "repository",
            agent=f"cmd:/bin/sh {self.folder / 'agent.sh'}",
            stops=("sh check.sh",),
            budget=Budget(max_micro_usd=40_000_000),
            max_rounds=10,
            assumed=Assumption(micro_usd=TURN_MICRO_USD),
            name="crash",
        )

    def start(self) -> int:
        outcome = start(self.request(), self.environment, ())
        return int(exit_code_of(outcome.state.stop))

    def restart(self) -> int:
        folder = self.folder / "repository"
        outcome = restart("crash", folder, CapChanges(), self.environment, ())
        if outcome.refused:
            raise AssertionError(outcome.refused)
        return int(exit_code_of(outcome.state.stop))


def in_fork(scene: Scene, work: Callable[[], int]) -> int:
    """Run ``work`` in a child; its exit status as the shell would show it."""
    pid = os.fork()
    if pid == 0:
        log = os.open(scene.folder / "log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(log, 1)
        os.dup2(log, 2)
        try:
            code = work()
        except BaseException:  # noqa: BLE001 - whatever it is, the child must not return
            traceback.print_exc()
            code = 99
        sys.stdout.flush()
        os._exit(code)
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status)
