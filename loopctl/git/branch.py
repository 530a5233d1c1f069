"""Publishing: the last tree of a loop, as a commit on the loop's own branch.

Invariant: the branch moves only forward, only from where it was seen, and only if it is an
ordinary branch. When the agent moved it elsewhere, nothing is touched and the user gets the
command that fetches the snapshot. No hook runs, and nothing is fetched from a remote.
"""

import tempfile
import time
from dataclasses import dataclass

from loopctl.errors import GitError
from loopctl.git.filtered_paths import LFS
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.repository import UserRepository
from loopctl.git.runner import CommandFailed, line
from loopctl.git.smudge import pointer_in

SNAPSHOT_TRAILER = "Loopctl-Snapshot"
LOOP_TRAILER = "Loopctl-Loop"


@dataclass(frozen=True, slots=True)
class Published:
    """Where the loop's branch stands afterwards.

    Attributes:
        commit: the commit with the snapshot's tree; None when the branch was left alone.
        moved: somebody else had moved the branch.
        note: what the user should know; empty when all is as expected.
    """

    commit: str | None
    moved: bool
    note: str


def publish(
    user: UserRepository,
    project: ProjectRepository,
    branch: str,
    *,
    expected: str,
    snapshot: str,
    subject: str,
    loop: str,
    onto: str | None = None,
) -> Published:
    """Commit a snapshot's tree on the loop's branch, if the branch is where it should be.

    Args:
        user: the repository with the branch.
        project: the repository with the snapshot.
        branch: short name.
        expected: commit id that the branch had when loopctl last set or saw it.
        snapshot: commit id in the project repository.
        subject: the commit message without trailers.
        loop: name of the loop, for the trailer.
        onto: commit id in the project repository to build upon, if it descends from the branch;
            the commits of an agent that cannot reach the branch itself.

    Raises:
        GitError: git could not do it; the branch is as before.
    """
    ref = f"refs/heads/{branch}"
    tip = _tip(user, ref)
    if tip is None or not _descends(user, tip, expected):
        return _left_alone(project, branch, snapshot)
    if _carries(project, tip, snapshot):
        return Published(tip, moved=False, note="")
    parent = built_upon(project, tip, onto)
    moved = parent != expected
    tree = project.tree_of(snapshot)
    note = f"the agent committed on {branch}" if moved else ""
    commit = parent
    if project.tree_of(parent) != tree:
        trailers = f"{LOOP_TRAILER}: {loop}\n{SNAPSHOT_TRAILER}: {snapshot}\n"
        message = f"{subject}\n\n{trailers}"
        commit = project.write_commit(tree, (parent,), message, int(time.time()))
    if commit == tip:
        return Published(tip, moved, note)
    _carry_objects(user, project, commit, tip)
    _carry_contents(project, commit, tip)
    reason = f"loopctl: {loop}"
    try:
        user.sealed.run("update-ref", "--no-deref", "-m", reason, ref, commit, tip)
    except CommandFailed:
        if _tip(user, ref) == tip:
            raise
        return _left_alone(project, branch, snapshot)
    return Published(commit, moved, note)


def built_upon(project: ProjectRepository, tip: str, onto: str | None) -> str:
    """What is gone on with: ``onto``, where that is a descendant of the branch's tip, else that."""
    if onto is None or onto == tip:
        return tip
    question = ("merge-base", "--is-ancestor", tip, onto)
    return tip if project.git.answer(*question, expect=(0, 1, 128))[0] else onto


def _tip(user: UserRepository, ref: str) -> str | None:
    """The branch's commit; None when it is gone or made to stand for another ref."""
    if user.sealed.answer("symbolic-ref", "--quiet", ref)[0] == 0:
        return None
    status, raw = user.sealed.answer("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}")
    return None if status else line(raw)


def _descends(user: UserRepository, tip: str, ancestor: str) -> bool:
    """Whether `tip` is `ancestor` or a descendant of it; False when history is damaged."""
    question = ("merge-base", "--is-ancestor", ancestor, tip)
    return tip == ancestor or user.sealed.answer(*question, expect=(0, 1, 128))[0] == 0


def _carries(project: ProjectRepository, commit: str, snapshot: str) -> bool:
    """Whether a commit is the one that an interrupted `publish` made of this snapshot."""
    found = project.read(commit)
    if found is None:
        raise GitError(f"cannot read commit {commit}", next_step="git fsck")
    trailer = f"{SNAPSHOT_TRAILER}: {snapshot}".encode()
    same_tree = project.tree_of(commit) == project.tree_of(snapshot)
    return same_tree and trailer in found[2].splitlines()


def _carry_objects(user: UserRepository, project: ProjectRepository, commit: str, tip: str) -> None:
    """Copy the objects that only the project repository has into the user's."""
    with tempfile.TemporaryFile() as pack:
        wanted = f"{commit}\n^{tip}\n".encode()
        project.git.run(
            *("pack-objects", "--revs", "--stdout", "--quiet", "--local"),
            stdin=wanted,
            stdout=pack,
        )
        pack.seek(0)
        user.sealed.run("unpack-objects", "-q", stdin=pack)


def _carry_contents(project: ProjectRepository, commit: str, tip: str) -> None:
    """Copy the contents of new LFS pointers into the user's store, where git-lfs looks."""
    if LFS not in project.filters:
        return
    for change in project.diff(tip, commit):
        pointer = pointer_in(project, change.new_blob) if change.new else None
        if pointer is not None:
            project.lfs.own.give(pointer, project.lfs.users)


def _left_alone(project: ProjectRepository, branch: str, snapshot: str) -> Published:
    fetch = f"git fetch {project.path} {snapshot}:refs/heads/{branch}-snapshot"
    note = f"{branch} was moved away from its loop, so it was left alone; the work: {fetch}"
    return Published(None, moved=True, note=note)
