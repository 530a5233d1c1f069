"""The proof that a redirection works: where Python would import the project's packages from.

An interpreter is started as an evaluator would start it and asked for the places of the project's
top-level names; nothing of the project is imported for that. Invariant: a name whose place is in
the user's checkout is an error, however it came to lead there.
"""

import asyncio
import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from loopctl.domain.confinement import Confinement
from loopctl.errors import SupplyError
from loopctl.process.exit_status import Exited
from loopctl.process.spec import ProcessSpec
from loopctl.process.toolbox import Toolbox
from loopctl.workspace.editable_installs import Pointer, ProjectRoots
from loopctl.workspace.interpreters import Commands, interpreters
from loopctl.workspace.path_text import path_text
from loopctl.workspace.redirection import WAY_OUT

_QUESTION = """
import sys
from importlib.util import find_spec
for name in sys.argv[1:]:
    try:
        spec = find_spec(name)
    except Exception:
        continue
    for place in [spec.origin, *(spec.submodule_search_locations or ())] if spec else ():
        if place:
            print(name, place.encode("utf-8", "surrogateescape").hex())
"""
_LONGEST_S = 30.0
_MOST_NAMES = 50
_MANIFESTS = ("pyproject.toml", "setup.py", "setup.cfg")
_NO_PRODUCT = frozenset({"setup", "conftest", "noxfile", "tests", "test", "docs", "examples"})
_PACKAGES = ("site-packages", "dist-packages")


@dataclass(frozen=True)
class ImportProbe:
    """Asks the interpreters of one loop.

    Attributes:
        tools: what starts them.
        commands: what is run, in which one may be named.
    """

    tools: Toolbox
    commands: Commands

    async def ask(
        self,
        variables: Mapping[str, str],
        roots: ProjectRoots,
        pointers: tuple[Pointer, ...],
        empty: Path,
        confinement: Confinement | None = None,
    ) -> tuple[str, ...]:
        """Prove that nothing of the project is imported from the user's files.

        Args:
            variables: those of the evaluator.
            roots: the folders that must not be imported from, and the place that may.
            pointers: the editable installs that were redirected.
            empty: an empty folder to ask in.
            confinement: what the evaluator's programs see.

        Returns:
            What the evidence has to mention: installed copies of the project.

        Raises:
            SupplyError: an interpreter imports a part of the project from the user's files.
        """
        place = Path(roots.destination)
        names = await asyncio.to_thread(top_level_names, place, pointers)
        if not names:
            return ()
        copies: dict[str, str] = {}
        for python in interpreters(variables, self.commands, place):
            question = ProcessSpec(
                argv=(python, "-c", _QUESTION, *names),
                cwd=empty,
                env=variables,
                confinement=confinement,
            )
            for name, found in await self._places(question):
                if roots.inside(found) is not None:
                    raise _misled(python, name, found)
                if any(part in _PACKAGES for part in Path(found).parts):
                    copies.setdefault(name, path_text(found))
        return tuple(
            f"a copy of {name} is installed: {found} is imported "
            "unless the command looks into its own folder first"
            for name, found in copies.items()
        )

    async def _places(self, question: ProcessSpec) -> list[tuple[str, str]]:
        result = await self.tools.run(
            question,
            deadline_s=_LONGEST_S,
            interrupt_grace_s=1.0,
            stop=asyncio.Event(),
        )
        if result.exit != Exited(0):
            return []  # no Python, or an old one: the evaluator will show it
        found = []
        for line in result.output.tail.splitlines():
            name, _, place = line.partition(" ")
            with contextlib.suppress(ValueError):
                found.append((name, os.fsdecode(bytes.fromhex(place))))
        return found


def top_level_names(place: Path, pointers: tuple[Pointer, ...] = ()) -> tuple[str, ...]:
    """The names under which the packages and modules of a Python project are imported.

    Args:
        place: a checkout.
        pointers: where editable installs lead; without any, a project without a manifest has no
            names, because it cannot be installed.
    """
    if not pointers and not any((place / name).is_file() for name in _MANIFESTS):
        return ()
    led = [place / pointer.inside for pointer in pointers]
    near = [each for path in led for each in (path, path.parent, path.parent.parent)]
    folders = dict.fromkeys(
        (place / "src", place, *(each for each in near if each.is_relative_to(place)))
    )
    names = dict.fromkeys(name for folder in folders for name in _importable(folder))
    return tuple(names)[:_MOST_NAMES]


def _importable(folder: Path) -> Iterator[str]:
    for path in _sorted_entries(folder):
        is_module = path.suffix == ".py" and path.is_file()
        if is_module or (path / "__init__.py").is_file():
            name = path.stem if is_module else path.name
            if name.isidentifier() and name not in _NO_PRODUCT and not name.startswith("__"):
                yield name


def _sorted_entries(folder: Path) -> Iterable[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else ()


def _misled(python: str, name: str, found: str) -> SupplyError:
    return SupplyError(
        f"{path_text(python)} imports {name} from {path_text(found)}, not from the checkout",
        why="its packages lead there in a way that cannot be redirected",
        next_step=WAY_OUT,
    )
