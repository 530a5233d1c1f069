"""How the words of a command are read, and what is refused before anything starts."""

import pytest

from loopctl.agents.command_line import parse_command
from loopctl.errors import UsageError


def parse(command, folder, is_tracked=lambda _: False):
    return parse_command(command, folder, is_tracked)


def test_no_shell_reads_the_words(tmp_path):
    words = parse("agent '$HOME; `id`' a\\ b | cat > x", tmp_path)
    assert words == ("agent", "$HOME; `id`", "a b", "|", "cat", ">", "x")


def test_a_program_with_a_slash_belongs_to_the_folder(tmp_path):
    assert parse("./agent", tmp_path) == (str(tmp_path / "agent"),)
    assert parse("bin/agent", tmp_path) == (str(tmp_path / "bin" / "agent"),)
    assert parse("/usr/bin/agent", tmp_path) == ("/usr/bin/agent",)


def test_a_bare_program_is_left_to_path_even_when_the_folder_has_one(tmp_path):
    (tmp_path / "agent").touch()
    assert parse("agent", tmp_path) == ("agent",)


def test_files_that_no_worktree_holds_are_made_absolute(tmp_path):
    (tmp_path / "tools").mkdir()
    for name in ("mine.py", "theirs.py", "tools/mine.py"):
        (tmp_path / name).touch()
    words = parse(
        "python mine.py theirs.py tools/mine.py tools missing.py ''",
        tmp_path,
        is_tracked=lambda path: path == "theirs.py",
    )
    assert words == (
        "python",
        str(tmp_path / "mine.py"),
        "theirs.py",
        str(tmp_path / "tools" / "mine.py"),
        "tools",
        "missing.py",
        "",
    )


def test_an_argument_may_be_longer_than_a_file_name(tmp_path):
    script = "x" * 100_000
    assert parse(f"sh -c {script}", tmp_path) == ("sh", "-c", script)


@pytest.mark.parametrize(
    ("command", "message", "why"),
    [
        ("", "cannot be read", "it is empty"),
        ("  ", "cannot be read", "it is empty"),
        ("agent 'x", "cannot be read", "No closing quotation"),
        ("agent \\", "cannot be read", "No escaped character"),
        ("''", "was not found: (empty)", "it is in no folder of PATH"),
        ("no-such-program", "was not found: no-such-program", "it is in no folder of PATH"),
        ("A=1 sh", "was not found: A=1", "no shell reads it"),
        ("./missing", "missing", "there is no such file"),
        ("./plain", "cannot be executed", "no permission"),
        ("./folder", "was not found", "there is no such file"),
    ],
)
def test_what_cannot_be_used_is_refused_with_the_way_out(place, command, message, why):
    (place.folder / "plain").touch(mode=0o644)
    (place.folder / "folder").mkdir()
    agent = place.agent(command, tools=None)
    with pytest.raises(UsageError) as caught:
        agent.check()
    assert message in caught.value.message
    assert why in caught.value.why
    assert caught.value.next_step


def test_what_can_be_used_is_not_refused(place):
    (place.folder / "agent").touch(mode=0o755)
    for command in ("sh -c true", "./agent --now", "/bin/sh"):
        place.agent(command, tools=None).check()


def test_a_command_agent_cannot_say_what_it_costs(place):
    agent = place.agent("sh", tools=None)
    assert (agent.reports_cost, agent.reports_tokens) == (False, False)
