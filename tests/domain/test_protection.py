"""Which paths are not the agent's to change."""

import pytest

from loopctl.domain.globs import matches_any
from loopctl.domain.presets import MAKE, PYTHON, choose_presets
from loopctl.domain.protection import Protection


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("*.py", "a.py", True),
        ("*.py", "lib/a.py", False),
        ("**/*.py", "a.py", True),
        ("**/*.py", "lib/deep/a.py", True),
        ("lib/**", "lib/deep/a.py", True),
        ("lib/**", "library/a.py", False),
        ("lib/", "lib/deep/a.py", True),
        ("lib/", "lib", False),
        ("./check.sh", "check.sh", True),
        ("/check.sh", "check.sh", True),
        ("check.sh", "lib/check.sh", False),
        ("?.sh", "a.sh", True),
        ("?.sh", "ab.sh", False),
        ("a?b", "a/b", False),
        ("a**b", "a/x/b", True),
        ("a+b(c).py", "a+b(c).py", True),
        ("a.py", "axpy", False),
        ("**/tests/**", "Tests/A.py", True),
        ("**/CONFTEST.py", "x/conftest.PY", True),
        ("**/tests/**", "tests/odd\nname", True),
        ("*.py", "odd\nname.py", True),
        ("*.py", "a.py\n", False),
        ("*.py", "", False),
    ],
)
def test_a_pattern_matches_whole_paths(pattern, path, matches):
    assert matches_any(path, (pattern,)) == matches


def test_any_of_several_patterns_is_enough_and_none_matches_nothing():
    assert matches_any("b", ("a", "b"))
    assert not matches_any("ab", ("a", "b"))
    assert not matches_any("a", ())


def test_what_the_user_opened_is_not_covered():
    protection = Protection(patterns=("tests/**",), allowed=("tests/data/**",))
    assert protection.covers("tests/test_a.py")
    assert not protection.covers("tests/data/a.json")
    assert not protection.covers("lib/a.py")


@pytest.mark.parametrize(
    ("paths", "presets"),
    [
        (["a.py"], (PYTHON,)),
        (["lib/a.py", "Makefile"], (PYTHON, MAKE)),
        (["sub/Makefile"], ()),
        ([], ()),
    ],
)
def test_presets_are_chosen_by_what_the_base_holds(paths, presets):
    assert choose_presets(paths) == presets


@pytest.mark.parametrize(
    "path", ["test_a.py", "lib/a_test.py", "tests/x", "pkg/test/x.json", "conftest.py", "tox.ini"]
)
def test_the_python_preset_covers_test_files(path):
    assert matches_any(path, PYTHON.patterns)
    assert not matches_any("lib/protest.py", PYTHON.patterns)
