"""What of the machine a container shows: what is needed, and never what has to stay hidden."""

import os
from pathlib import Path

import pytest

from loopctl.domain.confinement import ContainerSettings
from loopctl.workspace.container import Container
from loopctl.workspace.visible_toolchains import Hidden, visible_toolchains


@pytest.fixture
def user(tmp_path):
    return User(tmp_path)


class User:
    """A home with a project, loopctl's state, and tools in odd places."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.project = self.home / "project"
        self.state = self.home / ".local" / "state" / "loopctl"
        self.project.mkdir(parents=True)
        self.state.mkdir(parents=True)
        self.hidden = Hidden((self.state,), (self.project,), (self.home,))

    def program(self, path: str, text: str = "#!/bin/sh\n") -> Path:
        file = self.home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(0o755)
        return file

    def environment(self, path: str, base: Path) -> Path:
        folder = self.home / path
        (folder / "bin").mkdir(parents=True)
        (folder / "pyvenv.cfg").write_text(f"home = {base}/bin\nversion = 3.11\n")
        (folder / "bin" / "python").symlink_to(base / "bin" / "python3")
        site = folder / "lib" / "python3.11" / "site-packages"
        site.mkdir(parents=True)
        return site

    def seen(self, *path: str, shell=(), environments=(), **variables):
        variables["PATH"] = os.pathsep.join([*(str(self.home / each) for each in path), "/bin"])
        found = visible_toolchains(variables, shell, environments, self.hidden)
        return {os.path.relpath(each, self.home) for each in found}


def test_an_installation_on_path_is_there_as_a_whole(user):
    user.program("tools/go/bin/go")
    assert user.seen("tools/go/bin") == {"tools/go"}


def test_a_whole_home_is_not(user):
    """Its folder of programs is, and what a program there is a link to."""
    tool = user.program("apps/tool/bin/tool")
    (user.home / "bin").mkdir()
    (user.home / "bin" / "tool").symlink_to(tool)
    (user.home / ".local" / "bin").mkdir(parents=True)
    seen = user.seen("bin", ".local/bin", shell=["tool --check"])
    assert seen == {"bin", ".local/bin", "apps/tool"}


def test_a_folder_of_the_project_is_there_alone(user):
    user.program("project/bin/check")
    assert user.seen("project/bin", "project") == {"project/bin"}


def test_loopctls_own_folders_are_never_there(user):
    user.program(".local/state/loopctl/bin/evil")
    link = user.home / "innocent"
    link.symlink_to(user.state)
    assert user.seen(".local/state/loopctl/bin", GOROOT=str(link)) == set()


def test_an_environment_needs_what_it_was_made_from(user):
    base = user.program("pythons/3.11/bin/python3").parent.parent
    user.environment("venv", base)
    assert user.seen("venv/bin") == {"venv", "pythons/3.11"}


def test_of_a_shared_environment_only_what_is_behind_it(user):
    base = user.program("pythons/3.11/bin/python3").parent.parent
    user.environment("project/.venv", base)
    assert user.seen(environments=[user.project / ".venv"]) == {"pythons/3.11"}


def test_packages_lead_to_other_places(user):
    base = user.program("pythons/3.11/bin/python3").parent.parent
    site = user.environment("venv", base)
    for name in ("sibling/src", "linked", "mapped", "project/src"):
        (user.home / name).mkdir(parents=True)
    lines = [str(user.home / "sibling/src"), str(user.project / "src"), "# no", "import no"]
    (site / "paths.pth").write_text("\n".join(lines))
    (site / "linked").symlink_to(user.home / "linked")
    (site / "__editable___x_finder.py").write_text(f"MAPPING = {{'x': {str(user.home)!r}}}\n")
    (site / "__editable___y_finder.py").write_text(
        f"MAPPING = {{'y': {str(user.home / 'mapped')!r}}}\n"
    )
    seen = user.seen("venv/bin")
    assert seen == {"venv", "pythons/3.11", "sibling/src", "linked", "mapped"}


def test_what_variables_name_is_there(user):
    for name in (".rustup", "lib", "m2", "project/src"):
        (user.home / name).mkdir(parents=True)
    seen = user.seen(
        RUSTUP_HOME=str(user.home / ".rustup"),
        PYTHONPATH=f"{user.home / 'lib'}:relative:/nowhere",
        MAVEN_OPTS=f"-Xmx1g -Dmaven.repo.local={user.home / 'm2'}",
        GOROOT=str(user.home),
    )
    assert seen == {".rustup", "lib", "m2"}


def test_the_interpreter_of_a_script_is_there(user):
    python = user.program("pythons/3.12/bin/python3")
    user.program("scripts/lint", f"#!{python}\n")
    assert user.seen("scripts", shell=["lint src"]) == {"scripts", "pythons/3.12"}


@pytest.mark.skipif(os.geteuid() != 0, reason="nobody else gives up who they are")
def test_a_folder_that_only_root_may_enter_is_opened(user):
    closed = user.program("closed/bin/tool").parent.parent
    (closed / "secret").write_text("")
    closed.chmod(0o700)
    made = Container(ContainerSettings(), visible=(str(closed),))
    confinement = made.around(
        Path("/work"), (), hook=Path("/hook"), home=Path("/home"), tmp=Path("/tmp/x")
    )
    mounts = {mount.path for mount in confinement.mounts}
    assert {str(closed / "bin"), str(closed / "secret")} <= mounts
    assert str(closed) not in mounts
