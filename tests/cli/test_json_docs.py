"""docs/json.md names every event and every field that can appear in the output."""

import re
from pathlib import Path
from typing import get_args

import pytest

from loopctl.domain import stop
from loopctl.domain.agent_session import TurnResult
from loopctl.domain.criteria import EvaluatorReport, Judgement
from loopctl.domain.handoff import Handoff
from loopctl.domain.snapshot import Snapshot
from loopctl.domain.usage import Usage
from loopctl.observe.fact import KINDS

TEXT = (Path(__file__).parents[2] / "docs" / "json.md").read_text()
SECTIONS = dict(re.findall(r"^### (.+)\n((?:(?!^##).*\n?)*)", TEXT, re.MULTILINE))


@pytest.mark.parametrize(
    ("section", "model"),
    [
        *KINDS.items(),
        ("turn", TurnResult),
        ("turn", Usage),
        ("snapshot", Snapshot),
        ("report", EvaluatorReport),
        ("report", Judgement),
    ],
)
def test_fields(section, model):
    named = set(re.findall(r"`(\w+)`", SECTIONS[section]))
    assert set(model.model_fields) - {"kind", "at", "mono", "order"} <= named


@pytest.mark.parametrize("payload", get_args(Handoff))
def test_handoffs(payload):
    kind = payload.model_fields["kind"].default
    row = next(line for line in SECTIONS["handoff"].splitlines() if line.startswith(f"| `{kind}`"))
    assert set(payload.model_fields) - {"kind"} <= set(re.findall(r"`(\w+)`", row))


@pytest.mark.parametrize("condition", get_args(get_args(stop.StopCondition)[0]))
def test_stop_conditions(condition):
    kind = condition.model_fields["kind"].default
    row = next(
        line for line in SECTIONS["stop condition"].splitlines() if line.startswith(f"| `{kind}`")
    )
    assert set(condition.model_fields) - {"kind"} <= set(re.findall(r"`(\w+)`", row))


def test_no_event_is_invented():
    shapes = {"turn", "snapshot", "report", "handoff", "stop condition"}
    assert set(SECTIONS) == KINDS.keys() | shapes


@pytest.mark.parametrize("names", [stop.CapScope, stop.StuckPattern, stop.ErrorReason])
def test_reasons(names):
    assert all(f"`{name}`" in SECTIONS["stop condition"] for name in names)
