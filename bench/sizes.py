"""What the size of a repository costs: snapshots, checkouts and whole rounds, by number of files.

    make bench                            10 and 5,000 files
    make bench SIZES="10 5000 60000"      60,000 as well: some minutes, most of them to make files

A first snapshot reads every file and a first checkout writes every file; the following ones, with
one file changed in between, must not. The agent notes when its turns begin: a round is the median
time between two of them, without the time that the same agent and check take in a shell.
"""

import asyncio
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from loopctl.domain.evaluator_spec import Isolation
from loopctl.domain.supplies import EvaluatorSupplies
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.repository import discover
from loopctl.git.snapshot import Snapshotter
from loopctl.git.worktree import add_worktree
from loopctl.workspace.checkout_environment import CheckoutEnvironment
from loopctl.workspace.checkout_files import CheckoutFiles
from loopctl.workspace.checkouts import LoopCheckouts

Figure = tuple[str, float, str]

ROUNDS = 12
TIMES = 7
CHECK = "exit 1"
TARGETS = {
    (10, "same-workspace"): 15,
    (10, "separate-worktree"): 25,
    (5_000, "same-workspace"): 45,
    (5_000, "separate-worktree"): 60,
    (60_000, "same-workspace"): 320,
    (60_000, "separate-worktree"): 450,
}


def make_repository(path: Path, files: int) -> None:
    """A repository of small Python files, fifty in a folder."""
    for number in range(files):
        folder = path / f"part{number // 1000:02}" / f"module{number % 1000 // 50:02}"
        if number % 50 == 0:
            folder.mkdir(parents=True)
        (folder / f"file{number % 50:02}.py").write_text(
            f"VALUE_{number} = 0\n" * (20 + number % 60)
        )
    for command in ("init -q -b main", "add -A", "commit -q -m first"):
        who = ("-c", "user.name=bench", "-c", "user.email=bench@localhost")
        subprocess.run(("git", *who, *command.split()), cwd=path, check=True)


class Parts:
    """The parts of a round that depend on the number of files, each on its own."""

    def __init__(self, repository: Path, state: Path) -> None:
        user = discover(repository)
        self.project = ProjectRepository.open_or_create(state / "project.git", user)
        self.worktree = state / "worktree"
        add_worktree(user, self.worktree, "bench", user.head)
        self.snapshotter = Snapshotter(self.project, self.worktree, state / "index", user.head)
        self.parent = user.head
        supplies = EvaluatorSupplies()
        self.checkouts = LoopCheckouts(
            state / "checkouts",
            CheckoutFiles(self.project, user.head, supplies, repository),
            CheckoutEnvironment(os.environ, (), {}, supplies, repository),
        )
        self.rounds = 0

    def snapshot(self) -> float:
        """Milliseconds of a snapshot of what is there now."""
        self.rounds += 1
        began = time.perf_counter()
        taken = self.snapshotter.take(self.parent, "bench", f"refs/bench/{self.rounds}")
        self.parent, self.tree = taken.commit, taken.tree
        return (time.perf_counter() - began) * 1000

    async def checkout(self) -> float:
        """Milliseconds until a checkout of the last snapshot can be used."""
        began = time.perf_counter()
        place = self.checkouts.open(self.tree, Isolation.SEPARATE_WORKTREE, self.worktree)
        async with place:
            return (time.perf_counter() - began) * 1000

    async def measure(self) -> list[Figure]:
        """First and following ones; a file changes in between."""
        self.snapshotter.prepare()
        first = self.snapshot()
        first_checkout = await self.checkout()
        unchanged = [self.snapshot() for _ in range(TIMES)]
        snapshots, checkouts = [], []
        for number in range(TIMES):
            (self.worktree / "notes.txt").write_text("note\n" * number)
            snapshots.append(self.snapshot())
            checkouts.append(await self.checkout())
        self.project.close()
        return [
            ("snapshot, first", first, ""),
            ("snapshot, nothing changed", statistics.median(unchanged), ""),
            ("snapshot, one file changed", statistics.median(snapshots), ""),
            ("checkout, first", first_checkout, ""),
            ("checkout, one file changed", statistics.median(checkouts), ""),
        ]


def rounds(repository: Path, state: Path, files: int) -> Iterator[Figure]:
    """Whole rounds beyond the bare loop."""
    state.mkdir()
    times, agent = state / "times", state / "agent.sh"
    agent.write_text(f'date +%s%N >> {times}; cat >/dev/null; echo "$$" >> notes.txt; echo done\n')
    turn = f"echo prompt | sh {agent}; sh -c '{CHECK}'; "
    (state / "bare").mkdir()
    script = ("sh", "-c", turn * ROUNDS)
    subprocess.run(script, cwd=state / "bare", check=False, stdout=subprocess.DEVNULL)
    bare = between_turns(times)
    for isolation in ("same-workspace", "separate-worktree"):
        options = f"--max-rounds {ROUNDS} --isolation {isolation} --name {isolation} --quiet"
        subprocess.run(
            (
                *(sys.executable, "-m", "loopctl", "run", "bench", "--stop", CHECK),
                *("--agent", f"cmd:sh {agent}", *options.split()),
            ),
            cwd=repository,
            env={**os.environ, "LOOPCTL_HOME": str(state / "home")},
            check=False,
            stderr=subprocess.DEVNULL,
        )
        target = TARGETS.get((files, isolation))
        whole = between_turns(times) - bare
        yield f"a round beyond the bare loop, {isolation}", whole, f"<= {target}" if target else ""


def between_turns(times: Path) -> float:
    """Median milliseconds between the beginnings of turns, the first round not counted."""
    noted = [int(line) for line in times.read_text().split()]
    times.unlink()
    return statistics.median(b - a for a, b in pairwise(noted[1:])) / 1e6


def main() -> None:
    """Measure each size that is named and print a table."""
    for files in map(int, sys.argv[1:] or ("10", "5000")):
        sys.stdout.write(f"\n{files:,} files\n")
        with tempfile.TemporaryDirectory(prefix="loopctl-bench-") as name:
            folder = Path(name)
            make_repository(folder / "repository", files)
            for figure in asyncio.run(Parts(folder / "repository", folder / "parts").measure()):
                show(*figure)
            shutil.rmtree(folder / "parts")
            for figure in rounds(folder / "repository", folder / "rounds", files):
                show(*figure)


def show(name: str, milliseconds: float, target: str) -> None:
    sys.stdout.write(f"{name:<64} {milliseconds:8.1f} ms  {target}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
