"""The sandbox of one driver: a confined program becomes the program that makes it so.

Invariants: a machine that cannot make one is told before a loop starts; when it fails later, the
program was not started, and its result says so.
"""

import contextlib
import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import assert_never

from loopctl.domain.confinement import Backend, Confinement
from loopctl.errors import UsageError
from loopctl.process.sandbox.bubblewrap import STATUS, command_line
from loopctl.process.sandbox.memory_group import memory_group
from loopctl.process.sandbox.owner import is_root
from loopctl.process.sandbox.programs import INSTALL, Programs, find_programs
from loopctl.process.spec import ProcessSpec

_TRIED_S = 20
_QUESTION = ("/bin/sh", "-c", "cat /proc/self/status")
_WANTED = {"CapEff": {"0000000000000000"}, "NoNewPrivs": {"1"}}
_CHILD = re.compile(rb'"child-pid": (\d+)')
_MOST_BYTES = 65536
_OUTSIDE = "/"
"""Where bubblewrap starts: the folder of the program may have another name outside."""


@dataclass(frozen=True)
class Sandbox:
    """Makes sandboxes with the programs of this machine."""

    programs: Programs = field(default_factory=find_programs)

    @contextmanager
    def confined(self, spec: ProcessSpec) -> Iterator[ProcessSpec]:
        """What is to be started in place of ``spec``; itself when it has no confinement.

        Its sandbox is gone, or its guard has ended it, before the context is left.
        """
        confinement = spec.confinement
        if confinement is None:
            yield spec
            return
        command = self._command(confinement, spec.argv, os.fspath(spec.cwd))
        with memory_group(confinement.limits.memory_bytes) as enter:
            yield replace(
                spec,
                argv=(*enter, *command),
                cwd=Path(_OUTSIDE),
                # Of processes: inside, where they can be told from the user's own.
                limits=confinement.limits.evolve(processes=None),
                confinement=None,
                is_sandbox=True,
            )

    def check(self) -> None:
        """Make one and look around in it. It takes some 20 ms.

        Raises:
            UsageError: no sandbox can be made here; says why and what to do.
        """
        missing = self.programs.missing
        if missing:
            raise UsageError(
                f"no sandbox can be made: {' and '.join(missing)} not found",
                why="an evaluator in a container, or an agent in a sandbox, never runs outside",
                next_step=f"{INSTALL}, or use another --isolation or --sandbox off",
            )
        problem = self._tried()
        if problem:
            raise UsageError(
                "no sandbox can be made on this machine",
                why=problem,
                next_step=f"allow it (unprivileged user namespaces; in a container of your own: "
                f"--privileged), try it ({self.programs.bubblewrap} --unshare-user --ro-bind / / "
                "true), or use another --isolation or --sandbox off",
            )

    def _tried(self) -> str:
        """Why a program in a sandbox is not what it has to be; ``""`` when it is."""
        try:
            with _status() as (end, status):
                command = self._command(Confinement(), _QUESTION, "/", status=status)
                answer = _ask(command, status)
                _reap(end)
        except (OSError, subprocess.TimeoutExpired) as error:
            return str(error)
        if answer.returncode != 0:
            return (answer.stderr.strip().splitlines() or ["it ended without a word"])[-1]
        lines = (line.partition(":") for line in answer.stdout.splitlines())
        found = {name: value.split() for name, _, value in lines}
        if is_root() and "0" in found.get("Uid", ["0"]):
            return "a program in it would still be root"
        for name, wanted in _WANTED.items():
            if set(found.get(name, ())) != wanted:
                return f"a program in it has {name} {' '.join(found.get(name, ['unknown']))}"
        return ""

    def _command(
        self, confinement: Confinement, argv: tuple[str, ...], cwd: str, *, status: int = STATUS
    ) -> tuple[str, ...]:
        match confinement.backend:
            case Backend.BUBBLEWRAP:
                make = command_line
            case _:
                assert_never(confinement.backend)
        return make(self.programs, confinement, argv, cwd, as_root=is_root(), status=status)


@contextmanager
def _status() -> Iterator[tuple[int, int]]:
    """A pipe on which a sandbox reports: where to read, without waiting, and where to write."""
    ends = os.pipe()
    os.set_blocking(ends[0], False)
    try:
        yield ends
    finally:
        for end in ends:
            os.close(end)


def _ask(command: tuple[str, ...], status: int) -> "subprocess.CompletedProcess[str]":
    """Run a command that makes a sandbox, without the process guard."""
    return subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_TRIED_S,
        check=False,
        env={"PATH": os.defpath},
        cwd=_OUTSIDE,
        pass_fds=(status,),
    )


def _reap(end: int) -> None:
    """Collect the first process of a sandbox, which outlives it by a moment.

    A driver adopts it, as it adopts what a dead guard has left.
    """
    with contextlib.suppress(BlockingIOError, ChildProcessError):
        found = _CHILD.search(os.read(end, _MOST_BYTES))
        if found is not None:
            os.waitpid(int(found[1]), 0)
