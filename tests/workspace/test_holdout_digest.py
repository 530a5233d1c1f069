"""The digest of a hold-out: it tells every change, and refuses what could change unseen."""

import os

import pytest

from loopctl.errors import UsageError
from loopctl.workspace.holdout_digest import digest_of


@pytest.fixture
def folder(tmp_path):
    held = tmp_path / "held"
    (held / "tests").mkdir(parents=True)
    (held / "tests" / "test_more.py").write_text("assert True\n")
    (held / "check.sh").write_text("exit 0\n")
    return held


def test_the_same_content_elsewhere_has_the_same_digest(folder, tmp_path):
    first = digest_of(folder)
    folder.rename(tmp_path / "moved")
    assert digest_of(tmp_path / "moved") == first
    assert len(first) == 64


@pytest.mark.parametrize(
    "change",
    [
        lambda held: (held / "check.sh").write_text("exit 1\n"),
        lambda held: (held / "check.sh").chmod(0o755),
        lambda held: (held / "check.sh").rename(held / "check2.sh"),
        lambda held: (held / "more").write_text(""),
        lambda held: (held / "check.sh").unlink(),
    ],
)
def test_every_change_is_told(change, folder):
    first = digest_of(folder)
    change(folder)
    assert digest_of(folder) != first


def _git(held):
    (held / "tests" / ".Git").mkdir()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda held: (held / "link").symlink_to("check.sh"), "link is a link"),
        (lambda held: os.mkfifo(held / "pipe"), "neither a file nor a folder"),
        (_git, "belongs to git"),
    ],
)
def test_what_has_no_digest(change, why, folder):
    change(folder)
    with pytest.raises(UsageError, match="cannot be used") as refused:
        digest_of(folder)
    assert why in refused.value.why


@pytest.mark.parametrize(
    ("name", "why"), [("nothing", "missing"), ("held/check.sh", "no"), ("empty", "no file")]
)
def test_no_folder_at_all(name, why, folder, tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError) as refused:
        digest_of(tmp_path / name)
    assert why in refused.value.why


def test_one_without_permission(folder, monkeypatch):
    """Root reads everything, so the refusal is brought about."""

    def denied(path, *_):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(os, "open", denied)
    with pytest.raises(UsageError) as refused:
        digest_of(folder)
    assert "Permission denied" in refused.value.why
