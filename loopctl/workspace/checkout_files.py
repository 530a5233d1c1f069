"""What a ``separate-worktree`` checkout is filled with.

The judged tree, a git folder of its own, what the setup command made, and copies of the user's
shared folders. Invariant: a shared path is the user's and never the agent's: what the judged
tree has in its place is removed.
"""

import shutil
from dataclasses import dataclass
from pathlib import Path

from loopctl.domain.protection import Protection
from loopctl.domain.supplies import EvaluatorGit, EvaluatorSupplies
from loopctl.errors import SupplyError
from loopctl.git.aged_files import age
from loopctl.git.change import Entry
from loopctl.git.checkout_repository import History, make_git_folder
from loopctl.git.export import export_paths, export_tree, is_wanted
from loopctl.git.filtered_paths import FilteredPaths
from loopctl.git.judged_objects import JudgedObjects
from loopctl.git.object_watch import ObjectWatch
from loopctl.git.populate import populate
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.refreshed_export import RefreshedExport
from loopctl.git.smudge import smudge, stand_still
from loopctl.workspace.folder_copy import Copy, copy_moved
from loopctl.workspace.kept_copies import KeptCopies
from loopctl.workspace.path_text import listed, path_text
from loopctl.workspace.setup_products import SetupProducts
from loopctl.workspace.shared_paths import copy_shares


@dataclass(frozen=True, slots=True)
class StandingFiles:
    """What stays in a standing checkout from one evaluation to the next."""

    export: RefreshedExport
    copies: KeptCopies


class CheckoutFiles:
    """Fills the checkouts of one loop.

    Args:
        project: where the trees are.
        base_commit: commit id that the loop started from.
        supplies: what the configuration says.
        source: root of the user's checkout.
        history: what git shows below the base commit; None without ``git = "history"``.
        protection: the paths whose contents are hashed again before they judge; None is none.
    """

    def __init__(
        self,
        project: ProjectRepository,
        base_commit: str,
        supplies: EvaluatorSupplies,
        source: Path,
        *,
        history: History | None = None,
        protection: Protection | None = None,
    ) -> None:
        self._project = project
        self._base_commit = base_commit
        self._supplies = supplies
        self._source = source
        self._history = history
        self._filters = FilteredPaths(project, base_commit)
        self._protection = protection or Protection()
        self._objects = ObjectWatch(project)

    def count(self, tree: str) -> int:
        """How many files of a tree a checkout has."""
        paths, entries = self._supplies.paths, self._project.entries(tree)
        return sum(is_wanted(path, paths) for path in entries) if paths else len(entries)

    def entries(self, tree: str) -> dict[str, Entry]:
        """What a tree holds at every path. Do not change the answer."""
        return self._project.entries(tree)

    def is_plain(self, tree: str) -> bool:
        """Whether git writes every file of a checkout of ``tree``, and nobody does after it."""
        return not self._supplies.share and not self._filters.in_tree(tree)

    def write_again(self, tree: str, paths: list[str], folder: Path) -> None:
        """Write single files of a tree into an empty folder as a checkout has them.

        Raises:
            GitError: git could not write them.
            OSError: the output of a filter could not be copied.
        """
        export_paths(self._project, tree, paths, folder)
        smudge(self._project, self._filters, tree, folder, self._source)

    def standing(self, folder: Path, beside: Path) -> StandingFiles:
        """Files that are to be filled in again and again.

        Args:
            folder: where; does not exist.
            beside: a folder outside of it, on the same file system.
        """
        export = RefreshedExport(
            self._project, folder, beside, self._supplies.paths, base=self._base_commit
        )
        return StandingFiles(export, KeptCopies(folder, beside, export.trash))

    def fill(
        self,
        tree: str,
        folder: Path,
        products: SetupProducts | None = None,
        standing: StandingFiles | None = None,
        objects: JudgedObjects | None = None,
    ) -> tuple[str, ...]:
        """Write everything into a folder; return what the evidence has to mention.

        Args:
            tree: tree id, the judged one.
            folder: does not exist, unless it is that of ``standing``.
            products: what the setup has made, when it was run.
            standing: what is there already; None makes all of it new.
            objects: what git borrows from, when not from everything that there is.

        Raises:
            GitError: the tree could not be exported.
            SupplyError: something could not be copied, or objects of git were rewritten.
        """
        self._check_objects(tree)
        paths = self._supplies.paths
        copy: Copy = copy_moved
        if standing is None:
            index = self._make_git_folder(tree, folder, objects)
            links = export_tree(self._project, tree, folder, index=index, folders=paths)
            age(folder, self.entries(tree), self.entries(self._base_commit))
        else:
            copy = standing.copies.copy
            links = standing.export.bring_to(tree, standing.copies.begin())
            index = self._make_git_folder(tree, folder, objects)
            if index is not None:
                # With its times: git compares them with those of the files.
                shutil.copy2(standing.export.index, index)
        labels = self._complete(tree, folder, index, objects)
        made = () if products is None else products.place(tree, folder, copy)
        shared = [path for path in self._supplies.share if path not in made]
        copy_shares(self._source, folder, shared, copy)
        if standing is not None:
            standing.copies.end()
        return (
            *(
                f"{path_text(link)} is a link that leads out of the tree: it was left out"
                for link in links
            ),
            *labels,
            *((f"the checkout is limited to: {', '.join(paths)}",) if paths else ()),
        )

    def _check_objects(self, tree: str) -> None:
        """See that what is exported is what its ids say.

        Raises:
            SupplyError: it is not.
        """
        damage = self._objects.damaged(self._project.tree_of(tree), self._protection.covers)
        if damage:
            raise SupplyError(
                "objects of git that would judge the work are not what they were",
                why=damage,
                next_step="git fsck tells more; fetch the object again, then restart the loop",
            )

    def _complete(
        self, tree: str, folder: Path, index: Path | None, objects: JudgedObjects | None
    ) -> tuple[str, ...]:
        """Add what git leaves out of an export: submodules, contents of filtered files."""
        empty = populate(
            self._project,
            tree,
            folder,
            repositories=index is not None,
            folders=self._supplies.paths,
            checkout=self._source,
            objects=objects,
        )
        done = smudge(self._project, self._filters, tree, folder, self._source)
        if index is not None:
            stand_still(self._project, folder, index, done.filled)
        return (
            *(f"submodule {path_text(path)} is empty: yours was not checked out" for path in empty),
            *((f"pointers of Git LFS: {listed(done.pointers)}",) if done.pointers else ()),
        )

    def _make_git_folder(
        self, tree: str, folder: Path, objects: JudgedObjects | None
    ) -> Path | None:
        if self._supplies.git is EvaluatorGit.NONE:
            return None
        folder.mkdir(parents=True, mode=0o700, exist_ok=True)
        return make_git_folder(
            self._project,
            self._project.tree_of(tree),
            folder,
            base_commit=self._base_commit,
            history=self._history,
            objects=objects,
        )
