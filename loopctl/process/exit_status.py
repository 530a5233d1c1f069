"""How a program ended: a closed union of four facts.

Invariant: a death by signal is never an exit code, and what was not seen is never guessed.
"""

import os
import signal
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Exited:
    """The program ended by itself with a code from 0 to 255."""

    code: int

    def __str__(self) -> str:
        return f"exit code {self.code}"


@dataclass(frozen=True, slots=True)
class Signalled:
    """The program was ended by a signal."""

    signum: int

    def __str__(self) -> str:
        try:
            return f"signal {self.signum} ({signal.Signals(self.signum).name})"
        except ValueError:  # a real-time signal has no name
            return f"signal {self.signum}"


@dataclass(frozen=True, slots=True)
class NotStarted:
    """The program could not be started; `errno` is the system's reason."""

    errno: int
    message: str

    def __str__(self) -> str:
        return f"could not start: {self.message}"


@dataclass(frozen=True, slots=True)
class Lost:
    """The program's end was never seen: the guard was killed, or SIGKILL did not end it."""

    def __str__(self) -> str:
        return "lost: its end was not seen"


ExitStatus = Exited | Signalled | NotStarted | Lost


def from_wait_status(status: int) -> Exited | Signalled:
    """Reads a status as `waitpid` returns it."""
    if os.WIFSIGNALED(status):
        return Signalled(os.WTERMSIG(status))
    return Exited(os.WEXITSTATUS(status))
