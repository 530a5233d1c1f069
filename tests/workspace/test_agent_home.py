"""What a sandboxed agent finds in its HOME, and what is brought back from there."""

import json

import pytest

from loopctl.workspace import agent_home
from loopctl.workspace.agent_home import AgentHome
from loopctl.workspace.vendor_needs import VENDORS, needs_of

LOGIN = {"tokens": {"access": "a", "refresh": "b"}, "expires": 1}


@pytest.fixture
def home(tmp_path):
    """Of a user who has logged in with two programs; the agent uses one of them."""
    user = tmp_path / "user"
    for name, content in {
        ".claude/.credentials.json": json.dumps(LOGIN),
        ".claude/settings.json": "{}",
        ".claude/agents/one.md": "one",
        ".claude/projects/old.jsonl": "a transcript",
        ".claude.json": '{"mcpServers": {}}',
        ".codex/auth.json": "{}",
        ".ssh/id": "secret",
    }.items():
        (user / name).parent.mkdir(parents=True, exist_ok=True)
        (user / name).write_text(content)
    made = AgentHome(tmp_path / "agent" / "home", user, {}, needs_of(["claude", "-p"]))
    assert made.make() == ()
    made.bring_logins()
    return made


def names(folder):
    return {str(each.relative_to(folder)) for each in folder.rglob("*") if each.is_file()}


def login_of(home):
    return home.copy_of(home.home / ".claude/.credentials.json")


def test_it_has_what_the_vendors_program_needs_and_nothing_else(home):
    assert names(home.folder) == {
        *(".claude/.credentials.json", ".claude/settings.json", ".claude/agents/one.md"),
        ".claude.json",
    }


def test_a_renewed_login_is_brought_back_and_told(home):
    renewed = json.dumps({"tokens": {"access": "c", "refresh": "d"}, "expires": 2})
    login_of(home).write_text(renewed)
    assert "brought back" in home.return_logins()[0]
    own = home.home / ".claude/.credentials.json"
    assert own.read_text() == renewed
    assert own.stat().st_mode & 0o777 == 0o600
    assert home.return_logins() == ()


@pytest.mark.parametrize(
    "content",
    ["", "not json", "[]", json.dumps({**LOGIN, "apiKeyHelper": "rm -rf ~"}), "{" * 5000],
)
def test_what_is_no_renewed_login_is_not_brought_back(home, content):
    login_of(home).write_text(content)
    assert "not as a program renews it" in home.return_logins()[0]
    assert json.loads((home.home / ".claude/.credentials.json").read_text()) == LOGIN


def test_a_login_that_the_user_has_renewed_meanwhile_stays(home):
    own = home.home / ".claude/.credentials.json"
    newer = json.dumps({**LOGIN, "expires": 3})
    own.write_text(newer)
    login_of(home).write_text(json.dumps({**LOGIN, "expires": 2}))
    assert home.return_logins() == ()
    assert own.read_text() == newer
    home.bring_logins()
    assert login_of(home).read_text() == newer


def test_links_that_an_agent_has_left_are_not_followed(home, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / ".credentials.json").write_text(json.dumps({**LOGIN, "expires": 9}))
    (home.folder / ".claude").rename(home.folder / "away")
    (home.folder / ".claude").symlink_to(outside)
    assert home.return_logins() == ()
    (home.home / ".claude/.credentials.json").write_text(json.dumps({**LOGIN, "expires": 4}))
    home.bring_logins()
    assert json.loads((outside / ".credentials.json").read_text())["expires"] == 9


def test_settings_that_are_too_large_are_left_out_and_told(home, monkeypatch):
    monkeypatch.setattr(agent_home, "LARGEST_COPY", 1)
    left_out = home.make()
    assert any("too large" in each for each in left_out)


def test_a_folder_that_a_variable_names_is_where_it_is(tmp_path):
    moved = tmp_path / "elsewhere-of-the-user"
    moved.mkdir()
    (moved / ".credentials.json").write_text(json.dumps(LOGIN))
    variables = {"CLAUDE_CONFIG_DIR": str(moved)}
    made = AgentHome(tmp_path / "a" / "home", tmp_path / "user", variables, needs_of(["claude"]))
    made.make()
    made.bring_logins()
    copy = made.elsewhere[moved]
    assert json.loads((copy / ".credentials.json").read_text()) == LOGIN


@pytest.mark.parametrize(
    ("words", "program"),
    [
        (("/opt/x/claude", "-p"), "claude"),
        (("sh", "-c", "codex exec - && true"), "codex"),
        (("npx", "@google/gemini"), "gemini"),
        (("python", "my_claude_clone.py"), None),
    ],
)
def test_vendors_are_known_by_their_programs(words, program):
    found = [each.programs[0] for each in needs_of(words)]
    assert found == ([program] if program else [])


def test_every_entry_of_the_table_is_below_home():
    for vendor in VENDORS:
        for entry in (*vendor.login, *vendor.settings, vendor.folder):
            assert not entry.startswith(("/", "~", ".."))
