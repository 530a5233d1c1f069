"""Signs in the tree that is judged, from the agent's files to the snapshot."""

import pytest
from workspace_world import git

from loopctl.domain.sign import SHOWN_SIGNS, Sign, SignKind
from loopctl.git.project_repository import ProjectRepository
from loopctl.workspace import sign_reader

EXIT = "import os\nos._exit(0)\n"


@pytest.fixture(autouse=True)
def started(world):
    world.start()


def places(snapshot) -> list[tuple[str, str, int]]:
    return [(sign.kind.value, sign.path, sign.line) for sign in snapshot.signs]


def test_signs_of_the_product(world):
    world.write("app.py", "class Sum(int):\n    def __eq__(self, other):\n        return True\n")
    assert world.take().signs == (
        Sign(
            kind=SignKind.COMPARES_ALWAYS,
            path="app.py",
            line=2,
            text="def __eq__(self, other): return True",
        ),
    )


def test_honest_work_has_none(world):
    world.write("app.py", "def add(a, b):\n    return a + b\n")
    snapshot = world.take()
    assert (snapshot.signs, snapshot.notes) == ((), ())


def test_a_table_of_the_tests_at_base(world):
    """The agent's own copy of the tests is not what they are compared with."""
    world.write("app.py", "def add(a, b):\n    return {(1, 2): 3, (4, 5): 9}[a, b]\n")
    assert places(world.take()) == []
    git(world.top, "checkout", "-q", "main")
    (world.top / "tests" / "test_more.py").write_text(
        "def test_more():\n    assert add(4, 5) == 9\n    assert add(1, 2) == 3\n"
    )
    git(world.top, "add", "-A")
    git(world.top, "commit", "-q", "-m", "more tests")
    tip = git(world.top, "rev-parse", "HEAD")
    reader = sign_reader.SignReader(world.project, world.spec.protection, tip)
    taken = world.project.diff(world.base, world.take(2).judged_tree)
    signs, notes = reader.find(taken)
    assert [(sign.kind.value, sign.path, sign.line) for sign in signs] == [
        ("shares-literals", "app.py", 2)
    ]
    assert notes == ()


def test_protected_files_are_no_product(world):
    world.write("tests/test_new.py", "import pytest\n")
    world.write("conftest.py", "import pytest\n")
    world.write("tests/test_app.py", "import pytest\n")
    assert world.take().signs == ()


def test_files_of_other_types_and_links_are_not_read(world):
    world.write("notes.txt", "import pytest\n")
    world.write("elsewhere.txt", EXIT)
    (world.folder / "link.py").symlink_to("elsewhere.txt")
    assert world.take().signs == ()


def test_only_what_is_new_since_base_counts_in_every_round(world):
    world.write("app.py", EXIT)
    first = world.take(1)
    world.write("app.py", f"# moved\n{EXIT}")
    second = world.take(2, first)
    world.write("app.py", "def add(a, b):\n    return a + b\n")
    third = world.take(3, second)
    assert [places(each) for each in (first, second, third)] == [
        [("exits", "app.py", 2)],
        [("exits", "app.py", 3)],
        [],
    ]


def test_what_cannot_be_read_is_told(world):
    world.write("app.py", "def add(a, b:\n")
    world.write("new.py", "\0")
    told = "signs were not looked for, it is no source that can be read: app.py, new.py"
    assert world.take().notes == (told,)


def test_a_big_file_is_told_and_not_read(world):
    world.write("app.py", EXIT + "#" * sign_reader.MOST_BYTES)
    world.write("new.py", EXIT)
    snapshot = world.take()
    assert places(snapshot) == [("exits", "new.py", 2)]
    assert snapshot.notes == ("signs were not looked for, it is too much to read: app.py",)


def test_many_files_are_told(world):
    for number in range(sign_reader.MOST_FILES + 2):
        world.write(f"pkg/m{number:03}.py", EXIT)
    snapshot = world.take()
    assert len(snapshot.signs) == SHOWN_SIGNS
    hidden = sign_reader.MOST_FILES - SHOWN_SIGNS
    assert f"{hidden} more signs of code that could deceive tests are not listed" in snapshot.notes
    told = "signs were not looked for, it is too much to read: pkg/m300.py, pkg/m301.py"
    assert told in snapshot.notes


def test_much_text_is_told_once_and_read_in_the_next_round(world, monkeypatch):
    monkeypatch.setattr(sign_reader, "_MOST_BYTES_A_ROUND", 150)
    world.write("a.py", EXIT + "#" * 100)
    world.write("b.py", EXIT + "#" * 101)
    first = world.take(1)
    second = world.take(2, first)
    assert places(first) == [("exits", "a.py", 2)]
    assert first.notes == ("signs were not looked for, it is too much to read: b.py",)
    assert places(second) == [("exits", "a.py", 2), ("exits", "b.py", 2)]
    assert second.notes == ()


def test_a_content_is_read_once(world, monkeypatch):
    read = []
    plain = ProjectRepository.read
    world.write("app.py", EXIT)
    first = world.take(1)
    blob = world.project.entries(first.tree)["app.py"].blob

    def counted(self, name):
        read.append(name)
        return plain(self, name)

    monkeypatch.setattr(ProjectRepository, "read", counted)
    world.write("other.txt", "x\n")
    second = world.take(2, first)
    assert places(second) == places(first)
    assert blob not in read


def test_whatever_goes_wrong_is_a_note(world, monkeypatch):
    def broken(*_args):
        raise RuntimeError("no memory left")

    monkeypatch.setattr(sign_reader, "examine", broken)
    world.write("app.py", EXIT)
    snapshot = world.take()
    assert snapshot.signs == ()
    assert snapshot.notes == (
        "signs of code that could deceive tests were not looked for: RuntimeError: no memory left",
    )


def test_paths_that_are_no_text(world):
    (world.folder / "caf\udce9.py").write_text(EXIT)
    assert places(world.take()) == [("exits", "caf\\xe9.py", 2)]
