"""What is seen of a repository, its checkout and the machine before anything is suggested."""

import os

import pytest
from workspace_world import git

from loopctl.git.project_repository import ProjectRepository
from loopctl.git.repository import discover
from loopctl.workspace.folder_size import size_of
from loopctl.workspace.survey import survey


@pytest.fixture
def look(repository, tmp_path):
    """Commits files and surveys the repository."""
    opened = []

    def run(files, **environment):
        for name, content in files.items():
            (repository / name).parent.mkdir(parents=True, exist_ok=True)
            (repository / name).write_text(content)
        git(repository, "add", "-A")
        git(repository, "commit", "-q", "--allow-empty", "-m", "files")
        user = discover(repository)
        opened.append(ProjectRepository.open_or_create(tmp_path / "project.git", user))
        return survey(user, opened[-1], {"PATH": os.environ["PATH"], **environment})

    yield run
    for project in opened:
        project.close()


def test_uncommitted_changes_are_not_seen(look, repository, tmp_path):
    look({"package.json": "committed"})
    (repository / "package.json").write_text("changed")
    (repository / "new.py").write_text("")
    user = discover(repository)
    project = ProjectRepository.open_or_create(tmp_path / "other.git", user)
    found = survey(user, project, {})
    project.close()
    assert (found.texts["package.json"], "new.py" in found.paths) == ("committed", False)


def test_manifests_are_read_near_the_root(look):
    found = look({"a/b/setup.py": "x", "a/b/c/setup.py": "x", "requirements/dev.txt": "y"})
    assert "a/b/setup.py" in found.texts
    assert "a/b/c/setup.py" not in found.texts
    assert found.texts["requirements/dev.txt"] == "y"
    assert "app.py" not in found.texts


def test_what_git_would_ignore(look, repository):
    files = {".gitignore": "/.venv/\nnode_modules\n", "web/package.json": "{}"}
    found = look(files)
    assert found.ignorable == {".venv", "node_modules", "web/node_modules"}


def test_environments_are_found_whoever_ignores_them(look, repository):
    for name, ignores in (("venv", False), (".venv", True), ("ignored/x", False)):
        (repository / name).mkdir(parents=True)
        (repository / name / "pyvenv.cfg").write_text("")
        if ignores:
            (repository / name / ".gitignore").write_text("*\n")
    found = look({".gitignore": "venv/\nignored/\n"})
    assert set(found.environments) == {"venv", ".venv"}
    assert set(found.ignored) == {"venv", ".venv", "ignored"}


def test_settings_are_found_at_the_root(look, repository):
    look({".gitignore": ".env\n*.log\nignored/\n"})
    for name in (".env", "a.log", "ignored/.env", "tests/.env"):
        (repository / name).parent.mkdir(exist_ok=True)
        (repository / name).write_text("")
    assert look({}).settings == (".env",)


@pytest.mark.parametrize(
    ("test", "of_pytest", "of_unittest"),
    [
        ("import pytest\n", True, False),
        ("from app import add\ndef test_add():\n    assert add\n", True, False),
        ("async def test_add():\n    pass\n", True, False),
        ("import unittest\nclass A(unittest.TestCase):\n    def test_a(self): ...\n", False, True),
        ("from django.test import TestCase\n", False, True),
        ("# import pytest\nimport x\n", False, False),
    ],
)
def test_what_tests_are_written_for(test, of_pytest, of_unittest, look):
    found = look({"tests/test_app.py": test})
    assert (found.has_pytest_tests, found.has_unittest_tests) == (of_pytest, of_unittest)


def test_active_environments(look, repository, tmp_path):
    assert look({}).active_environment == ""
    assert look({}, VIRTUAL_ENV=str(tmp_path / "e")).active_environment == str(tmp_path / "e")
    assert look({}, CONDA_PREFIX="/opt/conda").active_environment == "/opt/conda"
    assert look({}, VIRTUAL_ENV=str(repository / ".venv")).active_environment == ""
    assert look({}, VIRTUAL_ENV="relative").active_environment == ""


def test_programs_are_those_on_path(look, tmp_path):
    program = tmp_path / "bin" / "cargo"
    program.parent.mkdir()
    program.write_text("")
    program.chmod(0o755)
    assert look({}, PATH=str(program.parent)).programs == {"cargo"}


def test_names_that_no_configuration_could_hold_are_left_out(look, repository):
    (repository / os.fsdecode(b"caf\xe9.py")).write_text("")
    (repository / "new\nline.py").write_text("")
    assert {path for path in look({}).paths if "caf" in path or "new" in path} == set()


def test_the_size_of_a_folder(tmp_path):
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "c").write_bytes(b"x" * 1000)
    (tmp_path / "a" / "loop").symlink_to(tmp_path / "a")
    assert size_of(tmp_path / "a").files == 2
    assert size_of(tmp_path / "a" / "b" / "c") == (1, 1000)
    assert size_of(tmp_path / "gone") == (0, 0)
