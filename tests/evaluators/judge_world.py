"""A judge with a scripted model behind real HTTP, a checkout, a guard and a meter in memory."""

import asyncio
import os
from dataclasses import dataclass, field
from pathlib import Path

from loopctl.domain.evaluator_spec import (
    EvaluatorSpec,
    Isolation,
    JudgeExecutor,
    Rubric,
    RubricItem,
)
from loopctl.evaluators.llm_judge.judge import LlmJudge
from loopctl.llm.patient_model import Patience
from loopctl.ports import Checkout, EvaluationRequest, JudgeSession, WorkFacts
from loopctl.process.guard_client import Guard
from loopctl.process.masking import Masker
from loopctl.process.toolbox import Toolbox
from loopctl.testing.memory_meter import MemoryMeter
from loopctl.testing.scripted_llm import Call, ScriptedLlm, Turn

MODEL = "anthropic:scripted-1"
NAMES = "Errors"
NO_EVAL = "No eval"
CODE = "def read(path):\n    raise FileNotFoundError(f'no file {path}')\n\n\nread('x')\n"
CITATION = {
    "file": "src/read.py",
    "line": 2,
    "quote": "    raise FileNotFoundError(f'no file {path}')",
}
QUICK = Patience(first_wait_s=0.001, longest_wait_s=0.002)
FACTS = WorkFacts(goal="name files in errors", diff="+    raise FileNotFoundError(path)\n")


def entry(name=NAMES, verdict="PASS", *evidence, reason="because", **fields):
    return {
        "name": name,
        "verdict": verdict,
        "reason": reason,
        "evidence": list(evidence),
        **fields,
    }


def verdicts(*entries):
    return Turn(calls=(Call("give_verdicts", {"criteria": list(entries)}),))


def look(tool, **arguments):
    return Turn(calls=(Call(tool, arguments),))


PASSING = entry(NAMES, "PASS", CITATION)


@dataclass
class Court:
    """Where a judge judges, and what it leaves."""

    root: Path
    llm: ScriptedLlm
    rubric: Rubric = field(
        default_factory=lambda: Rubric(
            items=(RubricItem(name=NAMES, description="each error names its file"),)
        )
    )
    facts: WorkFacts = FACTS
    masker: Masker = field(default_factory=lambda: Masker({}))
    meter: MemoryMeter = field(default_factory=MemoryMeter)
    shown: list = field(default_factory=list)
    configured: str = MODEL
    model: str = MODEL

    @property
    def tree(self):
        return self.root / "checkout"

    @property
    def log(self):
        return self.root / "round-0001.rubric.1.log"

    def write(self, name, text):
        path = self.tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def judge(self, *turns, stopped=False, **fields):
        """One judgement, in which the model says what the script tells it."""
        self.llm.add(*turns)
        given = {"attempt": 1, "timeout_s": 60.0, "baseline_completed": False, "log": self.log}

        async def main():
            guard = await Guard.start()
            try:
                executor = JudgeExecutor(rubric="RUBRIC.md", model=self.configured)
                judge = LlmJudge(executor, Toolbox(guard, self.masker), QUICK)
                request = self.request(executor, **(given | fields))
                judging = asyncio.create_task(judge.evaluate(request))
                if stopped:
                    await self._asked()
                    request.stop.set()
                return await asyncio.wait_for(judging, 60)
            finally:
                guard.close()

        report = asyncio.run(main())
        assert not self.meter.open, "a request was neither settled nor lost"
        return report

    async def _asked(self):
        before = len(self.llm.requests)
        while len(self.llm.requests) == before:  # noqa: ASYNC110 - the server has no event for it
            await asyncio.sleep(0.01)

    def request(self, executor, **fields):
        return EvaluationRequest(
            spec=EvaluatorSpec(name="rubric", criteria=self.rubric, executor=executor),
            checkout=Checkout(
                folder=self.tree,
                tree="0" * 40,
                isolation=Isolation.SEPARATE_WORKTREE,
                environment={"PATH": os.defpath},
            ),
            judge=JudgeSession(
                session_id="j1",
                model=self.model,
                round=1,
                facts=self.facts,
                meter=self.meter,
                environment=self.llm.environment(),
                activity=self.shown.append,
            ),
            **fields,
        )
