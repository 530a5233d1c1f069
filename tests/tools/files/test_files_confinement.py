"""Whatever path a model gives, nothing outside of the folder is read, listed or written."""

import os
import socket
from pathlib import Path

import pytest

from loopctl.tools.files.errors import FileToolError
from loopctl.tools.files.folder import Folder
from loopctl.tools.files.listing import list_files
from loopctl.tools.files.reading import read
from loopctl.tools.files.search import search
from loopctl.tools.files.search_call import Query
from loopctl.tools.files.writing import edit, write


def every_tool(folder, path):
    """Each tool's refusal of ``path``."""
    for call in (
        lambda: read(folder, path),
        lambda: list_files(folder, path),
        lambda: write(folder, path, "overwritten"),
        lambda: edit(folder, path, "the", "a"),
    ):
        with pytest.raises(FileToolError) as caught:
            call()
        yield str(caught.value)


OUTSIDE = [
    "../secret",
    "..",
    "a/../../secret",
    "/etc/passwd",
    "//etc/passwd",
    "../tree/../secret",
    "link",
    "folder-link/secret",
    "inner/up/secret",
    "chain",
    "dangling",
    "/proc/self/root/etc/passwd",
    "/dev/stdin",
]


@pytest.mark.parametrize("path", OUTSIDE)
def test_a_path_that_leads_out_is_refused_by_every_tool(tree, folder, path):
    (tree / "inner").mkdir()
    (tree / "link").symlink_to("../secret")
    (tree / "chain").symlink_to("link")
    (tree / "folder-link").symlink_to(tree.parent)
    (tree / "inner" / "up").symlink_to("../..")
    (tree / "dangling").symlink_to(tree.parent / "new")
    assert all("is not in your folder" in refusal for refusal in every_tool(folder, path))
    assert (tree.parent / "secret").read_text() == "the secret\n"
    assert not (tree.parent / "new").exists()


def test_the_search_refuses_it_as_well(folder, guarded):
    with pytest.raises(FileToolError, match="not in your folder"):
        guarded(lambda tools: search(folder, Query("root", "/etc"), tools))


@pytest.mark.parametrize("path", [".git", ".git/config", ".GIT/config", "a/.git", "alias/config"])
def test_git_belongs_to_git(tree, folder, path):
    (tree / "alias").symlink_to(".git")
    assert all("belongs to git" in refusal for refusal in every_tool(folder, path))
    assert (tree / ".git" / "config").read_text() == "the configuration\n"


@pytest.mark.parametrize("path", ["a\0b", "a\ud800b"])
def test_what_is_no_path_is_said_so(folder, path):
    assert all("is not a path" in refusal for refusal in every_tool(folder, path))


def test_what_is_no_plain_file_is_never_opened(tree, folder):
    os.mkfifo(tree / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        here = Path.cwd()
        os.chdir(tree)  # a socket's path must be short
        server.bind("socket")
        os.chdir(here)
        for name in ("pipe", "socket"):
            reading, listing, writing, editing = every_tool(folder, name)
            assert "no file" in reading
            assert "no folder" in listing
            assert reading == editing
            assert "no file" in writing


def test_a_search_does_not_wait_at_a_pipe(tree, folder, guarded):
    os.mkfifo(tree / "pipe")
    (tree / "a").write_text("found\n")
    with pytest.raises(FileToolError, match="a pipe"):
        guarded(lambda tools: search(folder, Query("x", "pipe"), tools))
    assert guarded(lambda tools: search(folder, Query("found"), tools)).total == 1


def test_links_inside_are_followed(tree, folder):
    (tree / "src").mkdir()
    (tree / "src" / "a").write_text("one\n")
    (tree / "current").symlink_to("src")
    assert read(folder, "current/a").lines == ("one",)
    write(folder, "current/a", "two\n")
    assert (tree / "src" / "a").read_text() == "two\n"
    assert read(folder, str(tree / "src" / "a")).lines == ("two",)
    assert (tree / "current").is_symlink()


def test_a_folder_that_is_reached_through_a_link(tree):
    (tree.parent / "alias").symlink_to(tree)
    (tree / "a").write_text("one\n")
    assert read(Folder(tree.parent / "alias"), f"{tree.parent}/alias/a").lines == ("one",)


def test_a_folder_that_becomes_a_link_after_it_was_looked_at(tree, folder, monkeypatch):
    (tree / "inner").mkdir()
    (tree / "inner" / "secret").write_text("harmless\n")
    resolve = folder.resolve

    def swap(path):
        parts = resolve(path)
        (tree / "inner" / "secret").unlink()
        (tree / "inner").rmdir()
        (tree / "inner").symlink_to(tree.parent)
        return parts

    monkeypatch.setattr(folder, "resolve", swap)
    with pytest.raises(FileToolError, match="cannot be used"):
        read(folder, "inner/secret")


def test_links_in_a_circle(tree, folder):
    (tree / "a").symlink_to("b")
    (tree / "b").symlink_to("a")
    assert all("cannot be used" in refusal for refusal in every_tool(folder, "a"))


def test_a_very_long_name(tree, folder):
    assert all("too long" in refusal for refusal in every_tool(folder, "x" * 300))
    assert all("too long" in refusal for refusal in every_tool(folder, "x/" * 3000))
    assert not (tree / "x").exists()


def test_a_root_that_is_gone(tmp_path):
    folder = Folder(tmp_path / "gone")
    with pytest.raises(FileToolError, match="there is no such file or folder"):
        read(folder, "a")
