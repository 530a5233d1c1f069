"""One command of the model, run by a shell in the worktree.

Invariant: when it is over, nothing that it has started is alive, and what the model sees of its
output is bounded: the beginning and the end, without secrets.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from loopctl.domain.confinement import Confinement
from loopctl.process.run import ProcessResult
from loopctl.process.spec import ProcessSpec
from loopctl.process.text import plain_text
from loopctl.process.toolbox import Toolbox, exit_state, shortcomings

DEFAULT_S = 120
LONGEST_S = 600
HEAD_BYTES = 8 * 1024
TAIL_CHARACTERS = 16 * 1024
INTERRUPT_GRACE_S = 1.0
"""From the interrupt to the kill: a turn that is stopped ends within two seconds."""
_SHELLS = ("/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash")


@dataclass(frozen=True)
class Shell:
    """Runs commands of one session.

    Attributes:
        folder: where they run.
        environment: their variables, complete.
        tools: what starts them; its guard must have no other job.
        output: a file for the output of the command that runs.
        confinement: what of the machine they can see; ``None`` is all of it.
    """

    folder: Path
    environment: Mapping[str, str]
    tools: Toolbox
    output: Path
    confinement: Confinement | None = None

    async def run(self, command: str, timeout_s: int) -> str:
        """Run ``command``; what it came to, in words.

        Raises:
            GuardDied: the process guard was killed and could not be started again.
        """
        allowed = max(1, min(timeout_s, LONGEST_S))
        try:
            result = await self.tools.run(
                ProcessSpec(
                    argv=(_program(), "-c", command),
                    cwd=self.folder,
                    env=self.environment,
                    log=self.output,
                    confinement=self.confinement,
                ),
                deadline_s=allowed,
                interrupt_grace_s=INTERRUPT_GRACE_S,
                stop=asyncio.Event(),
            )
            return "\n".join((_ending(result, allowed), _shown(result, self.output)))
        finally:
            self.output.unlink(missing_ok=True)


def _program() -> str:
    """What models write is for bash, mostly."""
    return next((path for path in _SHELLS if Path(path).exists()), "/bin/sh")


def _ending(result: ProcessResult, allowed: int) -> str:
    state = exit_state(result)
    ended = "its end was not seen" if state is None else str(state)
    if result.timed_out:
        ended = f"ended after {allowed} s, the time it was given"
    left = f"{len(result.survivors)} processes that it left running were ended"
    notes = [ended, *([left] if result.survivors else []), *shortcomings(result)]
    return f"[{'; '.join(notes)}]"


def _shown(result: ProcessResult, log: Path) -> str:
    """The output; of much output its beginning and its end."""
    tail = result.output.tail
    if not result.output.truncated and len(tail) <= HEAD_BYTES + TAIL_CHARACTERS:
        return tail or "[no output]"
    try:
        with log.open("rb") as file:
            head = plain_text(file.read(HEAD_BYTES))
    except OSError:
        head = ""
    return f"{head}\n[... of {result.output.bytes_total} bytes ...]\n{tail[-TAIL_CHARACTERS:]}"
