"""The socket's folder: short, ours alone, gone afterwards, also after a crash."""

import socket
import stat
import tempfile
from pathlib import Path

import pytest

from loopctl.tools.socket_place import LINK, SocketPlaceError, remove_socket_place, socket_place


@pytest.fixture(autouse=True)
def temporary(monkeypatch):
    """A folder for temporary files that is short enough for sockets."""
    with tempfile.TemporaryDirectory(prefix="t", dir="/tmp") as folder:
        monkeypatch.setattr(tempfile, "tempdir", folder)
        yield Path(folder)


def bind(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))


def test_with_the_temporary_files(tmp_path, temporary):
    with socket_place(tmp_path, {}) as path:
        bind(path)
        assert path.parent.parent == temporary
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        assert (tmp_path / LINK).readlink() == path.parent
    assert list(temporary.iterdir()) == list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("mode", "is_taken"), [(0o700, True), (0o755, False), (0o770, False)])
def test_the_runtime_folder_where_it_is_ours_alone(tmp_path, temporary, mode, is_taken):
    runtime = temporary / "r"
    runtime.mkdir(mode=0o700)
    runtime.chmod(mode)
    with socket_place(tmp_path, {"XDG_RUNTIME_DIR": str(runtime)}) as path:
        assert (path.parent.parent == runtime) is is_taken
    assert list(runtime.iterdir()) == []


@pytest.mark.parametrize("runtime", ["", "relative", "/nowhere/at/all", "/etc/passwd"])
def test_a_runtime_folder_that_is_none(tmp_path, temporary, runtime):
    with socket_place(tmp_path, {"XDG_RUNTIME_DIR": runtime}) as path:
        assert path.parent.parent == temporary


def test_a_long_path_is_passed_over(tmp_path, temporary, monkeypatch):
    deep = temporary / ("x" * 60) / ("y" * 60)
    deep.mkdir(parents=True)
    monkeypatch.setattr(tempfile, "tempdir", str(deep))
    with socket_place(tmp_path, {"XDG_RUNTIME_DIR": str(deep)}) as path:
        assert path.parent.parent == Path("/tmp")
        bind(path)
    assert not path.parent.exists()


def test_no_place_at_all(tmp_path):
    owner = tmp_path / "gone"
    with pytest.raises(SocketPlaceError) as caught, socket_place(owner, {}):
        pass
    assert caught.value.next_step.startswith("export TMPDIR=")


def test_what_a_killed_driver_has_left_is_removed(tmp_path, temporary):
    left = temporary / "loopctl-0000"
    left.mkdir()
    bind(left / "tools")
    (tmp_path / LINK).symlink_to(left)
    with socket_place(tmp_path, {}) as path:
        assert not left.exists()
        assert path.parent.exists()


def test_it_can_be_removed_without_a_driver(tmp_path, temporary):
    left = temporary / "loopctl-0000"
    left.mkdir()
    bind(left / "tools")
    (tmp_path / LINK).symlink_to(left)
    for _ in range(2):
        remove_socket_place(tmp_path)
    assert list(temporary.iterdir()) == list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["other", "loopctl-file", "loopctl-link", "loopctl-gone"])
def test_a_link_that_was_moved_removes_nothing_of_others(tmp_path, temporary, name):
    for folder in ("other", "loopctl-file"):
        (temporary / folder).mkdir()
    bind(temporary / "other" / "tools")
    (temporary / "loopctl-file" / "tools").write_text("x")
    (temporary / "loopctl-link").symlink_to(temporary / "other")
    before = sorted(temporary.rglob("*"))
    (tmp_path / LINK).symlink_to(temporary / name)
    with socket_place(tmp_path, {}) as path:
        assert path.parent.exists()
    assert sorted(temporary.rglob("*")) == before
