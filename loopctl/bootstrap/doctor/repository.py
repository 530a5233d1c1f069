"""The repository: what a loop starts from, and what of the checkout it does not see."""

import shutil
from collections.abc import Mapping
from pathlib import Path

from loopctl.bootstrap.doctor.diagnosis import Finding, Topic, note, warning
from loopctl.git.filtered_paths import FilteredPaths
from loopctl.git.lfs import LARGEST_POINTER, parse_pointer
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.repository import UserRepository
from loopctl.git.runner import text
from loopctl.observe.plain import count, listing, short
from loopctl.workspace.path_text import path_text

_SUBMODULE = "160000"
_LFS = "filter=lfs"


def repository(user: UserRepository, project: ProjectRepository) -> Topic:
    """What a loop would start from."""
    dirty = user.dirty_summary()
    entries = project.entries(user.head)
    submodules = [path for path, entry in entries.items() if entry.mode == _SUBMODULE]
    attributes = [path for path in entries if path.rpartition("/")[2] == ".gitattributes"]
    uses_lfs = any(_LFS in _content(project, entries[path].blob) for path in attributes)
    facts = {
        "top": str(user.top_level),
        "base_commit": user.head,
        "branch": user.branch,
        "files": len(entries),
        "staged": dirty.staged,
        "unstaged": dirty.unstaged,
        "untracked": dirty.untracked,
        "shallow": (user.common_dir / "shallow").exists(),
        "linked_worktree": user.git_dir != user.common_dir,
        "sparse": user.is_sparse(),
        "submodules": [path_text(path) for path in submodules],
        "lfs": uses_lfs,
        "git": user.git_version(),
    }
    where = "no branch (detached)" if user.branch is None else f"branch {user.branch}"
    rows = (
        ("in", path_text(str(user.top_level))),
        ("base", f"{short(user.head)}, {where}, {count(len(entries), 'file')}"),
        ("git", str(facts["git"])),
    )
    findings = (
        *_unseen(user),
        *_layout(user, facts),
        *_submodules(user, submodules),
        *(_lfs(user, project) if uses_lfs else ()),
    )
    return Topic("repository", rows, facts, findings)


def _unseen(user: UserRepository) -> tuple[Finding, ...]:
    dirty = user.dirty_summary()
    if not dirty:
        return ()
    kinds = ((dirty.staged, "staged"), (dirty.unstaged, "unstaged"), (dirty.untracked, "untracked"))
    said = ", ".join(f"{number} {kind}" for number, kind in kinds if number)
    return (
        note(
            f"a loop starts from the commit and does not see what is not in it: {said} (your "
            "configuration is read from the checkout all the same)",
            "git status; commit what the agent needs",
        ),
    )


def _layout(user: UserRepository, facts: Mapping[str, object]) -> tuple[Finding, ...]:
    found = []
    if user.branch is None:
        found.append(note("HEAD is detached: the loop starts from this commit"))
    if facts["shallow"]:
        found.append(
            note(
                'the clone is shallow: [evaluator] git = "history" ends where the clone ends',
                "git fetch --unshallow",
            )
        )
    if facts["sparse"]:
        found.append(
            note(
                "the checkout is sparse: a loop's worktree and checkouts hold every file; "
                "[evaluator] paths limits the checkouts"
            )
        )
    return tuple(found)


def _submodules(user: UserRepository, paths: list[str]) -> tuple[Finding, ...]:
    empty = [path for path in paths if not (user.top_level / path / ".git").exists()]
    if not empty:
        return ()
    return (
        warning(
            f"{count(len(empty), 'submodule')} without content: {listing(empty)}",
            "git submodule update --init --recursive",
        ),
    )


def _lfs(user: UserRepository, project: ProjectRepository) -> tuple[Finding, ...]:
    if "lfs" not in user.configuration.filters or not shutil.which("git-lfs"):
        return (
            warning(
                "files are kept in git LFS, and git-lfs is not set up here: they are pointers",
                "install git-lfs, then: git lfs install && git lfs pull",
            ),
        )
    filters = FilteredPaths(project, user.head).own.items()
    paths = [path for path, name in filters if name == "lfs" and _is_absent(user, project, path)]
    if not paths:
        return ()
    said = f"{count(len(paths), 'file')} of git LFS without content: {listing(paths)}"
    return (warning(f"{said}; agent and stop commands get the pointer", "git lfs pull"),)


def _is_absent(user: UserRepository, project: ProjectRepository, path: str) -> bool:
    """Whether the checkout and the stores have nothing of the size that a pointer names."""
    entry = project.entries(user.head)[path]
    file = user.top_level / path
    if _size(file) >= LARGEST_POINTER:
        return False  # no pointer: reading the blob of each large file would take long
    found = project.read(entry.blob)
    pointer = None if found is None else parse_pointer(found[2])
    return pointer is not None and all(
        _size(place) != pointer.size for place in project.lfs.places(pointer, file)
    )


def _size(file: Path) -> int:
    try:
        return file.lstat().st_size
    except OSError:
        return -1


def _content(project: ProjectRepository, blob: str) -> str:
    found = project.read(blob)
    return "" if found is None else text(found[2])
