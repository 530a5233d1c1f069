"""Which paths of a repository are looked at.

Invariant: no folder is listed but a real one, to a bounded depth and number; a link in the place
of a folder is a path like any other.
"""

import os
import re
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from loopctl.git.repository import UserRepository
from loopctl.git.sentinel.config_file import config_entries
from loopctl.git.sentinel.seen import Kind, Seen, is_folder, look, names_in, text_path

_ACTING = (
    *("config", "config.worktree", "commondir", "info/attributes", "info/grafts"),
    *("objects/info/alternates", "objects/info/http-alternates"),
)
_MAIN = (*_ACTING, "HEAD", "shallow", "info/exclude", "info/sparse-checkout", "packed-refs")
_LINKED = ("HEAD", "commondir", "gitdir", "config.worktree")
_FOLDERS = ("hooks", "info", "objects", "objects/info", "refs", "worktrees", "modules")
STASH_LOG = "logs/refs/stash"
_MOST_HOOKS = 500
_MOST_FOLDERS = 300
_DEEPEST_MODULE = 8
_MOST_INCLUDES = 20
_INCLUDE = re.compile(r"include\.path|includeif\..*\.path", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Places:
    """Where one loop's repository is.

    Attributes:
        top_level: root of the user's checkout.
        common_dir: the git folder that all checkouts share.
        indexes: the user's index, and that of the loop's worktree.
        git_file: what makes the worktree one: its file ``.git``.
        own_unit: the name of the worktree's own git folder; ``""`` when it has none.
        siblings: the folder in which worktrees of other loops are made, too.
        own_ref: the loop's own branch, as a full name.
        digest_bytes: length of an object id.
    """

    top_level: str
    common_dir: str
    indexes: tuple[str, ...]
    git_file: str
    own_unit: str
    siblings: str
    own_ref: str
    digest_bytes: int

    def path(self, name: str) -> str:
        """The path of a name: relative to the git folder, or absolute."""
        return text_path(self.common_dir, name)


def places_of(user: UserRepository, worktree: Path, branch: str) -> Places:
    """The places of a loop whose worktree is there."""
    own_unit = ""
    indexes = [user.git_dir / "index", user.common_dir / "index"]
    git_file = look(text_path(worktree, ".git"))
    if git_file.kind is Kind.FILE and git_file.content:
        folder = worktree / os.fsdecode(git_file.content).removeprefix("gitdir:").strip()
        indexes.append(folder / "index")
        own_unit = f"worktrees/{folder.name}"
    return Places(
        top_level=str(user.top_level),
        common_dir=os.path.realpath(user.common_dir),
        indexes=tuple(dict.fromkeys(map(str, indexes))),
        git_file=text_path(worktree, ".git"),
        own_unit=own_unit,
        siblings=str(worktree.parent),
        own_ref=f"refs/heads/{branch}",
        digest_bytes=32 if user.object_format == "sha256" else 20,
    )


def watched(places: Places) -> list[str]:
    """The names of everything that is looked at in the git folder, and the ``.git`` file."""
    root = places.common_dir
    found = [*_FOLDERS, *_MAIN, STASH_LOG, *_hooks(root, "hooks")]
    for name in names_in(text_path(root, "worktrees"), _MOST_FOLDERS):
        unit = f"worktrees/{name}"
        found += [unit, *(f"{unit}/{file}" for file in _LINKED)]
    for unit in _modules(root, "modules", _DEEPEST_MODULE)[:_MOST_FOLDERS]:
        found += [unit, f"{unit}/hooks", *(f"{unit}/{file}" for file in _ACTING)]
        found += _hooks(root, f"{unit}/hooks")
    return [*found, places.git_file]


@dataclass(frozen=True, slots=True)
class Outside:
    """What the settings name outside of the git folder.

    Attributes:
        includes: files of settings that are included.
        hook_folders: folders of hooks in the place of the usual one.
    """

    includes: tuple[str, ...] = ()
    hook_folders: tuple[str, ...] = ()

    def names(self) -> list[str]:
        """The files to look at."""
        hooks = (_hooks("", folder) for folder in self.hook_folders)
        return [*self.includes, *chain.from_iterable(hooks)]


def elsewhere(places: Places, seen: dict[str, Seen]) -> Outside:
    """What the settings name outside.

    Args:
        places: where the repository is.
        seen: the settings, and whether the folder of hooks is a link.
    """
    waiting = [(places.path(name), seen[name].content) for name in ("config", "config.worktree")]
    found: list[str] = []
    folders: list[str] = []
    while waiting and len(found) < _MOST_INCLUDES:
        file, content = waiting.pop(0)
        for entry in config_entries(content or b"") or []:
            if _INCLUDE.fullmatch(entry.name):
                included = _resolved(entry.value, str(Path(file).parent))
                if included not in found:
                    found.append(included)
                    waiting.append((included, look(included).content))
            elif entry.name == "core.hookspath":
                folders.append(_resolved(entry.value, places.top_level))
    usual = os.path.realpath(places.path("hooks"))
    if seen["hooks"].kind is Kind.LINK:
        folders.append(usual)
    else:
        folders = [folder for folder in folders if folder != usual]
    return Outside(tuple(found), tuple(dict.fromkeys(folders)))


def _hooks(root: str, folder: str) -> list[str]:
    return [f"{folder}/{name}" for name in names_in(text_path(root, folder), _MOST_HOOKS)]


def _modules(root: str, folder: str, depth: int) -> list[str]:
    """Git folders of submodules: a name may have slashes, and a submodule submodules."""
    if depth == 0:
        return []
    found = []
    for name in names_in(text_path(root, folder), _MOST_FOLDERS):
        unit = f"{folder}/{name}"
        if is_folder(text_path(root, unit, "objects")):
            found.append(unit)
            found += _modules(root, f"{unit}/modules", depth - 1)
        else:
            found += _modules(root, unit, depth - 1)
    return found


def _resolved(value: str, base: str) -> str:
    return os.path.realpath(text_path(base, Path(value).expanduser()))
