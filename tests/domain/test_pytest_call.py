"""Which command lines are plain pytest calls, and what becomes of them."""

import shlex
import subprocess

import pytest

from loopctl.domain.pytest_call import plain_call

PLAIN = [
    ("pytest", "pytest", False),
    ("pytest -q tests", "pytest", False),
    ("  pytest -k 'a and (b or c)'", "pytest", False),
    ("py.test", "py.test", False),
    (".venv/bin/pytest -x", ".venv/bin/pytest", False),
    ("python -m pytest", "python", True),
    ("python3.11 -B -X dev -m pytest -q", "python3.11", True),
    ("python -Wdefault -m pytest", "python", True),
    (".venv/bin/python -m pytest tests/unit", ".venv/bin/python", True),
    ("PYTHONPATH=src CI=1 python -m pytest", "python", True),
    ("uv run pytest -q", "", False),
    ("poetry run python -m pytest", "", True),
    ("coverage run -m pytest", "", False),
    ("python -m coverage run --branch -m pytest -q", "", True),
    ('pytest "$HOME"', "pytest", False),
    ("pytest -- tests", "pytest", False),
]
OTHERS = [
    "make test",
    "pytest-3 -q",
    "pytestx",
    "echo pytest",
    "pytest && true",
    "pytest; true",
    "pytest | tail",
    "pytest &",
    "pytest > log",
    "pytest $(cat args)",
    "pytest `cat args`",
    "(pytest)",
    "pytest\nmake lint",
    "cd sub && pytest",
    "pytest 'unclosed",
    "pytest # comment",
    "pytest -p no:junitxml",
    "pytest -pno:junitxml",
    "pytest --junitxml=$OUT/x.xml",
    "tox",
    "",
]


@pytest.mark.parametrize(("command", "program", "is_module"), PLAIN)
def test_a_plain_call_is_recognised(command, program, is_module):
    call = plain_call(command)
    assert call is not None
    assert (call.program, call.is_module, call.results) == (program, is_module, "")


@pytest.mark.parametrize("command", OTHERS)
def test_anything_else_is_left_alone(command):
    assert plain_call(command) is None


@pytest.mark.parametrize(("command", "_program", "_is_module"), PLAIN)
def test_options_stand_right_behind_the_word(command, _program, _is_module):
    """Without them it is the user's text; with them a shell sees the same words and theirs."""
    call = plain_call(command)
    assert call.with_options() == command
    added = call.with_options("--junitxml=/a b/c.xml", "-pxdist")
    before, after = command[: call.end], command[call.end :]
    assert shlex.split(added) == [
        *shlex.split(before),
        "--junitxml=/a b/c.xml",
        "-pxdist",
        *shlex.split(after),
    ]


def test_a_shell_agrees_on_what_was_added():
    added = plain_call("pytest -k 'a b'").with_options("--junitxml=/it's/c.xml")
    shown = subprocess.run(
        ["/bin/sh", "-c", "pytest() { printf '%s\\n' \"$@\"; }; " + added],
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stdout.splitlines() == ["--junitxml=/it's/c.xml", "-k", "a b"]


@pytest.mark.parametrize(
    ("command", "results"),
    [
        ("pytest --junitxml=out/r.xml", "out/r.xml"),
        ("pytest --junit-xml out/r.xml -q", "out/r.xml"),
        ("pytest --junitxml=a.xml --junitxml=b.xml", "b.xml"),
    ],
)
def test_the_users_own_file_is_found(command, results):
    assert plain_call(command).results == results
