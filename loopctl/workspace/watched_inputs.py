"""What a verdict rests on, watched from the moment a checkout is opened until it was judged.

The files of the tree, the tools of the commands, the environment that judges. Invariant: an
evaluation that changes one of these does not pass by it unnoticed: everything that moved is named,
and what tools keep up to date by themselves is told.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from loopctl.domain.protection import Protection
from loopctl.git.swept_folder import Stamp
from loopctl.ports import Checkout
from loopctl.workspace.checkout_files import CheckoutFiles
from loopctl.workspace.installed_watch import InstalledWatch
from loopctl.workspace.path_text import listed
from loopctl.workspace.shadowing import root_module
from loopctl.workspace.tool_watch import ToolWatch
from loopctl.workspace.tree_watch import Moved, TreeWatch

_AGAIN = "again"


class WatchedInputs:
    """Watches the checkouts of one loop.

    Args:
        files: what they are filled with.
        protection: which of their paths may not even be written to.
        base_tree: id of the tree that the loop started from.
        tools: the tools of the commands; None watches none.
        installed: the environment that judges; None watches none.
    """

    def __init__(
        self,
        files: CheckoutFiles,
        protection: Protection,
        *,
        base_tree: str = "",
        tools: ToolWatch | None = None,
        installed: InstalledWatch | None = None,
    ) -> None:
        self._files = files
        self._protection = protection
        self._base_tree = base_tree
        self._tools = tools
        self._installed = installed

    async def check(self) -> tuple[str, ...]:
        """See that tools and environment are what they were; return what is to be told.

        Raises:
            SupplyError: they are not; it names what was changed.
        """
        if self._tools is None and self._installed is None:
            return ()
        return await asyncio.to_thread(self._check)

    def _check(self) -> tuple[str, ...]:
        told: tuple[str, ...] = ()
        if self._tools is not None:
            told = self._tools.check()
        return told if self._installed is None else (*told, *self._installed.check())

    async def watched(
        self,
        checkout: Checkout,
        root: Path,
        beside: Path,
        known: Mapping[str, Stamp] | None = None,
    ) -> Checkout:
        """The checkout with what tells whether its files stood still.

        Args:
            checkout: complete; nothing runs in it yet.
            root: its root, which its folder may lie below.
            beside: a folder of our own outside of it.
            known: stamps of its files, when they were taken already.
        """
        watch = await asyncio.to_thread(
            TreeWatch, self._files, checkout.tree, root, self._protection, known
        )
        hiding = await asyncio.to_thread(self._hiding, checkout.tree)
        seen: list[Moved] = []

        async def moved() -> tuple[str, ...]:
            again = beside / _AGAIN
            again.mkdir(mode=0o700)
            seen[:] = [await asyncio.to_thread(watch.look, again)]
            return (*seen[0].paths, *await asyncio.to_thread(self._moved, checkout.tree))

        async def finish() -> tuple[str, ...]:
            rewritten = [path for each in seen for path in each.kept_by_tools]
            told = (f"rewritten while it was judged: {listed(rewritten)}",) if rewritten else ()
            return (*told, *await checkout.finish())

        warnings = (*checkout.warnings, *hiding)
        return replace(checkout, moved=moved, finish=finish, warnings=warnings)

    def _hiding(self, tree: str) -> tuple[str, ...]:
        """Whether modules that are new since the base tree hide installed packages."""
        if self._installed is None or tree == self._base_tree:
            return ()
        installed = self._installed.modules
        added = self._files.entries(tree).keys() - self._files.entries(self._base_tree).keys()
        hiding = sorted(p for p in added if root_module(self._protection, p) in installed)
        return (f"hides an installed package: {listed(hiding)}",) if hiding else ()

    def _moved(self, tree: str) -> tuple[str, ...]:
        """What was changed outside of the checkout, by absolute paths."""
        is_base = tree == self._base_tree
        tools = () if self._tools is None else self._tools.moved(is_base=is_base)
        if self._installed is None:
            return tools
        return tuple(dict.fromkeys((*tools, *self._installed.moved(is_base=is_base))))
