"""What is protected in a loop, from the base tree, the evaluators' commands and the user's wish.

Invariant: built once, from the base commit, before an agent exists. Nothing that an agent writes
can widen or narrow it.
"""

import posixpath
from collections.abc import Iterable, Iterator

from loopctl.domain.protection import Protection, choose_presets
from loopctl.git.change import SYMLINK
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.runner import text
from loopctl.workspace.command_programs import programs_of

_MOST_LINKS = 8


def build_protection(
    project: ProjectRepository,
    base_commit: str,
    commands: Iterable[str] = (),
    protect: Iterable[str] = (),
    allow: Iterable[str] = (),
) -> Protection:
    """The protection of one loop.

    Args:
        project: where the base commit can be read.
        base_commit: commit id that the loop starts from.
        commands: the shell text of every evaluator.
        protect: the user's globs; one that names a folder means everything below.
        allow: globs that win over all others.
    """
    entries = project.entries(base_commit)
    presets = choose_presets(entries)
    programs = {name for command in commands for name in programs_of(command)}
    scripts = {
        path
        for name in sorted(programs)
        for path in _on_the_way(project, base_commit, name)
        if path in entries
    }
    patterns = [pattern for preset in presets for pattern in preset.patterns]
    return Protection(
        presets=tuple(preset.name for preset in presets),
        patterns=tuple(dict.fromkeys([*patterns, *sorted(scripts), *_with_contents(protect)])),
        allowed=tuple(dict.fromkeys(_with_contents(allow))),
    )


def _with_contents(globs: Iterable[str]) -> Iterator[str]:
    """Each glob, and what is below when it names a folder."""
    for glob in globs:
        yield glob
        if not glob.endswith(("/", "**")):
            yield f"{glob}/**"


def _on_the_way(project: ProjectRepository, commit: str, path: str) -> list[str]:
    """The path and every tracked symlink that is passed until its file is reached."""
    entries = project.entries(commit)
    passed = [path]
    while len(passed) <= _MOST_LINKS:
        parts = passed[-1].split("/")
        prefixes = ["/".join(parts[:n]) for n in range(1, len(parts) + 1)]
        link = next((p for p in prefixes if p in entries and entries[p].mode == SYMLINK), None)
        found = project.read(entries[link].blob) if link else None
        if link is None or found is None:
            break
        passed[-1:] = [link, _target(link, text(found[2]), passed[-1])]
    return passed


def _target(link: str, target: str, path: str) -> str:
    """Where ``path`` leads when ``link``, which begins it, points to ``target``."""
    rest = path.removeprefix(link).lstrip("/")
    return posixpath.normpath(posixpath.join(posixpath.dirname(link), target, rest))
