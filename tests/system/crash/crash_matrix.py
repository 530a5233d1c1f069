"""Kills a driver at every commit boundary and inside every effect, restarts it, and checks.

A program of its own: it imports everything once and forks for each run, so that a kill point
costs a fraction of a second. What happened is judged by records that loopctl does not write: the
agent notes every turn that it begins and ends.

    python crash_matrix.py FOLDER PART PARTS  ->  one line of JSON for each kill point
"""

import gc
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from crash_scene import TURN_MICRO_USD, Scene, in_fork

from loopctl.driver.perform import Performer
from loopctl.store.journal import LoopJournal

GUARD_PATIENCE_S = 10.0

# How far into an effect the driver is killed, seconds; the others die as they begin, but for a
# turn: there the agent stops halfway, and the driver is killed when it has.
INSIDE_S = {
    "PrepareWorkspace": 0.008,
    "TakeSnapshot": 0.004,
    "Evaluate": 0.006,
    "PublishWork": 0.004,
}


@dataclass(frozen=True)
class KillPoint:
    """``where`` is ``before``, ``after`` (a commit) or ``inside`` (an effect); counted from 0."""

    where: str
    index: int


class Killer:
    """Wraps the journal and the performer of a driver; ends the process at its kill point."""

    def __init__(self, scene: Scene, point: KillPoint | None) -> None:
        self.scene = scene
        self.point = point
        self.commits = 0
        self.effects: list[str] = []

    def install(self) -> None:
        killer, commit, perform = self, LoopJournal.commit, Performer.perform

        async def counted_commit(journal, event, decision):
            index, killer.commits = killer.commits, killer.commits + 1
            killer.strike("before", index)
            entries = await commit(journal, event, decision)
            killer.strike("after", index)
            return entries

        async def counted_perform(performer, effect, state):
            name = type(effect).__name__
            index = len(killer.effects)
            killer.effects.append(name)
            if killer.point == KillPoint("inside", index):
                killer.strike_inside(name)
            return await perform(performer, effect, state)

        LoopJournal.commit = counted_commit
        Performer.perform = counted_perform

    def strike(self, where: str, index: int) -> None:
        if self.point == KillPoint(where, index):
            kill_self()

    def strike_inside(self, effect: str) -> None:
        """Let a thread end the process when the effect is under way."""
        if effect == "SendPrompt":
            self.scene.hold.touch()
            threading.Thread(target=self.strike_when_held, daemon=True).start()
        else:
            threading.Timer(INSIDE_S.get(effect, 0.0), kill_self).start()

    def strike_when_held(self) -> None:
        while not self.scene.held.exists():
            time.sleep(0.002)
        kill_self()


def kill_self() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def start(scene: Scene, killer: Killer) -> int:
    """What a child does: drive the loop until it is killed."""
    killer.install()
    return scene.start()


def rows(scene: Scene, query: str) -> list[tuple]:
    database = sqlite3.connect(scene.folder / "state" / "loopctl.db")
    try:
        return database.execute(query).fetchall()
    finally:
        database.close()


def try_point(scene: Scene, point: KillPoint) -> list[str]:
    """Kill one driver at ``point``, restart it; what is wrong afterwards."""
    code = in_fork(scene, lambda: start(scene, Killer(scene, point)))
    if code != -signal.SIGKILL:
        return [f"the driver was not killed: exit {code}"]
    if not (scene.folder / "state" / "loopctl.db").exists() or not rows(
        scene, "select 1 from loops"
    ):
        return ["killed before the loop had a row"]
    problems = [f"left alive: {pid}" for pid in still_alive(scene)]
    scene.hold.unlink(missing_ok=True)
    paid_before = spent(scene)
    status = rows(scene, "select status from loops")[0][0]
    if status == "completed":
        return [*problems, *check(scene, 0, paid_before)]
    return [*problems, *check(scene, in_fork(scene, scene.restart), paid_before)]


def still_alive(scene: Scene) -> list[int]:
    """Agents of a dead driver that its guard has not ended in good time."""
    pids = {int(line.split()[2]) for line in lines_of(scene.record)}
    deadline = time.monotonic() + GUARD_PATIENCE_S
    while time.monotonic() < deadline:
        alive = [pid for pid in pids if Path(f"/proc/{pid}").exists()]
        if not alive:
            return []
        time.sleep(0.01)
    return alive


def check(scene: Scene, code: int, paid_before: int) -> list[str]:
    """Compare loopctl's rows and the final tree with what the agent noted."""
    problems = [] if code == 0 else [f"exit {code} after the restart"]
    noted = [line.split() for line in lines_of(scene.record)]
    begun = [int(words[1]) for words in noted if words[0] == "begin"]
    ended = {f"line {words[1]} {words[2]}" for words in noted if words[0] == "end"}
    stored = [number for (number,) in rows(scene, "select number from rounds order by number")]
    if len(begun) != len(set(begun)):
        problems.append(f"a round was worked on twice: {begun}")
    if not set(begun) <= set(stored):
        problems.append(f"rounds {begun} were begun, {stored} are stored")
    if stored != list(range(1, len(stored) + 1)):
        problems.append(f"the numbers of the rounds are {stored}")
    flagged = rows(scene, "select count(*) from session_usage where source = 'unknown'")[0][0]
    if flagged > 1:
        problems.append(f"{flagged} reservations are flagged")
    if spent(scene) != TURN_MICRO_USD * len(stored) or spent(scene) < paid_before:
        problems.append(f"{spent(scene)} were spent in {len(stored)} rounds")
    if len(stored) - len(begun) not in {0, flagged}:
        problems.append(f"{len(stored)} rounds stored, {len(begun)} begun, {flagged} flagged")
    final = subprocess.run(
        ["git", "show", "loopctl/crash:work.txt"],
        cwd=scene.folder / "repository",
        capture_output=True,
        text=True,
        check=False,
    ).stdout.splitlines()
    if not ended <= set(final):
        problems.append(f"lost: {ended - set(final)}")
    if len(final) != len(set(final)):
        problems.append("an edit is there twice")
    if (scene.folder / "repository" / "work.txt").read_text():
        problems.append("the user's checkout was changed")
    return problems


def spent(scene: Scene) -> int:
    return rows(scene, "select coalesce(sum(micro_usd), 0) from session_usage")[0][0]


def lines_of(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


def all_points(scene: Scene) -> list[KillPoint]:
    """Every kill point of a run that nobody disturbs, found by doing one."""
    counts = scene.folder / "counts"
    killer = Killer(scene, None)

    def run() -> int:
        code = start(scene, killer)
        counts.write_text(json.dumps([killer.commits, len(killer.effects)]))
        return code

    if in_fork(scene, run) != 0:
        raise AssertionError((scene.folder / "log").read_text())
    commits, effects = json.loads(counts.read_text())
    boundaries = [KillPoint(w, i) for i in range(commits) for w in ("before", "after")]
    return boundaries + [KillPoint("inside", i) for i in range(effects)]


def main() -> None:
    folder, part, parts = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    gc.collect()
    gc.freeze()  # what is imported stays shared with the forked drivers
    built, whole = Scene(folder / "built"), Scene(folder / "whole")
    built.build()
    whole.copy_of(built)
    for number, point in enumerate(all_points(whole)):
        if number % parts == part:
            scene = Scene(folder / f"{point.where}-{point.index}")
            scene.copy_of(built)
            problems = try_point(scene, point)
            sys.stdout.write(json.dumps([point.where, point.index, problems]) + "\n")
            if not problems:
                shutil.rmtree(scene.folder)


if __name__ == "__main__":
    main()
