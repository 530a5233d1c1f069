"""What an agent has added is never newer than what was there before."""

import os

from loopctl.git.aged_files import age
from loopctl.git.refreshed_export import RefreshedExport


def test_a_new_file_looks_older_than_a_known_one(tmp_path):
    for name in ("tested.stamp", "double.sh"):
        (tmp_path / name).write_text("x")
    (tmp_path / "link").symlink_to("double.sh")
    before = (tmp_path / "double.sh").stat().st_mtime
    age(tmp_path, ["tested.stamp", "link", "gone", "double.sh"], {"double.sh"})
    assert (tmp_path / "double.sh").stat().st_mtime == before
    assert (tmp_path / "tested.stamp").stat().st_mtime < before
    assert (tmp_path / "link").lstat().st_mtime < before


def test_a_standing_checkout_is_aged_each_time(loop, tmp_path):
    beside = tmp_path / "beside"
    beside.mkdir()
    folder = tmp_path / "work"
    export = RefreshedExport(loop.project, folder, beside, base=loop.user.head)
    export.bring_to(loop.user.head)
    (loop.worktree / "tested.stamp").write_text("x")
    taken = loop.take()
    for _ in range(2):
        export.bring_to(taken.tree)
        stamp = (folder / "tested.stamp").stat()
        assert stamp.st_mtime < (folder / "a.txt").stat().st_mtime
        os.utime(folder / "tested.stamp")  # an evaluation has touched it
