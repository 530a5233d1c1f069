"""A repository with a submodule that has a submodule itself, all of them checked out."""

from pathlib import Path

from git_world import git

ALLOW = ("-c", "protocol.file.allow=always")
PATHS = ("libs/a", "libs/a/vendor/inner")


def make_with_submodules(folder: Path) -> Path:
    """The top of a checkout; ``libs/a`` and ``libs/a/vendor/inner`` are its submodules."""
    folder.mkdir(parents=True)
    for name in ("inner", "lib", "top"):
        git(folder, "init", "-q", "-b", "main", name)
        (folder / name / "src").mkdir()
        (folder / name / "src" / "file").write_text(f"{name}\n")
        (folder / name / "check.sh").write_text("#!/bin/sh\n")
        (folder / name / "check.sh").chmod(0o755)
    _commit(folder / "inner")
    _add(folder / "lib", "../inner", "vendor/inner")
    _add(folder / "top", "../lib", "libs/a")
    git(folder / "top", *ALLOW, "submodule", "update", "-q", "--init", "--recursive")
    return folder / "top"


def _add(repository: Path, source: str, path: str) -> None:
    git(repository, *ALLOW, "submodule", "add", "-q", source, path)
    _commit(repository)


def _commit(repository: Path) -> None:
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "first")
