"""Every event at every step is listed as legal or refused, and is what the list says."""

import re
from pathlib import Path
from typing import get_args

import pytest
from loops import make_report, make_snapshot, make_spec

from loopctl.domain.agent_session import OpenTurn, TurnOutcome, TurnResult
from loopctl.domain.events import Answer, AnyEvent
from loopctl.domain.loop import OpenRound, begin
from loopctl.domain.machine import _ANYWHERE, TABLE, decide
from loopctl.domain.records import EventRefused
from loopctl.domain.snapshot import Published
from loopctl.domain.step import Phase, Step
from loopctl.domain.stop import Cancelled, Status
from loopctl.errors import IllegalEventError

LIST = Path(__file__).with_name("machine_table.txt")
KINDS = get_args(AnyEvent)
PLACES = [(phase, step, kind) for phase in Phase for step in Step for kind in KINDS]
FIELDS = {
    "path": "/w",
    "branch_tip": "c0",
    "origin": "created",
    "detail": "d",
    "reservation": {},
    "scope": "usd",
    "observed": 1.0,
    "maximum": 1.0,
    "session_id": "s",
    "problem": "p",
    "prompt": "go",
    "digest": "d",
    "result": TurnResult(outcome=TurnOutcome.FINISHED),
    "snapshot": make_snapshot(1, "t1"),
    "report": make_report(),
    "published": Published(commit="c"),
    "timer": "round",
    "effect": "e",
    "order": 7,
}


def is_legal(phase, step, kind):
    return kind in _ANYWHERE or kind in TABLE.get(phase, {}).get(step, {})


def make_event(kind):
    return kind(**{name: FIELDS[name] for name in kind.model_fields if name in FIELDS})


def place(phase, step):
    turn = OpenTurn(session_id="s", started_at=0.0)
    result = TurnResult(outcome=TurnOutcome.FINISHED)
    current = OpenRound(number=1, session_id="s", turn=turn, result=result, prompted=True)
    return begin(make_spec()).evolve(phase=phase, step=step, order=7, round=current)


def listing():
    lines = []
    for phase in Phase:
        for step in Step:
            lines.append(f"{phase} / {step}")
            for kind in KINDS:
                name = re.sub(r"\B([A-Z])", r"_\1", kind.__name__).lower()
                lines.append(
                    f"    {name:20} {'legal' if is_legal(phase, step, kind) else 'refused'}"
                )
    return "\n".join(lines) + "\n"


def test_the_table_is_the_listed_one():
    """A change of what is legal is a change of the list, for a person to see."""
    assert listing() == LIST.read_text()


@pytest.mark.parametrize(("phase", "step"), [(phase, step) for phase in Phase for step in Step])
def test_what_is_not_listed_as_legal_raises_and_changes_nothing(phase, step):
    state = place(phase, step)
    before = state.model_dump_json()
    for kind in KINDS:
        if is_legal(phase, step, kind):
            continue
        with pytest.raises(IllegalEventError) as caught:
            decide(state, make_event(kind))
        error = caught.value
        assert (error.phase, error.step, error.event) == (phase, step, make_event(kind).kind)
        assert all(word in str(error) for word in (phase, step, error.event))
    assert state.model_dump_json() == before


@pytest.mark.parametrize("kind", [kind for kind in KINDS if issubclass(kind, Answer)])
@pytest.mark.parametrize("over", [False, True])
def test_a_stale_answer_is_refused_at_every_step(kind, over):
    for phase in Phase:
        for step in Step:
            state = place(phase, step).evolve(order=8)
            if over:
                state = state.evolve(order=7, status=Status.CANCELLED, stop=Cancelled(by="user"))
            decision = decide(state, make_event(kind))
            assert decision.state == state
            assert [type(row) for row in decision.records] == [EventRefused]
            assert not decision.effects
