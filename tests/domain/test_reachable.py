"""The random histories come to every end that a loop can have."""

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import Phase as Part
from hypothesis.stateful import run_state_machine_as_test
from loop_machine import LoopMachine
from model import Model
from planted_sessions import PAIR

from loopctl.domain.agent_session import TurnOutcome
from loopctl.domain.budget import Budget
from loopctl.domain.concern import OnConcern
from loopctl.domain.criteria import Verdict
from loopctl.domain.stop import CapScope, ErrorReason

WORKS = {
    "outcomes": (TurnOutcome.FINISHED,),
    "changes": (1,),
    "moods": (Verdict.FAIL,),
    "fortunes": ["answer_order"],
    "deeds": ((),),
    "require_handoff": False,
    "on_concern": OnConcern.NOTIFY_CONTINUE,
}
MOVES = WORKS | {"trees": tuple("abcdefgh")}
LONG = Budget(max_rounds=12)
IDLES = WORKS | {"trees": ("t1",), "changes": (0,), "budget": LONG}
FAILS = IDLES | {"outcomes": (TurnOutcome.FAILED,)}
CAPS = {
    CapScope.ROUNDS: Budget(max_rounds=3),
    CapScope.USD: LONG.evolve(max_micro_usd=40),
    CapScope.TOKENS: LONG.evolve(max_tokens=5),
    CapScope.TIME: LONG.evolve(max_time_s=30.0),
}
TIMED = LONG.evolve(max_time_s=60.0)
HALF = MOVES | {"budget": TIMED, "on_concern": OnConcern.STOP, "evaluators": PAIR}
WHYS = ("protected", "concerned", "half")
ENDS = [
    ("goal-met", WORKS | {"moods": (Verdict.FAIL, Verdict.PASS)}),
    *((f"budget-cap {scope}", MOVES | {"budget": CAPS[scope]}) for scope in CapScope),
    ("stuck no-progress", IDLES),
    ("approval-required protected", WORKS | {"trees": ("t1",)}),
    ("approval-required concerned", WORKS | {"deeds": (("flag",),), "on_concern": OnConcern.STOP}),
    ("approval-required half", HALF),
    ("cancelled", WORKS | {"fortunes": ["answer_order", "cancel"]}),
    (f"errored {ErrorReason.ERROR_MAX_RETRIES}", FAILS),
    (f"errored {ErrorReason.HANDOFF_MISSING}", WORKS | {"require_handoff": True}),
    (f"errored {ErrorReason.EVALUATOR_ERROR}", {"moods": (Verdict.ERROR,)}),
    (f"errored {ErrorReason.PROVIDER_LIMIT}", {"outcomes": (TurnOutcome.LIMITED,)}),
    (f"errored {ErrorReason.WORKSPACE_LOST}", WORKS | {"fortunes": ["answer_order", "crash"]}),
    (f"errored {ErrorReason.DRIVER_ERROR}", {}),
]


class ReachedError(Exception):
    """A history has come to the end that was looked for."""


@pytest.mark.parametrize(("end", "temper"), ENDS, ids=[end for end, _ in ENDS])
def test_an_end_is_reached(end, temper, monkeypatch):
    def ended(self, stop):
        sort = [getattr(stop, name) for name in ("scope", "pattern") if hasattr(stop, name)]
        sort += [stop.reason] if stop.kind == "errored" else []
        sort += [why for why in WHYS if stop.kind == "approval-required" and why in stop.reason]
        if " ".join((stop.kind, *sort)) == end and not self.refused:
            raise ReachedError
        checked(self, stop)

    checked = Model._ended
    monkeypatch.setattr(Model, "_ended", ended)
    monkeypatch.setattr(LoopMachine, "temper", temper)
    search = settings(
        max_examples=500,
        stateful_step_count=8,
        deadline=None,
        suppress_health_check=list(HealthCheck),  # a busy machine is no fault of the histories
        derandomize=True,
        database=None,
        phases=[Part.generate],
        print_blob=False,
        report_multiple_bugs=False,  # it would go on searching for another one
    )
    with pytest.raises(ReachedError):
        run_state_machine_as_test(LoopMachine, settings=search)
