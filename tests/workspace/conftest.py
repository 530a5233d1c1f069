"""Fixtures for the tests of the workspace."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from workspace_world import World, make_repository


@pytest.fixture(autouse=True)
def clean_git_environment(tmp_path, monkeypatch):
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text("[user]\n\tname = Ada\n\temail = ada@example.org\n")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)


@pytest.fixture
def repository(tmp_path) -> Path:
    return make_repository(tmp_path / "user")


@pytest.fixture
def world(repository, tmp_path) -> Iterator[World]:
    made = World(repository, tmp_path / "state", commands=("./check.sh",))
    yield made
    made.project.close()
