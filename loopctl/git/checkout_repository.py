"""The git folder of an evaluator's checkout: one commit of the judged tree, or history below it.

Tools that ask git (for a version, for the tracked files) find a clean repository on a branch.
Invariant: it is loopctl's own. No hook, configuration or ref that an agent could write is in it;
the objects are borrowed through alternates, so that making it copies nothing.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from loopctl.git.environment import ATTRIBUTES_FILE
from loopctl.git.judged_objects import JudgedObjects
from loopctl.git.project_folder import CONTENT_FILE, alternates_line
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.repository import UserRepository
from loopctl.git.runner import CommandFailed
from loopctl.git.submodule import is_carried, pinned_submodules

BRANCH = "main"
_MESSAGE = "The tree that is judged\n"
_TIME = re.compile(rb"^committer .* (\d+) [+-]\d{4}$", re.MULTILINE)
_CONFIG = """\
[core]
\trepositoryformatversion = {version}
\tbare = false
\tlogAllRefUpdates = false
[user]
\tname = loopctl
\temail = loopctl@localhost
[gc]
\tauto = 0
"""
_SHA256 = "[extensions]\n\tobjectFormat = sha256\n"
_SHA256_DIGITS = 64


@dataclass(frozen=True, slots=True)
class History:
    """What of the user's repository a checkout with history shows.

    Attributes:
        tags: the content of a ``packed-refs`` file with the tags that lead to the base commit.
        shallow: the content of the ``shallow`` file; empty when the history is complete.
    """

    tags: bytes
    shallow: bytes


def read_history(user: UserRepository, base_commit: str) -> History:
    """Read the tags below the base commit. Call it before an agent exists."""
    asked = ("for-each-ref", f"--merged={base_commit}", "--format=%(objectname) %(refname)")
    try:
        tags = user.sealed.run(*asked, "refs/tags")
    except CommandFailed:  # a shallow or damaged history: there is nothing below to name
        tags = b""
    shallow = user.common_dir / "shallow"
    return History(tags, shallow.read_bytes() if shallow.exists() else b"")


def make_git_folder(
    project: ProjectRepository,
    tree: str,
    folder: Path,
    *,
    base_commit: str,
    history: History | None,
    objects: JudgedObjects | None = None,
) -> Path:
    """Make ``.git`` in an empty folder and return the name of the index that belongs in it.

    Args:
        project: where the objects are.
        tree: id of the judged tree.
        folder: the checkout, there and empty.
        base_commit: gives the commit its time, and with ``history`` is its parent.
        history: None makes a single commit without parents.
        objects: what to borrow from in place of everything that there is; not with a history.

    Raises:
        GitError: the base commit is missing, or the commit could not be stored.
    """
    head = _commit(project, tree, base_commit, with_history=history is not None)
    files = {
        "HEAD": f"ref: refs/heads/{BRANCH}\n".encode(),
        f"refs/heads/{BRANCH}": f"{head}\n".encode(),
    }
    if history is not None:
        files |= {"packed-refs": history.tags, "shallow": history.shallow}
    if objects is not None:
        pinned = pinned_submodules(project, tree).values()
        objects.hold(head, (each for each in pinned if is_carried(project, each)))
    return _make(project, folder, files, objects)


def make_pinned_git_folder(
    project: ProjectRepository, folder: Path, commit: str, objects: JudgedObjects | None = None
) -> Path:
    """Make ``.git`` in an empty folder of a submodule; return the name of its index.

    HEAD is detached at the commit, below which there is no history.
    """
    at = f"{commit}\n".encode()
    return _make(project, folder, {"HEAD": at, "shallow": at}, objects)


def _make(
    project: ProjectRepository,
    folder: Path,
    files: dict[str, bytes],
    objects: JudgedObjects | None,
) -> Path:
    is_sha256 = len(project.zero) == _SHA256_DIGITS
    config = _CONFIG.format(version=int(is_sha256)) + (_SHA256 if is_sha256 else "")
    git_dir = folder / ".git"
    rules = project.path / ATTRIBUTES_FILE
    if objects is not None:
        files |= {ATTRIBUTES_FILE: rules.read_bytes()}
        rules = git_dir / ATTRIBUTES_FILE
    own = alternates_line(rules)  # which quotes as a setting is quoted
    attributes = b"[core]\n\tattributesFile = " + own
    for name in ("objects/info", "objects/pack", "refs/heads", "refs/tags", "info"):
        (git_dir / name).mkdir(parents=True, mode=0o700)
    files |= {
        "config": config.encode() + (project.path / CONTENT_FILE).read_bytes() + attributes,
        "objects/info/alternates": alternates_line(
            objects.folder if objects else project.path / "objects"
        ),
        "info/exclude": (project.path / "info/exclude").read_bytes(),
        "info/attributes": (project.path / "info/attributes").read_bytes(),
    }
    for name, content in files.items():
        if content:
            (git_dir / name).write_bytes(content)
    return git_dir / "index"


def _commit(project: ProjectRepository, tree: str, base_commit: str, *, with_history: bool) -> str:
    """The commit that the checkout is at: the base commit itself when nothing differs from it."""
    if with_history and project.tree_of(base_commit) == tree:
        return base_commit
    found = project.read(base_commit)
    time = _TIME.search(found[2]) if found else None
    parents = (base_commit,) if with_history else ()
    # The base's time makes the commit the same in every checkout of the tree.
    return project.write_commit(tree, parents, _MESSAGE, int(time.group(1)) if time else 0)
