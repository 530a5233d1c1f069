"""Globs: what they match, and that none of them takes long."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopctl.domain.globs import as_regex, matches_any

LONG = "a" * 200
DEEP = "a/" * 500 + "a"


@pytest.mark.parametrize(
    ("pattern", "matched", "others"),
    [
        ("*.py", ("a.py", ".py", "A.PY"), ("b/a.py", "a.pyc")),
        ("**/*.py", ("a.py", "b/c/a.py"), ("a.pyc", "b.py/c")),
        ("src/**/test_*.py", ("src/test_a.py", "src/b/c/test_.py"), ("test_a.py", "src/b/a.py")),
        ("**/tests/**", ("tests/a", "b/tests/c/d"), ("tests", "btests/c")),
        ("a/", ("a/b", "a/b/c"), ("a", "b/a/c")),
        ("a?c", ("abc",), ("ac", "a/c", "abbc")),
        ("*a*b", ("ab", "xaayb", "abab"), ("ba", "a/b", "abc")),
        ("**a*b/c", ("x/ab/c", "aab/c", "a/xab/c"), ("ab/d", "a/b/c")),
        ("**/a*/**/b*c", ("a/bc", "x/ay/z/bxc"), ("a", "bc", "a/b/c")),
        ("/a/./b", ("a/./b",), ("a/b",)),
        ("a**/b", ("a/b", "ax/y/b"), ("ab",)),
        ("[a].+", ("[a].+",), ("a", "[a]xx")),
        ("caf\u00e9/*", ("cafe\u0301/a", "CAF\u00c9/a", "caf\u00e9/a"), ("cafe/a",)),
    ],
)
def test_what_matches(pattern, matched, others):
    assert [path for path in matched if not matches_any(path, (pattern,))] == []
    assert [path for path in others if matches_any(path, (pattern,))] == []


@pytest.mark.parametrize(
    "pattern", ["*a" * 30 + "b", "**/" * 30 + "b", "**a" * 30 + "b", "**/*a" * 9]
)
@pytest.mark.parametrize("path", [LONG, DEEP])
def test_no_glob_takes_long(pattern, path):
    began = time.monotonic()
    matches_any(f"{path}c", (pattern,))
    assert time.monotonic() - began < 1


def _tried_out(pattern: str) -> str:
    """The glob as an expression that tries everything."""
    signs = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    tokens = re.findall(r"(?<![^/])\*\*/|\*\*+|\*|\?|.", pattern)
    return "".join(
        signs.get(token, ".*" if "**" in token else re.escape(token)) for token in tokens
    )


@given(
    st.lists(st.sampled_from(["**/", "**", "*", "?", "a", "b", "/"]), max_size=7).map("".join),
    st.text("ab/", max_size=9),
)
def test_the_first_place_is_as_good_as_any(pattern, path):
    glob = f"b{pattern}a"
    expected = re.fullmatch(_tried_out(glob), path) is not None
    assert (re.fullmatch(as_regex(glob), path) is not None) == expected
