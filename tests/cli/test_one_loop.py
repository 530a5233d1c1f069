"""A real loop of two rounds: what it shows while it runs, and what can be read of it afterwards."""

import json
import os
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from invocation import GIT, PROGRAM, filtered

from loopctl.cli.loop_list import list_table
from loopctl.cli.stored import open_stored
from loopctl.store.loops import list_loops

AGENT = "cmd:sh -c 'if grep -q one a.txt; then echo two; else echo one; fi >>a.txt; echo done'"
RUN = ("run", "write two lines\n", "--stop", "grep -q two a.txt", "--agent", AGENT)
NAME = "write-two-lines"
READERS = {
    "status": ("status",),
    "status NAME": ("status", NAME),
    "list": ("list",),
    "list --all": ("list", "--all"),
    "show": ("show", NAME),
    "show --round 0": ("show", NAME, "--round", "0"),
    "show --round 1": ("show", NAME, "--round", "1"),
    "show --round 9": ("show", NAME, "--round", "9"),
    "logs": ("logs", NAME),
    "cancel": ("cancel", NAME),
}


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A folder with a repository and a state folder in which the loop has run, and its output."""
    folder = tmp_path_factory.mktemp("world")
    repository = folder / "here"
    repository.mkdir()
    (repository / "a.txt").write_text("zero\n")
    for arguments in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "base"]):
        subprocess.run([*GIT, *arguments], cwd=repository, check=True)
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith("LOOPCTL_")},
        "LOOPCTL_HOME": str(folder / "home"),
        "HOME": str(folder),
        "PYTHONPATH": str(Path(__file__).parents[2]),
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
    }
    done = subprocess.run(
        [*PROGRAM, *RUN, "--json"],
        cwd=repository,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return folder, done


@pytest.fixture
def inside(world, monkeypatch) -> Path:
    folder, _ = world
    monkeypatch.setenv("LOOPCTL_HOME", str(folder / "home"))
    monkeypatch.chdir(folder / "here")
    return folder


def test_what_people_see(world, text_snapshot):
    folder, done = world
    assert done.returncode == 0, done.stderr
    assert filtered(done.stderr, str(folder)) == text_snapshot


def test_what_programs_see(world):
    _, done = world
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert {event["schema"] for event in events} == {"loopctl.event/1"}
    assert {event["loop"] for event in events} == {NAME}
    last = events[-1]
    assert (last["event"], last["data"]["exit_code"]) == ("loop_ended", 0)
    assert Path(last["data"]["worktree"], "a.txt").read_text() == "zero\none\ntwo\n"


def test_the_step_summary(world):
    folder, _ = world
    assert "goal met" in (folder / "summary.md").read_text()


@pytest.mark.parametrize("command", READERS)
def test_what_can_be_read_afterwards(command, inside, typed, text_snapshot):
    text, *_ = filtered(typed(*READERS[command]), str(inside)).partition("\nprompt:\n")
    # Where a program is, is another matter on every machine.
    assert re.sub(r"(?m)^program   grep: .*\n", "", text) == text_snapshot


def test_the_prompt_is_shown(inside, typed):
    text = typed("show", NAME, "--round", "2")
    assert "\n  write two lines\n" in text


@pytest.mark.parametrize(
    ("arguments", "schema", "fields"),
    [
        (("list",), "loopctl.list/1", {"loops"}),
        (("status",), "loopctl.list/1", {"loops"}),
        (("status", NAME), "loopctl.status/1", {"name", "status", "spent", "budget", "ledger"}),
        (("show", NAME), "loopctl.show/1", {"loop", "rounds", "logs"}),
    ],
)
def test_documents(arguments, schema, fields, inside, typed):
    text = typed(*arguments, "--json")
    code, _, rest = text.partition("\n--- stdout\n")
    document = json.loads(rest.partition("--- stderr\n")[0])
    assert (code, document["schema"]) == ("exit 0", schema)
    assert fields <= document.keys()


def test_what_is_unknown_is_null_in_json(inside, typed):
    text = typed("status", NAME, "--json").splitlines()[2]
    spent = json.loads(text)["spent"]
    assert (spent["usd"], spent["known_usd"], spent["unknown_turns"]) == (None, 0.0, 2)


def test_the_log_is_what_was_seen(world, inside, typed):
    _, done = world
    live = [json.loads(line) for line in done.stdout.splitlines()]
    stored = typed("logs", NAME, "--json").splitlines()[2:-1]
    assert [json.loads(line)["event"] for line in stored] == [event["event"] for event in live]


def test_a_completed_loop_is_not_restarted(inside, tmp_path, typed, monkeypatch):
    shutil.copytree(inside / "home", tmp_path / "home")
    monkeypatch.setenv("LOOPCTL_HOME", str(tmp_path / "home"))
    before = typed("logs", NAME, "--json")
    text = typed("status", NAME, "--restart")
    assert text.startswith(
        f"exit 2\n--- stdout\n--- stderr\nloopctl: the loop {NAME} is completed\n"
    )
    assert "there is nothing to go on with" in text
    assert typed("logs", NAME, "--json") == before


def test_loops_of_several_projects_say_where_they_are(inside):
    with open_stored(os.environ) as stored:
        (loop,) = list_loops(stored.database)
    other = replace(loop, project="other", repository="/srv/other")
    assert list_table([loop], {}).split()[:2] == ["NAME", "STATUS"]
    head, first, second = list_table([loop, other], {}).splitlines()
    assert head.split()[:3] == ["NAME", "IN", "STATUS"]
    assert first.split()[:2] == [NAME, str(inside / "here")]
    assert second.split()[:3] == [NAME, "/srv/other", "completed"]


def test_from_somewhere_else(inside, nowhere, typed, monkeypatch):
    monkeypatch.chdir(nowhere)
    assert typed("status", NAME).startswith("exit 0\n")
    assert typed("list").startswith("exit 0\n--- stdout\nNAME ")
