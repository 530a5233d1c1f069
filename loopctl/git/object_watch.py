"""Whether the objects that a judged tree is exported from are still what their ids say.

Somebody of the same user can rewrite the file of an object in place, and git believes it.
Invariant: an object is believed when it was hashed in the very file in which it still is, unchanged
by its times, which nobody but the kernel sets.
"""

from collections.abc import Callable
from pathlib import Path

from loopctl.errors import GitError
from loopctl.git.change import GITLINK
from loopctl.git.object_check import is_sound, named_below
from loopctl.git.object_folders import object_folders
from loopctl.git.project_repository import ProjectRepository

Seal = tuple[object, ...]


class ObjectWatch:
    """Looks at the objects of one project. One caller at a time.

    Args:
        project: where they are, and where it says what it borrows.
    """

    def __init__(self, project: ProjectRepository) -> None:
        self._project = project
        self._sound: dict[str, Seal] = {}
        self._below: dict[str, tuple[str, ...]] = {}
        self._packs: tuple[Seal, ...] = ()

    def damaged(self, tree: str, is_wanted: Callable[[str], bool]) -> str:
        """What is wrong with the objects of ``tree``, for people; ``""`` when nothing is.

        Args:
            tree: tree id.
            is_wanted: whether the content of a path matters; all of its folders do.
        """
        folders = object_folders(self._project.path / "objects")
        packs = tuple(_pack_seal(folder / "pack") for folder in folders)
        if packs != self._packs:  # a process that has them open would go on reading the old ones
            self._project.forget_packs()
            self._packs = packs
        waiting = [tree]
        seen: set[str] = set()
        while waiting:
            name = waiting.pop()
            if name in seen:
                continue
            seen.add(name)
            if not self._holds(name, _seal(folders, packs, name)):
                return f"the tree {name} is missing or was rewritten"
            waiting += self._below.get(name, ())
        for path, entry in self._project.entries(tree).items():
            if entry.mode == GITLINK or entry.blob in seen or not is_wanted(path):
                continue
            seen.add(entry.blob)
            if not self._holds(entry.blob, _seal(folders, packs, entry.blob)):
                return f"the content of {path} ({entry.blob}) is missing or was rewritten"
        return ""

    def _holds(self, name: str, seal: Seal) -> bool:
        """Whether an object is what its id says; hashed only when its file has changed."""
        if self._sound.get(name) == seal:
            return True
        try:
            found = self._project.read(name)
        except GitError:  # git ends over an object that it cannot unpack
            return False
        if found is None or not is_sound(name, found[1], found[2]):
            return False
        self._sound[name] = seal
        if found[1] == "tree":
            below = named_below("tree", found[2], name)
            self._below[name] = tuple(each for each, is_tree in below if is_tree)
        return True


def _seal(folders: tuple[Path, ...], packs: tuple[Seal, ...], name: str) -> Seal:
    """What tells that the files in which an object can be are the same as before."""
    return (*packs, *(_stamp(folder / name[:2] / name[2:]) for folder in folders))


def _pack_seal(folder: Path) -> Seal:
    try:
        names = sorted(entry.name for entry in folder.iterdir())
    except OSError:
        return ()
    return tuple(
        (name, _stamp(folder / name)) for name in names if name.endswith((".pack", ".idx"))
    )


def _stamp(path: Path) -> Seal | None:
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
