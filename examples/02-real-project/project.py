"""A project of the example: the files of one folder below `projects/`.

| file | what it is |
|---|---|
| `sdist.txt` | the version and the digest that pip checks |
| `project.toml` | how its user prepares it, and which functions are broken |
| `loopctl.toml`, `requirements.txt` | put into the project, where its user would have them |
"""

import tomllib
from pathlib import Path
from typing import NamedTuple

PROJECTS = Path(__file__).resolve().with_name("projects")


class Break(NamedTuple):
    """One function: its file, its text in the release, and the text that is put in its place."""

    function: str
    file: str
    whole: str
    broken: str


class Project(NamedTuple):
    """What is done with one release; the texts are exact, so that another one is refused loudly."""

    folder: Path
    release: str
    prepare: str
    breaks: tuple[Break, ...]


def names() -> list[str]:
    """The names of all projects."""
    return sorted(folder.name for folder in PROJECTS.iterdir())


def load(name: str) -> Project:
    """Read one project."""
    folder = PROJECTS / name
    text = tomllib.loads((folder / "project.toml").read_text(encoding="utf-8"))
    breaks = tuple(Break(**item) for item in text["breaks"])
    return Project(folder, text["release"], text["prepare"], breaks)


def replace_once(path: Path, old: str, new: str) -> None:
    """Replace the only occurrence of `old`; raises ValueError when there is not precisely one."""
    text = path.read_text(encoding="utf-8")
    if text.count(old) != 1:
        raise ValueError(f"{path} has {text.count(old)} times the text {old!r}, expected once")
    path.write_text(text.replace(old, new), encoding="utf-8")
