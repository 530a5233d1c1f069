"""docs/json.md names every field of the documents that are made of values."""

import re
from pathlib import Path

import pytest

from loopctl.domain import evidence, verification

TEXT = (Path(__file__).parents[2] / "docs" / "json.md").read_text()
SECTIONS = dict(re.findall(r"^## `(\w+) NAME --json`\n((?:(?!^## ).*\n?)*)", TEXT, re.MULTILINE))


@pytest.mark.parametrize(
    ("section", "value"),
    [
        *(
            ("show", value)
            for value in (
                evidence.Evidence,
                evidence.Run,
                evidence.LeftRunning,
                evidence.LateWrite,
                evidence.RaisedAlert,
            )
        ),
        *(
            ("verify", value)
            for value in (
                verification.Verification,
                verification.Lookup,
                verification.BaselineAgain,
                verification.JudgedAgain,
            )
        ),
    ],
)
def test_fields(section, value):
    assert set(value.model_fields) <= set(re.findall(r"`(\w+)`", SECTIONS[section]))


@pytest.mark.parametrize(
    ("section", "names"), [("show", evidence.HeldOut), ("verify", verification.Shown)]
)
def test_outcomes(section, names):
    assert all(f"`{name}`" in SECTIONS[section] for name in names)
