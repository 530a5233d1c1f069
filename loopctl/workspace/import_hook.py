"""What leads a Python interpreter away from the user's checkout: a copy is its ``sitecustomize``.

An editable install puts the path of the user's checkout into ``sys.path`` or into a finder.
Python imports ``sitecustomize`` when that is done and before any program runs: here every such
path is replaced by its counterpart in the place where the work is judged or done. Positions
stay, so that nothing is imported earlier or later than before. Invariant: it needs nothing but
itself and the file beside it, takes itself out of ``sys.path``, and lets the ``sitecustomize``
that it hides run after it. It runs in the user's interpreters: Python 3.7 and newer.
"""

from __future__ import annotations

import os
import sys
from importlib.machinery import PathFinder

NAME = "sitecustomize"
DATA = "redirection"  # the destination and the roots, separated by NUL
_PACKAGES = ("site-packages", "dist-packages")
_MARKS = ("pyvenv.cfg", "conda-meta")
_TABLES = ("MAPPING", "NAMESPACES")  # of setuptools' finders; that of ``editables`` is its class's


def moved(path: str, destination: str, roots: list[str]) -> str:
    """The counterpart of a path below one of the roots, else the path as it is.

    Args:
        path: absolute, else nothing is done.
        destination: the place that stands for every root; what lies in it stays.
        roots: absolute; of nested ones the inner comes first.
    """
    if not os.path.isabs(path):
        return path
    spellings = (os.path.normpath(path), os.path.realpath(path))
    if any(_below(each, destination) for each in spellings):
        return path
    for spelling in spellings:
        for root in roots:
            if _below(spelling, root):
                inside = spelling[len(root) :]
                return path if is_environment(root, inside) else destination + inside
    return path


def is_environment(root: str, inside: str) -> bool:
    """Whether a path below a root belongs to an environment there, such as ``.venv/src/other``.

    Args:
        root: absolute.
        inside: the rest of the path, with its leading separator, or empty.
    """
    here = root
    for part in inside.split(os.sep)[1:]:
        here = os.path.join(here, part)
        if part in _PACKAGES or any(os.path.exists(os.path.join(here, mark)) for mark in _MARKS):
            return True
    return False


def redirect(destination: str, roots: list[str]) -> None:
    """Replace the roots in everything that this interpreter imports from."""
    own = {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}
    kept = [os.path.join(prefix, folder) for prefix in own for folder in ("lib", "lib64")]
    sys.path[:] = [
        path if any(_below(path, each) for each in kept) else moved(path, destination, roots)
        for path in sys.path
    ]
    for finder in sys.meta_path:
        module = sys.modules.get(getattr(finder, "__module__", ""))
        tables = [getattr(module, name, None) for name in _TABLES]
        for table in [*tables, getattr(finder, "_redirections", None)]:
            if isinstance(table, dict):
                for name, value in list(table.items()):
                    table[name] = _moved_value(value, destination, roots)


def _moved_value(value: object, destination: str, roots: list[str]) -> object:
    if isinstance(value, str):
        return moved(value, destination, roots)
    if isinstance(value, list):
        return [_moved_value(each, destination, roots) for each in value]
    return value


def _below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _run_hidden() -> None:
    """Run the ``sitecustomize`` that would have run without this one."""
    spec = PathFinder.find_spec(NAME)
    if spec is None or spec.loader is None:
        return
    module = type(sys)(NAME)
    module.__file__, module.__spec__, module.__loader__ = spec.origin, spec, spec.loader
    sys.modules[NAME] = module
    spec.loader.exec_module(module)


def _start(folder: str) -> None:
    with open(os.path.join(folder, DATA), "rb") as file:
        destination, *roots = os.fsdecode(file.read()).split("\0")
    sys.path[:] = [path for path in sys.path if os.path.abspath(path) != folder]
    redirect(destination, roots)
    _run_hidden()


if __name__ == NAME:
    _start(os.path.dirname(os.path.abspath(__file__)))
