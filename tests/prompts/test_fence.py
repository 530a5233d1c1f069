"""Nothing that is written inside a fence can end it."""

from hypothesis import given
from hypothesis import strategies as st

from loopctl.prompts import fence as fence_module
from loopctl.prompts.fence import fence


@given(st.text())
def test_the_text_is_unchanged_and_the_marker_is_not_in_it(text):
    begin, *_, end = (fenced := fence("evidence", text)).split("\n")
    assert begin.startswith("BEGIN evidence ")
    marker = begin.split()[-1]
    assert end == f"END evidence {marker}"
    assert marker not in text
    assert fenced == f"{begin}\n{text}\n{end}"
    assert fence("evidence", text) == fenced


def test_a_fence_inside_a_fence_has_another_marker():
    inner = fence("evidence", "text")
    outer = fence("evidence", inner)
    assert outer.splitlines()[0] not in inner


def test_a_text_that_holds_its_own_marker_gets_another_one(monkeypatch):
    monkeypatch.setattr(fence_module, "MARKER_DIGITS", 1)  # short enough to be guessed
    digits = "0123456789abcde"
    assert fence("evidence", digits) == f"BEGIN evidence f\n{digits}\nEND evidence f"
