"""An agent in a sandbox: what it cannot see or reach, what it can, and what comes out of it.

The sandboxes are real ones. As root some of the tests are run once more as an ordinary user.
"""

import json
import os
import signal
import socket
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from harness import World, kill, wait_for
from model_world import ONE_ROUND, USED, scripted, with_model
from ordinary_user import needs_sandbox, run_tests_as_ordinary_user

from loopctl.git.repository import discover
from loopctl.testing.scripted_llm import Call, Turn
from loopctl.workspace.project import project_id

pytestmark = needs_sandbox
PROBE = Path(__file__).with_name("sandbox_probe.py")
SECRETS = {"MY_TOKEN": "abcdefgh-1234", "OTHER_PASSWORD": "ijklmnop-5678"}


@contextmanager
def listening():
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def shell(world: World, script: str) -> str:
    """A command as the agent; its script is the user's own file outside of the checkout."""
    file = world.folder / "agent.sh"
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    return f"cmd:{file}"


def run(world: World, agent: str, *options: str, **how):
    return world.run_loop(options=("--agent", agent, "--sandbox", "bwrap", *options), **how)


def worktree(world: World) -> Path:
    return Path(world.state().workspace)


def everything_belongs_to_us(folder: Path) -> bool:
    return {each.lstat().st_uid for each in (folder, *folder.rglob("*"))} == {os.geteuid()}


def test_what_an_agent_sees_and_what_comes_out(world: World) -> None:
    """One turn of a program that tries everything."""
    world.git("branch", "other")
    world.write("ignored/of-the-user", "x")
    mine = world.folder / "home" / ".ssh" / "id"
    mine.parent.mkdir()
    mine.write_text("secret")
    stranger = world.folder / "tmp" / "stranger"
    stranger.write_text("x")
    hooks = world.repository / ".git" / "hooks" / "post-commit"
    config = world.repository / ".git" / "config"
    objects = world.repository / ".git" / "objects" / "x"
    settings = config.read_bytes()
    home = world.home / "projects" / project_id(discover(world.repository))
    wanted = world.folder / "wanted.json"
    with listening() as port:
        asked = {
            "read": [
                str(path)
                for path in (
                    *(world.home / "loopctl.db", home / "objects.git", mine, stranger),
                    *(world.repository / "answer.txt", world.repository / "ignored"),
                    *(world.repository / ".git" / "HEAD", world.repository / ".git" / "refs"),
                )
            ],
            "write": [str(hooks), str(config), str(objects)],
            "list": [str(home / "worktrees"), "/run", "/var/tmp"],
            "driver": os.getpid(),
            "port": port,
        }
        wanted.write_text(json.dumps(asked))
        agent = f"cmd:{sys.executable} -I -S {PROBE} {wanted}"
        run(world, agent, env=SECRETS).check(0)
    report = json.loads(world.show("loopctl/demo:report.json"))
    assert set(report["read"].values()) == {"FileNotFoundError"}, report["read"]
    assert report["write"][str(objects)] != "done"
    assert not objects.exists()
    assert not hooks.exists()
    assert config.read_bytes() == settings
    assert report["list"] == {str(home / "worktrees"): ["demo"], "/run": [], "/var/tmp": []}
    assert report["git file"] == report["git file moved"] == "OSError"
    assert not any("-m loopctl" in each or "guard.py" in each for each in report["commands"])
    assert len(report["commands"]) <= 3
    assert report["signalled"] == "ProcessLookupError"
    assert report["network"] == "done"
    assert not set(SECRETS) & set(report["names"])
    assert {"LOOPCTL_TOKEN", "LOOPCTL_SOCKET", "PATH"} <= set(report["names"])
    assert report["home"] == world.environment["HOME"]
    assert report["uid"] == (65534 if os.geteuid() == 0 else os.geteuid())
    assert report["capabilities"] == ["CapEff:\t0000000000000000"]
    assert (report["status"], report["branch"]) == ("", "refs/heads/loopctl/demo")
    assert report["commit"] == ""
    assert not (world.folder / "home" / ".mine").exists()
    assert everything_belongs_to_us(worktree(world))


def test_commits_of_the_agent_are_on_the_branch(world: World) -> None:
    agent = shell(
        world, "git commit -q --allow-empty -m one\necho 42 > answer.txt\ngit commit -qam two"
    )
    run(world, agent).check(0)
    log = world.git("log", "--format=%an: %s", "loopctl/demo")
    assert log.splitlines() == ["Ada: two", "Ada: one", "Ada: first"]
    assert world.run_loopctl("apply", "demo").check(0)
    assert world.run_loopctl("discard", "demo", "--yes").check(0)


def test_a_git_folder_that_the_agent_has_spoilt_costs_its_commits_alone(world: World) -> None:
    spoil = 'echo 42 > answer.txt\ngit commit -qam x\nrm -rf "$(git rev-parse --git-dir)/objects"'
    result = run(world, shell(world, spoil)).check(0)
    notes = result.of("snapshot_taken")[0]["snapshot"]["notes"]
    assert any("were not brought out of its sandbox" in note for note in notes), notes
    assert world.git("log", "--format=%s", "loopctl/demo").splitlines()[1:] == ["first"]
    assert world.show("loopctl/demo:answer.txt") == "42"


def test_held_out_files_in_a_folder_of_the_system_are_seen_by_nobody(world: World) -> None:
    """``/etc`` is there in every sandbox; neither the agent nor the code that it has written see
    the folder, which is laid over the checkout in the end."""
    look = "test -z $(ls -A /etc/skel)"
    agent = shell(world, f"{look} && echo 42 > answer.txt")
    holdout = ("--holdout", "/etc/skel", "--holdout-stop", f"{look} && test -e .profile")
    stop = ("--stop", f"{look} && ./check.sh", "--baseline", "skip", "--isolation", "container")
    run(world, agent, *holdout, *stop, "--max-rounds", "1").check(0)


def test_named_keys_a_prompt_file_and_a_folder_of_the_users(world: World) -> None:
    given = world.folder / "given"
    given.mkdir()
    (given / "fact").write_text("a fact\n")
    table = f'[sandbox]\nkeys = ["MY_TOKEN"]\nread = ["{given}"]\n'
    setup = f"touch ~/made; ! touch {given}/x; ! ls {world.home}/loopctl.db"
    world.write("loopctl.toml", f'{table}[workspace]\nsetup = "{setup}"\n')
    script = (
        f'cp "$1" prompt\ncat {given}/fact > fact\ntouch {given}/x\nls ~/made > from-setup\n'
        'printf %s "$MY_TOKEN$OTHER_PASSWORD" | wc -c > length\necho 42 > answer.txt'
    )
    run(world, shell(world, script) + " {prompt_file}", env=SECRETS).check(0)
    assert "set the answer" in world.show("loopctl/demo:prompt")
    assert world.show("loopctl/demo:fact") == "a fact"
    assert world.show("loopctl/demo:length").strip() == str(len(SECRETS["MY_TOKEN"]))
    assert world.show("loopctl/demo:from-setup").endswith("/made")
    assert not (given / "x").exists()


def test_loopctls_tools_are_reached_and_home_is_kept_between_rounds(world: World) -> None:
    concern = json.dumps({"concern": "why 42?", "severity": "low"})
    script = (
        "test ! -e ~/.before || echo 42 > answer.txt\ntouch ~/.before\n"
        f"{sys.executable} -m loopctl tool loop_flag_concern --json '{concern}' > said 2>&1"
    )
    result = run(world, shell(world, script), "--on-concern", "notify-continue").check(0)
    assert world.state().snapshot.round == 2, result.stderr
    assert any("why 42?" in json.dumps(each) for each in result.events)
    assert not (world.folder / "home" / ".before").exists()


def test_what_a_killed_driver_has_left_is_brought_out_by_the_next(world: World) -> None:
    script = (
        "test ! -e again || exit 0\ntouch again\necho 42 > answer.txt\n"
        "git add -A && git commit -qm kept && touch done && sleep 60"
    )
    options = ("--agent", shell(world, script), "--sandbox", "bwrap", "--stop", "exit 1")
    driver = world.start_loop(options=(*options, "--max-rounds", "2"))
    wait_for(lambda: worktree_if_there(world, "done"), "the agent has committed")
    kill(driver)
    world.no_process_left()
    restarted = world.run_loopctl("status", "demo", "--restart", "--json").check(10)
    assert "kept" in world.git("log", "--format=%s", "loopctl/demo").splitlines(), restarted
    assert everything_belongs_to_us(worktree(world))
    assert not list((world.home / "loops").glob("*/agent"))


def worktree_if_there(world: World, name: str) -> bool:
    return any(world.home.glob(f"projects/*/worktrees/demo/{name}"))


def test_cancelling_ends_what_is_in_the_sandbox(world: World) -> None:
    agent = shell(world, "touch begun\nsetsid sleep 60 &\nsleep 60")
    driver = world.start_loop(options=("--agent", agent, "--sandbox", "bwrap"))
    wait_for(lambda: worktree_if_there(world, "begun"), "the agent works")
    os.kill(driver.pid, signal.SIGINT)
    assert driver.wait(20) == 130
    world.no_process_left()
    assert everything_belongs_to_us(worktree(world))


def test_a_submodule_is_a_repository_for_the_agents_git(world: World) -> None:
    part = world.folder / "part"
    part.mkdir()
    (part / "f").write_text("part")
    world.git("init", "-q", "-b", "main", cwd=part)
    world.git("add", "-A", cwd=part)
    named = ("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "of the part")
    world.git(*named, cwd=part)
    world.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(part), "sub")
    world.commit("with a submodule")
    script = (
        "git status --short > seen; git -C sub log --format=%s >> seen; cat sub/f >> seen\n"
        "echo 42 > answer.txt\ngit add -A\ngit commit -qm mine"
    )
    run(world, shell(world, script)).check(0)
    assert world.show("loopctl/demo:seen").splitlines() == ["?? seen", "of the part", "part"]
    assert world.git("log", "-1", "--format=%s", "loopctl/demo") == "mine"


def test_the_built_in_agents_shell_is_in_it_and_works_on_the_same_files(world: World) -> None:
    look = f"ls {world.home}/loopctl.db {world.repository}/answer.txt 2>&1 | grep -c 'No such'"
    command = f"{look} > sub/seen; echo kept > /tmp/kept; echo 4 > sub/answer"
    turns = (
        Turn(calls=(Call("write_file", {"path": "sub/answer", "content": "1\n"}),), usage=USED),
        Turn(calls=(Call("shell", {"command": command}),), usage=USED),
        Turn(calls=(Call("shell", {"command": "cat /tmp/kept > sub/kept"}),), usage=USED),
        *ONE_ROUND,
    )
    with scripted(world, *turns):
        world.run_loop(options=with_model("--sandbox", "bwrap")).check(0)
    found = [world.show(f"loopctl/demo:sub/{name}") for name in ("seen", "answer", "kept")]
    assert found == ["2", "4", "kept"]
    assert everything_belongs_to_us(worktree(world))


@pytest.mark.skipif(os.geteuid() != 0, reason="these tests are run as an ordinary user already")
def test_what_matters_as_an_ordinary_user(tmp_path: Path) -> None:
    run_tests_as_ordinary_user(Path(__file__), tmp_path, "sees or named or built_in")
