"""Judged objects: what git needs to show an evaluator in a container one commit, and nothing else.

A checkout's git folder borrows its objects. Outside of a container it borrows from loopctl's own
repository and the user's, in which every branch and every earlier round can be found. Invariant:
this folder holds what belongs to trees that were judged here, and everybody may read it.
"""

from collections.abc import Iterable
from pathlib import Path
from threading import Lock

from loopctl.git.project_repository import ProjectRepository

_PACK = "pack"


class JudgedObjects:
    """A folder of packed objects for the checkouts of one loop. Thread-safe.

    Args:
        project: where the objects are.
        folder: made when it is needed; an ``objects`` folder as git knows it.
    """

    def __init__(self, project: ProjectRepository, folder: Path) -> None:
        self.folder = folder
        self._project = project
        self._held: list[str] = []
        self._lock = Lock()

    def hold(self, commit: str, pinned: Iterable[str] = ()) -> None:
        """Have a commit without parents, with its tree, and the pinned commits of submodules.

        Raises:
            GitError: an object is missing, or git could not write.
        """
        with self._lock:
            if commit in self._held:
                return
            known = self._held[:1]  # most of a tree is that of the first one, the base commit's
            wanted = [commit, *pinned]
            trees = [self._project.tree_of(each) for each in wanted]
            without = ["--not", *(self._project.tree_of(each) for each in known)] if known else []
            asked = ("rev-list", "--objects", "--no-object-names", *trees, *without)
            names = self._project.git.run(*asked)
            names += "".join(f"{each}\n" for each in wanted).encode()
            self._write(names)
            self._held.append(commit)

    def _write(self, names: bytes) -> None:
        packs = self.folder / _PACK
        (self.folder / "info").mkdir(parents=True, exist_ok=True)
        packs.mkdir(exist_ok=True)
        for folder in (self.folder, self.folder / "info", packs):
            folder.chmod(0o755)
        # To look for deltas would cost more than they save: nobody sends this anywhere.
        self._project.git.run(
            *("pack-objects", "-q", "--window=0", str(packs / _PACK)), stdin=names
        )
        for file in packs.iterdir():
            file.chmod(0o444)
