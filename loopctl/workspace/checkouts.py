"""Checkouts: the places in which evaluators run.

``separate-worktree`` is an export of the judged tree in a folder that nobody can guess, with what
the configuration supplies: a fresh one, or of a big tree the standing one, made as fresh;
``container`` is such an export too, and its programs see nothing else of the user's or of ours;
``same-workspace`` is the worktree itself. Invariant: either way the evaluator gets an environment
from the allow-list and a HOME and a TMPDIR that nobody has written to, used once.
"""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from loopctl.domain.evaluator_spec import Isolation
from loopctl.domain.protection import Protection
from loopctl.errors import UsageError
from loopctl.ports import Checkout
from loopctl.workspace.checkout_environment import CheckoutEnvironment
from loopctl.workspace.checkout_files import CheckoutFiles
from loopctl.workspace.checkout_imports import CheckoutImports
from loopctl.workspace.checkout_place import CheckoutPlace, new_place
from loopctl.workspace.container import Container
from loopctl.workspace.evaluator_setup import EvaluatorSetup
from loopctl.workspace.holdout_files import LayOver, nothing_held_out
from loopctl.workspace.inside_folder import folder_inside
from loopctl.workspace.redirection import Led
from loopctl.workspace.removal import remove_folder
from loopctl.workspace.short_folder import remove_short_folder
from loopctl.workspace.standing_checkout import Filled, StandingCheckout
from loopctl.workspace.surroundings import Surroundings
from loopctl.workspace.teardown import NO_TEARDOWN, Teardown
from loopctl.workspace.watched_inputs import WatchedInputs

_AVAILABLE = (Isolation.SEPARATE_WORKTREE, Isolation.CONTAINER, Isolation.SAME_WORKSPACE)


class LoopCheckouts:
    """The checkouts of one loop.

    Args:
        root: a folder for this loop's checkouts alone; made when it is not there.
        files: what a checkout is filled with.
        environment: the variables that evaluators receive.
        setup: what is run before the first checkout with new dependencies; None is nothing.
        teardown: what is run at the end of each.
        imports: what leads interpreters there; None is nothing.
        cwd: folder in which evaluators run, relative to the root.
        home: the folder of our own in which ``root`` is; None is the root itself.
        hold_out: lays the held-out files over a checkout.
        inputs: what verdicts rest on, to be watched; None watches the files of the tree alone.
        container: what containers have in common; None without any.
    """

    def __init__(
        self,
        root: Path,
        files: CheckoutFiles,
        environment: CheckoutEnvironment,
        setup: EvaluatorSetup | None = None,
        teardown: Teardown = NO_TEARDOWN,
        *,
        imports: CheckoutImports | None = None,
        cwd: str = "",
        home: Path | None = None,
        hold_out: LayOver = nothing_held_out,
        inputs: WatchedInputs | None = None,
        container: Container | None = None,
    ) -> None:
        self._root = root
        self._files = files
        self._environment = environment
        self._setup = setup
        self._teardown = teardown
        self._imports = imports
        self._cwd = cwd
        self._hold_out = hold_out
        self._inputs = inputs or WatchedInputs(files, Protection())
        self._container = container
        self._standing = StandingCheckout(root, files)
        self._surroundings = Surroundings(root, home or root)

    @asynccontextmanager
    async def open(
        self,
        tree: str,
        isolation: Isolation,
        workspace: Path,
        *,
        fresh: bool = False,
        holdout: bool = False,
    ) -> AsyncIterator[Checkout]:
        """A checkout of ``tree``; its folder is removed afterwards, while the loop goes on.

        The folder of a big tree stays for the next one.

        Args:
            tree: tree id, the judged one.
            isolation: what kind of place.
            workspace: the loop's worktree.
            fresh: a folder in which nothing was evaluated before.
            holdout: the held-out files are laid over the tree.

        Raises:
            UsageError: this version has no such isolation.
            GitError: the tree could not be exported.
            SupplyError: the setup failed, something could not be copied, the environment leads
                to the user's files and cannot be redirected, tools or the environment are not
                what they were, or something was put above the checkouts in which tools would
                find it.
            WorkGoneError: the tree has no folder in which evaluators could run.
        """
        seen = await self._inputs.check()
        match isolation:
            case Isolation.SAME_WORKSPACE:
                opened = self._open_in_place(tree, workspace, seen)
            case Isolation.SEPARATE_WORKTREE:
                opened = self._open_export(tree, None, seen, fresh=fresh, holdout=holdout)
            case Isolation.CONTAINER if self._container is not None:
                box = self._container
                opened = self._open_export(tree, box, seen, fresh=fresh, holdout=holdout)
            case _:
                raise UsageError(
                    f"the isolation {isolation} is not available in this version",
                    next_step="use --isolation " + " or ".join(_AVAILABLE),
                )
        async with opened as checkout:
            yield checkout

    def sweep(self) -> None:
        """Remove what the checkouts of a dead driver have left; call it before the first one."""
        if self._root.is_dir():
            for name in os.listdir(self._root):  # noqa: PTH208 - only the names
                remove_short_folder(self._root / name)
                remove_folder(self._root / name)

    @asynccontextmanager
    async def _open_in_place(
        self, tree: str, workspace: Path, seen: tuple[str, ...]
    ) -> AsyncIterator[Checkout]:
        """The worktree itself."""
        with new_place(self._root) as place:
            variables = self._environment.variables(place.home, place.tmp)
            led = await self._lead(place, variables, workspace)
            checkout = Checkout(
                folder_inside(workspace, self._cwd),
                tree,
                Isolation.SAME_WORKSPACE,
                led.variables,
                (*seen, *led.told),
                places=place.named(workspace),
            )
            yield await self._inputs.watched(checkout, workspace, place.folder)

    @asynccontextmanager
    async def _open_export(
        self, tree: str, box: Container | None, seen: tuple[str, ...], *, fresh: bool, holdout: bool
    ) -> AsyncIterator[Checkout]:
        """An export of the tree, in a container when there is a ``box``."""
        if box is None:  # what lies above is not there in a container
            self._surroundings.check()
        await self._set_up(tree, box)
        with new_place(self._root) as place:
            async with self._filled(place, tree, box, fresh=fresh) as filled:
                root, warnings, reused, stamps = filled
                if holdout:
                    lay_over = self._hold_out
                    await place.in_thread(lambda: lay_over(root, place.folder))
                variables = self._environment.supplied(place.home, place.tmp, root)
                led = await self._lead(place, variables, root, box)
                confinement = place.around(root, box, led)
                labels = (*seen, *warnings, *self._environment.labels(), *led.told)
                labels += box.labels() if box else ()
                folder = folder_inside(root, self._cwd)
                async with self._teardown.after(root, led.variables, confinement) as finish:
                    checkout = Checkout(
                        folder,
                        tree,
                        Isolation.CONTAINER if box else Isolation.SEPARATE_WORKTREE,
                        led.variables,
                        labels,
                        finish,
                        reused,
                        place.named(root),
                        confinement,
                    )
                    known = None if holdout or box else stamps
                    yield await self._inputs.watched(checkout, root, place.folder, known)

    async def _set_up(self, tree: str, box: Container | None) -> None:
        """Run the setup, in a checkout of its own, unless its products are there already."""
        setup = self._setup
        if setup is None or await asyncio.to_thread(setup.is_done, tree):
            return
        with new_place(self._root) as place:
            objects = box.objects if box else None
            await place.in_thread(lambda: self._files.fill(tree, place.work, objects=objects))
            variables = self._environment.supplied(place.home, place.tmp, place.work)
            await place.give(place.work, box)
            watch = await place.in_thread(lambda: setup.watch(tree, place.work))
            await setup.run(tree, place.work, variables, place.around(place.work, box))
            await place.in_thread(lambda: setup.keep(tree, place.work, watch))

    async def _lead(
        self,
        place: CheckoutPlace,
        variables: dict[str, str],
        destination: Path,
        box: Container | None = None,
    ) -> Led:
        """The variables with which programs use the files of ``destination``, now theirs."""
        imports, led = self._imports, Led(variables)
        if imports is not None:
            lead = imports.lead
            led = await place.in_thread(lambda: lead(variables, destination, place.folder))
        await place.give(destination, box)
        if imports is not None:
            seen = place.around(destination, box, led)
            led = await imports.proved(led, destination, place.tmp, seen)
        return led

    @asynccontextmanager
    async def _filled(
        self, place: CheckoutPlace, tree: str, box: Container | None, *, fresh: bool
    ) -> AsyncIterator[Filled]:
        """The standing checkout, when it is worth it and free, else one in ``place``."""
        products = self._setup.products if self._setup else None
        objects = box.objects if box else None
        fresh = fresh or not (box is None or box.can_stand)
        standing = self._standing
        if fresh or not await asyncio.to_thread(standing.suits, tree) or not standing.take():
            fill = partial(self._files.fill, tree, place.work, products, objects=objects)
            yield Filled(place.work, await place.in_thread(fill), reused=False)
            return
        loop = asyncio.get_running_loop()
        try:
            filled = await asyncio.to_thread(standing.fill, tree, products, objects)
            loop.run_in_executor(None, standing.empty_trash)
            yield filled
        except BaseException:
            loop.run_in_executor(None, standing.abandon)
            raise
        standing.release()
