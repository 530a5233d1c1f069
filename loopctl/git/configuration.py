"""The user's settings that decide what a file's content is, frozen when a loop starts.

Invariant: read once, from the user's own configuration, before an agent exists; afterwards
loopctl's repository carries a copy and nobody reads the original again.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from loopctl.git.runner import Git, records

_CARRIED = (
    "core.autocrlf",
    "core.eol",
    "core.filemode",
    "core.symlinks",
    "core.ignorecase",
    "core.precomposeunicode",
)
_PROMISED = (".promisor", ".partialclonefilter")


@dataclass(frozen=True, slots=True)
class ContentConfiguration:
    """What git needs to know to read and write files as the user's git does.

    Attributes:
        settings: (name, value) of the settings that change content or modes.
        excludes: ignore patterns, the user's global ones first, then the repository's own.
        attributes: the repository's own attribute lines; they win over those in the tree.
        own_attributes: the user's attribute lines; those in the tree win over them.
        filters: names of the content filters (such as ``lfs``) that the user has configured.
        is_partial: objects may be missing that git would fetch when it needs them.
        lfs_objects: the folder in which Git LFS keeps contents.
    """

    settings: tuple[tuple[str, str], ...]
    excludes: bytes
    attributes: bytes
    own_attributes: bytes
    filters: frozenset[str]
    lfs_objects: Path
    is_partial: bool = False

    def as_file(self) -> str:
        """The settings in git's configuration format."""
        lines = [f"[core]\n\t{name.removeprefix('core.')} = {v}\n" for name, v in self.settings]
        return "".join(lines)


def read_configuration(git: Git, common_dir: Path) -> ContentConfiguration:
    """Read the configuration that is in force for the user in this repository."""
    found: dict[str, str] = {}
    for record in records(git.run("config", "--list", "--null", "--includes")):
        name, assigned, value = record.partition("\n")
        found[name] = value if assigned else "true"
    settings = tuple((name, found[name]) for name in _CARRIED if _is_plain(found.get(name, "")))
    return ContentConfiguration(
        settings,
        _joined(_user_file(found, "excludesfile", "ignore"), common_dir / "info" / "exclude"),
        _joined(common_dir / "info" / "attributes"),
        _joined(_user_file(found, "attributesfile", "attributes")),
        frozenset(
            name.removeprefix("filter.").rpartition(".")[0]
            for name in found
            if name.startswith("filter.") and name.endswith((".clean", ".smudge", ".process"))
        ),
        common_dir / found.get("lfs.storage", "lfs") / "objects",
        any(name.startswith("remote.") and name.endswith(_PROMISED) for name in found),
    )


def _is_plain(value: str) -> bool:
    """Booleans and words such as ``input`` or ``crlf``; anything else is not a legal value."""
    return value.isalnum()


def _user_file(found: dict[str, str], setting: str, default: str) -> Path:
    """The user's own file of patterns: the configured one, else git's default place."""
    configured = found.get(f"core.{setting}")
    if configured:
        return Path(os.path.expanduser(configured))  # noqa: PTH111 - `Path` raises on ~unknown
    home = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")  # noqa: PTH111 - HOME may be unset
    return Path(home) / "git" / default


def _joined(*files: Path) -> bytes:
    """The files' contents one after the other; one that cannot be read counts as empty."""
    contents = []
    for file in files:
        try:
            contents.append(file.read_bytes().rstrip(b"\n") + b"\n")
        except OSError:
            continue
    return b"".join(contents)
