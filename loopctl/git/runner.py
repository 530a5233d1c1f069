"""Running git: one hardened command line and one built environment for every call.

Invariant: a call sees exactly the repository it is told (``--git-dir``, ``--work-tree``), never
one that it discovers, and inherits no ``GIT_*`` variable. Hooks, the fsmonitor program and
automatic maintenance are off in every call. Only with ``user_config`` (before any agent exists)
does git read the user's own configuration; otherwise system and global files are cut off and
every transport is refused, so that not even a lazy fetch can start a program.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from loopctl.errors import GitError, RepositoryError
from loopctl.git.environment import options, unset_inherited
from loopctl.git.environment import variables as environment

if TYPE_CHECKING:
    from git import Git as GitPython

OLDEST_GIT = (2, 32)
_STDERR_TAIL = 2_000
# Seconds. No honest command takes so long; one that waits for a planted fifo would for ever.
_LONGEST_RUN = 900.0


class CommandFailed(GitError):
    """A git command ended with a status that its caller did not expect.

    Attributes:
        argv: the arguments after ``git`` and the hardening options.
        status: exit status; negative is the signal that ended it.
        stderr: the last part of what it said.
    """

    def __init__(self, argv: tuple[str, ...], status: int, stderr: str) -> None:
        self.argv = argv
        self.status = status
        self.stderr = stderr[-_STDERR_TAIL:].strip()
        super().__init__(f"git {' '.join(argv)[:200]} failed (status {status})", why=self.stderr)


@dataclass(frozen=True, slots=True)
class Git:
    """Git bound to a repository and, when files are concerned, to a work tree. Thread-safe.

    Attributes:
        git_dir: the repository; None lets git discover it from ``cwd`` (only for the user's).
        work_tree: the folder whose files are meant.
        cwd: where git runs; the git folder when not given.
        user_config: read the user's and the system's configuration.
        patience_s: seconds after which a command is killed.
    """

    git_dir: Path | None = None
    work_tree: Path | None = None
    cwd: Path | None = None
    user_config: bool = False
    patience_s: float = _LONGEST_RUN

    def run(
        self,
        *argv: str,
        stdin: bytes | IO[bytes] = b"",
        index: Path | None = None,
        expect: tuple[int, ...] = (0,),
        stdout: IO[bytes] | None = None,
    ) -> bytes:
        """Run one command to its end and return its output.

        Args:
            argv: the subcommand and its arguments.
            stdin: what git reads on standard input: bytes, or an open file at its position.
            index: the index file to use instead of the repository's.
            expect: exit statuses that are answers, not failures.
            stdout: where to copy the output to instead of returning it.

        Raises:
            CommandFailed: any other exit status.
        """
        return self.answer(*argv, stdin=stdin, index=index, expect=expect, stdout=stdout)[1]

    def answer(
        self,
        *argv: str,
        stdin: bytes | IO[bytes] = b"",
        index: Path | None = None,
        expect: tuple[int, ...] = (0, 1),
        stdout: IO[bytes] | None = None,
    ) -> tuple[int, bytes]:
        """As `run`, for commands whose exit status is their answer: (status, output)."""
        with _as_file(stdin) as source:
            status, output, stderr = self._execute(
                argv,
                index,
                istream=source,
                output_stream=stdout,
                kill_after_timeout=self.patience_s,
                with_extended_output=True,
                with_exceptions=False,
                stdout_as_string=False,
                strip_newline_in_stdout=False,
            )
        if status not in expect:
            raise CommandFailed(argv, status, stderr)
        return status, b"" if stdout else output

    def start(self, *argv: str) -> "subprocess.Popen[bytes]":
        """Start a command and return the process, for the caller to talk to and to end."""
        handle = self._execute(argv, None, istream=subprocess.PIPE, as_process=True)
        # Taken out of GitPython's handle, which would end the process when it is collected.
        process, handle.proc = handle.proc, None
        started: subprocess.Popen[bytes] = process
        return started

    def _execute(self, argv: tuple[str, ...], index: Path | None, **how: Any) -> Any:
        place = []
        if self.git_dir:
            place.append(f"--git-dir={self.git_dir}")
        if self.work_tree:
            place.append(f"--work-tree={self.work_tree}")
        words = options(self.git_dir, user_config=self.user_config)
        variables = environment(user_config=self.user_config)
        if index:
            variables["GIT_INDEX_FILE"] = str(index)
        unset = unset_inherited(variables, user_config=self.user_config)
        command = [*unset, _program(), *place, *words, *argv]
        cwd = str(self.cwd or self.git_dir or Path.cwd())
        try:
            # A session of its own: Ctrl-C in the terminal is for the driver to handle.
            return _executor(cwd).execute(command, env=variables, start_new_session=True, **how)
        except OSError as error:  # no process or memory left, too many open files
            raise GitError("git could not be started", why=str(error)) from error


def text(raw: bytes) -> str:
    """Decode what git says about names; any byte survives the way back to a path."""
    return os.fsdecode(raw)


def line(raw: bytes) -> str:
    """One answer without its newline."""
    return text(raw.removesuffix(b"\n"))


def records(raw: bytes) -> list[str]:
    """Split NUL-terminated output."""
    return text(raw).split("\0")[:-1]


def nul_terminated(names: list[str]) -> bytes:
    """Join names as git reads them with ``-z``."""
    return b"".join(os.fsencode(name) + b"\0" for name in names)


@contextmanager
def _as_file(stdin: bytes | IO[bytes]) -> Iterator[IO[bytes] | None]:
    """Git needs a real file on its standard input; small questions are spared one."""
    if not isinstance(stdin, bytes):
        yield stdin
    elif not stdin:
        yield None
    else:
        with tempfile.TemporaryFile() as file:
            file.write(stdin)
            file.seek(0)
            yield file


def _executor(cwd: str) -> "GitPython":
    from git import Git as GitPython  # noqa: PLC0415 - 70 ms that `--help` does not pay

    return GitPython(cwd)


@lru_cache(maxsize=1)
def _program() -> str:
    """The git program, found once: a later change of PATH changes nothing."""
    program = shutil.which("git")
    if program is None:
        raise RepositoryError(
            "git is not installed",
            why="no program named git is on PATH",
            next_step="install git {}.{} or newer".format(*OLDEST_GIT),
        )
    return str(Path(program).absolute())
