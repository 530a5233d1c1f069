"""What is mounted where, and over what."""

from dataclasses import replace
from pathlib import Path

from loopctl.workspace.agent_variables import sandbox_variables, withheld
from loopctl.workspace.agent_view import AgentFolders, AgentView, make_point

KEY = "abcdefgh12345678"


def view(tmp_path, **how):
    folders = AgentFolders(tmp_path / "agent")
    for each in (folders.root, folders.home, folders.temporary, folders.clone, folders.outbox):
        each.mkdir()
    folders.git_file.touch()
    worktree = tmp_path / "state" / "worktree"
    worktree.mkdir(parents=True)
    (worktree / ".git").touch()
    return AgentView(folders, home=tmp_path, worktree=worktree, objects=(), **how)


def test_of_loopctls_folders_the_worktree_alone_can_be_written_under_its_name(tmp_path):
    made = view(tmp_path, readable=(Path("/usr/local"),))
    confinement = made.confinement()
    written = {each.path: each.source for each in confinement.mounts if each.writable}
    assert written == {
        "/tmp": str(made.folders.temporary),
        str(tmp_path): str(made.folders.home),
        str(made.worktree): "",
        str(made.folders.clone): "",
    }
    assert confinement.network
    last = [each.path for each in confinement.mounts].index(str(made.worktree / ".git"))
    assert not confinement.mounts[last].writable


def test_homes_and_temporary_files_lie_in_each_other_as_outside(tmp_path):
    """The folder for tests is below /tmp, and so is HOME here."""
    made = view(tmp_path)
    paths = [each.path for each in made.confinement().mounts]
    assert paths.index("/tmp") < paths.index(str(tmp_path))
    assert (made.folders.home / "state" / "worktree" / ".git").is_file()


def test_the_bundle_is_made_where_nothing_can_be_changed_but_the_outbox(tmp_path):
    made = view(tmp_path, writable=(Path("/srv"),))
    confinement = made.bundling()
    assert not confinement.network
    assert [each.path for each in confinement.mounts if each.writable] == [str(made.folders.outbox)]
    assert str(made.worktree) not in [each.path for each in confinement.mounts]


def test_a_point_is_made_over_whatever_an_agent_has_left_there(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    root = tmp_path / "private"
    root.mkdir()
    (root / "a").symlink_to(outside)
    (root / "b").write_text("a file where a folder is wanted")
    (root / "c").mkdir()
    (root / "c" / "inner").mkdir()
    make_point(root, Path("a/b/c"), is_folder=True)
    make_point(root, Path("b/file"), is_folder=False)
    make_point(root, Path("c/inner"), is_folder=False)
    assert list(outside.iterdir()) == []
    assert (root / "a/b/c").is_dir()
    assert not (root / "a").is_symlink()
    assert (root / "b/file").is_file()
    assert (root / "c/inner").is_file()


def test_secrets_are_withheld_unless_they_are_named():
    environment = {"A_KEY": KEY, "MY_TOKEN": KEY, "PATH": "/bin", "LOOPCTL_TOKEN": KEY}
    assert withheld(environment, ("A_KEY",)) == ("MY_TOKEN",)
    passed = sandbox_variables(environment, ("A_KEY",), Path("/home/ada"))
    assert set(passed) == {"A_KEY", "PATH", "LOOPCTL_TOKEN", "HOME", "TMPDIR"}


def test_variables_that_lead_out_or_to_what_is_not_there_are_dropped():
    environment = {
        "SSH_AUTH_SOCK": "/tmp/agent",
        "DOCKER_HOST": "tcp://localhost:2375",
        "XDG_CONFIG_HOME": "/srv/config",
        "XDG_CACHE_HOME": "/home/ada/.cache",
        "TMPDIR": "/home/ada/tmp",
        "LANG": "C",
    }
    assert sandbox_variables(environment, (), Path("/home/ada")) == {
        "XDG_CACHE_HOME": "/home/ada/.cache",
        "LANG": "C",
        "HOME": "/home/ada",
        "TMPDIR": "/tmp",
    }


def test_mounts_have_absolute_paths(tmp_path):
    for mount in view(tmp_path).confinement("/tmp/socket").mounts:
        assert Path(mount.path).is_absolute()


def test_a_project_in_a_folder_of_the_system_is_covered(tmp_path):
    """Programs see all of ``/usr``; a covered folder holds what is mounted in it alone."""
    project = Path("/usr/share/doc")
    objects = project / ".git" / "objects"
    made = view(tmp_path, hidden=(project, project / ".git", tmp_path / "state"))
    made = replace(made, objects=(objects,), readable=(Path("/usr/share"),))
    for confinement in (made.confinement(), made.bundling()):
        assert confinement.hidden == (str(project),)
        assert str(objects) in [each.path for each in confinement.mounts]
