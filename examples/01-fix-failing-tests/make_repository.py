"""Put the project beside this file under git, in a new folder: one commit by a fixed author.

Usage: make_repository.py DEST
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).with_name("project")
# The user's own git configuration (hooks, signing, templates) must not change what is made.
IDENTITY = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Example",
    "GIT_AUTHOR_EMAIL": "example@example.invalid",
    "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z",
    "GIT_COMMITTER_NAME": "Example",
    "GIT_COMMITTER_EMAIL": "example@example.invalid",
    "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
}


def make_repository(dest: Path) -> None:
    """Copy the project to `dest`, which must not exist, and commit it on the branch `main`."""
    shutil.copytree(PROJECT, dest, ignore=shutil.ignore_patterns("__pycache__"))
    env = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")} | IDENTITY
    for command in (
        ["init", "-q", "-b", "main"],
        ["add", "-A"],
        ["commit", "-q", "-m", "A pantry with two bugs"],
    ):
        subprocess.run(["git", *command], cwd=dest, env=env, check=True)


if __name__ == "__main__":
    make_repository(Path(sys.argv[1]))
