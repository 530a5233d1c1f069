"""What a verification looks up before anything is run: is all that was stored still what it was?

Invariant: objects are believed for their ids alone, which are hashed again; protection and judged
tree are built anew from the base commit, as at the start.
"""

from collections.abc import Iterator
from pathlib import Path

from loopctl.domain.evaluator_spec import ShellExecutor
from loopctl.domain.loop import LoopSpec, LoopState
from loopctl.domain.protection import Protection
from loopctl.domain.snapshot import Snapshot
from loopctl.domain.verification import Lookup
from loopctl.errors import GitError, LoopctlError
from loopctl.git.object_check import damaged_objects
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.snapshot import TakenSnapshot
from loopctl.git.special_objects import special_objects
from loopctl.workspace.holdout_digest import digest_of
from loopctl.workspace.path_text import path_text
from loopctl.workspace.protection import build_protection
from loopctl.workspace.round_snapshot import describe_snapshot
from loopctl.workspace.sign_reader import SignReader

_GONE = "gone"
_NAMED = 3


def stored_lookups(project: ProjectRepository, state: LoopState) -> Iterator[Lookup]:
    """The objects of the loop, and its hold-out.

    Args:
        project: where the objects are, those of the user's repository among them.
        state: where the loop stands.
    """
    spec, snapshot = state.spec, state.snapshot
    trees = [spec.base_tree]
    yield _tree("tree of the base commit", project, spec.base_commit, spec.base_tree)
    if snapshot is not None:
        yield _tree("tree of the snapshot", project, snapshot.commit, snapshot.tree)
        trees += filter(None, (snapshot.tree, snapshot.judged_tree, snapshot.new_tests_tree))
    published = state.published
    if snapshot is not None and published is not None and published.commit:
        yield _tree("tree of the commit on the branch", project, published.commit, snapshot.tree)
    damaged = damaged_objects(project, trees)
    named = ", ".join(damaged[:_NAMED])
    yield Lookup(
        what="objects",
        was="as their ids say",
        now="as their ids say" if not damaged else f"{len(damaged)} missing or changed: {named}",
        holds=not damaged,
        why="" if not damaged else "git fsck in your repository tells more",
    )
    if spec.holdout is not None and spec.holdout.folder:
        yield _holdout(spec.holdout.folder, spec.holdout.digest)


def waiting_lookups(project: ProjectRepository) -> Iterator[Lookup]:
    """What git would wait for when it looked the objects up: then nothing can be looked up."""
    for special in special_objects(project.path / "objects")[:_NAMED]:
        now = f"{path_text(str(special))} is no file"
        yield Lookup(what="objects", was="as their ids say", now=now, holds=False, why="remove it")


def composed_again(
    project: ProjectRepository, state: LoopState, snapshot: Snapshot
) -> tuple[Snapshot, tuple[Lookup, ...]]:
    """The snapshot as it is described now, with protection built anew, and what that differs in.

    Raises:
        GitError: an object is missing, or is not what its id says.
    """
    spec = state.spec
    protection, lookup = _protection(project, spec)
    taken = TakenSnapshot(
        commit=snapshot.commit,
        tree=project.tree_of(snapshot.commit),
        since_base=project.diff(spec.base_commit, snapshot.commit),
        since_parent=(),
        left_out=(),
        notes=(),
    )
    now = describe_snapshot(
        project,
        protection,
        taken,
        base_commit=spec.base_commit,
        parent=spec.base_commit,
        round_number=snapshot.round,
        signs=SignReader(project, protection, spec.base_commit),
        with_new_tests=spec.allow_new_tests,
    )
    found = [lookup, _same("judged tree", snapshot.judged_tree, now.judged_tree)]
    if spec.allow_new_tests:
        found.append(_same("tree with new tests", snapshot.new_tests_tree, now.new_tests_tree))
    return now, tuple(found)


def _tree(what: str, project: ProjectRepository, commit: str, tree: str) -> Lookup:
    try:
        now = project.tree_of(commit)
    except GitError:
        now = _GONE
    return _same(what, tree, now)


def _same(what: str, was: str, now: str) -> Lookup:
    return Lookup(what=what, was=was or "none", now=now or "none", holds=was == now)


def _holdout(folder: str, digest: str) -> Lookup:
    why = ""
    try:
        now = digest_of(Path(folder))
    except LoopctlError as error:
        now, why = _GONE, error.why
    return _same("hold-out files", digest, now).evolve(why=why)


def _protection(project: ProjectRepository, spec: LoopSpec) -> tuple[Protection, Lookup]:
    """Everything that is protected by the base commit's right, with what the user has added."""
    stored, supplies = spec.protection, spec.evaluator_supplies
    commands = [
        each.executor.command
        for each in spec.evaluators
        if isinstance(each.executor, ShellExecutor)
    ]
    built = build_protection(
        project,
        spec.base_commit,
        commands=(*commands, supplies.setup, supplies.teardown),
        cwd=spec.cwd,
    )
    names = ("presets", "patterns", "linters", "installed", "import_roots")
    lacking = [
        each for name in names for each in getattr(built, name) if each not in getattr(stored, name)
    ]
    both = {
        name: tuple(dict.fromkeys((*getattr(built, name), *getattr(stored, name))))
        for name in names
    }
    lookup = Lookup(
        what="protection",
        was="as the base commit asks for",
        now="as the base commit asks for" if not lacking else f"it lacks {', '.join(lacking)}",
        holds=not lacking,
        why="" if not lacking else "the stored one was changed, or another version made it",
    )
    return Protection(**both, allowed=stored.allowed), lookup
