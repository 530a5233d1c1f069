"""What toolchains outside of the system consist of, and what is never one."""

import os
from pathlib import Path

import pytest

from loopctl.workspace.toolchain_roots import ToolchainRoots, outermost


def program(path: Path, text: str = "#!/bin/sh\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.fixture
def home(tmp_path):
    made = tmp_path / "ada"
    made.mkdir()
    return made


def roots(home, *path, **how):
    environment = {"HOME": str(home), "PATH": os.pathsep.join(map(str, path))}
    hidden = (home / ".local/state/loopctl",)
    return ToolchainRoots(environment, hidden, checkout=home / "project", **how)


def test_an_installation_is_taken_as_a_whole(home):
    program(home / ".nvm/versions/node/v20/bin/node")
    assert roots(home, home / ".nvm/versions/node/v20/bin").of_path() == (
        home / ".nvm",
        home / ".nvm/versions/node/v20",
    )


@pytest.mark.parametrize("place", [".local/bin", ".cargo/bin", "bin", "go/bin"])
def test_of_a_folder_with_more_than_programs_the_programs_alone(home, place):
    program(home / place / "tool")
    assert roots(home, home / place).of_path() == (home / place,)


def test_an_environment_comes_with_the_interpreter_that_it_was_made_from(home):
    base = program(home / ".pythons/3.12/bin/python3")
    venv = home / "venvs/tools"
    program(venv / "bin/tool")
    (venv / "pyvenv.cfg").write_text(f"home = {base.parent}\nversion = 3.12\n")
    assert roots(home, venv / "bin").of_path() == (home / ".pythons/3.12", venv)


def test_a_link_comes_with_what_it_leads_to(home):
    (home / ".local/bin").mkdir(parents=True)
    package = program(home / ".local/lib/node_modules/agent/cli.js")
    single = program(home / ".local/share/agent/versions/1.0")
    (home / ".local/bin/agent").symlink_to(package)
    (home / ".local/bin/other").symlink_to(single)
    assert roots(home, home / ".local/bin").of_path() == (
        home / ".local/bin",
        home / ".local/lib/node_modules",
        single,
    )


def test_of_the_users_checkout_environments_alone(home):
    program(home / "project/bin/tool")
    program(home / "project/.venv/bin/python")
    (home / "project/.venv/pyvenv.cfg").write_text("home = /usr/bin\n")
    program(home / "project/node_modules/.bin/jest")
    path = (home / "project" / each for each in ("bin", ".venv/bin", "node_modules/.bin"))
    assert roots(home, *path).of_path() == (home / "project/.venv", home / "project/node_modules")


def test_system_folders_and_what_is_visible_are_there_anyway(home):
    worktree = home / "worktree"
    program(worktree / ".venv/bin/python")
    found = roots(home, "/usr/bin", "relative", worktree / ".venv/bin", visible=(worktree,))
    assert found.of_path() == ()


def test_the_agents_own_program_comes_with_its_interpreter(home):
    interpreter = program(home / "pythons/3.12/bin/python3")
    script = program(home / "project/agent.py", f"#!{interpreter}\n")
    found = roots(home).of_programs([str(script), "--option", "/nowhere"])
    assert set(found) == {script, interpreter, home / "pythons/3.12"}


def test_scripts_that_interpret_each_other_come_to_an_end(home):
    one = program(home / "a/one", f"#!{home}/a/two\n")
    two = program(home / "a/two", f"#!{home}/a/one\n")
    assert roots(home).of_programs([str(one)]) == (one, two)


def test_what_lies_in_another_root_is_not_mounted_again():
    paths = map(Path, ("/a/b", "/a", "/c/d", "/a/b/c"))
    assert outermost(paths) == (Path("/a"), Path("/c/d"))
