"""Makes a repository on disk as its user has it: committed, activated, with ignored folders."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from harness import World
from repository import Repository
from toolchains import search_path, toolchain_variables
from virtual_environment import activated

from loopctl.testing.scripted_agent import ACTIONS

SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"


def build(world: World, repository: Repository, environment: Path) -> None:
    """Make the repository; ``world.environment`` becomes that of its user.

    Args:
        environment: folder of the virtual environment that the user has activated.
    """
    path = os.pathsep.join((SYSTEM_PATH, *search_path(repository.tools)))
    world.environment |= toolchain_variables() | activated(environment, path)
    world.environment |= repository.environment
    del world.environment["TMPDIR"]  # that of a test is longer than a user's
    world.init_repository()
    _write(world, repository.files)
    if repository.before_commit:
        world.environment |= repository.before_commit(world) or {}
    world.commit("first")
    _write(world, repository.ignored)
    if repository.after_commit:
        world.environment |= repository.after_commit(world) or {}


def repair_by_hand(world: World, repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """Do in the user's checkout what the agent does in its worktree, and commit it."""
    with monkeypatch.context() as patch:
        patch.chdir(world.repository)
        for action in repository.repair:
            for name, argument in action.items():
                ACTIONS[name](argument)
    world.commit("repaired")


def run_by_hand(world: World, command: str) -> tuple[int, str]:
    """Exit status and output of a command in the user's checkout."""
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=world.repository,
        env=world.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    return done.returncode, done.stdout


def _write(world: World, files: Mapping[str, str | bytes]) -> None:
    for name, content in files.items():
        path = world.repository / name
        path.parent.mkdir(parents=True, exist_ok=True)
        raw = content if isinstance(content, bytes) else content.encode()
        path.write_bytes(raw)
        if raw.startswith(b"#!"):
            path.chmod(0o755)
