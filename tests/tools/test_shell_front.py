"""``loopctl tool`` as an agent types it in its shell."""

import io
import json

import pytest
from tools_world import CONCERN, HANDOFF

from loopctl.cli.main import command_line
from loopctl.tools.wire import SOCKET, TOKEN

OUTSIDE = """\
loopctl: this is not an agent session of a loop
  why: LOOPCTL_SOCKET and LOOPCTL_TOKEN are not set
  next: only an agent that loopctl has started can use its tools
"""


@pytest.fixture
def typed(capfd):
    """Types a command in this process; returns exit code and output."""

    def run(*arguments: str) -> tuple[int, str, str]:
        code = command_line(arguments)
        return code, *capfd.readouterr()

    return run


@pytest.fixture
def inside(tmp_path, monkeypatch):
    """Variables of a session whose loop is gone."""
    monkeypatch.setenv(SOCKET, str(tmp_path / "none"))
    monkeypatch.setenv(TOKEN, "x")


def test_a_handoff_is_taken(play):
    async def scene(world):
        taken = await world.run("tool", "loop_handoff", "--json", json.dumps(HANDOFF))
        assert taken == (0, "On record.\n", "")
        (event,) = world.loop.events
        assert event.payload.changes[0].summary == "fixed the sum"

    play(scene)


def test_arguments_on_standard_input(play):
    async def scene(world):
        stdin = json.dumps({**HANDOFF, "notes": "é"}, ensure_ascii=False).encode()
        taken = await world.run("tool", "loop_handoff", "--json", "-", stdin=stdin)
        assert taken == (0, "On record.\n", "")
        assert world.loop.events[0].payload.notes == "é"

    play(scene)


def test_too_much_on_standard_input(typed, inside, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b'"' * 1_100_000)))
    code, out, err = typed("tool", "loop_handoff", "--json", "-")
    assert (code, out) == (2, "")
    assert "the arguments are too long" in err


def test_a_refusal_says_what_would_fit(play):
    async def scene(world):
        code, out, err = await world.run("tool", "loop_flag_concern")
        assert (code, err) == (2, "")
        assert "- concern: Field required\n- severity: Field required\n" in out
        assert json.loads(out.splitlines()[-1])["required"] == [*CONCERN]

    play(scene)


def test_the_tools_of_the_session_are_listed(play):
    async def scene(world):
        code, out, err = await world.run("tool")
        assert (code, err) == (0, "")
        names = [line for line in out.splitlines() if line and not line.startswith(" ")]
        assert names == ["loop_handoff", "loop_flag_concern", "section_read", "review_read"]
        shown = [line for line in out.splitlines() if line.startswith("  --json takes: ")]
        assert "changes" in json.loads(shown[0].removeprefix("  --json takes: "))["properties"]
        world.desk.close("session-1")
        code, out, err = await world.run("tool")
        assert (code, out) == (1, "")
        assert "this agent session is over" in err

    play(scene)


def test_outside_of_a_session(typed, monkeypatch):
    monkeypatch.delenv(SOCKET, raising=False)
    monkeypatch.delenv(TOKEN, raising=False)
    assert typed("tool", "loop_handoff", "--json", "{}") == (2, "", OUTSIDE)
    assert typed("tool") == (2, "", OUTSIDE)
    assert typed("mcp-shim") == (2, "", OUTSIDE)


def test_the_loop_is_gone(typed, inside):
    for arguments in (["loop_handoff"], []):
        code, out, err = typed("tool", *arguments)
        assert (code, out) == (1, "")
        assert err.startswith("loopctl: the loop of this agent session cannot be reached\n  why: ")
        assert "  next: end your turn" in err


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("{", "the arguments are not JSON\n  why: Expecting property name"),
        ("", "the arguments are not JSON"),
        ("[" * 100_000, "the arguments are not JSON"),
        ("[]", "the arguments are not a JSON object\n  why: they are of the type list"),
        (json.dumps({"x": "y" * 1_100_000}), "the arguments are too long"),
    ],
    ids=["half", "nothing", "deep", "a list", "long"],
)
def test_arguments_that_are_none(typed, inside, given, said):
    code, out, err = typed("tool", "loop_handoff", "--json", given)
    assert (code, out) == (2, "")
    assert said in err
    assert "  next: " in err


def test_what_an_agents_command_loads(play):
    """It is typed in the middle of the agent's work: it has to be quick."""
    script = (
        "import sys; from loopctl.cli.main import main; main();"
        "print(*sys.modules, sep='\\n', file=sys.stderr)"
    )

    async def scene(world):
        call = ("tool", "loop_handoff", "--json", json.dumps(HANDOFF))
        _, out, err = await world.run(*call, program=("-c", script))
        assert out == "On record.\n"
        loaded = set(err.split())
        assert "loopctl.tools.session_client" in loaded
        assert not loaded & {"sqlalchemy", "mcp", "git", "asyncio", "loopctl.domain"}

    play(scene)
