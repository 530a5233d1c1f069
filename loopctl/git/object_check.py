"""Are the objects of a tree what their ids say? An id is a digest of the content, so this tells.

Invariant: git is asked for contents alone and believed nothing else; trees are read here, so that
a path that git was made to overlook is not overlooked.
"""

import hashlib
from collections.abc import Iterable, Iterator

from loopctl.errors import GitError
from loopctl.git.change import GITLINK
from loopctl.git.project_repository import ProjectRepository

_SHA1_HEX = 40
_FOLDER = "40000"


def damaged_objects(project: ProjectRepository, names: Iterable[str]) -> tuple[str, ...]:
    """The ids, among those below ``names``, that are missing or not what they say.

    Args:
        project: where the objects are; those of the user's repository are reached through it.
        names: full ids of commits or trees. Of a commit its tree is looked at, not its parents.
    """
    damaged: list[str] = []
    seen: set[str] = set()
    waiting = list(dict.fromkeys(names))
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        found = _read(project, name)
        if found is None or not is_sound(name, *found):
            damaged.append(name)
        else:
            waiting += [below for below, _ in named_below(*found, name)]
    return tuple(damaged)


def is_sound(name: str, kind: str, content: bytes) -> bool:
    """Whether ``name`` is the id of an object with this content."""
    return object_id(kind, content, name) == name


def _read(project: ProjectRepository, name: str) -> tuple[str, bytes] | None:
    """Kind and content of an object; None when git cannot give it."""
    try:
        found = project.read(name)
    except GitError:  # git ends over an object that it cannot unpack
        return None
    return None if found is None else found[1:]


def object_id(kind: str, content: bytes, like: str) -> str:
    """The id of an object with this content, in the format of the id ``like``."""
    digest = hashlib.new("sha1" if len(like) == _SHA1_HEX else "sha256")
    digest.update(f"{kind} {len(content)}\0".encode())
    digest.update(content)
    return digest.hexdigest()


def named_below(kind: str, content: bytes, like: str) -> Iterator[tuple[str, bool]]:
    """What an object names: the tree of a commit, the entries of a tree without submodules.

    Yields:
        An id in the format of ``like``, and whether it is that of a tree.
    """
    size = len(like) // 2
    if kind == "commit":
        yield content.partition(b"\n")[0].removeprefix(b"tree ").decode("ascii", "replace"), True
    position = 0
    while kind == "tree" and position < len(content):
        end = content.index(b"\0", position)
        mode = content[position:end].partition(b" ")[0].decode("ascii", "replace")
        position = end + 1 + size
        if mode != GITLINK:
            yield content[end + 1 : position].hex(), mode == _FOLDER
