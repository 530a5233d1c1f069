"""What differs between two pictures of a repository, and what each difference means.

Invariant: nothing is read here, so that the same two pictures always say the same. What runs or
leads a program later ``acts`` and has a remedy where putting it back breaks nothing of the
user's; all else is told.
"""

import os
import shlex
from collections.abc import Iterator

from loopctl.domain.alert import Alert, Harm
from loopctl.git.sentinel.compare_refs import index_findings, ref_findings, stash_findings
from loopctl.git.sentinel.finding import Finding, PutBack
from loopctl.git.sentinel.picture import Picture
from loopctl.git.sentinel.places import STASH_LOG, Outside, Places
from loopctl.git.sentinel.seen import Kind, Seen
from loopctl.git.sentinel.settings import settings_findings

_SETTINGS = ("config", "config.worktree")
_TOLD = ("HEAD", "shallow", "info/exclude", "info/sparse-checkout")
_ELSEWHERE = ("packed-refs", STASH_LOG)  # what is in them is compared, not the files
_RESTORED_FOLDERS = ("hooks", "info", "objects/info")
_UNITS = ("worktrees/", "modules/")
_KINDS = {"HEAD": "git-head", "shallow": "git-shallow", "gitdir": "git-worktree"}


def findings(places: Places, before: Picture, now: Picture) -> list[Finding]:
    """Everything that is different now, what acts first."""
    found = list(_path_findings(places, before, now))
    found += ref_findings(places, before.refs, now.refs)
    found += stash_findings(places, before.refs, now.refs)
    is_sparse = now.at("info/sparse-checkout").kind is Kind.FILE
    found += index_findings(places, before.indexes, now.indexes, is_sparse=is_sparse)
    return sorted(found, key=lambda each: each.alert.harm is Harm.TOLD)


def _path_findings(places: Places, before: Picture, now: Picture) -> Iterator[Finding]:
    covered: list[str] = []
    for name in sorted({*before.seen, *now.seen}):
        old, new = before.at(name), now.at(name)
        if old.is_same(new) or name in _ELSEWHERE or name.startswith(tuple(covered)):
            continue
        was_file = old.kind in {Kind.FILE, Kind.OTHER} or name == places.git_file
        if Kind.FOLDER in {old.kind, new.kind} and not was_file:
            if old.kind is Kind.FOLDER and new.kind is Kind.FOLDER:  # only its permissions
                continue
            yield from _folder_findings(places, before, now, name)
            if old.kind is Kind.FOLDER or name.startswith(_UNITS):
                covered.append(f"{name}/")
        else:
            yield from _file_findings(places, name, before, now)


def _folder_findings(places: Places, before: Picture, now: Picture, name: str) -> Iterator[Finding]:
    """A folder that has come, has gone, or is something else now."""
    old, new = before.at(name), now.at(name)
    if name.startswith(_UNITS) and name.count("/hooks") == 0:
        yield from _unit_findings(places, now, name, is_new=old.kind is not Kind.FOLDER)
    elif old.kind is Kind.FOLDER or old.kind is Kind.LINK:
        restored = name in _RESTORED_FOLDERS or name.endswith("/hooks")
        alert = Alert(kind=_kind(name), what=name, detail=_how(old, new))
        yield Finding(alert, PutBack(name) if restored else None)


def _unit_findings(places: Places, now: Picture, name: str, *, is_new: bool) -> Iterator[Finding]:
    """A worktree or a submodule that has come or gone: one line, unless it would act."""
    if name.startswith("worktrees/"):
        home = os.fsdecode(now.at(f"{name}/gitdir").content or b"").strip()
        if not home.startswith(places.siblings + os.sep):
            detail = f"is new, for {home}" if is_new else "is gone"
            yield Finding(Alert(kind="git-worktree", what=name, detail=detail, harm=Harm.TOLD))
        return
    acting = _acting_in(now, name) if is_new else []
    detail = "is new" if is_new else "is gone"
    if acting:
        detail += f", with {', '.join(acting)}"
    harm = Harm.ACTS if acting else Harm.TOLD
    undo = f"rm -r {shlex.quote(places.path(name))}" if acting else ""
    yield Finding(Alert(kind="git-module", what=name, detail=detail, harm=harm), undo=undo)


def _acting_in(now: Picture, unit: str) -> list[str]:
    """What would act in a submodule's new git folder; that it has a worktree is no wonder."""
    hooks = [
        name.removeprefix(f"{unit}/")
        for name in now.seen
        if name.startswith(f"{unit}/hooks/") and not name.endswith(".sample")
    ]
    empty = Seen(Kind.MISSING)
    config = settings_findings(
        f"{unit}/config", empty, now.at(f"{unit}/config"), git="", is_outside=True
    )
    keys = [f.alert.what.partition(" ")[0] for f in config if f.alert.harm is Harm.ACTS]
    return [*hooks, *(key for key in keys if key != "core.worktree")]


def _file_findings(places: Places, name: str, before: Picture, now: Picture) -> Iterator[Finding]:
    old, new = before.at(name), now.at(name)
    path = shlex.quote(places.path(name))
    is_outside = os.path.isabs(name) and name != places.git_file  # noqa: PTH117 - only its text
    if is_outside and not _is_named_by_both(name, before.outside, now.outside):
        return  # that it is named, or no longer, is a finding of its own
    if name.rpartition("/")[2] in _SETTINGS or name in now.outside.includes:
        git = f"git config -f {path}"
        yield from settings_findings(name, old, new, git=git, is_outside=is_outside)
        return
    alert = Alert(kind=_kind(name), what=name, detail=_how(old, new), harm=_harm(places, name))
    if name == places.git_file:
        alert = alert.evolve(kind="git-worktree", what="the worktree's .git")
    remedy = None if alert.harm is Harm.TOLD or is_outside else PutBack(name)
    yield Finding(alert, remedy, redo=_redo(old, new, path))


def _is_named_by_both(name: str, before: Outside, now: Outside) -> bool:
    folder = name.rpartition("/")[0]
    return (name in before.includes and name in now.includes) or (
        folder in before.hook_folders and folder in now.hook_folders
    )


def _harm(places: Places, name: str) -> Harm:
    if name.endswith("/gitdir") and not name.startswith(f"{places.own_unit}/"):
        return Harm.TOLD  # a worktree of the user's was moved
    told = name.endswith((".sample", *(f"/{file}" for file in _TOLD))) or name in _TOLD
    return Harm.TOLD if told else Harm.ACTS


def _kind(name: str) -> str:
    if name == "hooks" or "hooks/" in name or name.endswith("/hooks") or name.startswith("/"):
        return "git-hook"
    return _KINDS.get(name.rpartition("/")[2], "git-folder" if "info" not in name else "git-info")


def _how(old: Seen, new: Seen) -> str:
    """What became of a path, in words."""
    match new.kind:
        case Kind.MISSING:
            return "is gone"
        case Kind.LINK:
            return f"is a link to {os.fsdecode(new.content or b'')} now"
        case Kind.FILE if old.kind is Kind.MISSING:
            return "is new"
        case Kind.FILE if old.kind is Kind.FILE and old.digest == new.digest:
            return f"has the permissions {new.mode:o} now, not {old.mode:o}"
        case Kind.FILE if old.kind is Kind.FILE:
            return f"was changed{_short(old, new)}"
        case _:
            return f"is a {new.kind} now"


def _short(old: Seen, new: Seen) -> str:
    """Both contents, when they are one short line each, as HEAD is."""
    lines = [os.fsdecode(each.content or b"").strip() for each in (old, new)]
    if any("\n" in line or not 0 < len(line) <= 100 for line in lines):  # noqa: PLR2004
        return ""
    return f": {lines[0]} -> {lines[1]}"


def _redo(old: Seen, new: Seen, path: str) -> str:
    match new.kind:
        case Kind.MISSING:
            return f"rm {path}"
        case Kind.FILE if old.kind is Kind.FILE and old.digest == new.digest:
            return f"chmod {new.mode:o} {path}"
        case Kind.FILE:
            return f"cp {{kept}} {path} && chmod {new.mode:o} {path}"
        case Kind.LINK:
            return f"ln -sfn {shlex.quote(os.fsdecode(new.content or b''))} {path}"
        case _:
            return ""
