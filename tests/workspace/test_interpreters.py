"""Interpreters are found by where they lie, without starting one."""

from pathlib import Path

import pytest
from editable_world import Environment

from loopctl.workspace.interpreters import Commands, interpreters, site_folders


@pytest.fixture
def environment(tmp_path) -> Environment:
    return Environment(tmp_path / "venv")


def sites(variables: dict[str, str], folder: Path, *shell: str, scripts=()) -> tuple[Path, ...]:
    found = site_folders(variables, Commands(shell, scripts), folder)
    return tuple(each for each in found if each.is_relative_to(folder))


def test_on_path_active_or_named(tmp_path, environment):
    named = environment.folder.relative_to(tmp_path)
    for variables, shell, scripts in (
        ({"PATH": str(environment.bin)}, (), ()),
        ({"PATH": "/bin", "VIRTUAL_ENV": str(environment.folder)}, (), ()),
        ({"CONDA_PREFIX": str(environment.folder)}, (), ()),
        ({}, (f"{environment.python} -m pytest",), ()),
        ({}, (f"cd . && {named}/bin/pytest",), ()),
        ({}, ("make",), (f"test:\n\t{named}/bin/python -m pytest\n",)),
    ):
        assert sites(variables, tmp_path, *shell, scripts=scripts) == (environment.site,)
    spaced = Environment(tmp_path / "my own")
    assert sites({}, tmp_path, f"'{spaced.python}' -m pytest") == (spaced.site,)
    assert sites({"PATH": "/bin", "HOME": str(tmp_path)}, tmp_path, "pytest") == ()


@pytest.mark.parametrize("name", ["pytest", "runs-it"])
def test_a_script_on_path_names_its_interpreter(tmp_path, environment, name):
    """As pipx and user installs do; a long path stands in the second line."""
    tools = tmp_path / "tools"
    tools.mkdir()
    head = f"#!/bin/sh\n'''exec' \"{environment.python}\" \"$0\" \"$@\"\n' '''\n"
    (tools / name).write_text(head)
    (tools / name).chmod(0o755)
    assert sites({"PATH": str(tools)}, tmp_path, "runs-it --quick") == (environment.site,)


def test_version_managers_links_and_the_users_own_packages(tmp_path, environment):
    manager = Environment(tmp_path / "manager" / "versions" / "3.11.7")
    (tmp_path / "manager" / "shims").mkdir()
    linked = tmp_path / "local" / "bin"
    linked.mkdir(parents=True)
    (linked / "python3").symlink_to(environment.bin / "python-real")
    (environment.bin / "python-real").write_text("")
    own = tmp_path / "home" / ".local" / "lib" / "python3.11" / "site-packages"
    own.mkdir(parents=True)
    variables = {"PATH": f"{tmp_path}/manager/shims:{linked}", "HOME": str(tmp_path / "home")}
    assert sites(variables, tmp_path) == (manager.site, environment.site, own)


@pytest.mark.parametrize("system_packages", [True, False])
def test_a_virtual_environment_may_see_its_base(tmp_path, system_packages):
    venv = Environment(tmp_path / "venv", system_packages=system_packages)
    base = Environment(tmp_path / "base")
    settings = venv.folder / "pyvenv.cfg"
    lines = settings.read_text().splitlines()[1:]
    settings.write_text("\n".join([f"home = {base.bin}", *lines]))
    expected = (venv.site, base.site) if system_packages else (venv.site,)
    assert sites({"PATH": str(venv.bin)}, tmp_path) == expected


def test_the_interpreters_that_are_most_likely_started(tmp_path, environment):
    other = Environment(tmp_path / "other")
    variables = {"PATH": str(environment.bin)}
    commands = Commands((f"{other.python} -m pytest",))
    found = interpreters(variables, commands, tmp_path)
    assert [Path(each).parent for each in found] == [environment.bin, other.bin]
    assert interpreters({"PATH": str(tmp_path)}, Commands(), tmp_path) == ()
