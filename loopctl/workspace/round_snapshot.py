"""From a stored tree to what the loop knows of it: what changed, what is undone, what is judged.

Invariants
* The judged tree is the stored tree with the protected paths as in the base commit and without
  compiled code and installed dependencies that the base commit lacks.
* Lists are bounded; a longer one says in a note how much it leaves out.
"""

from collections.abc import Mapping, Sequence
from typing import TypeVar

from loopctl.domain.globs import matches_any
from loopctl.domain.linters import led_by_ignore_rules
from loopctl.domain.protection import Protection
from loopctl.domain.sign import SHOWN_SIGNS
from loopctl.domain.signs.shown_signs import shown_signs
from loopctl.domain.snapshot import SHOWN_PATHS, LeftOut, PathChange, Snapshot
from loopctl.git.change import Change
from loopctl.git.difference import LineCount, diffstat
from loopctl.git.export import compose_tree
from loopctl.git.ignored import RULES, ignored_at
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.snapshot import TakenSnapshot
from loopctl.workspace.path_text import path_text
from loopctl.workspace.restored_paths import (
    is_bytecode,
    is_installed,
    new_tests,
    restored_paths,
)
from loopctl.workspace.sign_reader import SignReader

T = TypeVar("T")

_NAMED_PATHS = 3
_COUNTED_PATHS = 1_000  # nobody reads line counts of more, and they take seconds
_MANIFESTS = tuple(
    f"**/{name}"
    for name in (
        *("pyproject.toml", "setup.cfg", "setup.py", "*requirements*.txt", "Pipfile", "*.lock"),
        *("package.json", "package-lock.json", "pnpm-lock.yaml", "Cargo.toml", "go.mod", "go.sum"),
    )
)


def describe_snapshot(
    project: ProjectRepository,
    protection: Protection,
    taken: TakenSnapshot,
    *,
    base_commit: str,
    parent: str,
    round_number: int,
    signs: SignReader,
    with_new_tests: bool = False,
) -> Snapshot:
    """Everything that is worth knowing about a stored tree.

    Args:
        project: where the tree is.
        protection: what is put back before judging.
        taken: the stored tree.
        base_commit: commit id that the loop started from.
        parent: commit id of the snapshot before, or the base commit.
        round_number: the round after which it was taken.
        signs: finds what in the judged tree could deceive tests.
        with_new_tests: make the tree that has the added tests as well.
    """
    since_base = taken.since_base
    compiled = {each.path for each in since_base if is_bytecode(protection, each)}
    installed = {each.path for each in since_base if is_installed(protection, each)}
    put_back = restored_paths(protection, since_base, project)
    restored = [each for each in put_back if each.path not in compiled | installed]
    undone = compiled | installed | {each.path for each in restored}
    judged = taken.tree
    if undone:
        judged = compose_tree(project, taken.tree, base_commit, sorted(undone))
    added = new_tests(protection, restored)
    tested = ""
    if added and with_new_tests:
        tested = compose_tree(project, taken.tree, base_commit, sorted(undone.difference(added)))
    changed = [each for each in taken.since_parent if not is_bytecode(protection, each)]
    counted = 0 < len(changed) <= _COUNTED_PATHS
    lines = diffstat(project, parent, taken.tree) if counted else {}
    found, unseen = signs.find([each for each in since_base if each.path not in undone])
    notes = [
        *_more("changed paths", changed),
        *_more("restored paths", restored),
        *_more("new test files", added),
        *_more("left-out paths", taken.left_out),
        *_more("signs of code that could deceive tests", found, SHOWN_SIGNS),
        *unseen,
        *_notes(since_base, undone, len(compiled), len(installed)),
        *_hides_from_linters(protection, since_base, undone),
        *_no_longer_ignored(project, base_commit, since_base, undone),
        *taken.notes,
    ]
    return Snapshot(
        commit=taken.commit,
        tree=taken.tree,
        judged_tree=judged,
        round=round_number,
        changed=len(changed),
        changes=_shown(changed, lines),
        restored=_shown(restored, {}),
        left_out=tuple(
            LeftOut(path=path_text(each.path), reason=each.reason)
            for each in taken.left_out[:SHOWN_PATHS]
        ),
        signs=shown_signs(found, SHOWN_SIGNS),
        notes=tuple(path_text(note) for note in [*notes[:SHOWN_PATHS], *_more("notes", notes)]),
        new_tests=tuple(path_text(path) for path in added[:SHOWN_PATHS]),
        new_tests_tree=tested,
    )


def _shown(changes: Sequence[Change], lines: Mapping[str, LineCount]) -> tuple[PathChange, ...]:
    unknown = LineCount(None, None)
    return tuple(
        PathChange(
            path=path_text(each.path),
            kind=each.kind,
            added=lines.get(each.path, unknown).added,
            deleted=lines.get(each.path, unknown).deleted,
        )
        for each in changes[:SHOWN_PATHS]
    )


def _notes(
    since_base: Sequence[Change], undone: set[str], compiled: int, installed: int
) -> list[str]:
    notes = [
        f"{each.path} differs from base: a manifest is not restored"
        for each in since_base
        if each.path not in undone and matches_any(each.path, _MANIFESTS)
    ]
    if compiled:
        notes.append(f"compiled Python that differs from base is not judged: {compiled} files")
    if installed:
        notes.append(
            f"installed dependencies are not judged: {installed} files "
            "([evaluator] setup or share supplies them, --allow opens them)"
        )
    return notes


def _hides_from_linters(
    protection: Protection, since_base: Sequence[Change], undone: set[str]
) -> list[str]:
    """Rules that are the agent's to change, and lead programs that judge."""
    led = ", ".join(led_by_ignore_rules(protection.linters))
    rules = (each.path for each in since_base if each.path.rpartition("/")[2] == RULES)
    return [
        f"{path} differs from base: {led} may leave out what it names"
        for path in rules
        if led and path not in undone
    ]


def _no_longer_ignored(
    project: ProjectRepository, base_commit: str, since_base: Sequence[Change], undone: set[str]
) -> list[str]:
    """New files that the base commit's rules ignore: a build may take them for its own products."""
    if not any(each.path.rpartition("/")[2] == RULES for each in since_base):
        return []
    added = [each.path for each in since_base if not each.old and each.path not in undone]
    found = ignored_at(project, base_commit, added)
    named = ", ".join(found[:_NAMED_PATHS]) + (", ..." if len(found) > _NAMED_PATHS else "")
    return [f"judged although the base commit ignores it: {named}"] if found else []


def _more(what: str, items: Sequence[T], shown: int = SHOWN_PATHS) -> list[str]:
    hidden = len(items) - shown
    return [f"{hidden} more {what} are not listed"] if hidden > 0 else []
