"""Editable installs of the project that appear while a loop runs.

An agent, and a user, may install the project again: what that leaves is led to the checkouts
anyway (see ``redirection``). Invariant: only a ``.pth`` file counts in which every line is a path
into the project or starts a finder of an installer's own making.
"""

import os
import re
from pathlib import Path

from loopctl.workspace.editable_installs import ProjectRoots, find_pointers

_STARTS_FINDER = re.compile(
    r"import (__editable___\w+_finder); \1\.install\(\)|import (_editable_impl_\w+)"
)
_LARGEST = 100_000  # bytes


def is_installed_again(file: str, roots: ProjectRoots) -> bool:
    """Whether a changed file is such a ``.pth`` file, or was one that is gone."""
    path = Path(file)
    if path.suffix != ".pth":
        return False
    if not os.path.lexists(path):
        return True
    try:
        if path.stat().st_size > _LARGEST:
            return False
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return False
    finders = {each.file.stem for each in find_pointers([path.parent], roots) if not each.obstacle}
    return all(_is_harmless(line.strip(), path.parent, finders, roots) for line in lines)


def _is_harmless(line: str, site: Path, finders: set[str], roots: ProjectRoots) -> bool:
    if not line or line.startswith("#"):
        return True
    started = _STARTS_FINDER.fullmatch(line)
    if started is not None:
        return (started[1] or started[2]) in finders
    is_code = line.startswith(("import ", "import\t"))
    return not is_code and roots.inside(str(site / line)) is not None
