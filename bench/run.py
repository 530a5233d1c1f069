"""What loopctl costs: milliseconds a round, start-up, memory, bytes in the database.

    make bench

Every figure stands beside its target; nothing here is asserted. The bare loop runs the same
agent and the same check from a shell, so that the difference is loopctl's own.
"""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from measure import marginal, median, peak_memory, seconds

EXAMPLE = Path(__file__).resolve().parent.parent / "examples" / "01-fix-failing-tests"
LOOPCTL = (sys.executable, "-m", "loopctl")
FEW, MANY, TIMES = 2, 22, 5
LOOPS, ROUNDS = 1000, 20
AGENT = 'cat >/dev/null; echo "$$" >> notes.txt; echo done\n'
CHECK = "exit 1"
BARE = (
    "i=0; while [ $i -lt {rounds} ]; do echo prompt | sh {agent}; sh -c '{check}'; i=$((i+1)); done"
)


class Scene:
    """The example repository, a state folder and the agent that does next to nothing."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.repository = folder / "repository"
        self.agent = folder / "agent.sh"
        self.agent.write_text(AGENT)
        subprocess.run(
            (sys.executable, str(EXAMPLE / "make_repository.py"), str(self.repository)),
            check=True,
            stdout=subprocess.DEVNULL,
        )
        self.count = 0

    @property
    def env(self) -> Mapping[str, str]:
        return {**os.environ, "LOOPCTL_HOME": str(self.folder / "state")}

    def loop(self, rounds: int, isolation: str) -> float:
        """Seconds of a loop that runs out of rounds."""
        self.count += 1
        return seconds(self.command(rounds, isolation), self.repository, self.env)

    def command(self, rounds: int, isolation: str) -> list[str]:
        options = {
            "--stop": CHECK,
            "--agent": f"cmd:sh {self.agent}",
            "--max-rounds": str(rounds),
            "--isolation": isolation,
            "--name": f"bench-{isolation}-{rounds}-{self.count}",
        }
        words = [word for pair in options.items() for word in pair]
        return [*LOOPCTL, "run", "bench", *words, "--quiet"]

    def bare(self, rounds: int) -> float:
        """Seconds of the same agent and check in a shell loop."""
        script = BARE.format(rounds=rounds, agent=self.agent, check=CHECK)
        return seconds(("sh", "-c", script), self.repository, self.env)


def rounds_table(scene: Scene) -> Iterator[tuple[str, float, str, str]]:
    """Marginal milliseconds of a round beyond the bare loop."""
    bare = marginal(scene.bare, FEW, MANY, TIMES)
    yield "a round of the bare loop", bare, "ms", ""
    isolations = [("same-workspace", 15), ("separate-worktree", 25)]
    if shutil.which("bwrap"):
        isolations.append(("container", 175))
    for isolation, target in isolations:
        whole = marginal(lambda n, i=isolation: scene.loop(n, i), FEW, MANY, TIMES)
        yield f"a round beyond it, {isolation}", whole - bare, "ms", f"<= {target}"


def database_growth(scene: Scene) -> float:
    """Kilobytes of database that one more round takes."""
    before = database_size(scene)
    scene.loop(FEW, "separate-worktree")
    middle = database_size(scene)
    scene.loop(MANY, "separate-worktree")
    after = database_size(scene)
    return ((after - middle) - (middle - before)) / (MANY - FEW) / 1024


def database_size(scene: Scene) -> int:
    with opened(scene) as database:
        database.execute("pragma wal_checkpoint(truncate)")
        pages = database.execute("pragma page_count").fetchone()[0]
        return int(pages) * int(database.execute("pragma page_size").fetchone()[0])


@contextmanager
def opened(scene: Scene) -> Iterator[sqlite3.Connection]:
    database = sqlite3.connect(scene.folder / "state" / "loopctl.db")
    try:
        yield database
        database.commit()
    finally:
        database.close()


def fill(scene: Scene) -> None:
    """Copy one finished loop of twenty rounds until there are a thousand."""
    scene.loop(ROUNDS, "separate-worktree")
    with opened(scene) as database:
        database.execute("pragma foreign_keys = off")
        source = database.execute("select id from loops order by created_at desc").fetchone()[0]
        for number in range(LOOPS):
            copy_loop(database, source, f"{number:032x}")


def copy_loop(database: sqlite3.Connection, source: str, target: str) -> None:
    for table in ("loops", "rounds", "agent_sessions", "events", "session_usage", "transitions"):
        columns = [row[1] for row in database.execute(f"pragma table_info({table})")]
        integer_key = {
            row[1] for row in database.execute(f"pragma table_info({table})") if row[5]
        } - {"loop_id", "number", "seq"}
        kept = [name for name in columns if table == "loops" or name not in integer_key]
        chosen = [replaced(table, name, target) for name in kept]
        key = "id" if table == "loops" else "loop_id"
        database.execute(
            f"insert or ignore into {table} ({', '.join(kept)}) "
            f"select {', '.join(chosen)} from {table} where {key} = ?",
            (source,),
        )


def replaced(table: str, column: str, target: str) -> str:
    if (table, column) == ("loops", "id") or column == "loop_id":
        return f"'{target}'"
    if (table, column) == ("loops", "name"):
        return f"'copy-{target}'"
    return column


def start_up(scene: Scene) -> Iterator[tuple[str, float, str, str]]:
    """Milliseconds until a command has answered."""
    for words, target in ((("--version",), ""), (("--help",), "<= 150"), (("status",), "<= 400")):
        run = lambda words=words: seconds((*LOOPCTL, *words), scene.repository, scene.env)  # noqa: E731
        name = f"loopctl {' '.join(words)}"
        if words == ("status",):
            name += f", {LOOPS} loops of {ROUNDS} rounds stored"
        yield name, median(run, 15) * 1000, "ms", target


def memory(scene: Scene) -> Iterator[tuple[str, float, str, str]]:
    """Peak resident megabytes while an agent prints 200 MB."""
    scene.agent.write_text("cat >/dev/null; yes | head -c 200000000\n")
    peaks = peak_memory(scene.command(1, "separate-worktree"), scene.repository, scene.env)
    scene.agent.write_text(AGENT)
    yield "peak memory of the driver, 200 MB of output", peaks["driver"], "MB", ""
    yield "the same with the guard", sum(peaks.values()), "MB", "<= 80"


def main() -> None:
    """Measure, print a table, and leave the figures as JSON when a path is given."""
    figures: list[tuple[str, float, str, str]] = []
    with tempfile.TemporaryDirectory(prefix="loopctl-bench-") as folder:
        scene = Scene(Path(folder))
        for figure in (
            *rounds_table(scene),
            ("database, a round", database_growth(scene), "KB", "<= 6"),
            *memory(scene),
        ):
            figures.append(figure)
            show(figure)
        fill(scene)
        for figure in start_up(scene):
            figures.append(figure)
            show(figure)
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(json.dumps(figures, indent=1) + "\n")


def show(figure: tuple[str, float, str, str]) -> None:
    name, value, unit, target = figure
    sys.stdout.write(f"{name:<64} {value:8.1f} {unit:<3} {target}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
