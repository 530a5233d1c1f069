"""A conversation with a command: each turn is one run of it, and nothing stays between turns.

Invariant: when a turn is over, no process of it is alive and its prompt is in no file.
"""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from loopctl.domain.agent_session import Survivor, TurnOutcome, TurnResult
from loopctl.domain.confinement import Confinement, Mount
from loopctl.domain.criteria import ExitState
from loopctl.ports import SessionRequest, StopSignal
from loopctl.process.run import ProcessResult
from loopctl.process.spec import ProcessSpec
from loopctl.process.toolbox import Toolbox, exit_state, shortcomings

PROMPT_FILE = "{prompt_file}"
_CONFINED_PROMPT = "/run/loopctl/prompt"
"""Its path in a sandbox, where nothing that an agent writes is above it."""
INTERRUPT_GRACE_S = 2.0
"""From the interrupt to the kill: a cancelled loop ends within five seconds."""
SAID_CHARACTERS = 4000


class CommandSession:
    """Implements ``ports.AgentSession``.

    Args:
        words: the program and its arguments; ``{prompt_file}`` in an argument stands for the
            path of a file with the prompt, which is on standard input otherwise.
        request: where and with which variables it runs.
        tools: what starts it.
    """

    def __init__(self, words: tuple[str, ...], request: SessionRequest, tools: Toolbox) -> None:
        self.id = request.session_id
        self._words = words
        self._request = request
        self._tools = tools

    async def run_turn(self, prompt: str, stop: StopSignal) -> TurnResult:
        """Run the command until it has ended or ``stop`` is set; then end all that it started.

        Raises:
            GuardDied: the process guard was killed and could not be started again.
            OSError: the file with the prompt could not be written.
        """
        with self._handed_over(prompt.encode(errors="surrogateescape")) as (words, stdin):
            result = await self._tools.run(
                ProcessSpec(
                    argv=words,
                    cwd=self._request.workspace,
                    env=self._request.environment,
                    stdin=stdin,
                    log=self._request.log,
                    confinement=self._confinement(),
                ),
                deadline_s=None,  # the loop's timers end a turn, through `stop`
                interrupt_grace_s=INTERRUPT_GRACE_S,
                stop=stop.event,
            )
        return _turn_result(result, stop, self._request.log.name)

    async def wait_idle(self) -> None:
        """Return at once: nothing outlives a turn."""

    async def close(self) -> None:
        """Do nothing: nothing outlives a turn."""

    @contextlib.contextmanager
    def _handed_over(self, prompt: bytes) -> Iterator[tuple[tuple[str, ...], bytes | None]]:
        """The final words and the standard input with which the prompt reaches the command."""
        if not any(PROMPT_FILE in word for word in self._words):
            yield self._words, prompt
            return
        path = self._prompt_file
        confined = self._request.confinement is not None
        seen = _CONFINED_PROMPT if confined else str(path)
        try:
            _write_new(path, prompt, 0o444 if confined else 0o600)
            yield tuple(word.replace(PROMPT_FILE, seen) for word in self._words), None
        finally:
            path.unlink(missing_ok=True)

    @property
    def _prompt_file(self) -> Path:
        return self._request.log.with_suffix(".prompt")

    def _confinement(self) -> Confinement | None:
        """What the command can see: the file with its prompt as well, when there is one."""
        confinement = self._request.confinement
        if confinement is None or not self._prompt_file.exists():
            return confinement
        prompt = Mount(path=_CONFINED_PROMPT, source=str(self._prompt_file))
        return confinement.evolve(mounts=(*confinement.mounts, prompt))


def _write_new(path: Path, content: bytes, mode: int) -> None:
    """Write a file that is new; it lies in a folder that is the user's alone."""
    path.unlink(missing_ok=True)  # a driver that was killed has left it
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        os.fchmod(descriptor, mode)


def _turn_result(result: ProcessResult, stop: StopSignal, log: str) -> TurnResult:
    state = exit_state(result)
    outcome = _outcome(state, stop)
    problems = shortcomings(result)
    if outcome is TurnOutcome.NOT_STARTED:
        problems = (f"the agent was {state}", *problems)
    return TurnResult(
        outcome=outcome,
        exit="" if state is None else str(state),
        said=result.output.tail[-SAID_CHARACTERS:],
        duration_s=result.duration_s,
        log=log,
        survivors=tuple(Survivor(pid=left.pid, command=left.command) for left in result.survivors),
        problem="; ".join(problems),
    )


def _outcome(state: ExitState | None, stop: StopSignal) -> TurnOutcome:
    """An outcome of which the exit code decides only what nobody else asked for."""
    if state is not None and state.problem:
        return TurnOutcome.NOT_STARTED
    if stop.event.is_set():
        return stop.outcome
    if state is not None and state.code == 0:
        return TurnOutcome.FINISHED
    return TurnOutcome.FAILED
