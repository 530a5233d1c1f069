"""A folder with a secret beside it that no path may reach."""

import asyncio
from pathlib import Path

import pytest

from loopctl.process.guard_client import Guard
from loopctl.process.masking import Masker
from loopctl.process.toolbox import Toolbox
from loopctl.tools.files.folder import Folder


@pytest.fixture
def tree(tmp_path) -> Path:
    (tmp_path / "secret").write_text("the secret\n")
    root = tmp_path / "tree"
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "config").write_text("the configuration\n")
    return root


@pytest.fixture
def folder(tree) -> Folder:
    return Folder(tree)


@pytest.fixture
def guarded():
    """Runs asynchronous functions with a toolbox, one guard for all of a test."""
    with asyncio.Runner() as runner:
        guards = []

        def run(play, masker=None):
            if not guards:
                guards.append(runner.run(Guard.start()))
            tools = Toolbox(guards[0], masker or Masker({}))
            return runner.run(asyncio.wait_for(play(tools), 60))

        yield run
        for guard in guards:
            guard.close()
