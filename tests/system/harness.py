"""A world of its own for one test: a real repository, a state folder, and the real program.

The program runs with an empty HOME and a small PATH; its database is there already, because
making one takes as long as all the rest. What agents did is counted by the scripted agent's own
record, not by asking loopctl. Every process that belongs to the world carries a variable that
loopctl hands on to agents and evaluators alike.
"""

import contextlib
import hashlib
import json
import os
import py_compile
import shlex
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psutil
from warm_start import WarmProcess

import loopctl
from loopctl.domain.loop import LoopState
from loopctl.store.database import Database
from loopctl.store.home import StateHome, state_home
from loopctl.store.loop_documents import load_state
from loopctl.store.loops import find
from loopctl.testing import scripted_agent

Process = subprocess.Popen[str] | WarmProcess
SOURCE = str(Path(loopctl.__file__).parent.parent)
PATIENCE_S = 30.0
MARK = "LC_LOOPCTL_TEST"  # LC_* is on the evaluators' allow-list
CHECK = '#!/bin/sh\necho "the answer is $(cat answer.txt)"\ngrep -qx 42 answer.txt\n'
FILES = {
    "answer.txt": "0\n",
    "check.sh": CHECK,
    "calc.py": "def double(x):\n    return x\n",
    "conftest.py": "",
    "tests/test_calc.py": "import unittest\n\nfrom calc import double\n\n\n"
    "class DoubleTest(unittest.TestCase):\n"
    "    def test_double(self):\n        self.assertEqual(double(21), 42)\n",
    ".gitignore": "ignored/\n__pycache__/\n",
}


def _compiled(source: str) -> str:
    """The file that starts faster; the source where it may not be written."""
    try:
        return str(py_compile.compile(source, doraise=True))
    except OSError:
        return source


SOLVE = {"write": ["answer.txt", "42\n"]}
# The scripted agent as Python starts it fastest: compiled, and without a look at site-packages.
AGENT = [sys.executable, "-I", "-S", _compiled(scripted_agent.__file__)]
UNITTEST = f"{sys.executable} -m unittest -q tests/test_calc.py"


@dataclass(frozen=True)
class Result:
    """How one run of the program ended."""

    code: int
    stdout: str
    stderr: str

    @property
    def events(self) -> list[dict]:
        return [json.loads(line) for line in self.stdout.splitlines()]

    @property
    def ended(self) -> dict:
        """What the last line of ``--json`` says of the end."""
        last = self.events[-1]
        assert last["event"] == "loop_ended", last
        return last["data"]

    @property
    def stop(self) -> dict:
        return self.ended["stop"]

    def of(self, *kinds: str) -> list[dict]:
        """The data of every event of these kinds."""
        return [event["data"] for event in self.events if event["event"] in kinds]

    def check(self, code: int) -> "Result":
        assert self.code == code, f"exit {self.code}, not {code}\n{self.stdout}\n{self.stderr}"
        assert "Traceback" not in self.stderr, self.stderr
        return self


def database_without_loops(folder: Path) -> bytes:
    """The database of somebody who has used loopctl before, made in a new folder."""
    home = state_home({"LOOPCTL_HOME": str(folder / "state")})
    Database.open(home).close()
    return home.database.read_bytes()


class World:
    """See the module."""

    def __init__(self, folder: Path, database: bytes) -> None:
        self.folder = folder
        self.repository = folder / "repository"
        self.home = folder / "state"
        self.record = folder / "calls"
        self.environment = {
            "PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin",
            "HOME": str(folder / "home"),
            "TMPDIR": str(folder / "tmp"),
            "LOOPCTL_HOME": str(self.home),
            "XDG_CONFIG_HOME": str(folder / "home" / ".config"),
            "PYTHONPATH": SOURCE,  # the program under test is the one that pytest sees
            MARK: uuid.uuid4().hex,
        }
        (folder / "home").mkdir()
        (folder / "tmp").mkdir()
        self.home.mkdir(mode=0o700)
        (self.home / "loopctl.db").write_bytes(database)
        self._started: list[Process] = []
        self._scripts = 0

    # The repository

    def git(self, *arguments: str, cwd: Path | None = None) -> str:
        done = subprocess.run(
            ["git", *arguments],
            cwd=cwd or self.repository,
            env=self.environment,
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout.strip()

    def init_repository(self) -> None:
        self.repository.mkdir()
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "Ada")
        self.git("config", "user.email", "ada@example.org")

    def make_repository(self) -> None:
        self.init_repository()
        for name, text in FILES.items():
            self.write(name, text)
        (self.repository / "check.sh").chmod(0o755)
        self.commit("first")

    def write(self, name: str, text: str) -> None:
        path = self.repository / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def commit(self, message: str) -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)
        return self.git("rev-parse", "HEAD")

    def show(self, revision: str) -> str:
        return self.git("show", revision)

    def branches(self) -> list[str]:
        return self.git("for-each-ref", "--format=%(refname:short)", "refs/heads").split()

    def fingerprint(self) -> dict[str, str]:
        """Every file of the checkout, its index, HEAD, stash, and all refs but the loops' own."""
        found = {}
        for path in sorted(self.repository.rglob("*")):
            name = str(path.relative_to(self.repository))
            if name.startswith(".git/") or path.is_dir():
                continue
            found[name] = f"{path.stat().st_mode:o} {hashlib.sha256(path.read_bytes()).hexdigest()}"
        for name in ("index", "HEAD", "config", "logs/HEAD"):
            path = self.repository / ".git" / name
            found[f".git/{name}"] = hashlib.sha256(path.read_bytes()).hexdigest()
        refs = self.git("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
        found["refs"] = "\n".join(ref for ref in refs if "refs/heads/loopctl/" not in ref)
        found["stash"] = self.git("stash", "list")
        return found

    # The agent

    def script(self, *rounds: list[dict], repeat: bool = True) -> Path:
        """A script for the scripted agent; by default its last entry is played for ever."""
        self._scripts += 1
        path = self.folder / f"script-{self._scripts}.json"
        document = {"record": str(self.record), "repeat": repeat, "rounds": list(rounds)}
        path.write_text(json.dumps(document))
        return path

    def agent(self, *rounds: list[dict], repeat: bool = True) -> str:
        return f"cmd:{shlex.join([*AGENT, str(self.script(*rounds, repeat=repeat))])}"

    def calls(self, event: str = "begin") -> list[dict]:
        """What the agents recorded themselves."""
        if not self.record.exists():
            return []
        lines = [json.loads(line) for line in self.record.read_text().splitlines()]
        return [line for line in lines if line["event"] == event]

    # The program

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "loopctl", *arguments]

    def start_loopctl(
        self,
        *arguments: str,
        env: dict[str, str] | None = None,
        cwd: Path | None = None,
        cold: bool = False,
    ) -> Process:
        """Start the program; ``cold`` does so with a new interpreter and pipes."""
        environment = self.environment | (env or {})
        cwd = cwd or self.repository
        if cold:
            process: Process = subprocess.Popen(
                self.command(*arguments),
                cwd=cwd,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                start_new_session=True,
            )
        else:
            output = self.folder / f"output-{len(self._started)}"
            process = WarmProcess(list(arguments), cwd, environment, output)
        self._started.append(process)
        return process

    def run_loopctl(self, *arguments: str, timeout: float = PATIENCE_S, **how) -> Result:
        return finish(self.start_loopctl(*arguments, **how), timeout)

    def run_loop(self, *rounds: list[dict], options: tuple[str, ...] = (), **how) -> Result:
        """``loopctl run --json`` with ``./check.sh``, unless ``options`` say otherwise."""
        return self.run_loopctl(*self.loop_arguments(*rounds, options=options), **how)

    def start_loop(self, *rounds: list[dict], options: tuple[str, ...] = (), **how) -> Process:
        return self.start_loopctl(*self.loop_arguments(*rounds, options=options), **how)

    def loop_arguments(self, *rounds: list[dict], options: tuple[str, ...] = ()) -> list[str]:
        given = " ".join(options)
        stop = [] if "--stop" in given or "--evaluator" in given else ["--stop", "./check.sh"]
        agent = [] if "--agent" in given else ["--agent", self.agent(*rounds)]
        name = [] if "--name" in given else ["--name", "demo"]
        return ["run", "set the answer", "--json", *stop, *agent, *name, *options]

    def state(self, name: str = "demo") -> LoopState:
        """What is stored of a loop, read without the program."""
        database = Database.open(StateHome(self.home))
        try:
            return load_state(database, find(database, None, name).id)
        finally:
            database.close()

    # Processes

    def processes(self) -> list[psutil.Process]:
        """Every living process of this world, the program itself not included."""
        own = {process.pid for process in self._started}
        found = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error, OSError):
                marked = process.environ().get(MARK) == self.environment[MARK]
                if marked and process.pid not in own and is_alive(process):
                    found.append(process)
        return found

    def no_process_left(self, within_s: float = 10.0) -> None:
        wait_for(lambda: not self.processes(), "no process left", within_s)

    def clean_up(self) -> None:
        for process in self._started:
            if process.poll() is None:
                process.kill()
            process.communicate()
        for process in self.processes():
            with contextlib.suppress(psutil.Error):
                process.kill()


def finish(process: Process, timeout: float = PATIENCE_S) -> Result:
    stdout, stderr = process.communicate(timeout=timeout)
    return Result(process.returncode, stdout or "", stderr or "")


def wait_for(condition: Callable[[], bool], what: str, within_s: float = PATIENCE_S) -> None:
    """Poll until the condition holds; fail the test when it does not in time."""
    deadline = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < deadline, f"not within {within_s} s: {what}"
        time.sleep(0.02)


def is_alive(process: psutil.Process) -> bool:
    """Whether it still runs; a zombie does not."""
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def kill(process: Process) -> None:
    """``kill -9`` of the driver alone."""
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
