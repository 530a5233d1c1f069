"""Paths that would tell make that there is nothing to do: protected where the base tree has none.

A target that needs nothing, such as ``check:`` without a ``.PHONY``, is run only while no file or
folder has its name. Invariant: only such targets are meant, and only those that the commands lead
to; what a rule makes of files of the repository is the agent's to add.
"""

import posixpath
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from loopctl.domain.makefile import NAMES, made_without_needs
from loopctl.git.change import GITLINK, SYMLINK
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.runner import text

_INCLUDED = ".mk"
_MOST_FILES = 100
_LARGEST = 500_000  # bytes


def make_targets(
    project: ProjectRepository, commit: str, words: Iterable[str], named: Iterable[str] = ()
) -> tuple[str, ...]:
    """Globs of the files and folders that would keep make from judging.

    Args:
        project: where the base commit can be read.
        commit: its id.
        words: all words of the commands and of the scripts that they run.
        named: makefiles that the commands name.
    """
    entries = project.entries(commit)
    asked = tuple(words)
    there = {*entries, *(str(above) for path in entries for above in PurePosixPath(path).parents)}
    files = [path for path in entries if _is_makefile(path)]
    files += [path for path in named if path in entries and path not in files]
    found: dict[str, None] = {}
    for path in files[:_MOST_FILES]:
        entry = entries[path]
        content = None if entry.mode in (SYMLINK, GITLINK) else project.read(entry.blob)
        if content is None or len(content[2]) > _LARGEST:
            continue
        targets = made_without_needs(text(content[2]), asked)
        found.update(dict.fromkeys(_absent(targets, path, there)))
    return tuple(glob for target in found for glob in (target, f"{target}/**"))


def _is_makefile(path: str) -> bool:
    return posixpath.basename(path) in NAMES or path.endswith(_INCLUDED)


def _absent(targets: Iterable[str], makefile: str, there: set[str]) -> Iterator[str]:
    """The paths of these targets at which the base tree holds nothing."""
    own = posixpath.dirname(makefile)
    # What is included runs where it is included from: most often at the root.
    folders = dict.fromkeys((own, "") if makefile.endswith(_INCLUDED) else (own,))
    for folder in folders:
        paths = (posixpath.normpath(posixpath.join(folder, target)) for target in targets)
        yield from (path for path in paths if path not in there and not path.startswith("../"))
