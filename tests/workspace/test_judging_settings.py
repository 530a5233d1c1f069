"""Which changes of a manifest are changes of its test settings."""

import pytest

from loopctl.workspace.judging_settings import judging_settings


@pytest.mark.parametrize(
    ("name", "before", "after", "same"),
    [
        ("package.json", '{"scripts": {"test": "jest"}}', '{"scripts": {"test": "true"}}', False),
        ("package.json", '{"scripts": {"test": "a"}}', '{"scripts": {"pretest": "b"}}', False),
        ("package.json", '{"jest": {"bail": 1}}', '{"jest": {"passWithNoTests": true}}', False),
        ("package.json", '{"scripts": {"build": "a"}}', '{"dependencies": {"b": "1"}}', True),
        (
            "Cargo.toml",
            "[package]\nversion='1'",
            "[package]\nversion='2'\n[dependencies]\na='1'",
            True,
        ),
        ("Cargo.toml", "[lib]\nname='a'", "[lib]\nname='a'\ntest=false", False),
        ("Cargo.toml", "", "[package]\nautotests=false", False),
        ("Cargo.toml", "[[test]]\nname='a'", "[[test]]\nname='b'", False),
        ("Cargo.toml", "", "[patch.crates-io]\na={path='b'}", False),
        (
            "composer.json",
            '{"scripts": {"test": "phpunit"}}',
            '{"scripts": {"test": "true"}}',
            False,
        ),
        ("composer.json", "{}", '{"require": {"a/b": "1"}}', True),
        ("pyproject.toml", "[project]\nname='a'", "[project]\nname='b'", True),
        ("pyproject.toml", "", "[tool.pytest.ini_options]\naddopts='-k none'", False),
        ("setup.cfg", "[metadata]\nname=a", "[tool:pytest]\naddopts=-k none", False),
    ],
)
def test_settings_are_compared_apart_from_the_rest(name, before, after, same):
    settings = [judging_settings(name, text.encode()) for text in (before, after)]
    assert None not in settings
    assert (settings[0] == settings[1]) == same


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("package.json", b"[1, 2]"),
        ("package.json", b'{"scripts": [1]}'),
        ("package.json", b"\xff"),
        ("Cargo.toml", b"lib = 1"),
        ("Cargo.toml", b"["),
        ("composer.json", b"{" * 100_000),
        ("other.toml", b""),
    ],
)
def test_what_cannot_be_read_equals_nothing(name, content):
    assert judging_settings(name, content) is None
