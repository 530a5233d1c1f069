"""A picture of a repository: everything in it that could act later, as it is at one moment.

Invariant: a picture is a value. What has not changed since an earlier one is taken over from it
without being read, so that a picture of an untouched repository costs a look at each path.
"""

import contextlib
from dataclasses import dataclass, field

from loopctl.git.sentinel.index_flags import IndexFlags, look_at_index
from loopctl.git.sentinel.places import STASH_LOG, Outside, Places, elsewhere, watched
from loopctl.git.sentinel.refs import Refs, look_at_refs
from loopctl.git.sentinel.seen import MISSING, Seen, look

_LEADING = ("config", "config.worktree", "hooks")


@dataclass(frozen=True)
class Picture:
    """What was there.

    Attributes:
        seen: each path that was looked at, by its name; what is missing is not in it.
        outside: what settings have named outside of the git folder.
        refs: the refs and the stash.
        indexes: the flags of each index, by its path.
    """

    seen: dict[str, Seen] = field(default_factory=dict)
    outside: Outside = field(default_factory=Outside)
    refs: Refs = field(default_factory=Refs)
    indexes: dict[str, IndexFlags] = field(default_factory=dict)

    def at(self, name: str) -> Seen:
        """What was at a name."""
        return self.seen.get(name, MISSING)


NOTHING = Picture()


def take_picture(places: Places, before: Picture = NOTHING) -> Picture:
    """The repository as it is now."""
    seen = {name: look(places.path(name), before.at(name)) for name in watched(places)}
    outside = before.outside
    if before is NOTHING or not all(seen[name].is_same(before.at(name)) for name in _LEADING):
        outside = Outside()
        with contextlib.suppress(RuntimeError, ValueError):  # a home or a path that cannot be
            outside = elsewhere(places, seen)
    seen |= {name: look(name, before.at(name)) for name in outside.names()}
    return Picture(
        seen={name: each for name, each in seen.items() if each is not MISSING},
        outside=outside,
        refs=look_at_refs(places.common_dir, before.refs, seen["packed-refs"], seen[STASH_LOG]),
        indexes={
            path: look_at_index(path, places.digest_bytes, before.indexes.get(path))
            for path in places.indexes
        },
    )
