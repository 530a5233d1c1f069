"""Redirection: a program that is led to the place where the work is, not to the user's files.

Variables such as PYTHONPATH are rewritten; the interpreters of editable installs get the hook of
``import_hook`` through PYTHONPATH. Invariant: what cannot be led to the place is refused by name,
so that no verdict is about files that nobody checked out.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from loopctl.errors import SupplyError
from loopctl.workspace import import_hook
from loopctl.workspace.editable_installs import (
    A_LINK,
    A_TREE_OF_LINKS,
    Pointer,
    ProjectRoots,
    find_copies,
    find_pointers,
)
from loopctl.workspace.interpreters import Commands, site_folders
from loopctl.workspace.path_text import path_text

SEARCH_PATHS = ("PYTHONPATH", "MYPYPATH", "NODE_PATH", "PERL5LIB", "RUBYLIB", "CLASSPATH")
HOOK = "imports"
"""The folder, beside a checkout, of what redirects imports."""
_SHOWN = 5
_SWITCHES = re.compile(r"\b(?:python|pypy)[\d.]*\s+(?:-\w+\s+)*-[bBdhiOPqRsuvxX]*[IES]\w*")
_REPLACES = re.compile(
    r"\bPYTHONPATH\s*:?=(?![^\s;&|]*PYTHONPATH)[^\s;&|]*|\bunset\s+PYTHONPATH|\benv\s+-i\b"
)
WAY_OUT = (
    "start loopctl where that environment is not active, or uninstall the project from it, and "
    "build the project in the stop command, such as "
    '--stop "python3 -m venv .venv && .venv/bin/pip install . && .venv/bin/python -m pytest"'
)


@dataclass(frozen=True, slots=True)
class Led:
    """The variables that lead to a place.

    Attributes:
        variables: the environment, complete.
        told: what the evidence has to mention.
        pointers: the editable installs that were found.
    """

    variables: dict[str, str]
    told: tuple[str, ...] = ()
    pointers: tuple[Pointer, ...] = ()


@dataclass(frozen=True)
class Redirection:
    """Leads the programs of one loop to the places where they are to run.

    Attributes:
        roots: the folders that hold files of the project, in every spelling: checkouts of the
            user, the worktree.
        commands: what is run there.
    """

    roots: frozenset[str]
    commands: Commands = field(default_factory=Commands)

    def find(self, variables: Mapping[str, str], destination: Path) -> Led:
        """The variables without the hook, and what it would have to redirect."""
        roots = ProjectRoots.of(self.roots, destination)
        moved, told = _search_paths(variables, roots)
        sites = site_folders(moved, self.commands, destination)
        pointers = find_pointers(sites, roots)
        return Led(moved, told, pointers)

    def copies(self, variables: Mapping[str, str], destination: Path) -> tuple[str, ...]:
        """Installed copies of the project, for people: they may be judged in its place."""
        roots = ProjectRoots.of(self.roots, destination)
        sites = site_folders(variables, self.commands, destination)
        return tuple(
            f"a copy of the project is installed ({path_text(str(record))}): that copy is judged, "
            "unless the command installs the project again or looks into its own folder first "
            "(pip install -e . makes it the loop's own)"
            for record in find_copies(sites, roots)
        )

    def lead(self, variables: Mapping[str, str], destination: Path, folder: Path) -> Led:
        """The variables with which a program imports from ``destination``.

        Args:
            variables: those of the program.
            destination: a checkout, or the worktree.
            folder: where the hook is written when it is needed.

        Raises:
            SupplyError: an editable install cannot be redirected.
        """
        found = self.find(variables, destination)
        self.check(found)
        return self._hooked(found, destination, folder)

    def lead_if_possible(
        self, variables: Mapping[str, str], destination: Path, folder: Path
    ) -> Led:
        """The same for a program that gives no verdict: what cannot be redirected is left."""
        return self._hooked(self.find(variables, destination), destination, folder)

    def check(self, found: Led) -> None:
        """Refuse what the hook cannot redirect.

        Raises:
            SupplyError: the pointer that is in the way, with the way out.
        """
        for pointer in found.pointers:
            if pointer.obstacle:
                raise _refused(pointer, pointer.obstacle, _WAYS_OUT.get(pointer.obstacle, WAY_OUT))
        for text in self.commands.texts if found.pointers else ():
            for pattern, way_out in ((_SWITCHES, _NO_SWITCH), (_REPLACES, _KEEP_PATH)):
                match = pattern.search(text)
                if match is not None:
                    why = f"it is redirected through PYTHONPATH, which {match[0]!r} puts aside"
                    raise _refused(found.pointers[0], why, way_out)

    def _hooked(self, found: Led, destination: Path, folder: Path) -> Led:
        if not found.pointers:
            return found
        hook = _written_hook(folder, ProjectRoots.of(self.roots, destination))
        variables = dict(found.variables)
        others = variables.get("PYTHONPATH")
        variables["PYTHONPATH"] = os.pathsep.join([str(hook), *([others] if others else [])])
        return Led(variables, (*found.told, *redirected_lines(found.pointers)), found.pointers)


_NO_SWITCH = "leave the switch out (python -I, -E and -S), or uninstall the project (pip uninstall)"
_KEEP_PATH = "keep what is there: PYTHONPATH=src:$PYTHONPATH (in a Makefile: $$PYTHONPATH)"
_WAYS_OUT = {
    A_LINK: "install it as a path instead: pip install -e .",
    A_TREE_OF_LINKS: "install it without that setting: pip install -e .",
}


def redirected_lines(pointers: tuple[Pointer, ...]) -> tuple[str, ...]:
    """What is redirected, for people; of many the first few."""
    told = [
        f"redirected to the loop's own files: editable install, {described(pointer)}"
        for pointer in pointers
        if not pointer.obstacle
    ]
    more = len(told) - _SHOWN
    return (*told[:_SHOWN], *([f"and {more} more editable installs"] if more > 0 else []))


def described(pointer: Pointer) -> str:
    """Where a pointer is and where it leads, for people."""
    where = path_text(pointer.inside) or "the root"
    return f"{path_text(str(pointer.file))} leads to {where}"


def _refused(pointer: Pointer, why: str, way_out: str) -> SupplyError:
    return SupplyError(
        f"an editable install cannot be redirected: {described(pointer)} of the project",
        why=why,
        next_step=way_out,
    )


def _search_paths(
    variables: Mapping[str, str], roots: ProjectRoots
) -> tuple[dict[str, str], tuple[str, ...]]:
    """The variables with every search path led to the destination, and what was changed."""
    moved, told = dict(variables), []
    for name in SEARCH_PATHS:
        entries = variables.get(name, "").split(os.pathsep)
        for number, entry in enumerate(entries):
            inside = roots.inside(entry) if Path(entry).is_absolute() else None
            if inside is not None:
                entries[number] = str(Path(roots.destination, inside))
                told.append(
                    f"redirected to the loop's own files: {name}, {path_text(inside) or 'the root'}"
                )
        if name in moved:
            moved[name] = os.pathsep.join(entries)
    return moved, tuple(told)


def _written_hook(folder: Path, roots: ProjectRoots) -> Path:
    """The folder of the hook, written anew when it is not as it should be."""
    hook = folder / HOOK
    hook.mkdir(mode=0o700, parents=True, exist_ok=True)
    code = Path(import_hook.__file__).read_bytes()
    inner_first = sorted(roots.folders, key=lambda each: (-len(each), each))
    data = os.fsencode("\0".join((roots.destination, *inner_first)))
    for name, content in ((f"{import_hook.NAME}.py", code), (import_hook.DATA, data)):
        file = hook / name
        if not file.is_file() or file.read_bytes() != content:
            file.write_bytes(content)
    return hook
