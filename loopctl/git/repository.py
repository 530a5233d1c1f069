"""The user's repository: what it is, and questions about it that change nothing.

Invariant: nothing here writes, not even the index's refreshed times. The questions read the
user's real configuration, so they are asked before an agent exists.
"""

import contextlib
import os
import shlex
from dataclasses import dataclass
from pathlib import Path

from loopctl.errors import RepositoryError
from loopctl.git.configuration import ContentConfiguration, read_configuration
from loopctl.git.runner import (
    OLDEST_GIT,
    CommandFailed,
    Git,
    line,
    nul_terminated,
    records,
)

_DEPTH = 2  # an ignored folder deeper than this is a detail, not a dependency
_CONFIGURATION = "loopctl.toml"
_BRANCHES = "refs/heads/"
_LONGEST_PART = 250  # bytes
_SEALED_PATIENCE_S = 60.0


@dataclass(frozen=True, slots=True)
class DirtySummary:
    """How many paths differ from HEAD: work that a loop's base does not contain."""

    staged: int
    unstaged: int
    untracked: int

    def __bool__(self) -> bool:
        return bool(self.staged or self.unstaged or self.untracked)


@dataclass(frozen=True, slots=True)
class UserRepository:
    """The repository that the user stands in.

    Attributes:
        top_level: root of the user's checkout.
        git_dir: the checkout's own git folder.
        common_dir: the git folder that all its checkouts share.
        head: commit id of HEAD, the base of new loops.
        branch: short name of the current branch; None when HEAD is detached.
        object_format: ``sha1`` or ``sha256``.
        configuration: the frozen settings that matter for content.
    """

    top_level: Path
    git_dir: Path
    common_dir: Path
    head: str
    branch: str | None
    object_format: str
    configuration: ContentConfiguration

    @property
    def checkout(self) -> Git:
        """Git in the user's checkout with the user's configuration: before an agent exists."""
        return Git(self.git_dir, self.top_level, self.top_level, user_config=True)

    @property
    def sealed(self) -> Git:
        """Git on the shared repository, hardened: safe after an agent could write there.

        Nothing that is asked of it takes long, unless a planted file makes it wait for ever.
        """
        return Git(self.common_dir, patience_s=_SEALED_PATIENCE_S)

    def branch_exists(self, name: str) -> bool:
        """Whether a branch of this short name exists."""
        ref = _BRANCHES + name
        return self.sealed.answer("show-ref", "--verify", "--quiet", ref)[0] == 0

    def can_be_branch(self, name: str) -> bool:
        """Whether git takes the text, as it is, for the short name of a branch.

        ``@`` would be one, but everywhere else it means HEAD; a part may not be longer than a
        file name with ``.lock`` behind it.
        """
        if name == "@" or any(len(os.fsencode(part)) > _LONGEST_PART for part in name.split("/")):
            return False
        asked = ("check-ref-format", "--branch", name)
        status, answer = self.sealed.answer(*asked, expect=(0, 1, 128))
        return not status and line(answer) == name

    def branch_in_the_way(self, name: str) -> str | None:
        """A branch beside which git cannot make one of this name: ``a`` excludes ``a/b``."""
        parts = name.split("/")
        above = ["/".join(parts[:length]) for length in range(1, len(parts))]
        raw = self.sealed.run(
            "for-each-ref", "--count=1", "--format=%(refname)", f"{_BRANCHES}{name}/"
        )
        below = [line(raw).removeprefix(_BRANCHES)] if raw else []
        return next((each for each in [*above, *below] if self.branch_exists(each)), None)

    def path_in_commit(self, commit: str, path: str) -> bool:
        """Whether the commit's tree has a file or folder at this path from the root."""
        asked = ("cat-file", "-e", f"{commit}:{path}")
        return self.sealed.answer(*asked, expect=(0, 1, 128))[0] == 0

    def is_folder_in_commit(self, commit: str, path: str) -> bool:
        """Whether the commit's tree has a folder at this path: no file, link or submodule."""
        status, kind = self.sealed.answer(
            *("cat-file", "-t", f"{commit}:{path}"), expect=(0, 1, 128)
        )
        return not status and line(kind) == "tree"

    def dirty_summary(self) -> DirtySummary:
        """Count the paths of the checkout that are not as in HEAD; submodules are not entered.

        An untracked ``loopctl.toml`` does not count: it is read from the checkout.
        """
        raw = self.checkout.run(
            "status", "--porcelain=v2", "-z", "--no-renames", "--ignore-submodules=all"
        )
        found = records(raw)
        tracked = [record[2:4] for record in found if record[:1] in {"1", "2", "u"}]
        return DirtySummary(
            staged=sum(states[0] != "." for states in tracked),
            unstaged=sum(states[1] != "." for states in tracked),
            untracked=sum(
                record.startswith("? ") and record[2:].rpartition("/")[2] != _CONFIGURATION
                for record in found
            ),
        )

    def visible_below(self, path: str) -> str | None:
        """A file at or below ``path`` that git tracks or would add; None: all of it is ignored."""
        # Not --directory: it shows a folder whose own .gitignore ignores all that is in it.
        asked = ("ls-files", "-z", "--cached", "--others", "--exclude-standard")
        found = records(self.checkout.run(*asked, "--", f":(top,literal){path}"))
        return next(iter(found), None)

    def would_ignore(self, folders: list[str]) -> tuple[str, ...]:
        """Of these folders, there or not, those that git ignores."""
        asked = nul_terminated([f"{folder}/" for folder in folders])
        raw = self.checkout.run("check-ignore", "-z", "--stdin", stdin=asked, expect=(0, 1))
        return tuple(name.removesuffix("/") for name in records(raw))

    def commit_matches(self, commit: str, pattern: str, glob: str) -> bool:
        """Whether a line of a file of the commit matches an extended regular expression."""
        asked = ("grep", "-q", "-I", "-E", "-e", pattern, commit, "--", f":(glob)**/{glob}")
        return self.checkout.answer(*asked)[0] == 0

    def is_sparse(self) -> bool:
        """Whether the checkout leaves tracked files out."""
        status, answer = self.checkout.answer("config", "--type=bool", "core.sparseCheckout")
        return not status and line(answer) == "true"

    def git_version(self) -> str:
        """The version of git, as it says it itself."""
        return line(self.sealed.run("version")).removeprefix("git version ")

    def ignored_files(self) -> tuple[str, ...]:
        """Ignored files at the root (``.env``); those in ignored folders are not looked for."""
        asked = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
        return tuple(name for name in records(self.checkout.run(*asked)) if "/" not in name)

    def missing_objects(self, commit: str) -> int:
        """How many objects of a commit's tree a partial clone has not fetched; fetches none."""
        if not self.configuration.is_partial:
            return 0
        asked = ("rev-list", "--objects", "--missing=print", "--no-object-names")
        found = self.sealed.run(*asked, f"{commit}^{{tree}}")
        return sum(row.startswith(b"?") for row in found.splitlines())

    def ignored_folders(self) -> tuple[str, ...]:
        """Ignored folders near the root (``.venv``, ``node_modules``): a snapshot lacks them."""
        found: dict[str, None] = {}
        for name in sorted(name for name in self.ignored_paths() if name.endswith("/")):
            parents = name.split("/")[:-2]
            above = ("/".join(parents[:length]) for length in range(1, len(parents) + 1))
            if len(parents) < _DEPTH and not any(folder in found for folder in above):
                found[name.removesuffix("/")] = None
        return tuple(found)

    def ignored_paths(self) -> tuple[str, ...]:
        """All ignored files; a folder that is ignored as a whole stands for its files: ``a/``."""
        raw = self.checkout.run(
            "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"
        )
        return tuple(records(raw))

    def checkouts(self) -> tuple[Path, ...]:
        """Roots of all checkouts of the repository, this one first; some may be gone."""
        found = [self.top_level]
        if self.common_dir.name == ".git" and (self.common_dir / "index").exists():
            found.append(self.common_dir.parent)
        for file in sorted(self.common_dir.glob("worktrees/*/gitdir")):
            with contextlib.suppress(OSError):
                git_file = os.fsdecode(file.read_bytes()).rstrip("\n")
                found.append((file.parent / git_file).parent)
        return tuple(dict.fromkeys(found))


def discover(cwd: Path) -> UserRepository:
    """Find the repository around a folder and freeze what a loop needs to know of it.

    Raises:
        RepositoryError: there is no usable repository; `next_step` is the way out.
    """
    if not cwd.is_dir():
        raise RepositoryError(f"{cwd} is not a folder", next_step="cd to your repository")
    git = Git(cwd=cwd, user_config=True)
    _check_version(git)
    git_dir = _locate(git, cwd)
    if line(git.run("rev-parse", "--is-inside-work-tree")) != "true":
        raise _no_checkout(git, cwd, git_dir)
    common = Path(line(git.run("rev-parse", "--path-format=absolute", "--git-common-dir")))
    status, branch = git.answer("symbolic-ref", "-q", "HEAD")
    return UserRepository(
        top_level=Path(line(git.run("rev-parse", "--show-toplevel"))),
        git_dir=git_dir,
        common_dir=common,
        head=_head(git, cwd),
        branch=None if status else line(branch).removeprefix(_BRANCHES),
        object_format=line(git.run("rev-parse", "--show-object-format")),
        configuration=read_configuration(git, common),
    )


def _no_checkout(git: Git, cwd: Path, git_dir: Path) -> RepositoryError:
    """The refusal of a folder without files of a project, with the way to where they are."""
    bare = line(git.run("rev-parse", "--is-bare-repository")) == "true"
    if git_dir.name == ".git" and not bare:
        return RepositoryError(
            f"{cwd} has no checkout",
            why="it is inside the git folder of a repository",
            next_step=f"cd {shlex.quote(str(git_dir.parent))}",
        )
    return RepositoryError(
        f"{cwd} has no checkout",
        why="it is a bare repository, or a folder inside the git folder",
        next_step=f"git -C {git_dir} worktree add ../checkout, then run loopctl there",
    )


def _check_version(git: Git) -> None:
    version = line(git.run("version")).split()[2]
    numbers = tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
    if numbers < OLDEST_GIT:
        oldest = "{}.{}".format(*OLDEST_GIT)
        raise RepositoryError(
            f"git {version} is too old",
            why=f"loopctl cuts off foreign configuration with settings that git has since {oldest}",
            next_step=f"install git {oldest} or newer",
        )


def _locate(git: Git, cwd: Path) -> Path:
    try:
        return Path(line(git.run("rev-parse", "--absolute-git-dir")))
    except CommandFailed as failed:
        if "dubious ownership" in failed.stderr:
            remedy = next(
                (row.strip() for row in failed.stderr.splitlines() if "--add safe.dir" in row),
                f"git config --global --add safe.directory {cwd}",
            )
            raise RepositoryError(
                f"git does not trust the repository at {cwd}",
                why="its folder belongs to another user",
                next_step=remedy,
            ) from failed
        if "not a git repository" in failed.stderr:
            raise RepositoryError(
                f"{cwd} is not in a git repository",
                why="loopctl keeps every round as a git snapshot",
                next_step="git init && git add -A && git commit -m 'first commit'",
            ) from failed
        raise


def _head(git: Git, cwd: Path) -> str:
    status, commit = git.answer("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    if status:
        raise RepositoryError(
            f"the repository at {cwd} has no commit yet",
            why="a loop starts from a commit",
            next_step="git add -A && git commit -m 'first commit'",
        )
    return line(commit)
