"""Files are replaced as a whole, and stay as they were when a call fails."""

import os
import stat

import pytest

from loopctl.tools.files.errors import FileToolError
from loopctl.tools.files.writing import edit, write


def names(tree):
    return sorted(path.name for path in tree.iterdir() if path.name != ".git")


def test_a_new_file_with_its_folders(tree, folder):
    assert write(folder, "src/deep/a.py", "ünïcode\n").text == "created src/deep/a.py (10 bytes)"
    assert (tree / "src/deep/a.py").read_text() == "ünïcode\n"
    assert names(tree / "src/deep") == ["a.py"]
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE((tree / "src/deep/a.py").stat().st_mode) == 0o666 & ~umask


def test_a_file_keeps_its_permissions_and_leaves_its_other_names_alone(tree, folder):
    (tree / "a.sh").write_text("old")
    (tree / "a.sh").chmod(0o751)
    os.link(tree / "a.sh", tree.parent / "outside")
    assert write(folder, "a.sh", "new").text == "replaced a.sh (3 bytes)"
    assert stat.S_IMODE((tree / "a.sh").stat().st_mode) == 0o751
    assert (tree.parent / "outside").read_text() == "old"


@pytest.mark.parametrize("path", ["inner", ".", "file/below", "read-only"])
def test_what_cannot_be_written(tree, folder, path):
    (tree / "inner").mkdir()
    (tree / "file").touch()
    (tree / "read-only").touch()
    (tree / "read-only").chmod(0o444)
    with pytest.raises(FileToolError):
        write(folder, path, "text")
    assert names(tree) == ["file", "inner", "read-only"]


def test_half_a_character_is_not_written(tree, folder):
    with pytest.raises(FileToolError, match="UTF-8"):
        write(folder, "a", "\ud800")
    assert names(tree) == []


def test_an_edit_replaces_the_one_place(tree, folder):
    (tree / "a").write_text("one\ntwo\nthree\n")
    assert edit(folder, "a", "two\n", "2\n").text == "edited a in 1 place, first in line 2"
    assert (tree / "a").read_text() == "one\n2\nthree\n"


@pytest.mark.parametrize(
    ("old", "reason"),
    [
        ("four", "is not in a"),
        ("", "the old text is empty"),
        ("o", "is in a 2 times, in the lines 1, 2"),
        ("three", "the old text and the new one are the same"),
    ],
)
def test_an_edit_that_is_not_clear_changes_nothing(tree, folder, old, reason):
    (tree / "a").write_text("one\ntwo\nthree\n")
    with pytest.raises(FileToolError) as caught:
        edit(folder, "a", old, "three")
    assert reason in f"{caught.value.message} {caught.value.why}"
    assert (tree / "a").read_text() == "one\ntwo\nthree\n"


def test_an_edit_of_every_place(tree, folder):
    (tree / "a").write_text("a b a\na\n")
    changed = edit(folder, "a", "a", "c", replace_all=True)
    assert changed.text == "edited a in 3 places, first in line 1"
    assert (tree / "a").read_text() == "c b c\nc\n"


def test_line_ends_of_windows_stay(tree, folder):
    (tree / "a").write_bytes(b"one\r\ntwo\r\nthree\r\n")
    edit(folder, "a", "one\ntwo", "1\n2\n2.5")
    assert (tree / "a").read_bytes() == b"1\r\n2\r\n2.5\r\nthree\r\n"


def test_bytes_that_are_not_utf_8_stay(tree, folder):
    (tree / "a").write_bytes(b"caf\xe9 one\n")
    edit(folder, "a", "one", "two")
    assert (tree / "a").read_bytes() == b"caf\xe9 two\n"
