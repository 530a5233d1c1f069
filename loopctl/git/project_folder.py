"""The folder of a project's own bare repository: how it is created and configured.

Invariant: it appears whole or not at all, and each of its settings files is replaced in one
step, so that any number of drivers may create and open it at once.
"""

import os
import shutil
import tempfile
from pathlib import Path

from loopctl.git.environment import ATTRIBUTES_FILE
from loopctl.git.repository import UserRepository
from loopctl.git.runner import Git

CONTENT_FILE = "content.config"
_PRIVATE = "--shared=0600"  # for the user alone, whatever the umask of the driver
_ENCODING = b"working-tree-encoding"


def prepare_folder(path: Path, user: UserRepository) -> None:
    """Create the repository if it is not there; make its settings follow the user's."""
    if not (path / "HEAD").exists():
        _create(path, user)
    _write(path / "objects/info/alternates", alternates_line(user.common_dir / "objects"))
    _write(path / CONTENT_FILE, user.configuration.as_file().encode())
    _write(path / "info/exclude", user.configuration.excludes)
    _write(path / "info/attributes", _attributes(path, user))
    _write(path / ATTRIBUTES_FILE, user.configuration.own_attributes)


def _create(path: Path, user: UserRepository) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    built = Path(tempfile.mkdtemp(dir=path.parent, prefix=f"{path.name}.new-"))
    try:
        form = f"--object-format={user.object_format}"
        Git(cwd=built).run("init", "--quiet", "--bare", _PRIVATE, "--template=", form, str(built))
        with (built / "config").open("a") as config:
            config.write(f"[include]\n\tpath = {CONTENT_FILE}\n[gc]\n\tauto = 0\n")
        (built / "info").mkdir(mode=0o700)
        try:
            built.rename(path)
        except OSError:  # somebody else's is there already
            if not (path / "HEAD").exists():
                raise
    finally:
        shutil.rmtree(built, ignore_errors=True)


def _attributes(path: Path, user: UserRepository) -> bytes:
    """The user's attributes, and ``working-tree-encoding`` off unless the user has it.

    Git refuses to add a file of an unknown encoding: one line of an agent would prevent every
    snapshot. The attributes of the repository win over those in the worktree.
    """
    rules = user.configuration.attributes
    question = ("grep", "-q", "-a", "-F", "-e", _ENCODING.decode(), user.head)
    in_use = Git(path).answer(*question, "--", ":(glob)**/.gitattributes")[0] == 0
    known = in_use or _ENCODING in rules or _ENCODING in user.configuration.own_attributes
    return rules if known else rules + b"* !" + _ENCODING + b"\n"


def _write(path: Path, content: bytes) -> None:
    """Replace a file in one step when its content differs."""
    if path.exists() and path.read_bytes() == content:
        return
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(content)
    Path(file.name).replace(path)


def alternates_line(path: Path) -> bytes:
    """A line for the alternates file; git unquotes it, so any byte may be in the path.

    A setting of git's is quoted in the same way.
    """
    escaped = os.fsencode(path).replace(b"\\", b"\\\\").replace(b'"', b'\\"')
    return b'"' + escaped.replace(b"\n", b"\\n") + b'"\n'
