"""A refreshed export: one folder that is brought from tree to tree, instead of a new one for each.

First everything is swept away that was not written here or was touched since, then git writes
what is missing and what differs between the trees. Invariant: the folder is as a fresh export of
the tree would be, or an error is raised and the folder is to be thrown away.
"""

import stat
from collections.abc import Container
from collections.abc import Set as AbstractSet
from pathlib import Path, PurePosixPath

from loopctl.errors import GitError
from loopctl.git.aged_files import age
from loopctl.git.change import GITLINK, Change
from loopctl.git.export import PARALLEL, export_tree, is_wanted, remove_escaping_links
from loopctl.git.project_folder import CONTENT_FILE
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.runner import Git
from loopctl.git.swept_folder import Stamp, outlast, stamps_of, sweep

_ATTRIBUTES = ".gitattributes"


class RefreshedExport:
    """One folder with its index. One caller at a time.

    Args:
        project: where the objects are.
        folder: does not exist, or is empty.
        beside: a folder outside of it, on the same file system, for the index and for what is
            swept away.
        folders: export only what is below these, and the files at the root; empty is all.
        base: commit id; files that it does not have look old.
    """

    def __init__(
        self,
        project: ProjectRepository,
        folder: Path,
        beside: Path,
        folders: tuple[str, ...] = (),
        *,
        base: str = "",
    ) -> None:
        self.folder = folder
        self.index = beside / "index"
        self.trash = beside / "trash"
        self._probe = beside / "probe"
        self._project = project
        self._limits = folders
        self._base = base
        self._tree: str | None = None  # None: cannot be refreshed
        self._stamps: dict[str, Stamp] = {}
        self._folders: dict[str, int | None] = {}
        self._links: tuple[str, ...] = ()  # those that lead out of the folder
        self._seen: tuple[object, ...] = ()

    def bring_to(self, tree: str, spared: Container[str] = ()) -> tuple[str, ...]:
        """Make the folder, in which anything may have happened, hold exactly this commit or tree.

        Args:
            tree: id of a commit or tree.
            spared: folders below it that somebody else looks after; they are left alone unless
                the last tree has them.

        Returns:
            The paths of symlinks that lead out of the folder: they are not there.

        Raises:
            GitError: it cannot be brought there, or git could not write.
            OSError: something in the folder cannot be removed.
        """
        wanted = self._project.tree_of(tree)
        if self._seen:
            self._refresh(wanted, spared)
        else:
            self._write(wanted)
        return self._links

    @property
    def stamps(self) -> dict[str, Stamp]:
        """What every file was like when it was written here."""
        return dict(self._stamps)

    def _write(self, tree: str) -> None:
        self.trash.mkdir(mode=0o700)
        project = self._project
        self._links = export_tree(
            project, tree, self.folder, index=self.index, folders=self._limits
        )
        self._written(tree, project.entries(tree).keys())

    def _refresh(self, tree: str, spared: Container[str]) -> None:
        changes = self._checked_changes(tree)
        self._tree = None
        missing = sweep(self.folder, self._stamps, self._folders, self.trash, spared)
        if changes or missing:
            # With other files around, a link that led out may lead inside now.
            how = "--reset" if missing or self._links else "-m"
            git = Git(self._project.path, self.folder)
            git.run(*PARALLEL, "read-tree", how, "-u", tree, index=self.index)
            self._links = remove_escaping_links(self._project, tree, self.folder)
        self._written(tree, {*missing, *self._links, *(each.path for each in changes)})

    def _checked_changes(self, tree: str) -> tuple[Change, ...]:
        """What differs in the tree, if the folder can be refreshed file by file."""
        if self._tree is None:
            raise _refusal("it was not brought to its last tree")
        if self._look() != self._seen:
            raise _refusal("its folder, its index or the settings for contents were changed")
        changes = self._project.diff(self._tree, tree)
        if any(PurePosixPath(each.path).name.lower() == _ATTRIBUTES for each in changes):
            raise _refusal("the git attributes have changed, and with them files that did not")
        if not all(is_wanted(each.path, self._limits) for each in changes):
            raise _refusal("a file outside of its limits has changed")
        return changes

    def _written(self, tree: str, paths: AbstractSet[str]) -> None:
        """Note what is there after git has written ``paths``, or removed them."""
        entries = self._project.entries(tree)
        files = {
            path
            for path in paths
            if path in entries and entries[path].mode != GITLINK and is_wanted(path, self._limits)
        }
        if self._base and age(self.folder, files, self._project.entries(self._base)):
            git = Git(self._project.path, self.folder)
            git.run("update-index", "-q", "--refresh", index=self.index)
        stamps = stamps_of(self.folder, files)
        for path in paths - stamps.keys():
            self._stamps.pop(path, None)
        self._stamps |= stamps
        if paths:
            self._folders = self._folders_of(tree)
        self._seen = self._look()
        self._tree = tree if outlast(stamps, self._probe) else None

    def _folders_of(self, tree: str) -> dict[str, int | None]:
        """The folders that git makes for the files of a tree, and those it makes for gitlinks."""
        entries, limits = self._project.entries(tree), self._limits
        wanted = [path for path in entries if is_wanted(path, limits)] if limits else entries
        links = {path for path in wanted if entries[path].mode == GITLINK}
        found = {path.rpartition("/")[0] for path in wanted}
        found |= {str(above) for path in found | links for above in PurePosixPath(path).parents}
        modes: dict[str, int | None] = dict.fromkeys((found | links) - {"."})
        return modes | {"": stat.S_IRWXU}

    def _look(self) -> tuple[object, ...]:
        """What must not change in between: which folder, the index, what contents depend on.

        Somebody else's folder in our folder's place must never be swept; another loop of the
        project may write the settings anew.
        """
        folder, index = self.folder.lstat(), self.index.lstat()
        settings = (self._project.path / name for name in (CONTENT_FILE, "info/attributes"))
        return (
            (folder.st_dev, folder.st_ino),
            (index.st_ino, index.st_ctime_ns, index.st_mtime_ns, index.st_size),
            *(file.read_bytes() for file in settings),
        )


def _refusal(why: str) -> GitError:
    return GitError("the export cannot be refreshed", why=why)
