"""What a setup has read of its checkout, as the file system tells it."""

import dataclasses
import subprocess

import pytest

from loopctl.git.change import Entry
from loopctl.workspace.setup_inputs import ReadWatch, SetupInputs, records_reads

TREE = {
    "package.json": Entry("100644", "1"),
    "src/native.c": Entry("100644", "2"),
    "src/app/main.js": Entry("100644", "3"),
    "docs/guide.md": Entry("100644", "4"),
    "link": Entry("120000", "5"),
}


@pytest.fixture
def checkout(tmp_path):
    folder = tmp_path / "work"
    for path in TREE:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        if path != "link":
            (folder / path).write_text("text\n")
    (folder / "link").symlink_to("docs/guide.md")
    return folder


def watched(folder, command, *, is_recorded=True):
    watch = ReadWatch(folder, TREE, is_recorded=is_recorded)
    subprocess.run(command, shell=True, cwd=folder, check=True)
    return watch.inputs()


@pytest.mark.parametrize(
    ("command", "files", "folders"),
    [
        ("true", (), ()),
        ("cat package.json; test -f src/native.c; echo > src/made", ("package.json",), ()),
        ("cat src/native.c; touch -a -d @0 src/native.c", ("src/native.c",), ()),
        ("echo more >> docs/guide.md", ("docs/guide.md",), ()),
        ("cp src/native.c made; cat src/native.c", ("src/native.c",), ()),
        ("ls src", (), ("src",)),
        ("cat link", ("docs/guide.md", "link"), ()),
        ("mv docs/guide.md made", ("docs/guide.md",), ()),
        ("mv src/app made", ("src/app/main.js",), ("src/app",)),
        ("ln src/native.c made", ("src/native.c",), ()),
    ],
)
def test_what_was_read_listed_or_touched_is_an_input(checkout, command, files, folders):
    assert watched(checkout, command) == SetupInputs(files, folders)


def test_files_keep_the_time_of_their_last_change(checkout):
    before = (checkout / "package.json").stat().st_mtime_ns
    watched(checkout, "true")
    assert (checkout / "package.json").stat().st_mtime_ns == before


def test_what_the_checkout_never_had_was_not_read(checkout):
    subprocess.run(["rm", "-r", "docs"], cwd=checkout, check=True)
    assert watched(checkout, "ls src/app") == SetupInputs((), ("src/app",))


def test_the_pin_of_a_submodule_is_always_an_input(checkout):
    (checkout / "vendor").mkdir()
    entries = TREE | {"vendor": Entry("160000", "6")}
    assert ReadWatch(checkout, entries, is_recorded=True).inputs() == SetupInputs(("vendor",), ())


def test_where_reads_are_not_recorded_everything_was_read(checkout):
    """As on a file system that is mounted with noatime."""
    inputs = watched(checkout, "true", is_recorded=False)
    assert inputs == SetupInputs()
    assert inputs.state(TREE) != inputs.state(TREE | {"new": Entry("100644", "6")})


def test_whether_reads_are_recorded_is_tried_and_leaves_nothing(tmp_path):
    place = tmp_path / "place"
    place.mkdir()
    assert records_reads(place)
    assert list(place.iterdir()) == []


@pytest.mark.parametrize(
    ("path", "is_input"),
    [("src/native.c", True), ("src/app/main.js", False), ("package.json", False)],
)
def test_the_state_follows_the_content_of_what_was_read(path, is_input):
    inputs = SetupInputs(("src/native.c",), ())
    before = inputs.state(TREE)
    for entry in (Entry("100644", "9"), dataclasses.replace(TREE[path], mode="100755"), None):
        tree = {name: each for name, each in TREE.items() if name != path}
        tree |= {path: entry} if entry else {}
        assert (inputs.state(tree) != before) is is_input


@pytest.mark.parametrize(
    ("path", "is_seen"),
    [("src/new.c", True), ("src/deep/er/new.c", True), ("src/app/new.js", False), ("new", False)],
)
def test_the_state_follows_the_names_in_what_was_listed(path, is_seen):
    inputs = SetupInputs((), ("src",))
    changed = inputs.state(TREE | {path: Entry("100644", "9")}) != inputs.state(TREE)
    assert changed is is_seen
