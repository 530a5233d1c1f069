"""The read-only system in a sandbox: programs and libraries, and nothing of what is going on.

Invariant: the whole of ``/`` is never mounted, not even to be read: the sockets of the machine's
services could be connected to.
"""

import os
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

_TREES = ("/usr", "/etc", "/opt", "/nix", "/gnu/store")
_ALIASES = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_WRITABLE = ("/tmp", "/var/tmp")  # noqa: S108 - new ones, for this program alone
_RESOLVER = "/etc/resolv.conf"


def is_of_system(path: Path) -> bool:
    """Whether a file or folder is there in every sandbox."""
    trees = (*_TREES, *_ALIASES)
    return any(path.is_relative_to(tree) and Path(tree).exists() for tree in trees)


def parts_of_system(folders: Iterable[Path]) -> tuple[str, ...]:
    """Those of the folders that are there in every sandbox, as they are called in it.

    Only the outer ones of those that lie in each other.
    """
    found: dict[str, None] = {}
    for folder in filter(Path.is_dir, folders):
        real = Path(os.path.realpath(folder))
        for tree in _TREES:
            above = Path(os.path.realpath(tree))
            if real.is_relative_to(above):
                found[str(Path(tree, real.relative_to(above)))] = None
    inner = {each for each in found if any(str(up) in found for up in Path(each).parents)}
    return tuple(sorted(found.keys() - inner))


@cache
def system_arguments(*, network: bool) -> tuple[str, ...]:
    """The arguments of bubblewrap that make the system.

    Args:
        network: names of the network can be looked up.
    """
    return (*_system(), *(_resolver() if network else ()))


def _system() -> Iterator[str]:
    for tree in _TREES:
        if Path(tree).is_dir():
            yield from ("--ro-bind", tree, tree)
    for alias in _ALIASES:
        path = Path(alias)
        if path.is_symlink():
            yield from ("--symlink", os.fspath(path.readlink()), alias)
        elif path.is_dir():
            yield from ("--ro-bind", alias, alias)
    yield from ("--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--tmpfs", "/dev/shm")  # noqa: S108
    yield from ("--dir", "/run")
    for folder in _WRITABLE:
        yield from ("--perms", "1777", "--tmpfs", folder)


def _resolver() -> Iterator[str]:
    """The file with the addresses of name servers, where it is a link to what is masked."""
    real = os.path.realpath(_RESOLVER)
    if real != _RESOLVER and Path(real).exists():
        yield from ("--ro-bind", real, real)
