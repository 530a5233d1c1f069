"""What is protected in a loop, from the base tree, the evaluators' commands and the user's wish.

Invariant: built once, from the base commit, before an agent exists. Nothing that an agent writes
can widen or narrow it.
"""

import posixpath
from collections.abc import Iterable, Iterator

from loopctl.domain.globs import matches_any
from loopctl.domain.linters import linters_among, settings_files
from loopctl.domain.presets import MAKE, Preset, choose_presets
from loopctl.domain.protection import Protection
from loopctl.git.change import SYMLINK
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.runner import text
from loopctl.workspace.command_programs import (
    import_roots,
    names_of,
    programs_of,
    sourced_by,
    words_of,
)
from loopctl.workspace.command_settings import settings_named_by
from loopctl.workspace.make_targets import make_targets

_MOST_LINKS = 8
_MOST_SCRIPTS = 200
_LONGEST_SCRIPT = 200_000  # bytes
_ATTRIBUTES = "**/.gitattributes"  # they say how git writes every other protected file


def build_protection(
    project: ProjectRepository,
    base_commit: str,
    commands: Iterable[str] = (),
    protect: Iterable[str] = (),
    allow: Iterable[str] = (),
    *,
    cwd: str = "",
) -> Protection:
    """The protection of one loop.

    Args:
        project: where the base commit can be read.
        base_commit: commit id that the loop starts from.
        commands: the shell text of every evaluator.
        protect: the user's globs; one that names a folder means everything below.
        allow: globs that win over all others.
        cwd: folder in which the commands run, relative to the root.
    """
    commands = tuple(commands)
    entries = project.entries(base_commit)
    names = {name for command in commands for name in names_of(command)}
    presets = choose_presets(entries, names)
    programs = {_below(cwd, name) for command in commands for name in programs_of(command)}
    roots = {_below(cwd, root) for each in commands for root in ("", *import_roots(each))}
    settings = {_below(cwd, name) for name in _settings(commands, presets)}
    scripts = _with_sourced(project, base_commit, programs | settings)
    linters = linters_among(word for command in commands for word in words_of(command))
    patterns = [pattern for preset in presets for pattern in preset.patterns]
    patterns += settings_files(linters)
    if MAKE in presets:
        words = _all_words(project, base_commit, commands, scripts)
        patterns += make_targets(project, base_commit, words, settings)
    installed = [pattern for preset in presets for pattern in preset.installed]
    installed += sorted(_environments(programs))
    return Protection(
        presets=tuple(preset.name for preset in presets),
        patterns=tuple(
            dict.fromkeys([*patterns, _ATTRIBUTES, *sorted(scripts), *_with_contents(protect)])
        ),
        linters=linters,
        installed=tuple(each for each in installed if not _matches_one(entries, each)),
        allowed=tuple(dict.fromkeys(_with_contents(allow))),
        import_roots=tuple(sorted(root for root in roots if root != ".")),
    )


def _settings(commands: tuple[str, ...], presets: Iterable[Preset]) -> set[str]:
    """The settings files that commands name; of a manifest only its settings are protected."""
    manifests = {name for preset in presets for name in preset.manifests}
    named = {name for command in commands for name in settings_named_by(command)}
    return {path for path in named if posixpath.basename(path) not in manifests}


def _all_words(
    project: ProjectRepository, commit: str, commands: tuple[str, ...], scripts: set[str]
) -> Iterator[str]:
    """The words of the commands, and of the scripts that they run."""
    entries = project.entries(commit)
    contents = (project.read(entries[path].blob) for path in sorted(scripts))
    texts = (text(content[2][:_LONGEST_SCRIPT]) for content in contents if content)
    for each in (*commands, *texts):
        yield from words_of(each)


def _matches_one(paths: Iterable[str], pattern: str) -> bool:
    return any(matches_any(path, (pattern,)) for path in paths)


def _environments(programs: Iterable[str]) -> set[str]:
    """The folders of environments from which programs are run: ``venv/bin/python``."""
    folders = (posixpath.split(posixpath.dirname(program)) for program in programs)
    return {f"{above}/**" for above, inner in folders if above and inner == "bin"}


def _below(cwd: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(cwd, path))


def _with_sourced(project: ProjectRepository, commit: str, programs: set[str]) -> set[str]:
    """The tracked files behind ``programs``, and what shell scripts among them read in."""
    entries = project.entries(commit)
    found: set[str] = set()
    waiting = sorted(programs)
    while waiting and len(found) < _MOST_SCRIPTS:
        passed = [p for p in _on_the_way(project, commit, waiting.pop()) if p in entries]
        new = set(passed) - found
        found |= new
        if new:
            content = project.read(entries[passed[-1]].blob)
            script = text(content[2][:_LONGEST_SCRIPT]) if content else ""
            waiting += sourced_by(script, posixpath.dirname(passed[-1]))
    return found


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
