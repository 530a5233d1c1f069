"""A long-lived git process that answers many questions, for the price of one start.

Invariant: one question at a time, whole answers only. A process that died is started again for
the next question; a question that it died of is asked once more only when asking twice is safe.
"""

import contextlib
import subprocess
from collections.abc import Callable
from threading import Lock
from typing import IO, TypeVar

from loopctl.git.runner import CommandFailed, Git, text

T = TypeVar("T")

_PATIENCE = 5.0  # seconds that a process gets to end after its input closed


class Helper:
    """One process of `git argv`, started lazily. Thread-safe."""

    def __init__(self, git: Git, *argv: str) -> None:
        self._git = git
        self._argv = argv
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        """The process id while the process lives."""
        process = self._process
        return process.pid if process and process.poll() is None else None

    def ask(self, question: bytes, read: Callable[[IO[bytes]], T], *, twice: bool = True) -> T:
        """Send a question and let `read` take exactly its answer from the output.

        Args:
            question: bytes written to the process.
            read: raises EOFError when the output ends too early.
            twice: ask a new process once more when this one died.

        Raises:
            CommandFailed: the process died over the question.
        """
        with self._lock:
            for last in (False, True) if twice else (True,):
                try:
                    return self._ask(question, read)
                except (EOFError, BrokenPipeError):
                    failure = self._bury()
                    if last:
                        raise failure from None
        raise AssertionError("unreachable")

    def close(self) -> None:
        """End the process; a later question starts a new one."""
        with self._lock:
            if self._process:
                self._bury()

    def _ask(self, question: bytes, read: Callable[[IO[bytes]], T]) -> T:
        if self._process is None or self._process.poll() is not None:
            if self._process:
                self._bury()
            self._process = self._git.start(*self._argv)
        process = self._process
        assert process.stdin is not None  # noqa: S101 - started with pipes
        assert process.stdout is not None  # noqa: S101
        try:
            process.stdin.write(question)
            process.stdin.flush()
            return read(process.stdout)
        except (EOFError, BrokenPipeError):
            raise
        except BaseException:
            # An answer half read would be taken for the next one's beginning.
            process.kill()
            self._bury()
            raise

    def _bury(self) -> CommandFailed:
        process = self._process
        self._process = None
        assert process is not None  # noqa: S101 - callers hold the lock and a process
        for pipe in (process.stdin, process.stdout):
            if pipe:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
        try:
            process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        stderr = b""
        if process.stderr:
            stderr = process.stderr.read()
            process.stderr.close()
        return CommandFailed(self._argv, process.returncode, text(stderr))


def read_line(stream: IO[bytes]) -> bytes:
    """One whole line without its newline.

    Raises:
        EOFError: the stream ended first.
    """
    found = stream.readline()
    if not found.endswith(b"\n"):
        raise EOFError
    return found[:-1]


def read_exactly(stream: IO[bytes], size: int) -> bytes:
    """Exactly `size` bytes.

    Raises:
        EOFError: the stream ended first.
    """
    found = stream.read(size)
    if len(found) != size:
        raise EOFError
    return found
