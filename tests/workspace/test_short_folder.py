"""TMPDIR of a checkout is short, ours alone, and gone afterwards."""

import stat
import tempfile

import pytest

from loopctl.workspace.short_folder import make_short_folder, remove_short_folder


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    """The user's folder for temporary files, and beside it one that belongs to a checkout."""
    (tmp_path / "checkout").mkdir()
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))


def test_it_is_short_and_removed(tmp_path):
    made = make_short_folder(tmp_path / "checkout")
    assert made.parent == tmp_path / "tmp"
    assert len(made.name) <= 16
    assert stat.S_IMODE(made.stat().st_mode) == 0o700
    (made / "file").write_text("x")
    remove_short_folder(tmp_path / "checkout")
    assert not list((tmp_path / "tmp").iterdir())


@pytest.mark.parametrize("target", ["loopctl-x", "tmp/other", "tmp/loopctl-link", "tmp/loopctl-no"])
def test_a_link_that_was_moved_removes_nothing(tmp_path, target):
    """An evaluator can reach the link: it must not aim our removal at the user's files."""
    for name in ("loopctl-x", "tmp/other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text("x")
    (tmp_path / "tmp" / "loopctl-link").symlink_to(tmp_path / "loopctl-x")
    (tmp_path / "checkout" / "tmp").symlink_to(tmp_path / target)
    remove_short_folder(tmp_path / "checkout")
    assert sorted(path.name for path in (tmp_path / "tmp").iterdir()) == ["loopctl-link", "other"]
    assert (tmp_path / "loopctl-x" / "file").exists()


def test_a_checkout_without_one_is_no_error(tmp_path):
    remove_short_folder(tmp_path / "checkout")
    (tmp_path / "checkout" / "tmp").mkdir()
    remove_short_folder(tmp_path / "checkout")
    assert (tmp_path / "checkout" / "tmp").is_dir()
