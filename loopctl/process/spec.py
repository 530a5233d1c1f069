"""What to start: a program with its arguments, folder, environment and input.

Invariant: arguments, environment and input reach the program byte for byte; no shell reads them.
"""

import os
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from loopctl.domain.confinement import Confinement, Limits
from loopctl.process.limits import by_resource


@dataclass(frozen=True, slots=True)
class ProcessSpec:
    """One program to run.

    Attributes:
        argv: the program, looked up in the PATH of `env`, and its arguments.
        cwd: the folder that it starts in.
        env: its whole environment; nothing is inherited.
        stdin: bytes or a file to read, then end of file; None is an empty input.
        log: where its output is kept, masked and capped; None keeps the tail in memory only.
        stderr_log: the same for its errors, unless they are merged.
        merge_stderr: whether errors go where the output goes, in order.
        limits: caps set before the program starts.
        confinement: what of the machine it can see; None is all of it.
        is_sandbox: it makes a sandbox, and says on a descriptor whether it could start what is
            to run there.
    """

    argv: tuple[str, ...]
    cwd: Path
    env: Mapping[str, str]
    stdin: bytes | Path | None = None
    log: Path | None = None
    stderr_log: Path | None = None
    merge_stderr: bool = True
    limits: Limits = field(default_factory=Limits)
    confinement: Confinement | None = None
    is_sandbox: bool = False

    def order(self) -> bytes:
        """The content of a spawn order's file, as `guard.py` describes it.

        Raises:
            ValueError: a NUL byte, which no argument or variable can carry, or no argument.
        """
        if not self.argv:
            raise ValueError("a program has at least one argument, its name")
        limits = ",".join(f"{number}={value}" for number, value in by_resource(self.limits).items())
        variables = [f"{name}={value}" for name, value in self.env.items()]
        fields = [str(self.cwd), limits, str(len(self.argv)), *self.argv, *variables]
        if any("\0" in text for text in fields):
            raise ValueError("embedded NUL byte in an argument or a variable")
        return b"\0".join(map(os.fsencode, fields))

    def open_stdin(self) -> int:
        """Opens the input for reading; the caller closes the descriptor.

        Raises:
            OSError: the input file cannot be read.
        """
        match self.stdin:
            case None:
                return os.open(os.devnull, os.O_RDONLY)
            case Path():
                return os.open(self.stdin, os.O_RDONLY)
            case _:
                return file_of(self.stdin)


def file_of(content: bytes) -> int:
    """A descriptor of an unnamed file that holds `content`, positioned at its start."""
    descriptor = _unnamed_file()
    try:
        remaining = memoryview(content)
        while remaining:
            remaining = remaining[os.write(descriptor, remaining) :]
        os.lseek(descriptor, 0, os.SEEK_SET)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _unnamed_file() -> int:
    if sys.platform == "linux":
        return os.memfd_create("loopctl")  # in memory alone: prompts reach no disk
    with tempfile.TemporaryFile(buffering=0) as file:
        return os.dup(file.fileno())
