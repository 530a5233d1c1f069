"""The commits of a sandboxed agent, on their way into loopctl's repository: a bundle.

It is made in the sandbox, by a git that the agent could tell what to do, so that it is bytes of
a stranger. Only its header is read here; the objects are read by ``index-pack``, which hashes and
checks every one of them. (``fetch`` does not, for a bundle, before git 2.46.)
Invariant: a ref is set only when all of that went well, and to a commit.
"""

import os
import re
import stat
from pathlib import Path

from loopctl.errors import GitError
from loopctl.git.project_repository import ProjectRepository

LARGEST = 256 * 1024 * 1024  # bytes
_LONGEST_HEADER = 64 * 1024
_SIGNATURES = (b"# v2 git bundle", b"# v3 git bundle")
_HEAD = re.compile(rb"([0-9a-f]{40}|[0-9a-f]{64}) HEAD")
_SCRIPT = """\
new=$(git rev-list -n 1 HEAD "^$1") || exit 3
[ -z "$new" ] || exec git bundle create -q "$2" HEAD "^$1"
"""


class BundleRefused(GitError):
    """A bundle that is none, or that holds what git does not take."""


def bundle_command(tip: str, bundle: Path) -> tuple[str, ...]:
    """What makes the bundle, in a folder where git finds the agent's clone.

    It exits with 0 and makes no file when HEAD has no commit beside those of ``tip``.
    """
    return ("/bin/sh", "-c", _SCRIPT, "sh", tip, str(bundle))


def take_in(project: ProjectRepository, bundle: Path, ref: str) -> str:
    """Store what a bundle holds and set ``ref`` to its HEAD; return the commit's id.

    Args:
        project: loopctl's own repository, which has the commits that the bundle builds upon.
        bundle: a file that nobody writes to any more.
        ref: full name; it is moved when it exists.

    Raises:
        BundleRefused: nothing was stored that a ref leads to.
    """
    descriptor = _opened(bundle)
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        start = os.pread(descriptor, _LONGEST_HEADER, 0)
        header, blank, _ = start.partition(b"\n\n")
        head = _head_of(header) if blank else None
        if head is None:
            raise _refused("its header is not that of a bundle with a HEAD")
        file.seek(len(header) + len(blank))
        try:
            project.git.run(
                *("-c", "core.bigFileThreshold=16m", "index-pack", "--stdin", "--fix-thin"),
                *("--strict", f"--max-input-size={LARGEST}"),
                stdin=file,
            )
        except GitError as error:
            raise _refused(error.why.splitlines()[0] if error.why else error.message) from error
    stored = project.read(head)
    if stored is None or stored[1] != "commit":
        raise _refused("its HEAD is no commit")
    old = project.resolve(ref)
    if old != head:
        project.swap_ref(ref, head, old)
    return head


def _opened(bundle: Path) -> int:
    """A descriptor of the file, which is a plain one and not too large."""
    try:
        descriptor = os.open(bundle, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise _refused(error.strerror or str(error)) from error
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode) or found.st_size > LARGEST:
        os.close(descriptor)
        raise _refused(f"it is no file of at most {LARGEST // 1024**2} MiB")
    return descriptor


def _head_of(header: bytes) -> str | None:
    first, *rest = header.split(b"\n")
    heads = [match[1] for each in rest if (match := _HEAD.fullmatch(each))]
    return heads[0].decode() if first in _SIGNATURES and len(heads) == 1 else None


def _refused(why: str) -> BundleRefused:
    return BundleRefused("the agent's commits cannot be used", why=why)
