"""What changed in one file of git settings, and how it would be without what acts.

Invariant: plain settings that were changed at the same time stay changed; when the file as a
whole can be put back, it is, to the byte.
"""

import shlex
from collections import Counter

from loopctl.domain.alert import Alert, Harm
from loopctl.git.sentinel.config_file import ConfigEntry, config_entries, with_entries, without
from loopctl.git.sentinel.config_keys import acts, is_shown_whole, shown_value
from loopctl.git.sentinel.finding import Finding, PutBack, WriteSettings
from loopctl.git.sentinel.seen import Kind, Seen

CONFIG = "git-config"
_LISTED = 10


def settings_findings(
    name: str, before: Seen, now: Seen, *, git: str, is_outside: bool
) -> list[Finding]:
    """The findings in a file of settings that is not as it was.

    Args:
        name: the file.
        before: the file as it was.
        now: the file as it is.
        git: the command ``git`` with this file, as a shell has it.
        is_outside: the file is not in the git folder, so that it is not put back.
    """
    old, new = _entries(before), _entries(now)
    if old is None:
        return [Finding(Alert(kind=CONFIG, what=name, detail="was changed", harm=Harm.TOLD))]
    if new is None or (now.kind is Kind.MISSING and before.kind is Kind.FILE):
        detail = f"git cannot read it any more ({now.kind})"
        whole = None if is_outside else PutBack(name)
        return [Finding(Alert(kind=CONFIG, what=name, detail=detail), whole)]
    added, gone = _minus(new, old), _minus(old, new)
    findings = _about_acting(name, added, gone, git)
    if findings and not is_outside:
        remedy = _remedy(name, before, now, added, gone)
        findings = [Finding(f.alert, remedy, f.undo, f.redo) for f in findings]
    plain = _about_plain(name, added, gone)
    return [*findings, *plain]


def _entries(file: Seen) -> list[ConfigEntry] | None:
    if file.kind is Kind.MISSING:
        return []
    return None if file.content is None else config_entries(file.content)


def _minus(entries: list[ConfigEntry], others: list[ConfigEntry]) -> list[ConfigEntry]:
    """The entries that ``others`` does not have as often."""
    left = Counter(each.said for each in others)
    found = []
    for entry in entries:
        if left[entry.said]:
            left[entry.said] -= 1
        else:
            found.append(entry)
    return found


def _about_acting(
    name: str, added: list[ConfigEntry], gone: list[ConfigEntry], git: str
) -> list[Finding]:
    findings = []
    for entry in added:
        if acts(*entry.said):
            old = [each for each in gone if each.name == entry.name]
            drop = shlex.join(["--fixed-value", "--unset-all", *entry.said])
            undo = f"{git} {drop}" if is_shown_whole(*entry.said) else ""
            detail = f"was set to {shown_value(*entry.said)}"
            if len(old) == 1:
                undo = _setting(git, old[0], "--replace-all")
                detail += f"; it was {shown_value(*old[0].said)}"
            redo = _setting(git, entry, "--replace-all" if old else "--add")
            findings.append(Finding(_alert(name, entry, detail), undo=undo, redo=redo))
    findings += [
        Finding(
            _alert(name, entry, f"is gone; it was {shown_value(*entry.said)}"),
            undo=_setting(git, entry),
            redo=f"{git} {shlex.join(['--unset-all', entry.name])}",
        )
        for entry in gone
        if acts(*entry.said) and not any(each.name == entry.name for each in added)
    ]
    return findings


def _setting(git: str, entry: ConfigEntry, how: str = "--add") -> str:
    if not is_shown_whole(*entry.said):
        return ""
    return f"{git} {shlex.join([how, *entry.said])}"


def _alert(name: str, entry: ConfigEntry, detail: str) -> Alert:
    where = "" if name == "config" else f" in {name}"
    return Alert(kind=CONFIG, what=f"{entry.name}{where}", detail=detail)


def _about_plain(name: str, added: list[ConfigEntry], gone: list[ConfigEntry]) -> list[Finding]:
    """One line for all settings that do not act: a user's own commands write such."""
    new = {each.name: each for each in added if not acts(*each.said)}
    old = {each.name: each for each in gone if not acts(*each.said)}
    said = [
        f"{key} = {shown_value(*each.said)}"
        + (f" (was {shown_value(*old[key].said)})" if key in old else "")
        for key, each in new.items()
    ]
    said += [f"{k} gone (was {shown_value(*e.said)})" for k, e in old.items() if k not in new]
    if not said:
        return []
    more = f" and {len(said) - _LISTED} more" if len(said) > _LISTED else ""
    detail = f"settings changed: {', '.join(said[:_LISTED])}{more}"
    return [Finding(Alert(kind=CONFIG, what=name, detail=detail, harm=Harm.TOLD))]


def _remedy(
    name: str, before: Seen, now: Seen, added: list[ConfigEntry], gone: list[ConfigEntry]
) -> PutBack | WriteSettings:
    """The whole file, when nothing else was changed in it; else only what acts."""
    bad = [each for each in added if acts(*each.said)]
    lost = [each for each in gone if acts(*each.said)]
    if len(bad) + len(lost) == len(added) + len(gone):
        return PutBack(name)
    origin = before.content or b""
    content = with_entries(without(now.content or b"", bad), lost, origin)
    wanted = Counter(each.said for each in config_entries(origin) or [] if acts(*each.said))
    reached = Counter(each.said for each in config_entries(content) or [] if acts(*each.said))
    return WriteSettings(name, content) if wanted == reached else PutBack(name)
