"""Terminal output becomes plain text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopctl.process.text import plain_text


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"plain\ttext\n", "plain\ttext\n"),
        (b"\x1b[1;31mred\x1b[0m\x1b[K", "red"),
        (b"\x1b]0;a title\x07after", "after"),
        (b"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        (b"\x1b]0;never ended\nnext", "\nnext"),
        (b"\x1bP1$r0m\x1b\\x", "x"),
        (b"\x1b(B\x1b=\x1b7x", "x"),
        (b"cut \x1b[3", "cut "),
        (b"cut \x1b", "cut "),
        (b" 10%\r 55%\r100%\n", "100%\n"),
        (b"100%\r\nnext\r\n", "100%\nnext\n"),
        (b"spinner \r", "spinner "),
        (b"gone\r   \rleft", "left"),
        (b"N\bNA\bAM\bM", "NAM"),
        (b"|\b/\b-\b\b\b\bx", "x"),
        (b"bell\x07 nul\x00 del\x7f vt\x0b ff\x0c", "bell nul del vt ff"),
        (b"\xff\xfe \xc3\xa4 \xc2\x9b31mx", "\ufffd\ufffd \xe4 x"),
        (b"", ""),
    ],
)
def test_plain_text(data, text):
    assert plain_text(data) == text


@given(st.binary())
def test_no_control_character_is_left(data):
    assert not [
        c for c in plain_text(data) if c not in "\n\t" and (c < " " or "\x7f" <= c < "\xa0")
    ]


@pytest.mark.parametrize("evil", [b"\x1b]", b"\x1b[", b"\b", b"a\b", b"\r", b"\x1b[0;0;"])
def test_no_input_is_slow(evil):
    """Quadratic work would need minutes here; the test's own time-out is the bound."""
    plain_text(evil * 300_000)
