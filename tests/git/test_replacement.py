"""Replacing files: all or none, whatever comes in between."""

import os
import signal

import pytest
from git_world import git

from loopctl.git.replacement import replace_files


def holds(loop, tree: str) -> dict:
    return dict(loop.project.entries(tree))


def files(loop, after: dict[str, str | None]):
    """(before, after) of some paths of the user's checkout, the later contents stored as blobs."""
    head = holds(loop, loop.user.head)
    for path, text in after.items():
        target = loop.worktree / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text) if text is not None else target.unlink()
    new = holds(loop, loop.take().tree)
    return {path: head.get(path) for path in after}, {path: new.get(path) for path in after}


def content(top) -> dict[str, str]:
    return {
        str(path.relative_to(top)): path.read_text()
        for path in sorted(top.rglob("*"))
        if path.is_file() and ".git/" not in str(path)
    }


def test_an_error_puts_everything_back(loop):
    """The last path cannot be placed: a folder with something in it stands there."""
    top = loop.user.top_level
    before, after = files(loop, {"a.txt": "two\n", "src/b.py": None, "new/x": "x\n", "z": "z\n"})
    (top / "z").mkdir()
    (top / "z" / "mine").write_text("mine\n")
    was = content(top)
    with pytest.raises(OSError, match="z"):
        replace_files(loop.project, top, before, after)
    assert content(top) == was
    assert sorted(path.name for path in top.iterdir()) == [
        ".git",
        ".gitignore",
        "a.txt",
        "src",
        "z",
    ]
    (top / "z" / "mine").unlink()
    (top / "z").rmdir()
    replace_files(loop.project, top, before, after)
    assert content(top) == {
        ".gitignore": was[".gitignore"],
        "a.txt": "two\n",
        "new/x": "x\n",
        "z": "z\n",
    }


def test_no_folder_is_entered_through_a_link(loop, tmp_path):
    top = loop.user.top_level
    before, after = files(loop, {"a.txt": "two\n", "src/b.py": "b = 2\n"})
    outside = tmp_path / "outside"
    (top / "src").rename(outside)
    (top / "src").symlink_to(outside)
    with pytest.raises(OSError, match="src"):
        replace_files(loop.project, top, before, after)
    assert (outside / "b.py").read_text() == "b = 1\n"
    assert (top / "a.txt").read_text() == "one\n"


def test_a_signal_waits_for_the_last_file(loop):
    """SIGINT in the middle: the files are all there when the program hears of it."""
    top = loop.user.top_level
    before, after = files(loop, {f"new/{n}": f"{n}\n" for n in range(50)})

    class Interrupting(dict):
        """Sends the signal when half of the files are in their places."""

        def items(self):
            for number, item in enumerate(super().items()):
                if number == 25 and (top / "new").exists():
                    os.kill(os.getpid(), signal.SIGINT)
                yield item

    with pytest.raises(KeyboardInterrupt):
        replace_files(loop.project, top, before, Interrupting(after))
    assert len(list((top / "new").iterdir())) == 50
    assert git(top, "status", "--porcelain") == "?? new/"
