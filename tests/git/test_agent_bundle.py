"""What a bundle brings in: honest ones, broken ones, and those that are none."""

import os
import subprocess

import pytest
from git_world import git

from loopctl.git import agent_bundle
from loopctl.git.agent_bundle import BundleRefused, bundle_command, take_in
from loopctl.git.agent_clone import AgentClone, git_file

REF = "refs/loopctl/demo/agent/1"


@pytest.fixture
def place(loop, tmp_path):
    """A worktree on an agent's clone; returns the bundle of its commits."""
    made = AgentClone(tmp_path / "git", "loopctl/demo", loop.user.head)
    made.make(loop.user)
    (loop.worktree / ".git").write_bytes(git_file(made.folder))

    def bundled():
        bundle = tmp_path / "commits.bundle"
        bundle.unlink(missing_ok=True)
        subprocess.run(bundle_command(loop.user.head, bundle), cwd=made.folder, check=True)
        return bundle

    return bundled


def commit(loop, text="agent\n"):
    (loop.worktree / "a.txt").write_text(text)
    git(loop.worktree, "commit", "-qam", "agent")
    return git(loop.worktree, "rev-parse", "HEAD")


def test_commits_arrive_and_stand_without_the_clone(loop, place, repository):
    commit(loop)
    new = commit(loop, "again\n")
    assert take_in(loop.project, place(), REF) == new == loop.project.resolve(REF)
    assert loop.content(new, "a.txt") == b"again\n"
    git(loop.project.path, "fsck", "--strict", "--no-dangling")
    assert git(repository, "for-each-ref", "refs/heads/loopctl").startswith(loop.user.head)


def test_nothing_is_bundled_where_nothing_was_committed(loop, place):
    assert not place().exists()
    git(loop.worktree, "checkout", "-q", "--detach")
    assert not place().exists()


def test_a_later_bundle_moves_the_ref(loop, place):
    take_in(loop.project, place() if commit(loop) else None, REF)
    later = commit(loop, "later\n")
    assert take_in(loop.project, place(), REF) == later == loop.project.resolve(REF)
    assert take_in(loop.project, place(), REF) == later


def refused(loop, bundle):
    with pytest.raises(BundleRefused) as error:
        take_in(loop.project, bundle, REF)
    assert loop.project.resolve(REF) is None
    return error.value.why


def test_a_bundle_with_a_bit_flipped(loop, place):
    commit(loop)
    bundle = place()
    content = bytearray(bundle.read_bytes())
    content[-40] ^= 1
    bundle.write_bytes(content)
    assert refused(loop, bundle)


def test_an_object_that_fsck_does_not_take(loop, place, tmp_path):
    commit(loop)
    blob = git(loop.worktree, "rev-parse", "HEAD:a.txt")
    entry = b"0100644 a.txt\0" + bytes.fromhex(blob)
    make = ["git", "hash-object", "-t", "tree", "-w", "--stdin", "--literally"]
    made = subprocess.run(make, input=entry, cwd=loop.worktree, check=True, capture_output=True)
    tree = made.stdout.decode().strip()
    head = git(loop.worktree, "commit-tree", tree, "-p", "HEAD", "-m", "bad")
    git(loop.worktree, "update-ref", "HEAD", head)
    assert "zeroPaddedFilemode" in refused(loop, place())


def test_commits_whose_parents_are_not_in_it(loop, place):
    commit(loop)
    first = commit(loop, "second\n")
    bundle = place()
    lone = ["git", "bundle", "create", "-q", str(bundle), "HEAD", f"^{first}^"]
    subprocess.run(lone, cwd=loop.worktree, check=True)
    assert refused(loop, bundle)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"gitdir: /tmp/evil\n",
        b"# v2 git bundle\n",
        b"# v2 git bundle\n\n",
        b"# v2 git bundle\n" + b"0" * 40 + b" HEAD\n\nPACK",
        b"# v2 git bundle\n" + b"\n".join([b"0" * 40 + b" HEAD"] * 2) + b"\n\nPACK",
        b"# v9 git bundle\n" + b"0" * 40 + b" HEAD\n\nPACK",
        b"# v2 git bundle\n" + b"-" * 200_000,
    ],
)
def test_what_is_no_bundle(loop, tmp_path, content):
    bundle = tmp_path / "bundle"
    bundle.write_bytes(content)
    assert refused(loop, bundle)


def test_what_is_no_plain_file(loop, place, tmp_path):
    commit(loop)
    link = tmp_path / "link"
    link.symlink_to(place())
    assert refused(loop, link)
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    assert "no file" in refused(loop, fifo)
    assert "no file" in refused(loop, tmp_path)


def test_one_that_is_too_large(loop, place, monkeypatch):
    commit(loop)
    monkeypatch.setattr(agent_bundle, "LARGEST", 100)
    assert "no file of at most" in refused(loop, place())


def test_a_head_that_is_no_commit(loop, place):
    commit(loop)
    bundle = place()
    blob = git(loop.worktree, "rev-parse", "HEAD:a.txt").encode()
    head = git(loop.worktree, "rev-parse", "HEAD").encode()
    bundle.write_bytes(bundle.read_bytes().replace(head + b" HEAD", blob + b" HEAD", 1))
    assert "no commit" in refused(loop, bundle)
