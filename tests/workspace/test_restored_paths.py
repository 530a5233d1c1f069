"""Whichever way protected paths were changed, the judged tree has them as in base."""

import shutil

import pytest
from workspace_world import FILES, World, git


@pytest.fixture(autouse=True)
def started(world):
    world.start()


FIXED = "def add(a, b):\n    return a + b\n"
BASE = {path: content.encode() for path, content in FILES.items()}


def judged(world) -> dict[str, str]:
    """Fix the product, take the tree, check that exactly the fix is left; say what was undone."""
    world.write("app.py", FIXED)
    snapshot = world.take()
    assert world.files(snapshot.judged_tree) == BASE | {"app.py": FIXED.encode()}
    return {each.path: each.kind for each in snapshot.restored}


@pytest.mark.parametrize(
    "path",
    ["tests/test_app.py", "tests/golden/out.txt", "check.sh", "Makefile", "tox.ini"],
)
def test_edited(world, path):
    world.write(path, "exit 0\n")
    assert judged(world) == {path: "M"}


def test_skipped_by_a_marker_and_made_unexecutable(world):
    test = FILES["tests/test_app.py"]
    world.write("tests/test_app.py", "import pytest\npytestmark = pytest.mark.skip\n" + test)
    (world.folder / "check.sh").chmod(0o644)
    assert judged(world) == {"tests/test_app.py": "M", "check.sh": "M"}


def test_deleted(world):
    shutil.rmtree(world.folder / "tests")
    (world.folder / "check.sh").unlink()
    assert judged(world) == {
        "tests/test_app.py": "D",
        "tests/golden/out.txt": "D",
        "check.sh": "D",
    }


def test_renamed(world):
    (world.folder / "tests").rename(world.folder / "old_tests")
    undone = judged_with_leftovers(world, {"old_tests/golden/out.txt": b"3\n"})
    assert undone == {
        "tests/test_app.py": "D",
        "tests/golden/out.txt": "D",
        "old_tests/test_app.py": "A",
    }


def judged_with_leftovers(world, leftovers: dict[str, bytes]) -> dict[str, str]:
    snapshot = world.take()
    assert world.files(snapshot.judged_tree) == BASE | leftovers
    return {each.path: each.kind for each in snapshot.restored}


@pytest.mark.parametrize(
    "path",
    [
        "tests/test_more.py",
        "tests/__init__.py",
        "conftest.py",
        "deep/er/conftest.py",
        "pytest.ini",
        "pytest.toml",
        "sitecustomize.py",
        "CONFTEST.PY",
        "Tests/test_app.py",
        "deep/setup.cfg",
    ],
)
def test_added(world, path):
    world.write(path, "[tool:pytest]\naddopts = --co\n")
    assert judged(world) == {path: "A"}


def test_a_test_folder_behind_a_symlink(world, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    shutil.rmtree(world.folder / "tests")
    (world.folder / "tests").symlink_to(tmp_path / "elsewhere")
    assert judged(world) == {
        "tests": "A",
        "tests/test_app.py": "D",
        "tests/golden/out.txt": "D",
    }


def test_a_new_link_that_plays_a_test_folder(world):
    (world.folder / "deep").mkdir()
    (world.folder / "deep" / "tests").symlink_to("..")
    assert judged(world) == {"deep/tests": "A"}


def test_a_nested_repository_that_plays_a_test_folder(world):
    nested = world.folder / "deep" / "tests"
    nested.mkdir(parents=True)
    git(nested, "init", "-q")
    world.write("deep/tests/test_own.py", "pass\n")
    git(nested, "add", "-A")
    git(nested, "commit", "-q", "-m", "own")
    assert judged(world) == {"deep/tests/test_own.py": "A"}


def test_a_twin_whose_accents_are_written_in_another_way(repository, tmp_path):
    (repository / "ge\u0301n").mkdir()
    (repository / "ge\u0301n" / "a.txt").write_text("base\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "accents")
    world = World(repository, tmp_path / "accents", "accents", protect=("g\u00e9n",))
    world.start()
    world.write("g\u00e9n/a.txt", "own\n")
    world.write("ge\u0301n/a.txt", "own\n")
    restored = {each.path: each.kind for each in world.take().restored}
    assert restored == {"g\u00e9n/a.txt": "A", "ge\u0301n/a.txt": "M"}
    world.project.close()


@pytest.mark.parametrize("replacement", ["link", "file"])
def test_the_parent_folder_of_a_script_replaced(repository, tmp_path, replacement):
    (repository / "ci" / "lib").mkdir(parents=True)
    (repository / "ci" / "lib" / "run.sh").write_text("exit 1\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "ci")
    world = World(repository, tmp_path / "ci", "ci", commands=("cd ci && bash lib/run.sh",))
    world.start()
    shutil.rmtree(world.folder / "ci")
    if replacement == "link":
        world.write("own/lib/run.sh", "exit 0\n")
        (world.folder / "ci").symlink_to("own")
    else:
        world.write("ci", "a file\n")
    snapshot = world.take()
    assert {each.path: each.kind for each in snapshot.restored} == {"ci": "A", "ci/lib/run.sh": "D"}
    files = world.files(snapshot.judged_tree)
    assert files["ci/lib/run.sh"] == b"exit 1\n"
    world.project.close()


def test_a_file_replaced_by_a_folder_or_a_link(world):
    for name in ("check.sh", "tox.ini"):
        (world.folder / name).unlink()
    world.write("check.sh/inner", "x")
    (world.folder / "tox.ini").symlink_to("app.py")
    assert judged(world) == {"check.sh": "D", "check.sh/inner": "A", "tox.ini": "T"}


@pytest.mark.parametrize(
    ("path", "content", "kinds"),
    [
        ("pyproject.toml", "[tool.pytest.ini_options]\ntestpaths = 'none'\n", "M"),
        ("pyproject.toml", "[project]\nname = 'app'\n", "M"),
        ("pyproject.toml", "[project\n", "M"),
        ("pyproject.toml", "tool = 3\n", "M"),
        ("pyproject.toml", FILES["pyproject.toml"] + "[tool.coverage.run]\nomit = '*'\n", "M"),
        ("setup.cfg", "[tool:pytest]\naddopts = -k none\n", "M"),
        ("setup.cfg", FILES["setup.cfg"] + "[coverage:run]\nomit = *\n", "M"),
        ("setup.cfg", "no section\n", "M"),
    ],
)
def test_a_manifest_whose_test_settings_differ(world, path, content, kinds):
    world.write(path, content)
    assert judged(world) == {path: kinds}


def test_a_manifest_that_became_a_link(world):
    (world.folder / "pyproject.toml").unlink()
    (world.folder / "pyproject.toml").symlink_to("setup.cfg")
    assert judged(world) == {"pyproject.toml": "T"}


def test_a_manifest_whose_test_settings_are_as_they_were(world):
    for path in ("pyproject.toml", "setup.cfg"):
        world.write(path, FILES[path].replace("name = ", "description = 1\nname = "))
    snapshot = world.take()
    assert (snapshot.restored, snapshot.judged_tree) == ((), snapshot.tree)
    assert len(snapshot.notes) == 2


def test_what_the_user_allows_stays(repository, tmp_path):
    world = World(repository, tmp_path / "open", "open", allow=("tests", "pyproject.toml"))
    world.start()
    world.write("tests/test_app.py", "new\n")
    world.write("pyproject.toml", "[tool.pytest.ini_options]\n")
    world.write("conftest.py", "x\n")
    assert [each.path for each in world.take().restored] == ["conftest.py"]
    world.project.close()


@pytest.mark.parametrize(
    ("command", "path", "content"),
    [
        ("ruff check .", "ruff.toml", "exclude = ['*']"),
        ("python -m mypy app.py", "mypy.ini", "[mypy]\nignore_errors = True"),
        ("uv run mypy app.py", "pyproject.toml", "[tool.mypy]\nignore_errors = true"),
        (".venv/bin/flake8", "setup.cfg", "[flake8]\nexclude = *"),
        ("npx eslint .", "deep/eslint.config.mjs", "export default []"),
        ("ruff check .", ".ignore", "app.py"),
        ("npx vitest run", "vite.config.ts", "export default {}"),
    ],
)
def test_settings_of_a_linter_that_judges(repository, tmp_path, command, path, content):
    for number, commands in enumerate(((command,), ("pytest",))):
        world = World(repository, tmp_path / f"s{number}", f"s{number}", commands=commands)
        try:
            world.start()
            world.write(path, FILES.get(path, "") + content)
            taken = [each.path for each in world.take().restored]
        finally:
            world.project.close()
        assert taken == ([] if number else [path])


@pytest.mark.parametrize(("command", "told"), [("ruff check .", True), ("pytest", False)])
def test_ignore_rules_are_told_where_a_linter_obeys_them(repository, tmp_path, command, told):
    world = World(repository, tmp_path / "s", "s", commands=(command,))
    try:
        world.start()
        world.write(".gitignore", "app.py\n")
        taken = world.take()
    finally:
        world.project.close()
    assert not taken.restored
    assert any("ruff may leave out" in note for note in taken.notes) == told
