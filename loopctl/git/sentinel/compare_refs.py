"""What became of refs, of the stash, and of the flags in indexes.

Invariant: none of it is put back but replacements of objects: a ref that moved may be a commit of
the user's. Old and new values are named, with the command that undoes the move.
"""

import re
import shlex
from collections.abc import Iterator

from loopctl.domain.alert import Alert, Harm
from loopctl.git.sentinel.finding import Finding, SetRef
from loopctl.git.sentinel.index_flags import FSMONITOR, IndexFlags
from loopctl.git.sentinel.places import Places
from loopctl.git.sentinel.refs import MOST_REFS, Refs

_REPLACE = "refs/replace/"
_OF_LOOPS = "refs/heads/loopctl/"
_STASH = "refs/stash"
_ID = re.compile(r"[0-9a-f]{40,64}")
_NAMED_REFS = 20
_NAMED_PATHS = 5


def ref_findings(places: Places, before: Refs, now: Refs) -> list[Finding]:
    """The refs that were made, moved or removed, other than the loop's own."""
    old, new = before.values, now.values
    is_cut = before.is_cut or now.is_cut
    names = sorted(old.keys() & new.keys() if is_cut else old.keys() | new.keys())
    changed = [
        name for name in names if old.get(name) != new.get(name) and not _is_ours(places, name)
    ]
    found = [_ref_finding(places, name, old.get(name, ""), new.get(name, "")) for name in changed]
    found.sort(key=lambda each: each.alert.harm is Harm.TOLD)
    acting = sum(each.alert.harm is Harm.ACTS for each in found)
    kept = found[: acting + _NAMED_REFS]
    hidden = len(found) - len(kept)
    notes = [f"{hidden} more refs changed"] if hidden else []
    if now.is_cut and not before.is_cut:
        notes.append(f"there are more than {MOST_REFS:,} refs: the others are not looked at")
    return kept + [
        Finding(Alert(kind="git-ref", what="refs", detail=note, harm=Harm.TOLD)) for note in notes
    ]


def _is_ours(places: Places, name: str) -> bool:
    return name in {places.own_ref, _STASH} or name.startswith(_OF_LOOPS)


def _ref_finding(places: Places, name: str, old: str, new: str) -> Finding:
    git = f"git -C {shlex.quote(places.top_level)} update-ref"
    ref = shlex.quote(name)
    if not old:
        detail, undo = f"is new, at {new}", f"{git} -d {ref} {new}"
    elif not new:
        detail, undo = f"is gone; it was at {old}", f"{git} {ref} {old}"
    else:
        detail, undo = f"moved from {old} to {new}", f"{git} {ref} {old} {new}"
    if not all(_ID.fullmatch(value) for value in (old, new) if value):
        undo = ""
    alert = Alert(kind="git-ref", what=name, detail=detail, harm=Harm.TOLD)
    if not name.startswith(_REPLACE):
        return Finding(alert, undo=undo)
    redo = f"{git} {ref} {new}" if _ID.fullmatch(new) else ""
    if old and not new:
        redo = f"{git} -d {ref}"
    return Finding(alert.evolve(harm=Harm.ACTS), SetRef(name, old), undo, redo)


def stash_findings(places: Places, before: Refs, now: Refs) -> Iterator[Finding]:
    """Entries of the stash, which all checkouts share: an agent's ``git stash pop`` takes yours."""
    git = f"git -C {shlex.quote(places.top_level)} stash"
    for entry in before.stash:
        if entry not in now.stash:
            detail = f"the entry {entry[:12]} is gone"
            alert = Alert(kind="git-stash", what="stash", detail=detail, harm=Harm.TOLD)
            yield Finding(alert, undo=f"{git} store {entry}")
    for entry in now.stash:
        if entry not in before.stash:
            detail = f"there is a new entry {entry[:12]}"
            yield Finding(Alert(kind="git-stash", what="stash", detail=detail, harm=Harm.TOLD))


def index_findings(
    places: Places,
    before: dict[str, IndexFlags],
    now: dict[str, IndexFlags],
    *,
    is_sparse: bool,
) -> Iterator[Finding]:
    """Flags that hide files from ``git status``: the index is the user's, they are only told."""
    for path, flags in now.items():
        known = before.get(path, IndexFlags()).flags
        new = [flag for flag in flags.flags if flag not in set(known)]
        paths = [flag.partition(" ")[2] or flag for flag in new if flag != FSMONITOR]
        if not new:
            continue
        more = f" and {len(new) - _NAMED_PATHS} more" if len(new) > _NAMED_PATHS else ""
        detail = f"new flags: {', '.join(new[:_NAMED_PATHS])}{more}"
        is_users = path == places.indexes[0]
        undo = ""
        if is_users and paths and not more:
            git, named = f"git -C {shlex.quote(places.top_level)} update-index", shlex.join(paths)
            flags_off = ("--no-assume-unchanged", "--no-skip-worktree")
            undo = " && ".join(f"{git} {off} -- {named}" for off in flags_off)
        hides = any(not (is_sparse and flag.startswith("skip-worktree")) for flag in new)
        harm = Harm.ACTS if is_users and hides else Harm.TOLD
        what = "your index" if is_users else path
        yield Finding(Alert(kind="git-index", what=what, detail=detail, harm=harm), undo=undo)
