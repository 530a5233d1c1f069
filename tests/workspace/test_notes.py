"""What a user is told of the repository: before an agent works, and after each round."""

from workspace_world import World, git

from loopctl.domain.alert import Harm


def test_uncommitted_work_is_told_before_round_1(repository, tmp_path):
    (repository / "ignored").mkdir()
    (repository / "ignored" / "x").write_text("x\n")
    (repository / "app.py").chmod(0o755)
    git(repository, "config", "core.filemode", "false")
    for number, changes in enumerate(("", "1 not staged, 1 untracked")):
        world = World(repository, tmp_path / f"state-{number}", f"demo-{number}")
        notes = world.start().notes
        assert [changes in note for note in notes] == [True] * bool(changes)
        world.project.close()
        (repository / "app.py").write_text("mine\n")
        (repository / "new").write_text("new\n")


def test_a_stash_that_an_agent_takes_is_told_once_with_the_way_back(world):
    (world.top / "app.py").write_text("the user's own\n")
    git(world.top, "stash")
    entry = git(world.top, "rev-parse", "refs/stash")
    world.start()
    assert world.take().alerts == ()
    git(world.folder, "stash", "pop")
    world.write("new", "1\n")
    git(world.folder, "stash", "-u")
    gone, new = world.take(2).alerts
    assert gone.next_step.endswith(f"stash store {entry}")
    assert "new entry" in new.detail
    assert {gone.harm, new.harm} == {Harm.TOLD}
    assert world.take(3).alerts == ()
