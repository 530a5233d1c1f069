"""Checkouts: the places in which evaluators run.

``separate-worktree`` is an export of the judged tree in a folder that nobody can guess, with what
the configuration supplies: a fresh one, or of a big tree the standing one, made as fresh;
``same-workspace`` is the worktree itself. Invariant: either way the evaluator gets an environment
from the allow-list and a HOME and a TMPDIR that nobody has written to, used once.
"""

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from threading import Lock
from typing import TypeVar

from loopctl.domain.evaluator_spec import Isolation
from loopctl.errors import UsageError
from loopctl.ports import Checkout
from loopctl.workspace.checkout_environment import CheckoutEnvironment
from loopctl.workspace.checkout_files import CheckoutFiles
from loopctl.workspace.checkout_imports import CheckoutImports
from loopctl.workspace.evaluator_setup import EvaluatorSetup
from loopctl.workspace.inside_folder import folder_inside
from loopctl.workspace.redirection import Led
from loopctl.workspace.removal import remove_folder
from loopctl.workspace.short_folder import make_short_folder, remove_short_folder
from loopctl.workspace.standing_checkout import Filled, StandingCheckout
from loopctl.workspace.surroundings import Surroundings
from loopctl.workspace.teardown import NO_TEARDOWN, Teardown

T = TypeVar("T")

_AVAILABLE = (Isolation.SEPARATE_WORKTREE, Isolation.SAME_WORKSPACE)


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
    ) -> None:
        self._root = root
        self._files = files
        self._environment = environment
        self._setup = setup
        self._teardown = teardown
        self._imports = imports
        self._cwd = cwd
        self._standing = StandingCheckout(root, files)
        self._surroundings = Surroundings(root, home or root)

    @asynccontextmanager
    async def open(
        self, tree: str, isolation: Isolation, workspace: Path, *, fresh: bool = False
    ) -> AsyncIterator[Checkout]:
        """A checkout of ``tree``; its folder is removed afterwards, while the loop goes on.

        The folder of a big tree stays for the next one.

        Args:
            tree: tree id, the judged one.
            isolation: what kind of place.
            workspace: the loop's worktree.
            fresh: a folder in which nothing was evaluated before.

        Raises:
            UsageError: this version has no such isolation.
            GitError: the tree could not be exported.
            SupplyError: the setup failed, something could not be copied, the environment leads
                to the user's files and cannot be redirected, or something was put above the
                checkouts in which tools would find it.
            WorkGoneError: the tree has no folder in which evaluators could run.
        """
        match isolation:
            case Isolation.SAME_WORKSPACE:
                with self._new_place() as place:
                    variables = self._environment.variables(place.home, place.tmp)
                    led = await self._lead(place, variables, workspace)
                    folder = folder_inside(workspace, self._cwd)
                    yield Checkout(
                        folder,
                        tree,
                        isolation,
                        led.variables,
                        led.told,
                        places=place.named(workspace),
                    )
            case Isolation.SEPARATE_WORKTREE:
                self._surroundings.check()
                await self._set_up(tree)
                with self._new_place() as place:
                    async with self._filled(place, tree, fresh=fresh) as filled:
                        root, warnings, reused = filled
                        variables = self._environment.supplied(place.home, place.tmp, root)
                        led = await self._lead(place, variables, root)
                        labels = (*warnings, *self._environment.labels(), *led.told)
                        folder = folder_inside(root, self._cwd)
                        async with self._teardown.after(root, led.variables) as finish:
                            yield Checkout(
                                folder,
                                tree,
                                isolation,
                                led.variables,
                                labels,
                                finish,
                                reused,
                                place.named(root),
                            )
            case _:
                raise UsageError(
                    f"the isolation {isolation} is not available in this version",
                    next_step="use --isolation " + " or ".join(_AVAILABLE),
                )

    def sweep(self) -> None:
        """Remove what the checkouts of a dead driver have left; call it before the first one."""
        if self._root.is_dir():
            for name in os.listdir(self._root):  # noqa: PTH208 - only the names
                remove_short_folder(self._root / name)
                remove_folder(self._root / name)

    async def _set_up(self, tree: str) -> None:
        """Run the setup, in a checkout of its own, unless its products are there already."""
        setup = self._setup
        if setup is None or await asyncio.to_thread(setup.is_done, tree):
            return
        with self._new_place() as place:
            await place.in_thread(lambda: self._files.fill(tree, place.work))
            variables = self._environment.supplied(place.home, place.tmp, place.work)
            watch = await place.in_thread(lambda: setup.watch(tree, place.work))
            await setup.run(tree, place.work, variables)
            await place.in_thread(lambda: setup.keep(tree, place.work, watch))

    async def _lead(self, place: "_Place", variables: dict[str, str], destination: Path) -> Led:
        """The variables with which programs use the files of ``destination``."""
        imports = self._imports
        if imports is None:
            return Led(variables)
        led = await place.in_thread(lambda: imports.lead(variables, destination, place.folder))
        return await imports.proved(led, destination, place.tmp)

    @asynccontextmanager
    async def _filled(self, place: "_Place", tree: str, *, fresh: bool) -> AsyncIterator[Filled]:
        """The standing checkout, when it is worth it and free, else one in ``place``."""
        products = self._setup.products if self._setup else None
        standing = self._standing
        if fresh or not await asyncio.to_thread(standing.suits, tree) or not standing.take():
            fill = self._files.fill
            warnings = await place.in_thread(lambda: fill(tree, place.work, products))
            yield place.work, warnings, False
            return
        loop = asyncio.get_running_loop()
        try:
            filled = await asyncio.to_thread(standing.fill, tree, products)
            loop.run_in_executor(None, standing.empty_trash)
            yield filled
        except BaseException:
            loop.run_in_executor(None, standing.abandon)
            raise
        standing.release()

    @contextmanager
    def _new_place(self) -> Iterator["_Place"]:
        """A new folder with an empty HOME and TMPDIR, for us alone."""
        self._root.mkdir(parents=True, exist_ok=True, mode=0o700)
        place = _Place(Path(tempfile.mkdtemp(dir=self._root, prefix="")))
        try:
            place.home.mkdir(mode=0o700)
            place.tmp = make_short_folder(place.folder)
            yield place
        finally:
            # The event loop waits for its worker threads when it ends: nothing stays behind.
            asyncio.get_running_loop().run_in_executor(None, place.discard)


class _Place:
    """The folder of one checkout."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.work = folder / "work"
        self.home = folder / "home"
        self.tmp = folder
        self._lock = Lock()

    def named(self, root: Path) -> dict[str, Path]:
        """The folders of an evaluation in ``root``: each has another name the next time."""
        return {"CHECKOUT": root, "HOME": self.home, "TMPDIR": self.tmp}

    async def in_thread(self, work: Callable[[], T]) -> T:
        """Do blocking work in the folder."""

        def locked() -> T:
            with self._lock:
                return work()

        return await asyncio.to_thread(locked)

    def discard(self) -> None:
        """Remove it; work that a cancelled task has begun ends first."""
        with self._lock:
            remove_folder(self.tmp)
            remove_folder(self.folder)
