"""What an evaluator's setup command made, kept for later checkouts with the same dependencies.

The key is the command with the manifests and lock files of the judged tree. The command runs in
a checkout of its own; what it added there is kept and copied into every checkout with that key,
also into the first, so that all of them are the same. Invariant: what was kept is complete, and
a command that failed leaves nothing.
"""

import fnmatch
import hashlib
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from loopctl.errors import SupplyError
from loopctl.git.project_repository import ProjectRepository
from loopctl.workspace.folder_copy import Move, copy_moved
from loopctl.workspace.removal import remove_folder

MANIFESTS = (
    *("requirements*.txt", "*requirements.txt", "constraints*.txt", "poetry.lock", "uv.lock"),
    *("Pipfile", "Pipfile.lock", "pdm.lock", "pylock*.toml", "pyproject.toml", "setup.cfg"),
    *("setup.py", "environment.yml", "environment.yaml", "package.json", "package-lock.json"),
    *("npm-shrinkwrap.json", "pnpm-lock.yaml", "pnpm-workspace.yaml", "yarn.lock", ".yarnrc.yml"),
    *(".npmrc", "bun.lock", "bun.lockb", "deno.lock", "Cargo.toml", "Cargo.lock", "go.mod"),
    *("go.sum", "go.work", "go.work.sum", "Gemfile", "Gemfile.lock", "*.gemspec"),
    *("composer.json", "composer.lock", "pom.xml", "build.gradle*", "settings.gradle*"),
    *("gradle.lockfile", "libs.versions.toml", "mix.exs", "mix.lock"),
)
_KEPT_KEYS = 3
_NOTE = "note.json"
_FILES = "files"


class SetupProducts:
    """The kept products of one loop's setup command.

    Args:
        project: where the trees are.
        root: a folder for them alone; made when it is not there.
        command: shell text.
    """

    def __init__(self, project: ProjectRepository, root: Path, command: str) -> None:
        self._project = project
        self._root = root
        self._command = command

    def key(self, tree: str) -> str:
        """The key of a tree (16 hexadecimal digits)."""
        digest = hashlib.sha256(os.fsencode(self._command))
        for path, entry in sorted(self._project.entries(tree).items()):
            name = path.rpartition("/")[2]
            if any(fnmatch.fnmatchcase(name, pattern) for pattern in MANIFESTS):
                digest.update(b"\0" + os.fsencode(path) + b"\0" + entry.blob.encode())
        return digest.hexdigest()[:16]

    def __contains__(self, key: str) -> bool:
        return (self._root / key).is_dir()

    def keep(self, key: str, folder: Path, tree: str) -> None:
        """Take what the command added to ``folder``, a checkout of ``tree``, under ``key``."""
        self._root.mkdir(parents=True, exist_ok=True, mode=0o700)
        fresh = Path(tempfile.mkdtemp(dir=self._root, prefix="new-"))
        paths = list(_added(folder, frozenset(self._project.entries(tree))))
        for path in paths:
            kept = fresh / _FILES / path
            kept.parent.mkdir(parents=True, exist_ok=True)
            (folder / path).rename(kept)
        note = {"root": os.fspath(folder), "paths": paths}
        (fresh / _NOTE).write_text(json.dumps(note), encoding="ascii")
        fresh.rename(self._root / key)
        self._forget_old()

    def place(self, key: str, destination: Path) -> tuple[str, ...]:
        """Copy what is kept under ``key`` into a checkout; return the paths.

        Raises:
            SupplyError: it is gone or cannot be copied.
        """
        kept = self._root / key
        try:
            note = json.loads((kept / _NOTE).read_bytes())
            move = Move(Path(note["root"]), destination)
            for path in note["paths"]:
                copy_moved(kept / _FILES / path, destination / path, move)
        except (OSError, ValueError) as error:
            raise SupplyError(
                "what [evaluator] setup has made cannot be copied", why=str(error)
            ) from error
        return tuple(note["paths"])

    def _forget_old(self) -> None:
        """Keep the newest few: an agent may change a lock file in every round."""
        by_age = sorted(self._root.iterdir(), key=lambda each: each.stat().st_mtime_ns)
        for old in by_age[:-_KEPT_KEYS]:
            remove_folder(old)


def _added(folder: Path, known: frozenset[str]) -> Iterator[str]:
    """Files and whole folders below ``folder`` that are not among the known paths."""
    holding = {str(parent) for path in known for parent in PurePosixPath(path).parents}
    pending = [""]
    while pending:
        here = pending.pop()
        for name in sorted(os.listdir(folder / here)):  # noqa: PTH208 - only the names
            path = f"{here}/{name}" if here else name
            if path in holding and not (folder / path).is_symlink():
                pending.append(path)
            elif path not in known and path != ".git":
                yield path
