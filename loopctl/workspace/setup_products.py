"""What an evaluator's setup command made, kept for later checkouts of the same dependencies.

It is used again for a tree that has the same manifests and lock files, and the same of all that
the command has read. The command runs in a checkout of its own; what it added there is kept and
copied into every checkout that may use it, also into the first, so that all of them are the same.
Invariant: what was kept is complete and as it was made, and a command that failed leaves nothing.
"""

import fnmatch
import hashlib
import json
import os
import re
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath

from loopctl.errors import SupplyError
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.swept_folder import Survey, outlast, survey
from loopctl.workspace.folder_copy import Copy, Move, copy_moved
from loopctl.workspace.removal import remove_folder
from loopctl.workspace.setup_inputs import ReadWatch, SetupInputs, records_reads

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
# One expression: a big tree is asked for its key several times a round.
_IS_MANIFEST = re.compile("|".join(map(fnmatch.translate, MANIFESTS))).match
_KEPT = 3
_UNFINISHED = "new-"
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
        self._made: dict[str, Survey] = {}

    def key(self, tree: str) -> str:
        """The key of a tree's manifests (16 hexadecimal digits)."""
        digest = hashlib.sha256(os.fsencode(self._command))
        entries = self._project.entries(tree)
        for path in sorted(path for path in entries if _IS_MANIFEST(path.rpartition("/")[2])):
            blob = entries[path].blob.encode()
            digest.update(b"\0" + os.fsencode(path) + b"\0" + blob)
        return digest.hexdigest()[:16]

    def find(self, tree: str) -> str | None:
        """The name of what may be used for a tree; None when the command has to run for it."""
        entries = self._project.entries(tree)
        key = self.key(tree)
        for kept in reversed(self._by_age()):
            note = _read_note(kept)
            if note.key == key and note.inputs.state(entries) == note.state:
                return kept.name
        return None

    def drop_touched(self) -> None:
        """Forget what is not as it was made: an evaluation or the agent has found its place.

        Call it when neither is at work.
        """
        for kept in self._by_age():
            try:
                touched = survey(kept) != self._made.get(kept.name)
            except OSError:
                touched = True
            if touched:
                remove_folder(kept)

    def watch(self, folder: Path, tree: str) -> ReadWatch:
        """Watch what the command reads in ``folder``, a checkout of ``tree``."""
        is_recorded = records_reads(folder.parent)
        return ReadWatch(folder, self._project.entries(tree), is_recorded=is_recorded)

    def keep(self, folder: Path, tree: str, inputs: SetupInputs) -> None:
        """Take what the command added to ``folder``, a checkout of ``tree``.

        Args:
            folder: where it has run.
            tree: what the folder was filled with.
            inputs: what of that the command has read.
        """
        self._root.mkdir(parents=True, exist_ok=True, mode=0o700)
        fresh = Path(tempfile.mkdtemp(dir=self._root, prefix=_UNFINISHED))
        entries = self._project.entries(tree)
        paths = tuple(_added(folder, frozenset(entries)))
        for path in paths:
            moved = fresh / _FILES / path
            moved.parent.mkdir(parents=True, exist_ok=True)
            (folder / path).rename(moved)
        note = _Note(self.key(tree), os.fspath(folder), paths, inputs, inputs.state(entries))
        (fresh / _NOTE).write_text(json.dumps(asdict(note)), encoding="ascii")
        kept = fresh.with_name(fresh.name.removeprefix(_UNFINISHED))
        made = survey(fresh)
        probe = self._root / f"{_UNFINISHED}probe"
        outlast(made[0], probe)
        probe.unlink(missing_ok=True)
        self._made[kept.name] = made
        fresh.rename(kept)
        for old in self._by_age()[:-_KEPT]:
            remove_folder(old)

    def place(self, tree: str, destination: Path, copy: Copy = copy_moved) -> tuple[str, ...]:
        """Copy what is kept for a tree into its checkout; return the paths.

        Raises:
            SupplyError: there is nothing, or it cannot be copied.
        """
        try:
            kept = self._root / (self.find(tree) or "gone")
            note = _read_note(kept)
            move = Move(Path(note.root), destination)
            for path in note.paths:
                copy(kept / _FILES / path, destination / path, move)
        except (OSError, ValueError) as error:
            raise SupplyError(
                "what [evaluator] setup has made cannot be copied", why=str(error)
            ) from error
        return note.paths

    def _by_age(self) -> list[Path]:
        """What is kept, the oldest first. An agent may change an input in every round."""
        if not self._root.is_dir():
            return []
        kept = [each for each in self._root.iterdir() if not each.name.startswith(_UNFINISHED)]
        return sorted(kept, key=lambda each: (each / _NOTE).stat().st_mtime_ns)


@dataclass(frozen=True, slots=True)
class _Note:
    """What is remembered of kept products.

    Attributes:
        key: of the manifests.
        root: the folder in which they were made.
        paths: what was added there.
        inputs: what the command has read.
        state: what the inputs held.
    """

    key: str
    root: str
    paths: tuple[str, ...]
    inputs: SetupInputs
    state: str


def _read_note(kept: Path) -> _Note:
    note = json.loads((kept / _NOTE).read_bytes())
    inputs = SetupInputs(**note.pop("inputs"))
    return _Note(**note | {"paths": tuple(note["paths"]), "inputs": inputs})


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
