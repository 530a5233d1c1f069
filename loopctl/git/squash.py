"""Squash: the whole work of a loop as uncommitted changes of the user's checkout.

Invariant: decided before anything is written. A path that both the user and the loop have changed
stops everything, unless it holds already what it is to hold: an application that was cut short
can be finished, and one that was finished finds nothing to do.
"""

from dataclasses import dataclass

from loopctl.git.change import Entry
from loopctl.git.filtered_paths import FilteredPaths
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.replacement import replace_files
from loopctl.git.repository import UserRepository
from loopctl.git.smudge import unchanged_filtered
from loopctl.git.three_way import merge
from loopctl.git.user_files import absent_by_choice, entries_in_index, entries_on_disk, is_blocked


@dataclass(frozen=True, slots=True)
class Squash:
    """What is to be done in the user's checkout.

    Attributes:
        before: what each path that changes holds now; None: nothing.
        after: what it is to hold.
        conflicts: paths that commits since the base have changed in another way.
        dirty: paths that change and are not as in HEAD: staged, unstaged, in the way, or to be
            deleted where a sparse checkout does not have them.
    """

    before: dict[str, Entry | None]
    after: dict[str, Entry | None]
    conflicts: tuple[str, ...]
    dirty: tuple[str, ...]


def plan_squash(project: ProjectRepository, user: UserRepository, base: str, tree: str) -> Squash:
    """Find out what to change so that the checkout gains what differs from base to the tree.

    Raises:
        GitError: an object is missing, or a file cannot be read.
        OSError: a folder cannot be read.
    """
    root, head = user.top_level, project.entries(user.head)
    merged = merge(project, project.diff(base, tree), head)
    blocked = [path for path in merged.targets if is_blocked(root, path, merged.targets)]
    disk = entries_on_disk(project, root, head, merged.targets)
    filters = FilteredPaths(project, user.head)
    wanted = {path: entry for path, entry in merged.targets.items() if entry}
    for known in (head, wanted):
        for path in unchanged_filtered(project, filters, known, root, disk):
            disk[path] = Entry(disk[path].mode, known[path].blob)
    absent = absent_by_choice(user, root, set(merged.targets) - set(disk))
    disk |= {path: head[path] for path in absent & set(wanted)}
    staged = entries_in_index(user) if merged.targets else {}
    after = {path: want for path, want in merged.targets.items() if disk.get(path) != want}
    changed = [path for path in after if not disk.get(path) == staged.get(path) == head.get(path)]
    dirty = tuple(sorted({*blocked, *changed, *(absent - set(wanted))}))
    before = {path: None if path in absent else head.get(path) for path in after}
    return Squash(before, after, merged.conflicts, dirty)


def carry_out(project: ProjectRepository, user: UserRepository, squash: Squash) -> None:
    """Change the checkout; its index, HEAD and branches stay as they are.

    Raises:
        GitError: git could not write; nothing was changed.
        OSError: a file could not be put in its place; all is as before.
    """
    filters = FilteredPaths(project, user.head).among(squash.after)
    replace_files(project, user.top_level, squash.before, squash.after, filters)
