"""Shared folders in a worktree: ignored by the commit, or by a .gitignore of their own."""

import asyncio

import pytest

from loopctl.domain.supplies import WorkspaceSupplies
from loopctl.errors import SupplyError
from loopctl.workspace.worktree_supplies import WorktreeSupplies


@pytest.fixture
def supplies(world, tmp_path):
    """The supplies of an empty worktree that is to have a copy of ``venv``."""
    folder = tmp_path / "worktree"
    folder.mkdir()
    (world.top / "venv").mkdir()
    (world.top / "venv" / "python").write_text("")
    return WorktreeSupplies(
        project=world.project,
        supplies=WorkspaceSupplies(share=("venv",)),
        source=world.top,
        folder=folder,
        note=tmp_path / "note",
        setup=None,
        environment={},
        log=tmp_path / "log",
    )


def test_a_folder_that_ignores_itself_is_copied(supplies, world):
    (world.top / "venv" / ".gitignore").write_text("*\n")
    asyncio.run(supplies.provide())
    assert (supplies.folder / "venv" / "python").exists()
    assert supplies.note.exists()


def test_a_folder_that_would_be_in_every_snapshot_is_refused(supplies):
    with pytest.raises(SupplyError, match="venv/python is not ignored"):
        asyncio.run(supplies.provide())
    assert not supplies.note.exists()
