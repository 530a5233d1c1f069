"""Where the interpreters of one loop's evaluators import from: led there, then proved.

The environment is looked at before every evaluation, because a user, or an agent, may install
the project again while a loop runs. Invariant: the first evaluation of a driver, and each one
that finds other pointers than the last, is proved by a probe.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from loopctl.domain.confinement import Confinement
from loopctl.workspace.editable_installs import ProjectRoots
from loopctl.workspace.import_probe import ImportProbe
from loopctl.workspace.redirection import Led, Redirection

Seen = tuple[tuple[str, str], ...]


class CheckoutImports:
    """Leads the evaluators of one loop to their checkouts.

    Args:
        redirection: what leads them.
        probe: what proves it; None proves nothing.
    """

    def __init__(self, redirection: Redirection, probe: ImportProbe | None = None) -> None:
        self._redirection = redirection
        self._probe = probe
        self._seen: Seen | None = None
        self._told: tuple[str, ...] = ()

    def lead(self, variables: Mapping[str, str], destination: Path, folder: Path) -> Led:
        """The variables with which an evaluator imports from ``destination``.

        Raises:
            SupplyError: an editable install cannot be redirected.
        """
        return self._redirection.lead(variables, destination, folder)

    async def proved(
        self, led: Led, destination: Path, empty: Path, confinement: Confinement | None = None
    ) -> Led:
        """The same, after it was seen to work; ``empty`` is an empty folder.

        Raises:
            SupplyError: an interpreter still imports the project from the user's files.
        """
        seen = tuple((pointer.file.name, pointer.inside) for pointer in led.pointers)
        if self._probe is not None and seen != self._seen:
            roots = ProjectRoots.of(self._redirection.roots, destination)
            self._told = await self._probe.ask(
                led.variables, roots, led.pointers, empty, confinement
            )
            self._seen = seen
        return replace(led, told=(*led.told, *self._told))
