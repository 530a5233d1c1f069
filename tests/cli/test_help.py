"""Every ``--help``, and what the program says when it is started on its own."""

import subprocess

import pytest
from invocation import PROGRAM

from loopctl import __version__

COMMANDS = (
    "run",
    "status",
    "cancel",
    "retry-now",
    "list",
    "show",
    "logs",
    "usage",
    "diff",
    "apply",
    "discard",
    "verify",
    "sweep",
    "init",
    "doctor",
)
HIDDEN = ("tool", "mcp-shim")
"""They are for agents."""
HEAVY = ("pydantic_ai", "openai", "anthropic", "google.genai", "mcp", "genai_prices", "httpx")


@pytest.mark.parametrize("command", ["", *COMMANDS, *HIDDEN])
def test_help(command, typed, text_snapshot):
    assert typed(*command.split(), "--help") == text_snapshot


def test_the_list_of_commands_is_complete(typed):
    listed = typed("--help").split("Commands:")[1]
    assert [line.split()[0] for line in listed.splitlines() if line.startswith("  ")][:-1] == [
        *COMMANDS
    ]


def test_version(typed):
    assert typed("--version") == f"exit 0\n--- stdout\nloopctl {__version__}\n--- stderr\n"


def test_as_a_module():
    done = subprocess.run([*PROGRAM, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"loopctl {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "kept_out"),
    [
        (["--version"], {"typer", "pydantic", "sqlalchemy", "asyncio", "git"}),
        (
            ["--help"],
            {"pydantic_settings", "sqlalchemy", "git", "alembic", "loopctl.domain", *HEAVY},
        ),
        (
            ["status"],
            {"pydantic_settings", "git", "alembic", "sqlalchemy.orm", "loopctl.driver", *HEAVY},
        ),
        (["usage", "nobody"], {"pydantic_settings", "git", "alembic", "loopctl.driver", *HEAVY}),
    ],
)
def test_what_is_not_loaded(arguments, kept_out):
    """Start-up time in a form that can be tested: what costs it is not imported."""
    script = (
        "import sys; from loopctl.cli.main import main; main();"
        "print(*sys.modules, sep='\\n', file=sys.stderr)"
    )
    command = [PROGRAM[0], "-c", script, *arguments]
    subprocess.run([*PROGRAM, "status"], capture_output=True, check=True)  # makes the database
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert not kept_out & set(done.stderr.split())
