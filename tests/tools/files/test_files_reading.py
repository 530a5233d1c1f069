"""What a model sees of a file, and of a folder."""

import os

import pytest

from loopctl.tools.files import reading
from loopctl.tools.files.errors import FileToolError
from loopctl.tools.files.listing import list_files
from loopctl.tools.files.reading import read, read_lines


def test_lines_have_numbers(tree, folder):
    (tree / "a").write_bytes(b"one\r\n\ttwo\n\nlast")
    assert read(folder, "a").text == "1\tone\n2\t\ttwo\n3\t\n4\tlast"
    assert read_lines(folder, "a") == ("one", "\ttwo", "", "last")


def test_a_part_says_what_is_left(tree, folder):
    (tree / "a").write_text("".join(f"{number}\n" for number in range(1, 11)))
    assert read(folder, "a", 4, 2).text == (
        "4\t4\n5\t5\n[cut: 10 lines in all, go on with offset 6]"
    )
    assert read(folder, "a", 10).text == "10\t10"
    assert read(folder, "a", 11).text == "[the file has 10 lines]"
    assert read(folder, "a", -3, -3).lines == ("1",)


def test_an_answer_is_bounded_in_lines_and_bytes(tree, folder):
    (tree / "long").write_text("x\n" * 5000)
    assert len(read(folder, "long", 1, 10**9).lines) == 2000
    (tree / "wide").write_text(("x" * 5000 + "\n") * 100)
    part = read(folder, "wide")
    assert part.lines[0].endswith("x[3000 more characters]")
    assert len(part.text) < 2 * reading.MOST_BYTES
    assert "[cut: 100 lines in all, go on with offset " in part.text


def test_an_empty_file(tree, folder):
    (tree / "a").touch()
    assert read(folder, "a").text == "[the file is empty]"


def test_what_is_not_utf_8_is_shown_and_said(tree, folder):
    (tree / "a").write_bytes(b"caf\xe9\n")
    assert read(folder, "a").text == (
        "1\tcaf\ufffd\n[not UTF-8: bytes that cannot be read are shown as \ufffd]"
    )


def test_a_binary_file_is_not_shown(tree, folder):
    (tree / "a").write_bytes(b"\x7fELF\0\0")
    with pytest.raises(FileToolError, match="a binary file of 6 bytes"):
        read(folder, "a")


def test_a_huge_file_is_not_loaded(tree, folder):
    os.truncate(os.open(tree / "a", os.O_WRONLY | os.O_CREAT), reading.LARGEST_FILE + 1)
    with pytest.raises(FileToolError, match="more than 32 MiB"):
        read(folder, "a")


def test_a_folder_is_no_file_and_the_reverse(tree, folder):
    (tree / "inner").mkdir()
    (tree / "a").touch()
    for wrong, reason in (("inner", "a folder"), (".", "a folder"), ("b", "no such"), ("a/b", "")):
        with pytest.raises(FileToolError) as caught:
            read(folder, wrong)
        assert reason in caught.value.why
    with pytest.raises(FileToolError, match="cannot be used"):
        list_files(folder, "a")


def test_a_listing_is_sorted_and_marks_what_is_no_file(tree, folder):
    (tree / "src").mkdir()
    (tree / "src" / "b.py").touch()
    (tree / "src" / "a.py").touch()
    (tree / "link").symlink_to("/etc")
    os.mkfifo(tree / "pipe")
    (tree / ".hidden").touch()
    assert list_files(folder).text == ".hidden\nlink@\npipe?\nsrc/"
    assert list_files(folder, "src").entries == ("src/a.py", "src/b.py")


def test_a_glob_looks_into_folders_but_for_those_to_skip(tree, folder):
    for name in ("a.py", "src/b.py", "src/deep/c.py", "src/deep/c.txt", "node_modules/d.py"):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).touch()
    (tree / "out").symlink_to("/etc")
    skip = frozenset({"node_modules"})
    found = list_files(folder, glob="*.py", skip=skip)
    assert found.text == ("a.py\nsrc/b.py\nsrc/deep/c.py\n[not looked into: node_modules/]")
    assert list_files(folder, "src", "deep/*").entries == ("src/deep/c.py", "src/deep/c.txt")
    assert list_files(folder, "node_modules", "*", skip=skip).entries == ("node_modules/d.py",)
    assert list_files(folder, glob="passwd").text == "[nothing]"


def test_a_listing_is_bounded(tree, folder):
    for number in range(1100):
        (tree / f"{number:04}").touch()
    assert list_files(folder).text.endswith(
        "0999\n[cut after 1000 entries: name a folder or a glob]"
    )


def test_odd_names_are_one_line_each(tree, folder):
    (tree / "a\nb").touch()
    os.close(os.open(os.fsencode(tree) + b"/\xff", os.O_CREAT))
    assert list_files(folder).text == "a\\nb\n\\udcff"
