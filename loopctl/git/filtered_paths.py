"""Filtered paths: files whose content git changes by a program when it reads and writes them.

Which they are is decided by the attributes of one commit and by the user's own, both from before
an agent existed: an attribute that an agent writes makes no file a filtered one.
"""

from collections.abc import Iterable
from functools import cached_property

from loopctl.git.change import GITLINK, SYMLINK, index_lines
from loopctl.git.environment import ATTRIBUTES_FILE
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.runner import Git, nul_terminated, records

LFS = "lfs"
_ATTRIBUTES = ".gitattributes"
_MENTION = b"filter"
_FIELDS = 3  # git check-attr -z: path, attribute, value
_NOT_NAMED = frozenset({"unspecified", "unset", "set"})


class FilteredPaths:
    """The filtered paths by the attributes of one commit.

    Args:
        project: where the objects are.
        commit: id of the commit or tree.
    """

    def __init__(self, project: ProjectRepository, commit: str) -> None:
        self._project = project
        self._commit = commit

    @cached_property
    def own(self) -> dict[str, str]:
        """Every filtered path of the commit itself, with the name of its filter."""
        entries = self._project.entries(self._commit).items()
        return self.among(path for path, e in entries if e.mode not in {GITLINK, SYMLINK})

    def among(self, paths: Iterable[str]) -> dict[str, str]:
        """Those of these paths that have a filter, with its name."""
        asked = list(paths) if self._rules else []
        if not asked:
            return {}
        git = Git(self._project.path, self._project.path)
        with self._project.scratch_index() as index:
            entries = self._project.entries(self._commit)
            rules = index_lines({path: entries[path] for path in self._rules if path})
            git.run("update-index", "-z", "--index-info", index=index, stdin=rules)
            question = ("check-attr", "--cached", "--stdin", "-z", "filter")
            fields = records(git.run(*question, index=index, stdin=nul_terminated(asked)))
        answers = zip(fields[::_FIELDS], fields[2::_FIELDS], strict=True)
        return {path: name for path, name in answers if name not in _NOT_NAMED}

    def in_tree(self, tree: str) -> dict[str, str]:
        """The filtered paths of another tree."""
        known, entries = self._project.entries(self._commit), self._project.entries(tree)
        added = (path for path in entries if path not in known)
        kept = {path: name for path, name in self.own.items() if path in entries}
        return kept | self.among(added) if self._rules else {}

    @cached_property
    def _rules(self) -> list[str]:
        """The files with attributes, when any of them speaks of filters; "" for the user's."""
        entries = self._project.entries(self._commit)
        files = [path for path in entries if path.rpartition("/")[2] == _ATTRIBUTES]
        contents = [found[2] for path in files if (found := self._project.read(entries[path].blob))]
        names = ("info/attributes", ATTRIBUTES_FILE)
        contents += [(self._project.path / name).read_bytes() for name in names]
        return ["", *files] if any(_MENTION in each for each in contents) else []
