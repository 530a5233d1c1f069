"""Shared paths: ignored files and folders of the user's checkout that a loop gets copies of.

Invariant: a shared path is ignored by git as a whole, so that no snapshot holds what was copied,
and it lies inside the user's checkout.
"""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

from loopctl.errors import SupplyError, UsageError
from loopctl.git.repository import UserRepository
from loopctl.workspace.folder_copy import Copy, Move, copy_moved

_PATH_LISTS = ("PATH", "VIRTUAL_ENV")


def checked_shares(user: UserRepository, paths: Iterable[str], key: str) -> tuple[str, ...]:
    """The paths as they are kept in a specification.

    Args:
        user: the repository, in its user's checkout.
        paths: as they were configured.
        key: where that was, such as ``[evaluator] share``.

    Raises:
        UsageError: one lies outside the checkout, is not there, or is not ignored.
    """
    return tuple(dict.fromkeys(_checked(user, path, key) for path in paths))


def inside_checkout(path: str, key: str) -> str:
    """A configured path relative to the root of the checkout, in its plainest form.

    Raises:
        UsageError: it is absolute, leads out, or names the root or git's own folder.
    """
    plain = PurePosixPath(path)
    parts = plain.parts
    if plain.is_absolute() or not parts or ".." in parts or parts[0].casefold() == ".git":
        raise UsageError(
            f"{key} cannot name {path!r}",
            why="a path is relative to the root of the repository and stays inside it",
        )
    return str(plain)


def copy_shares(
    source: Path, destination: Path, paths: Iterable[str], copy: Copy = copy_moved
) -> None:
    """Give ``destination`` its own copy of each path of the user's checkout.

    Raises:
        SupplyError: one is gone or cannot be copied.
    """
    move = Move(source, destination)
    for path in paths:
        try:
            # A shared folder may itself be a link to its real place.
            copy((source / path).resolve(strict=True), destination / path, move)
        except OSError as error:
            raise SupplyError(
                f"the shared path {path} cannot be copied from your checkout",
                why=str(error),
                next_step=f"ls -l {source / path}",
            ) from error


def redirected(
    environment: Mapping[str, str], source: Path, destination: Path, paths: Iterable[str]
) -> dict[str, str]:
    """The variables in which an activated environment leads to the copy, not to the original.

    Args:
        environment: the user's.
        source: root of the user's checkout.
        destination: root of the place that has copies.
        paths: those that were copied.
    """
    moves = [Move(source / path, destination / path) for path in paths]

    def moved(path: str) -> str:
        for move in moves:
            path = move.path(path)
        return path

    changed = {
        name: os.pathsep.join(map(moved, environment[name].split(os.pathsep)))
        for name in _PATH_LISTS
        if name in environment
    }
    return {**environment, **changed}


def _checked(user: UserRepository, path: str, key: str) -> str:
    inside = inside_checkout(path, key)
    if not (user.top_level / inside).exists():
        raise UsageError(
            f"{key} names {inside}, which is not in your checkout",
            next_step=f"create {user.top_level / inside}, or take it out of {key}",
        )
    visible = user.visible_below(inside)
    if visible is not None:
        raise UsageError(
            f"{key} names {inside}, which git does not ignore ({visible})",
            why="a loop gets committed files anyway; what is shared must stay out of its snapshots",
            next_step=f"commit a .gitignore that has {inside}, or take it out of {key}",
        )
    return inside
