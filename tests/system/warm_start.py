"""Processes that have imported the program before they become it.

Importing takes longer than most of what is tested. A fork server of the standard library has done
that once; each start is still a process of its own, with its own session, folder, environment
and output, which can be signalled and killed like any other.
"""

import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
from multiprocessing import forkserver
from pathlib import Path
from unittest import mock

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["warm_modules"])


def _ensure_server() -> None:
    """The server finds this folder by its environment: it is not told the path of the tests."""
    with mock.patch.dict(os.environ, {"PYTHONPATH": str(Path(__file__).parent)}):
        forkserver.ensure_running()


class WarmProcess:
    """One run of the program; what the tests use of ``subprocess.Popen``."""

    def __init__(
        self, arguments: list[str], cwd: Path, environment: dict[str, str], output: Path
    ) -> None:
        _ensure_server()
        self._output = output
        self._process = _CONTEXT.Process(
            target=_become_the_program, args=(arguments, cwd, environment, output)
        )
        self._process.start()
        self.pid = self._process.pid

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired("loopctl", timeout)
        return self._process.exitcode

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        self.wait(timeout)
        stdout, stderr = (
            self._output.with_suffix(suffix).read_text(errors="replace")
            for suffix in (".stdout", ".stderr")
        )
        return stdout, stderr

    def send_signal(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def _become_the_program(
    arguments: list[str], cwd: Path, environment: dict[str, str], output: Path
) -> None:
    os.setsid()
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    tempfile.tempdir = None  # of the environment that it was asked for in
    sys.path[:0] = environment["PYTHONPATH"].split(os.pathsep)
    for descriptor, suffix in ((1, ".stdout"), (2, ".stderr")):
        file = os.open(output.with_suffix(suffix), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(file, descriptor)
        os.close(file)
    sys.argv = ["loopctl", *arguments]

    from loopctl.cli.main import main  # noqa: PLC0415 - in the new process, not in the test's

    sys.exit(main())
