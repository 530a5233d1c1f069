"""Real programs, real guards, and orphans of every kind."""

import asyncio
import os
import sys
import time
from pathlib import Path

import psutil

from loopctl.process.guard_client import Guard
from loopctl.process.masking import Masker
from loopctl.process.run import run
from loopctl.process.spec import ProcessSpec

HERE = Path(__file__).parent
PYTHON = (sys.executable, "-I", "-S")
ORPHANS = (
    "plain",
    "setsid",
    "double_fork",
    "cleared_environment",
    "own_subreaper",
    "ignores_signals",
    "stopped",
    "reforks",
    "reforks_in_new_sessions",
    "respawned",
)


class Bench:
    """Real programs in a temporary folder, through a real guard."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def spec(self, *argv, **fields):
        env = {"PATH": os.defpath, **fields.pop("env", {})}
        return ProcessSpec(tuple(map(str, argv)), fields.pop("cwd", self.folder), env, **fields)

    def python(self, code, *arguments, **fields):
        return self.spec(*PYTHON, "-c", code, *arguments, **fields)

    def leave_orphan(self, kind, **fields):
        """A program that leaves an orphan of this kind, which beats in `self.heartbeat`."""
        script = HERE / "orphan_maker.py"
        return self.spec(*PYTHON, script, kind, self.folder / "heartbeat", **fields)

    def beats(self):
        """How often the orphans have shown that they live."""
        heartbeat = self.folder / "heartbeat"
        return heartbeat.stat().st_size if heartbeat.exists() else 0

    def still_beats(self):
        """Whether an orphan lives: each beats within a few milliseconds."""
        before = self.beats()
        time.sleep(0.1)
        return self.beats() > before

    def command_lines(self):
        """The living processes that were started in this folder."""
        found = []
        for process in psutil.process_iter(["cmdline", "status"]):
            line = " ".join(process.info["cmdline"] or ())
            if str(self.folder) in line and process.info["status"] != psutil.STATUS_ZOMBIE:
                found.append(line)
        return found

    def run(self, spec, **options):
        """One program through a guard of its own."""
        return self.with_guard(lambda guard: self.run_in(guard, spec, **options))

    async def run_in(self, guard, spec, **options):
        defaults = {"masker": Masker({}), "deadline_s": 60, "interrupt_grace_s": 5}
        return await run(guard, spec, **(defaults | options))

    def with_guard(self, play):
        async def main():
            guard = await Guard.start()
            try:
                return await asyncio.wait_for(play(guard), 60)
            finally:
                guard.close()

        return asyncio.run(main())


def eventually(condition, seconds=20):
    """Waits for a condition; the bound only ends a test that has failed already."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.005)


async def soon(condition, seconds=20):
    """The same in an event loop."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never came true"
        await asyncio.sleep(0.005)


def is_running(pid):
    """Whether there is such a process and it is no zombie."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
