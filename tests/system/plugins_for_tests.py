"""One plug-in for each seam, written as a user would write them.

The tests copy this file to a folder on PYTHONPATH; it is never imported from here.
"""

import json
import os
from dataclasses import dataclass
from pathlib import Path

from loopctl.domain.agent_session import TurnOutcome, TurnResult
from loopctl.domain.budget import Reservation
from loopctl.domain.criteria import CriterionReport, EvaluatorReport, Verdict
from loopctl.domain.round_context import NextRoundSpec
from loopctl.domain.stop import CapScope
from loopctl.domain.usage import Usage, UsageSource
from loopctl.ports import Admission, Refusal


def note_call(prompt):
    with Path(os.environ["PLUGIN_CALLS"]).open("a") as file:
        file.write(json.dumps(prompt) + "\n")


@dataclass
class Session:
    """Writes the answer in the second round, and says what it cost."""

    request: object
    id: str = ""

    async def run_turn(self, prompt, stop):
        note_call(prompt)
        answer = "42" if self.request.round == 2 else "1"
        (self.request.workspace / "answer.txt").write_text(f"{answer}\n")
        usage = Usage(model="test-model", input_tokens=1000, output_tokens=100)
        return TurnResult(outcome=TurnOutcome.FINISHED, exit="idle", said="ok", usage=(usage,))

    async def wait_idle(self):
        pass

    async def close(self):
        pass


class Agent:
    """An agent that reports its tokens, and whose cost a price list can tell."""

    reports_cost = True
    reports_tokens = True

    def __init__(self, **_):
        self._opened = 0

    def check(self):
        pass

    async def open_session(self, request):
        self._opened += 1
        return Session(request, id=f"{os.getpid()}-{request.round}-{self._opened}")


class AnswerEvaluator:
    """Judges the file itself; the mode says how it breaks its contract."""

    def __init__(self, **_):
        self._mode = os.environ.get("EVALUATOR_MODE", "")

    async def evaluate(self, request):
        text = (request.checkout.folder / "answer.txt").read_text().strip()
        verdict, evidence = Verdict.FAIL, (f"read {text}",)
        if text == "42" or self._mode:
            verdict = Verdict.PASS
        if self._mode == "raise":
            raise RuntimeError("no judge today")
        if self._mode == "no-evidence":
            evidence = ("  ",)
        name = "another name" if self._mode == "undeclared" else request.spec.criteria.declared[0]
        return EvaluatorReport(
            evaluator=request.spec.name,
            digest=request.spec.digest,
            tree="a tree that was never judged",
            isolation="container",
            criteria=(CriterionReport(name=name, verdict=verdict, evidence=evidence),),
        )


class OneRoundPolicy:
    """Admits the first round alone."""

    async def admit(self, forecast):
        if forecast.round > 1:
            return Refusal(scope=CapScope.TOKENS, observed=forecast.round, maximum=1)
        return Admission(Reservation())


class PriceList:
    """Knows the test model: a dollar for a thousand tokens of input."""

    def __init__(self, **_):
        pass

    def rate(self, model):
        return None

    def price(self, usage):
        return tuple(
            row.evolve(micro_usd=row.input_tokens * 1000, source=UsageSource.PRICED)
            for row in usage
            if row.input_tokens is not None
        )


class Terse:
    """Sends the goal and nothing else."""

    async def build_next_round(self, context):
        return NextRoundSpec(prompt=f"TERSE {context.goal}")


class Unbuildable:
    """Cannot be made, whatever seam it is for."""

    def __init__(self, **_):
        raise RuntimeError("no licence")


class RaisingPolicy:
    """Breaks its contract: it has no answer."""

    async def admit(self, forecast):
        raise RuntimeError("the policy server is down")


class RaisingHandoff:
    """Breaks its contract: it writes no prompt."""

    async def build_next_round(self, context):
        raise RuntimeError("the template is gone")


class RaisingPrices:
    """Breaks its contract: it knows no price and does not say so."""

    def __init__(self, **_):
        pass

    def rate(self, model):
        return None

    def price(self, usage):
        raise RuntimeError("the price list is gone")


class LimitedAgent(Agent):
    """Refused by its provider twice, each time after a part of the work; then it goes on."""

    async def open_session(self, request):
        self._opened += 1
        return LimitedSession(request, id=f"limited-{self._opened}", refused=self._opened <= 2)


@dataclass
class LimitedSession(Session):
    refused: bool = False

    async def run_turn(self, prompt, stop):
        (self.request.workspace / self.id).write_text("a part of the work\n")
        if not self.refused:
            (self.request.workspace / "answer.txt").write_text("42\n")
        outcome = TurnOutcome.LIMITED if self.refused else TurnOutcome.FINISHED
        resets = 0.0 if self.refused else None
        return TurnResult(outcome=outcome, said="ok", limit_resets_in_s=resets, problem="quota")


class AbleAgent(Agent):
    """Asks for its requests and hands its turns over, in loopctl's own process."""

    has_tools = True
    remembers = True
    is_metered = True

    async def open_session(self, request):
        return AbleSession(request, id=request.session_id)


HANDOFF = {
    "changes": [{"summary": "the answer", "reason": "it was missing"}],
    "verification": [{"command": "true", "cwd": ".", "outcome": "pass", "changedAfter": False}],
}


@dataclass
class AbleSession(Session):
    """Hands over when it is asked again."""

    turns: int = 0

    async def run_turn(self, prompt, stop):
        note_call(prompt)
        self.turns += 1
        meter, model = self.request.meter, "test-model"
        asked = await meter.reserve(model, 1000, 100)
        await meter.settle(asked, Usage(model=model, input_tokens=900, output_tokens=90))
        (self.request.workspace / "answer.txt").write_text("42\n")
        if self.turns == 2:
            await self.request.tools.call("loop_handoff", HANDOFF)
        return TurnResult(outcome=TurnOutcome.FINISHED, said="ok")


class BrokenAgent(Agent):
    """Says what it used, then fails."""

    async def open_session(self, request):
        return BrokenSession(request, id=request.session_id)


@dataclass
class BrokenSession(Session):
    async def run_turn(self, prompt, stop):
        result = await super().run_turn(prompt, stop)
        return result.evolve(outcome=TurnOutcome.FAILED, exit="exit 1", said="\x00{garbage")
