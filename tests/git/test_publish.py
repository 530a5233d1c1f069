import threading

import pytest
from git_world import git, make_loop

from loopctl.git.branch import publish


def do(loop, taken, expected=None):
    return publish(
        loop.user,
        loop.project,
        "loopctl/demo",
        expected=expected or loop.user.head,
        snapshot=taken.commit,
        subject="make the tests pass",
        loop="demo",
    )


def edit(loop, content="two\n"):
    (loop.worktree / "a.txt").write_text(content)
    return loop.take()


def tip(repository):
    return git(repository, "rev-parse", "refs/heads/loopctl/demo")


def test_the_last_tree_becomes_a_commit_that_stands_without_our_repository(loop, repository):
    taken = edit(loop)
    done = do(loop, taken)
    assert (done.commit, done.moved, done.note) == (tip(repository), False, "")
    assert git(repository, "rev-parse", f"{done.commit}^") == loop.user.head
    assert git(repository, "show", f"{done.commit}:a.txt") == "two"
    body = git(repository, "log", "-1", "--format=%an %s%n%(trailers:only)", done.commit)
    assert body.splitlines() == [
        "loopctl make the tests pass",
        "Loopctl-Loop: demo",
        f"Loopctl-Snapshot: {taken.commit}",
    ]
    git(repository, "fsck", "--strict", "--no-dangling")


def test_nothing_to_publish(loop, repository):
    assert do(loop, loop.take()).commit == loop.user.head == tip(repository)


def test_an_interrupted_publication_is_adopted(loop, repository):
    taken = edit(loop)
    first = do(loop, taken)
    again = do(loop, taken)
    assert (again.commit, again.moved) == (first.commit, False)


def test_commits_of_the_agent_are_built_upon(loop, repository):
    (loop.worktree / "a.txt").write_text("agent\n")
    git(loop.worktree, "commit", "-qam", "agent")
    agent = tip(repository)
    same = do(loop, loop.take())
    assert (same.commit, same.moved) == (agent, True)
    done = do(loop, edit(loop, "more\n"))
    assert done.moved
    assert git(repository, "rev-parse", f"{done.commit}^") == agent


@pytest.mark.parametrize("how", ["reset", "delete", "rewrite"])
def test_a_branch_that_was_moved_away_is_left_alone(loop, repository, how):
    first = do(loop, edit(loop))
    taken = edit(loop, "three\n")
    git(loop.worktree, "checkout", "-q", "--detach", "-f")
    if how == "delete":
        git(repository, "branch", "-D", "loopctl/demo")
    elif how == "reset":
        git(repository, "branch", "-f", "loopctl/demo", loop.user.head)
    else:
        other = git(repository, "commit-tree", "-m", "x", f"{first.commit}^{{tree}}")
        git(repository, "update-ref", "refs/heads/loopctl/demo", other)
    refs = git(repository, "for-each-ref")
    done = do(loop, taken, first.commit)
    assert (done.commit, done.moved) == (None, True)
    assert git(repository, "for-each-ref") == refs
    command = done.note.rpartition("the work: ")[2]
    git(repository, *command.split()[1:])
    assert git(repository, "show", "loopctl/demo-snapshot:a.txt") == "three"


def test_a_branch_made_to_stand_for_the_users_is_left_alone(loop, repository):
    taken = edit(loop)
    git(repository, "symbolic-ref", "refs/heads/loopctl/demo", "refs/heads/main")
    before = git(repository, "rev-parse", "main")
    assert do(loop, taken).commit is None
    assert git(repository, "rev-parse", "main") == before


def test_replaced_objects_do_not_deceive(loop, repository):
    (repository / "fake.txt").write_text("fake\n")
    git(repository, "add", "fake.txt")
    git(repository, "commit", "-qm", "fake")
    git(repository, "replace", loop.user.head, "main")
    assert not loop.user.path_in_commit(loop.user.head, "fake.txt")
    assert loop.take().since_base == ()
    done = do(loop, edit(loop))
    assert done.commit == tip(repository)
    raw = git(repository, "--no-replace-objects", "cat-file", "-p", done.commit)
    assert f"parent {loop.user.head}" in raw


def test_a_shallow_clone(repository, tmp_path):
    (repository / "a.txt").write_text("second\n")
    git(repository, "commit", "-qam", "second")
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{repository}", str(shallow))
    loop = make_loop(shallow, tmp_path / "state")
    done = do(loop, edit(loop))
    assert git(shallow, "show", f"{done.commit}:a.txt") == "two"
    git(shallow, "fsck")
    loop.project.close()


def test_a_lock_is_waited_for_and_never_removed(loop, repository):
    taken = edit(loop)
    lock = repository / ".git" / "refs" / "heads" / "loopctl" / "demo.lock"
    index_lock = repository / ".git" / "index.lock"
    lock.touch()
    index_lock.touch()
    threading.Timer(0.4, lock.unlink).start()  # git itself gives up after a tenth of a second
    assert do(loop, taken).commit == tip(repository)
    assert index_lock.exists()
