"""Every test types its commands in an empty folder, far from the user's own files."""

import os
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from invocation import GIT
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from loopctl.bootstrap.provider_defaults import KEYS
from loopctl.bootstrap.vendor_agents import VENDOR_AGENTS
from loopctl.cli.main import command_line
from loopctl.driver.signals import WAKE


class TextFile(SingleFileSnapshotExtension):
    _write_mode = WriteMode.TEXT
    file_extension = "txt"


@pytest.fixture
def text_snapshot(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    return snapshot.use_extension(TextFile)


@pytest.fixture(autouse=True)
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to type commands in, with a home and a state folder of its own."""
    for name in [name for name in os.environ if name.startswith(("LOOPCTL_", "GITHUB_", "XDG_"))]:
        monkeypatch.delenv(name)
    for name in [name for names in KEYS.values() for name in names]:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", _without_agents(os.environ["PATH"]))
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("LOOPCTL_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def _without_agents(path: str) -> str:
    """The folders that hold no agent of a vendor: no test may start one that happens to be here."""
    names = [name for name, _ in VENDOR_AGENTS]
    folders = path.split(os.pathsep)
    return os.pathsep.join(
        folder
        for folder in folders
        if not any(os.path.lexists(f"{folder}/{name}") for name in names)
    )


@pytest.fixture(scope="session")
def committed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A git repository with one commit, to be copied."""
    folder = tmp_path_factory.mktemp("committed")
    (folder / "a.txt").write_text("a\n")
    for arguments in (
        ["init", "-q", "-b", "main", "--template="],
        ["add", "."],
        ["commit", "-q", "-m", "base"],
    ):
        subprocess.run([*GIT, *arguments], cwd=folder, check=True)
    return folder


@pytest.fixture
def repository(nowhere: Path, committed: Path) -> Path:
    """The folder to type commands in as a git repository with one commit."""
    shutil.copytree(committed, nowhere, dirs_exist_ok=True)
    return nowhere


@pytest.fixture
def typed(capfd: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Types a command in this process; returns exit code and output as one text to compare."""

    def run(*arguments: str) -> str:
        before = signal.getsignal(WAKE)
        code = command_line(arguments)
        signal.signal(WAKE, before)  # the use cases are made for a process of their own
        out, err = capfd.readouterr()
        return f"exit {code}\n--- stdout\n{out}--- stderr\n{err}"

    return run
