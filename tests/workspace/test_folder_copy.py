"""Copies that know where they are."""

import os
import stat
from pathlib import Path

import pytest

from loopctl.workspace.folder_copy import Move, copy_moved


@pytest.fixture
def roots(tmp_path) -> Move:
    move = Move(tmp_path / "old root", tmp_path / "a" / "new")
    (move.old / "env" / "bin").mkdir(parents=True)
    move.new.mkdir(parents=True)
    return move


def copied(move: Move, name: str = "env") -> Path:
    copy_moved(move.old / name, move.new / name, move)
    return move.new / name


def test_content_permissions_and_times(roots):
    file = roots.old / "env" / "tool"
    file.write_bytes(os.urandom(300_000))
    file.chmod(0o4755)
    os.utime(file, ns=(1, 1_000_000_007))
    (roots.old / "env" / "locked").mkdir(mode=0o500)
    copy = copied(roots) / "tool"
    assert copy.read_bytes() == file.read_bytes()
    assert stat.S_IMODE(copy.stat().st_mode) == 0o755
    assert copy.stat().st_mtime_ns == 1_000_000_007
    assert copy.stat().st_ino != file.stat().st_ino
    copy.write_text("changed")
    assert file.stat().st_size == 300_000
    assert os.access(roots.new / "env" / "locked", os.W_OK)


def test_links_stay_links_and_never_lead_back(roots):
    env = roots.old / "env"
    (env / "file").write_text("x")
    (env / "relative").symlink_to("file")
    (env / "absolute").symlink_to(env / "file")
    (env / "system").symlink_to("/usr/bin/env")
    (env / "folder").symlink_to(env / "bin")
    copy = copied(roots)
    assert [(copy / name).readlink() for name in ("relative", "absolute", "system", "folder")] == [
        Path("file"),
        copy / "file",
        Path("/usr/bin/env"),
        copy / "bin",
    ]


def test_links_that_leave_the_root_lead_where_they_led_unless_they_come_back(roots, tmp_path):
    """``npm link`` goes through a folder of its own; ``file:../sibling`` is another project."""
    env = roots.old / "env"
    own = tmp_path / "global" / "product"
    own.parent.mkdir()
    own.symlink_to(roots.old)
    (tmp_path / "sibling").mkdir()
    (env / "product").symlink_to(own)
    (env / "relative").symlink_to("../../global/product")
    (env / "sibling").symlink_to("../../sibling")
    (env / "package").symlink_to("../packages/a")
    (env / "dangling").symlink_to("../../nowhere")
    copy = copied(roots)
    names = ("product", "relative", "sibling", "package", "dangling")
    assert [(copy / name).readlink() for name in names] == [
        roots.new,
        roots.new,
        tmp_path / "sibling",
        Path("../packages/a"),
        Path("../../nowhere"),
    ]


def test_special_files_are_left_out(roots):
    os.mkfifo(roots.old / "env" / "pipe")
    assert [each.name for each in copied(roots).iterdir()] == ["bin"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("bin/pytest", "#!{root}/env/bin/python\nprint()\n"),
        ("bin/long", "#!/bin/sh\n'''exec' \"{root}/env/bin/python\" \"$0\" \"$@\"\n' '''\n"),
        ("bin/activate", "VIRTUAL_ENV={root}/env\n"),
        ("lib/flat.pth", "{root}\n"),
        ("lib/src.pth", "{root}/src\n"),
        ("lib/_editable_impl_x.py", "F.map_module('x', '{root}/src/x/__init__.py')"),
        ("lib/__editable___x_finder.py", "MAPPING = {{'x': '{root}/src/x'}}\n"),
    ],
)
def test_what_names_the_old_place_names_the_new_one(roots, name, text):
    file = roots.old / "env" / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(text.format(root=roots.old))
    os.utime(file, (1, 1))
    copy = copied(roots) / name
    assert copy.read_text() == text.format(root=roots.new)
    assert copy.stat().st_mtime > 1  # so that compiled code beside it is out of date


@pytest.mark.parametrize("text", ["{root}er/x", "/other{root}", "{root}-2", "x{root}"])
def test_another_place_of_a_like_name_is_left_alone(roots, text):
    text = text.format(root=roots.old)
    (roots.old / "env" / "x.pth").write_text(text)
    assert (copied(roots) / "x.pth").read_text() == text


def test_programs_and_other_files_are_copied_as_they_are(roots):
    env = roots.old / "env"
    (env / "bin" / "binary").write_bytes(b"\0ELF" + os.fsencode(roots.old))
    (env / "notes").write_text(str(roots.old))
    copy = copied(roots)
    assert (copy / "bin" / "binary").read_bytes() == b"\0ELF" + os.fsencode(roots.old)
    assert (copy / "notes").read_text() == str(roots.old)


@pytest.mark.parametrize("hindrance", ["file", "folder", "link", "parent-link", "parent-file"])
def test_whatever_stands_in_the_way_is_removed_and_not_followed(roots, tmp_path, hindrance):
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").write_text("kept")
    (roots.old / "a" / "deps").mkdir(parents=True)
    (roots.old / "a" / "deps" / "file").write_text("ours")
    above, place = roots.new / "a", roots.new / "a" / "deps"
    match hindrance:
        case "parent-link":
            above.symlink_to(precious)
        case "parent-file":
            above.write_text("x")
        case _:
            above.mkdir()
    match hindrance:
        case "file":
            place.write_text("x")
        case "folder":
            place.mkdir()
            (place / "planted").write_text("x")
        case "link":
            place.symlink_to(precious)
    copied(roots, "a/deps")
    assert [(each.name, each.read_text()) for each in place.iterdir()] == [("file", "ours")]
    assert [each.name for each in precious.iterdir()] == ["file"]
    assert not above.is_symlink()


def test_a_folder_that_is_full_of_names_in_any_bytes(roots):
    odd = os.fsdecode(b"caf\xe9\n")
    (roots.old / "env" / odd).write_text("x")
    assert (copied(roots) / odd).read_text() == "x"
