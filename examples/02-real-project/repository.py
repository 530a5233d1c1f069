"""The user's repository: a real project under git, broken, with unfinished work lying around.

The unfinished work (a stash, an edited file, an untracked one) is what a loop must leave alone;
`fingerprint` says whether it did.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

from project import Project, replace_once

IGNORED = """
.venv/
.pytest_cache/
.coverage
__pycache__/
*.egg-info/
*.so
build/
"""
# The user's own git configuration (hooks, signing, templates) must not change what is made.
GIT_ENV = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Example",
    "GIT_AUTHOR_EMAIL": "example@example.invalid",
    "GIT_COMMITTER_NAME": "Example",
    "GIT_COMMITTER_EMAIL": "example@example.invalid",
}
GIT_FILES = ("HEAD", "index", "config", "logs/HEAD", "logs/refs/stash")


def fetch(project: Project, cache: Path) -> Path:
    """Return the source distribution, downloaded by pip into `cache` unless it is there.

    Raises:
        subprocess.CalledProcessError: pip could not get it, or its digest differs.
    """
    archive = cache / f"{project.release}.tar.gz"
    if not archive.exists():
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q", "download"]
        options = ["--no-deps", "--no-binary", ":all:", "--require-hashes"]
        command = [*pip, *options, "-d", str(cache), "-r", str(project.folder / "sdist.txt")]
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
    return archive


def git(repository: Path, *arguments: str) -> str:
    """Run git in the repository and return what it printed."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")} | GIT_ENV
    command = ["git", *arguments]
    done = subprocess.run(
        command, cwd=repository, env=env, check=True, stdout=subprocess.PIPE, text=True
    )
    return done.stdout


def unpack(project: Project, archive: Path, dest: Path) -> None:
    """Unpack the release at `dest`, and add what its user has beside it."""
    with tarfile.open(archive) as tar:
        tar.extractall(dest.parent, filter="data")
    shutil.move(dest.parent / project.release, dest)
    for name in ("loopctl.toml", "requirements.txt"):
        if (project.folder / name).exists():
            shutil.copy(project.folder / name, dest)
    with (dest / ".gitignore").open("a", encoding="utf-8") as ignored:
        ignored.write(IGNORED)


def commit_broken(project: Project, dest: Path) -> None:
    """Break the project, commit it, and leave unfinished work there."""
    for item in project.breaks:
        replace_once(dest / item.file, item.whole, item.broken)
    git(dest, "init", "-q", "-b", "main")
    git(dest, "add", "-A")
    git(dest, "commit", "-q", "-m", f"{project.release} with broken functions")
    (dest / "PKG-INFO").write_text("set aside\n", encoding="utf-8")
    git(dest, "stash", "push", "-q")
    readme = next(dest.glob("README*"))
    readme.write_text("half rewritten\n", encoding="utf-8")
    (dest / "notes.txt").write_text("not committed\n", encoding="utf-8")


def fingerprint(repository: Path) -> dict[str, str]:
    """Return a digest of each thing of the user's that a loop must not change.

    Files with their modes; git's HEAD, index, configuration and stash; every ref but the loops'.
    """
    dot_git = repository / ".git"
    files = [p for p in repository.rglob("*") if p.is_file() and dot_git not in p.parents]
    files += [path for name in GIT_FILES if (path := dot_git / name).exists()]
    digests = {
        str(path.relative_to(repository)): (
            f"{path.stat().st_mode:o} {hashlib.sha256(path.read_bytes()).hexdigest()}"
        )
        for path in files
    }
    for line in git(repository, "for-each-ref", "--format=%(refname) %(objectname)").splitlines():
        name, target = line.split()
        if not name.startswith("refs/heads/loopctl/"):
            digests[name] = target
    return digests
