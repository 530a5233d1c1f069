"""Settings are read as git reads them, to the byte, and an entry can be taken out exactly."""

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopctl.git.sentinel.config_file import config_entries, with_entries, without
from loopctl.git.sentinel.config_keys import acts, shown_value

EXAMPLES = [
    "",
    "x = y\n[core]\n\tbare\n",
    "# only a comment\n; another\n",
    "[core]\n\tpager = less\n",
    "[core] pager = less\n",
    "[core]pager=less",
    '[remote "Origin"]\n\turl = x\n\tfetch = +refs/heads/*:refs/remotes/o/*\n',
    '[a "with \\"quotes\\" and \\\\ "]\n\tb = c\n',
    "[a.Sub]\n\tb = c\n",
    '[core]\n\tbare\n\tfilemode = true # said\n\tx = "a # b" ; c\n',
    "[a]\n\tb = one \\\n   two\n\tc = d\n",
    '[a]\n\tb = "  spaced  "  \n\tc =   trailing   \n\td = a\\tb\\nc\n',
    "[a]\r\n\tb = c\r\n",
    "\ufeff[a]\n\tb = c\n",
    "[a]\n\tb = ünïcödé\n",
    '[a]\n\tb =\n\tc = ""\n',
    "[a]\n[b]\n\n\n[a]\n\tx = 1\n\tx = 2\n",
    '[a]\n\tb = x"y z"w\n',
]
BROKEN = ["[a\n", "[a]\n\t= y\n", '[a]\n\tb = "open\n', "[a]\n\t1b = c\n"]


def asked(folder, content):
    """What git says of the file; ``None`` when it cannot read it."""
    file = folder / "config"
    file.write_bytes(content)
    done = subprocess.run(
        ["git", "config", "-z", "-f", str(file), "--list"], capture_output=True, check=False
    )
    if done.returncode:
        return None
    rows = done.stdout.decode("utf-8", "surrogateescape").split("\0")[:-1]
    return [tuple(row.partition("\n")[::2]) for row in rows]


@pytest.mark.parametrize("text", EXAMPLES)
def test_entries_are_those_that_git_sees(tmp_path, text):
    content = text.encode()
    found = config_entries(content)
    assert [each.said for each in found] == asked(tmp_path, content)


@pytest.mark.parametrize("text", BROKEN)
def test_what_git_cannot_read_has_no_entries(tmp_path, text):
    assert asked(tmp_path, text.encode()) is None
    assert config_entries(text.encode()) is None


PIECES = st.sampled_from(
    [
        "[core]",
        '[a "b"]',
        "[x.y]",
        "\n",
        "\t",
        " ",
        "pager",
        "key1",
        "=",
        "v",
        '"',
        "\\",
        "\\n",
        "#",
        ";",
        "\\\n",
        "\r\n",
        "é",
        "a b",
        "]",
        "[",
    ]
)


@settings(max_examples=100, deadline=None)
@given(st.lists(PIECES, max_size=14).map("".join))
def test_what_git_reads_is_read_alike(tmp_path_factory, text):
    expected = asked(tmp_path_factory.getbasetemp(), text.encode())
    found = config_entries(text.encode())
    if expected is not None:  # of what git refuses, more may be read here
        assert found is not None  # git before 2.45 makes a space of a tab inside of a value
        read, asked_for = (
            [(name, value.replace("\t", " ")) for name, value in said]
            for said in ((each.said for each in found), expected)
        )
        assert read == asked_for


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(EXAMPLES[1:]), max_size=3).map("\n".join), st.integers(0, 5))
def test_taking_an_entry_out_and_in_changes_nothing_else(text, number):
    content = text.replace("\ufeff", "").encode()
    entries = config_entries(content)
    if not entries:
        return
    chosen = entries[number % len(entries)]
    less = without(content, [chosen])
    rest = config_entries(less)
    said = [each.said for each in entries]
    said.pop(number % len(entries))
    assert [each.said for each in rest] == said
    again = config_entries(with_entries(less, [chosen], content))
    assert sorted(each.said for each in again) == sorted(each.said for each in entries)


def test_a_hostile_file_takes_no_time():
    for content in (b'[a]\nb = "' + b"\\\\" * 100_000, b"[" + b" " * 200_000, b"[a]\n" * 50_000):
        config_entries(content)


@pytest.mark.parametrize(
    ("name", "value", "acting"),
    [
        ("core.hookspath", "x", True),
        ("diff.Word.textconv", "x", True),
        ("url.git@example.org:.insteadof", "x", True),
        ("remote.origin.url", "https://example.org/x", False),
        ("remote.origin.url", "git@example.org:x", False),
        ("remote.origin.url", "ext::sh -c x", True),
        ("remote.origin.pushurl", "--upload-pack=x", True),
        ("branch.main.remote", "origin", False),
        ("user.email", "x", False),
        ("core.sparsecheckout", "true", False),
        ("extensions.worktreeconfig", "true", False),
        ("submodule.lib.url", "../lib", False),
        ("submodule.lib.update", "!x", True),
    ],
)
def test_what_acts(name, value, acting):
    assert acts(name, value) is acting


def test_values_are_shown_without_what_gives_access():
    assert "hunter2" not in shown_value("remote.o.url", "https://ada:hunter2@example.org/x")
    assert shown_value("http.extraheader", "hunter2") == "(hidden)"
    assert len(shown_value("alias.x", "y" * 5_000)) < 300
