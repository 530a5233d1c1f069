"""Real commands as evaluators in a real folder."""

import asyncio
import os
from dataclasses import dataclass, field
from pathlib import Path

import judge_world
import pytest

from loopctl.domain.evaluator_spec import EvaluatorSpec, Isolation, ShellExecutor, SingleMetric
from loopctl.evaluators.shell import ShellEvaluator
from loopctl.ports import Checkout, EvaluationRequest
from loopctl.process.guard_client import Guard
from loopctl.process.masking import Masker
from loopctl.process.toolbox import Toolbox
from loopctl.testing.scripted_llm import ScriptedLlm

TREE = "0123456789abcdef0123456789abcdef01234567"


@dataclass
class Court:
    """Where a command judges."""

    folder: Path
    log: Path
    environment: dict[str, str] = field(default_factory=lambda: {"PATH": os.defpath})
    isolation: Isolation = Isolation.SEPARATE_WORKTREE
    places: dict[str, Path] = field(default_factory=dict)
    masker: Masker = field(default_factory=lambda: Masker({}))

    def request(self, command, *, criteria=None, executor=None, **fields):
        spec = EvaluatorSpec(
            name="tests",
            criteria=criteria or SingleMetric(name="tests"),
            executor=executor or ShellExecutor(command=command),
        )
        checkout = Checkout(
            folder=self.folder,
            tree=TREE,
            isolation=self.isolation,
            environment=self.environment,
            places=self.places,
        )
        given = {"attempt": 1, "timeout_s": 60.0, "baseline_completed": True, "log": self.log}
        return EvaluationRequest(spec=spec, checkout=checkout, **(given | fields))

    def judge(self, command, **fields):
        """One evaluation with a guard of its own."""

        async def play(evaluator):
            return await evaluator.evaluate(self.request(command, **fields))

        return self.with_evaluator(play)

    def with_evaluator(self, play):
        async def main():
            guard = await Guard.start()
            try:
                evaluator = ShellEvaluator(tools=Toolbox(guard, self.masker))
                return await asyncio.wait_for(play(evaluator), 60)
            finally:
                guard.close()

        return asyncio.run(main())


@pytest.fixture
def court(tmp_path):
    for name in ("checkout", "logs"):
        (tmp_path / name).mkdir()
    return Court(tmp_path / "checkout", tmp_path / "logs" / "round-0001.tests.1.log")


@pytest.fixture
def hearing(tmp_path):
    """A court with a judge; the script must have been played to its end."""
    with ScriptedLlm() as llm:
        place = judge_world.Court(tmp_path, llm)
        place.write("src/read.py", judge_world.CODE)
        yield place
        llm.check()
