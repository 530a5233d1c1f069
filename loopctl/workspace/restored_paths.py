"""Which changes of the agent are undone in the tree that evaluators see.

Invariant: whichever way a protected path was changed (edited, deleted, renamed, added, replaced
by a link, hidden behind a file or a link in its parent's place), it is among these; the judged
tree then has it exactly as the base commit has it.
"""

from collections.abc import Iterable
from pathlib import PurePosixPath

from loopctl.domain.globs import matches_any
from loopctl.domain.new_tests import is_plain_test
from loopctl.domain.presets import named_presets
from loopctl.domain.protection import Protection
from loopctl.git.change import GITLINK, SYMLINK, Change, Entry
from loopctl.git.project_repository import ProjectRepository
from loopctl.workspace.judging_settings import judging_settings
from loopctl.workspace.shadowing import shadows_runner

_BYTECODE = ("**/__pycache__/**", "**/*.pyc", "**/*.pyo")
_FOLDER_LIKE = (SYMLINK, GITLINK)


def restored_paths(
    protection: Protection, changes_since_base: tuple[Change, ...], project: ProjectRepository
) -> tuple[Change, ...]:
    """The changes that are undone before judging.

    Args:
        protection: what is protected.
        changes_since_base: every path that differs between the base commit and the snapshot.
        project: where the contents are.
    """
    chosen = {
        change.path
        for change in changes_since_base
        if _is_protected(protection, change)
        or shadows_runner(protection, change)
        or _changes_tests(protection, change, project)
    }
    if not chosen:
        return ()
    coming_back = {change.path for change in changes_since_base if change.old} & chosen
    return tuple(
        change
        for change in changes_since_base
        if change.path in chosen or (change.new and _in_the_way(change.path, coming_back))
    )


def new_tests(protection: Protection, restored: Iterable[Change]) -> tuple[str, ...]:
    """The plain test files that an agent has added, of which the judged tree has none.

    Args:
        protection: what is protected.
        restored: the changes that are undone before judging.
    """
    restored = tuple(restored)
    coming_back = {change.path for change in restored if change.old}
    return tuple(
        change.path
        for change in restored
        if change.old is None
        and change.new_mode not in _FOLDER_LIKE
        and is_plain_test(protection, change.path)
        and not shadows_runner(protection, change)
        and not _in_the_way(change.path, coming_back)
    )


def is_bytecode(protection: Protection, change: Change) -> bool:
    """Whether a change is of compiled Python, which can hide other code than its source.

    Running the tests writes it when it is not ignored, so it is dropped without a reproach.
    """
    return _matches(change, _BYTECODE) and not matches_any(change.path, protection.allowed)


def is_installed(protection: Protection, change: Change) -> bool:
    """Whether a change lies where dependencies are installed, and the programs that run tests.

    An honest agent leaves them there when nothing ignores them, so they are dropped without a
    reproach as well.
    """
    return _matches(change, protection.installed) and not matches_any(
        change.path, protection.allowed
    )


def _is_protected(protection: Protection, change: Change) -> bool:
    return _matches(change, protection.patterns) and not matches_any(
        change.path, protection.allowed
    )


def _matches(change: Change, patterns: tuple[str, ...]) -> bool:
    """Whether a path matches; a link in a folder's place stands for what is below it."""
    below = f"{change.path}/" if change.new_mode in _FOLDER_LIKE else change.path
    return matches_any(change.path, patterns) or matches_any(below, patterns)


def _in_the_way(path: str, coming_back: set[str]) -> bool:
    """Whether a new path cannot exist beside one that comes back."""
    if any(str(parent) in coming_back for parent in PurePosixPath(path).parents):
        return True
    return any(back.startswith(f"{path}/") for back in coming_back)


def _changes_tests(protection: Protection, change: Change, project: ProjectRepository) -> bool:
    """Whether a manifest's test settings differ; the rest of a manifest is the agent's to change.

    A symlink in a manifest's place has settings that cannot be told.
    """
    name = change.path.rpartition("/")[2].casefold()
    presets = named_presets(protection.presets)
    manifests = {manifest.casefold() for preset in presets for manifest in preset.manifests}
    if name not in manifests or matches_any(change.path, protection.allowed):
        return False
    before = _settings(name, change.old, project, protection.linters)
    after = _settings(name, change.new, project, protection.linters)
    return before is None or before != after


def _settings(
    name: str, entry: Entry | None, project: ProjectRepository, linters: tuple[str, ...]
) -> object:
    if entry is None:
        return {}
    found = project.read(entry.blob)
    if found is None or entry.mode in _FOLDER_LIKE:
        return None
    return judging_settings(name, found[2], linters)
