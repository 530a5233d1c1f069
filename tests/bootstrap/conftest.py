"""A repository of its own, and a state folder in which loops can be stored."""

import subprocess
from pathlib import Path

import pytest

GIT = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org"]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A git repository with one commit."""
    folder = tmp_path / "here"
    folder.mkdir()
    (folder / "a.txt").write_text("a\n")
    for arguments in (
        ["init", "-q", "-b", "main", "--template="],
        ["add", "."],
        ["commit", "-q", "-m", "base"],
    ):
        subprocess.run([*GIT, *arguments], cwd=folder, check=True)
    return folder


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Variables that know neither an agent nor a key."""
    (tmp_path / "bin").mkdir()
    return {"LOOPCTL_HOME": str(tmp_path / "home"), "PATH": str(tmp_path / "bin")}
