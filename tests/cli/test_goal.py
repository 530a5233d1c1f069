"""The goal reaches the loop byte for byte, wherever it is read from."""

import io
import sys

import pytest

from loopctl.cli.goal import read_goal
from loopctl.errors import UsageError

TEXT = '- fix `x`; $HOME "quoted" \\n\n\n  ä 漢 \t\n'


def test_an_argument_is_taken_as_it_is():
    assert read_goal(TEXT) == TEXT


def test_a_file(nowhere):
    (nowhere / "goal.md").write_bytes(TEXT.encode())
    assert read_goal("@goal.md") == TEXT


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))
    assert read_goal("-") == TEXT


def test_what_is_not_utf8(nowhere):
    (nowhere / "goal.md").write_bytes(b"\xff")
    with pytest.raises(UsageError, match="not valid UTF-8"):
        read_goal("@goal.md")
