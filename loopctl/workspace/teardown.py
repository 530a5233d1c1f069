"""The end of a checkout: the user's command that stops what the evaluator has started.

It runs once for each checkout, also after a cancellation, for which it gets a few seconds.
Invariant: a teardown never changes a verdict; that it failed is a warning.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from loopctl.domain.confinement import Confinement
from loopctl.errors import LoopctlError
from loopctl.workspace.setup_command import SetupCommand

LONGEST_TEARDOWN_S = 300.0
LONGEST_AFTER_CANCEL_S = 3.0

Finish = Callable[[], Awaitable[tuple[str, ...]]]


@dataclass(frozen=True)
class Teardown:
    """The teardown of one loop's checkouts.

    Attributes:
        command: what is run; None is nothing.
        logs: the folder of the loop's log files.
    """

    command: SetupCommand | None
    logs: Path

    @asynccontextmanager
    async def after(
        self,
        folder: Path,
        environment: Mapping[str, str],
        confinement: Confinement | None = None,
    ) -> AsyncIterator[Finish]:
        """Run the command at the end of the context at the latest.

        Args:
            folder: where it runs.
            environment: its variables, complete.
            confinement: what it can see; None is all of the machine.

        Yields:
            A function that runs it now and returns its warnings.
        """
        command, done = self.command, False

        async def finish() -> tuple[str, ...]:
            nonlocal done
            if command is None or done:
                return ()
            done = True
            return await self._run(command, folder, environment, confinement)

        try:
            yield finish
        finally:
            if command is not None and not done:
                hurried = replace(command, limit_s=LONGEST_AFTER_CANCEL_S)
                await _to_its_end(self._run(hurried, folder, environment, confinement))

    async def _run(
        self,
        command: SetupCommand,
        folder: Path,
        environment: Mapping[str, str],
        confinement: Confinement | None,
    ) -> tuple[str, ...]:
        try:
            await command.run(folder, environment, self.logs / "teardown.log", confinement)
        except LoopctlError as error:
            return (f"{error} ({error.why})",)
        return ()


NO_TEARDOWN = Teardown(None, Path())


async def _to_its_end(work: Awaitable[tuple[str, ...]]) -> None:
    """Wait for bounded work although the waiting task is cancelled."""
    task = asyncio.ensure_future(work)
    while not task.done():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait({task})
