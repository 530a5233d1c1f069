"""A7: the user's repository: where a loop starts, what it leaves alone, where the work is."""

import pytest
from harness import SOLVE, World, kill, wait_for


def test_a7_2_the_base_is_head_and_not_the_default_branch(world: World) -> None:
    world.git("checkout", "-q", "-b", "feat")
    world.write("feature", "1\n")
    head = world.commit("on feat")
    world.run_loop([SOLVE]).check(0)
    assert world.git("merge-base", "loopctl/demo", "feat") == head
    assert world.show("loopctl/demo:feature") == "1"


def test_a7_6_a_repository_without_a_commit(world: World) -> None:
    empty = world.folder / "empty"
    empty.mkdir()
    world.git("init", "-q", cwd=empty)
    refused = world.run_loop([SOLVE], cwd=empty).check(2)
    assert "git commit" in refused.stderr
    assert world.calls() == []


def test_no_repository_and_a_bare_one(world: World) -> None:
    plain, bare = world.folder / "plain", world.folder / "bare"
    plain.mkdir()
    world.git("clone", "-q", "--bare", str(world.repository), str(bare), cwd=plain)
    for folder, way_out in ((plain, "git init"), (bare, "worktree add")):
        refused = world.run_loop([SOLVE], cwd=folder).check(2)
        assert way_out in refused.stderr
    assert world.calls() == []


def test_a7_7_a_detached_head(world: World) -> None:
    world.git("checkout", "-q", "--detach")
    head = world.git("rev-parse", "HEAD")
    result = world.run_loop([SOLVE]).check(0)
    assert world.git("rev-parse", "HEAD") == head
    assert world.git("rev-parse", "--abbrev-ref", "HEAD") == "HEAD"
    assert world.git("rev-parse", "loopctl/demo~1") == head
    assert "git merge loopctl/demo" in result.stderr


@pytest.mark.parametrize("end", ["finished", "cancelled", "killed"])
def test_a7_11_the_checkout_is_left_as_it_is(world: World, end: str) -> None:
    """Staged, unstaged, untracked, ignored and stashed work is byte-identical afterwards."""
    world.write("calc.py", "stashed\n")
    world.git("stash")
    world.write("staged", "1\n")
    world.git("add", "staged")
    world.write("calc.py", "unstaged\n")
    world.write("untracked", "1\n")
    world.write("ignored/file", "1\n")
    world.git("branch", "mine")
    before = world.fingerprint()
    if end == "finished":
        world.run_loop([SOLVE]).check(0)
    else:
        there = world.folder / "there"
        driver = world.start_loop([SOLVE, {"run": f"touch {there}; sleep 600"}])
        wait_for(there.exists, "the agent works")
        if end == "killed":
            kill(driver)
        world.run_loopctl("cancel", "demo").check(0)
        driver.wait(30)
    assert world.fingerprint() == before
    assert world.show("loopctl/demo:answer.txt") == "42"


@pytest.mark.parametrize(
    "command",
    [
        "git checkout -q -b other",
        "git checkout -q --detach",
        "git reset -q --hard HEAD~1",
        "git commit -q --allow-empty -m mine",
    ],
)
def test_a7_14_the_agent_moves_its_branch(world: World, command: str) -> None:
    """The tree is judged as it is; what moved is reported; nothing of the user is moved."""
    world.write("second", "1\n")
    world.commit("second")
    before = world.fingerprint()
    result = world.run_loop([{"run": command}, SOLVE]).check(0)
    assert (
        world.fingerprint().items()
        >= {key: value for key, value in before.items() if key != "refs"}.items()
    )
    assert world.git("rev-parse", "main") == world.git("rev-parse", "HEAD")
    (published,) = result.of("work_published")
    kept = published["published"]["commit"]
    if kept:
        assert world.show(f"{kept}:answer.txt") == "42"
    else:
        assert published["published"]["moved"]
        assert published["published"]["note"] in result.stderr or "note" in result.stderr


def test_a7_16_the_end_says_where_the_work_is(world: World) -> None:
    result = world.run_loop([SOLVE]).check(0)
    status = world.run_loopctl("status", "demo").check(0).stdout
    base = world.git("rev-parse", "HEAD")
    commit = world.git("rev-parse", "loopctl/demo")
    for text in (result.stderr, status):
        assert "loopctl/demo" in text
        assert str(result.ended["worktree"]) in text
        assert commit[:7] in text
        assert f"git diff {base[:7]}" in text
        assert "git merge loopctl/demo" in text


def test_a7_20_secrets_and_huge_files_are_left_out(world: World) -> None:
    turn = [
        {"write": [".env", "TOKEN=1\n"]},
        {"write": ["id_rsa", "-----BEGIN OPENSSH PRIVATE KEY-----\n"]},
        {"run": "truncate -s 200M huge.bin"},
        SOLVE,
    ]
    result = world.run_loop(turn).check(0)
    held = world.git("ls-tree", "-r", "--name-only", "loopctl/demo").split()
    assert "answer.txt" in held
    assert not {".env", "id_rsa", "huge.bin"} & set(held)
    (taken,) = result.of("snapshot_taken")
    assert {left["path"] for left in taken["snapshot"]["left_out"]} == {
        ".env",
        "id_rsa",
        "huge.bin",
    }


def test_a7_23_hooks_do_not_stop_a_loop(world: World) -> None:
    """A commit hook that always fails stops the agent's own commits, never loopctl's."""
    hook = world.repository / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {world.folder}/ran\nexit 1\n")
    hook.chmod(0o755)
    world.run_loop([SOLVE]).check(0)
    assert not (world.folder / "ran").exists()
    world.run_loop([SOLVE, {"run": "git commit -q -a -m mine"}]).check(0)
    assert (world.folder / "ran").exists()


def test_a8_7_a_new_file_is_part_of_the_difference(world: World) -> None:
    result = world.run_loop([{"write": ["brand-new", "1\n"]}], options=("--max-rounds", "1"))
    (taken,) = result.check(10).of("snapshot_taken")
    assert [change["path"] for change in taken["snapshot"]["changes"]] == ["brand-new"]
    assert "brand-new" in world.run_loopctl("show", "demo", "--round", "1").check(0).stdout
    assert world.show("loopctl/demo:brand-new") == "1"


def test_from_a_folder_below_the_top(world: World) -> None:
    """Agent and commands run where they were typed, and their own files are protected there."""
    part = world.repository / "parts" / "a"
    part.mkdir(parents=True)
    (part / "check.sh").write_text("#!/bin/sh\ngrep -qx 42 answer.txt\n")
    (part / "answer.txt").write_text("0\n")
    (part / "agent.sh").write_text(
        "#!/bin/sh\ncat > /dev/null\necho 42 > answer.txt\necho true > check.sh\n"
    )
    for script in ("check.sh", "agent.sh"):
        (part / script).chmod(0o755)
    world.commit("a part")
    result = world.run_loop(options=("--agent", "cmd:./agent.sh"), cwd=part).check(0)
    assert world.show("loopctl/demo:parts/a/answer.txt") == "42"
    assert world.show("loopctl/demo:answer.txt") == "0"
    (taken,) = result.of("snapshot_taken")
    assert [each["path"] for each in taken["snapshot"]["restored"]] == ["parts/a/check.sh"]


def test_a_working_folder_that_the_agent_removes(world: World) -> None:
    """The work fails, even by a command that finds nothing wrong in an empty folder."""
    world.write("parts/a/todo", "TODO\n")
    world.write("loopctl.toml", 'cwd = "parts/a"\n')
    world.commit("a part")
    turns = ([{"run": "git rm -q -r ."}], [{"write": ["parts/a/done", "1\n"]}])
    result = world.run_loop(*turns, options=("--stop", "! grep -r TODO .")).check(0)
    judged = result.of("evaluator_finished")
    assert [each["report"]["criteria"][0]["verdict"] for each in judged] == ["FAIL", "FAIL", "PASS"]
    assert "no folder parts/a" in judged[1]["report"]["criteria"][0]["evidence"][0]


def test_a_working_folder_has_to_be_committed(world: World) -> None:
    (world.repository / "new").mkdir()
    for place, said in (("new", "base commit has no such folder"), (str(world.folder), "outside")):
        refused = world.run_loop([SOLVE], options=("--cwd", place)).check(2)
        assert said in refused.stderr
        assert f"--cwd {world.repository}" in refused.stderr


def test_a_link_in_the_place_of_the_working_folder_is_not_followed(world: World) -> None:
    """It could lead the next turn into the user's own checkout."""
    world.write("parts/a/todo", "TODO\n")
    world.write("loopctl.toml", 'cwd = "parts/a"\n')
    world.commit("a part")
    before = world.fingerprint()
    away = f'rm -r "$PWD" && ln -s {world.repository}/parts/a "$PWD"'
    turns = ([{"run": away}], [{"write": ["todo", "here\n"]}])
    options = ("--stop", "! grep -r TODO .", "--max-rounds", "2")
    world.run_loop(*turns, options=options).check(10)
    assert world.fingerprint() == before
    assert world.show("loopctl/demo:todo") == "here"
