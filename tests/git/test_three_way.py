"""Three-way: what both sides changed is merged only where nothing has to be guessed."""

import pytest

from loopctl.git.three_way import merge

LINES = "".join(f"{n}\n" for n in range(9))
THEIRS = LINES.replace("1\n", "theirs\n")
OURS = LINES.replace("7\n", "ours\n")
BOTH = THEIRS.replace("7\n", "ours\n")


@pytest.fixture
def merged(loop):
    """Merges versions of one file (None: absent), each a text or a function of the path."""

    def run(base, theirs, ours):
        path = loop.worktree / "file"
        trees = []
        for version in (base, theirs, ours):
            if path.is_symlink() or path.exists():
                path.unlink()
            if callable(version):
                version(path)
            elif version is not None:
                path.write_text(version)
            trees.append(loop.take().tree)
        changes = loop.project.diff(trees[0], trees[1])
        found = merge(loop.project, changes, loop.project.entries(trees[2]))
        if found.conflicts:
            return found.conflicts
        if "file" not in found.targets:
            return "as ours"
        entry = found.targets["file"]
        return entry and (entry.mode, loop.project.read(entry.blob)[2].decode())

    return run


def executable(path):
    path.write_text(LINES)
    path.chmod(0o755)


def binary(content):
    return lambda path: path.write_bytes(content)


@pytest.mark.parametrize(
    ("base", "theirs", "ours", "outcome"),
    [
        (LINES, THEIRS, LINES, ("100644", THEIRS)),
        (LINES, THEIRS, THEIRS, "as ours"),
        (LINES, THEIRS, OURS, ("100644", BOTH)),
        (LINES, THEIRS, BOTH, "as ours"),
        (LINES, THEIRS, LINES.replace("1\n", "ours\n"), ("file",)),
        (LINES, executable, OURS, ("100755", OURS)),
        (LINES, THEIRS, executable, ("100755", THEIRS)),
        (LINES, None, LINES, None),
        (LINES, None, OURS, ("file",)),
        (LINES, THEIRS, None, ("file",)),
        (LINES, None, None, "as ours"),
        (None, THEIRS, None, ("100644", THEIRS)),
        (None, THEIRS, OURS, ("file",)),
        (binary(b"\0a"), binary(b"\0b"), binary(b"\0c"), ("file",)),
        (LINES, lambda path: path.symlink_to("a.txt"), OURS, ("file",)),
    ],
)
def test_one_file(merged, base, theirs, ours, outcome):
    assert merged(base, theirs, ours) == outcome
