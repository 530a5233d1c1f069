"""The generated papers are what the program says, and a stale one is noticed."""

import importlib.util
import sys
from pathlib import Path

import pytest

from loopctl.domain.step import Step
from loopctl.errors import ExitCode

ROOT = Path(__file__).parents[2]
spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
generate = importlib.util.module_from_spec(spec)
spec.loader.exec_module(generate)

README = """Before.
<!-- exit-codes -->
old
<!-- end -->
Between.
<!-- help: loopctl cancel -->
<!-- end -->
After.
"""


def run(monkeypatch, root, *options):
    monkeypatch.setattr(sys, "argv", ["generate.py", *options])
    return generate.main(root)


def test_the_diagram_in_the_docs_is_the_machine():
    assert (ROOT / "docs" / "machine.md").read_text() == generate.machine()


def test_every_step_is_in_the_diagram():
    diagram = generate.machine().split("```")[1]
    assert {step for step in Step if f" {step} -->" in diagram} == set(Step)
    assert "    prompt --> deferred: turn_ended" in diagram
    assert "    ending --> [*]: work_published, effect_failed" in diagram


def test_every_exit_code_has_its_meaning():
    assert set(generate.MEANINGS) == set(ExitCode)
    assert "| 143 | cancelled by SIGTERM |" in generate.exit_codes()


def test_only_marked_blocks_are_filled():
    text = generate.readme(README, lambda command: f"help of {command}\n")
    assert text == (
        "Before.\n<!-- exit-codes -->\n"
        + generate.exit_codes()
        + "<!-- end -->\nBetween.\n<!-- help: loopctl cancel -->\n"
        "help of loopctl cancel\n<!-- end -->\nAfter.\n"
    )


def test_a_stale_paper_fails_the_check_until_it_is_written(tmp_path, monkeypatch, capsys):
    (tmp_path / "docs").mkdir()
    (tmp_path / "README.md").write_text(README)
    assert run(monkeypatch, tmp_path, "--check") == 1
    assert capsys.readouterr().err == (
        "docs/machine.md is out of date; type: make docs\n"
        "docs/cheats.md is out of date; type: make docs\n"
        "README.md is out of date; type: make docs\n"
    )
    assert (tmp_path / "README.md").read_text() == README
    assert run(monkeypatch, tmp_path) == 0
    assert run(monkeypatch, tmp_path, "--check") == 0
    assert "Usage: loopctl cancel" in (tmp_path / "README.md").read_text()


@pytest.mark.parametrize("option", ["--chekc", "extra"])
def test_an_unknown_option_is_refused(option, monkeypatch, tmp_path):
    with pytest.raises(SystemExit):
        run(monkeypatch, tmp_path, option)
