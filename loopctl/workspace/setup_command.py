"""A setup or teardown command: a shell command of the user, in a folder, to its end.

Invariant: it runs under the guard like everything else, and only exit status 0 is success.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from loopctl.domain.confinement import Confinement
from loopctl.errors import SupplyError
from loopctl.process.spec import ProcessSpec
from loopctl.process.toolbox import Toolbox, exit_state

LONGEST_SETUP_S = 1800.0
_INTERRUPT_GRACE_S = 1.0
_EVIDENCE_LINES = 40
_NO_NETWORK = ("it ran in a container without a network; network = true in [container] gives one",)


@dataclass(frozen=True)
class SetupCommand:
    """One configured command.

    Attributes:
        key: where it is configured, such as ``[evaluator] setup``.
        command: shell text.
        tools: what starts it.
        limit_s: seconds after which it is ended.
    """

    key: str
    command: str
    tools: Toolbox
    limit_s: float = LONGEST_SETUP_S

    async def run(
        self,
        folder: Path,
        environment: Mapping[str, str],
        log: Path,
        confinement: Confinement | None = None,
    ) -> None:
        """Run it in ``folder`` with exactly these variables; its output goes to ``log``.

        Args:
            folder: where it runs.
            environment: its variables, complete.
            log: the file for its output.
            confinement: what it can see; None is all of the machine.

        Raises:
            SupplyError: it did not exit with 0; the end of its output is the evidence.
            GuardDied: the process guard was killed and could not be started again.
        """
        result = await self.tools.run(
            ProcessSpec(
                argv=("/bin/sh", "-c", self.command),
                cwd=folder,
                env=environment,
                log=log,
                confinement=confinement,
            ),
            deadline_s=self.limit_s,
            interrupt_grace_s=_INTERRUPT_GRACE_S,
            stop=asyncio.Event(),
        )
        state = exit_state(result)
        if state is not None and state.code == 0 and not state.timed_out:
            return
        lines = result.output.tail.rstrip().splitlines()[-_EVIDENCE_LINES:]
        command = self.tools.masker.mask(self.command)
        how = state or "its end was not seen"
        raise SupplyError(
            f"{self.key} failed ({how}): {command}",
            why=lines[-1] if lines else "it said nothing",
            next_step=f"cat {log}",
            evidence=(*lines, *_NO_NETWORK) if _is_offline(confinement) else tuple(lines),
        )


def _is_offline(confinement: Confinement | None) -> bool:
    return confinement is not None and not confinement.network
