"""The setup of an evaluator's checkout: run once for each state of the dependencies, then copied.

Invariant: a setup that fails keeps nothing, and its output is the evidence of an ERROR.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from loopctl.domain.confinement import Confinement
from loopctl.workspace.setup_command import SetupCommand
from loopctl.workspace.setup_inputs import ReadWatch
from loopctl.workspace.setup_products import SetupProducts


@dataclass(frozen=True)
class EvaluatorSetup:
    """The setup command of one loop.

    Attributes:
        command: what is run.
        products: what it has made so far.
        logs: the folder of the loop's log files.
    """

    command: SetupCommand
    products: SetupProducts
    logs: Path

    def is_done(self, tree: str) -> bool:
        """Whether there are products that may be used for ``tree``, untouched."""
        self.products.drop_touched()
        return self.products.find(tree) is not None

    def watch(self, tree: str, folder: Path) -> ReadWatch:
        """Watch what the command reads in ``folder``, a checkout of ``tree``."""
        return self.products.watch(folder, tree)

    async def run(
        self,
        tree: str,
        folder: Path,
        environment: Mapping[str, str],
        confinement: Confinement | None = None,
    ) -> None:
        """Run the command in ``folder``, a checkout of ``tree``.

        Raises:
            SupplyError: it failed.
        """
        key = await asyncio.to_thread(self.products.key, tree)
        log = self.logs / f"setup.{key}.log"
        await self.command.run(folder, environment, log, confinement)

    def keep(self, tree: str, folder: Path, watch: ReadWatch) -> None:
        """Keep what the command has added to the checkout."""
        self.products.keep(folder, tree, watch.inputs())
