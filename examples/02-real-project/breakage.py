"""What is broken in the project: exact texts, so that a release that differs is refused loudly."""

from pathlib import Path
from typing import NamedTuple


class Break(NamedTuple):
    """One function: its file, its text in the release, and the text that is put in its place."""

    function: str
    file: str
    whole: str
    broken: str


BREAKS = (
    Break(
        "take_nth",
        "toolz/itertoolz.py",
        "return itertools.islice(seq, 0, None, n)",
        "return itertools.islice(seq, 1, None, n)",
    ),
    Break(
        "valfilter",
        "toolz/dicttoolz.py",
        "        if predicate(v):",
        "        if not predicate(v):",
    ),
    Break(
        "complement",
        "toolz/functoolz.py",
        "return compose(not_, func)",
        "return compose(func, not_)",
    ),
)


def replace_once(path: Path, old: str, new: str) -> None:
    """Replace the only occurrence of `old`; raises ValueError when there is not precisely one."""
    text = path.read_text(encoding="utf-8")
    if text.count(old) != 1:
        raise ValueError(f"{path} has {text.count(old)} times the text {old!r}, expected once")
    path.write_text(text.replace(old, new), encoding="utf-8")
