"""The conformance checks accept what ships with loopctl, and catch what breaks a promise."""

import sys
from pathlib import Path

import pytest

from loopctl.agents.command import CommandAgent
from loopctl.budgets.assumed_pricing import AssumedPricing
from loopctl.budgets.preflight import PreflightPolicy
from loopctl.domain.agent_session import TurnOutcome, TurnResult
from loopctl.domain.criteria import CriterionReport, Verdict
from loopctl.domain.evaluator_spec import EvaluatorSpec, ShellExecutor, SingleMetric
from loopctl.domain.round_context import NextRoundSpec
from loopctl.domain.stop import CapScope
from loopctl.domain.usage import Usage
from loopctl.evaluators.shell import ShellEvaluator
from loopctl.handoffs.fresh_with_summary import FreshWithSummary
from loopctl.ports import Refusal
from loopctl.testing import conformance

SPEC = EvaluatorSpec(
    name="stop-1", criteria=SingleMetric(name="done"), executor=ShellExecutor(command="test -f ok")
)


@pytest.fixture
def folders(tmp_path):
    for name in ("passing", "failing", "logs", "workspace"):
        (tmp_path / name).mkdir()
    (tmp_path / "passing" / "ok").touch()
    return tmp_path


def check_evaluator(factory, folders):
    conformance.check_evaluator(
        factory,
        SPEC,
        passing=folders / "passing",
        failing=folders / "failing",
        logs=folders / "logs",
    )


def check_agent(factory, folders, failing=None):
    conformance.check_agent_runner(
        factory, workspace=folders / "workspace", logs=folders / "logs", failing=failing
    )


def command(argument, kind=CommandAgent):
    return lambda tools: kind(argument, folder=Path.cwd(), tools=tools)


def test_shell_evaluator(folders):
    check_evaluator(ShellEvaluator, folders)


def test_evaluator_without_evidence(folders):
    class Silent(ShellEvaluator):
        async def evaluate(self, request):
            report = await super().evaluate(request)
            bare = CriterionReport(name="done", verdict=report.verdict)
            return report.evolve(criteria=(bare,))

    with pytest.raises(AssertionError, match="evidence"):
        check_evaluator(Silent, folders)


def test_evaluator_that_always_passes(folders):
    class Kind(ShellEvaluator):
        async def evaluate(self, request):
            report = await super().evaluate(request)
            kind = CriterionReport(name="done", verdict=Verdict.PASS, evidence=("fine",))
            return report.evolve(criteria=(kind,))

    with pytest.raises(AssertionError, match="failing is FAIL"):
        check_evaluator(Kind, folders)


def test_command_agent(folders):
    check_agent(command(f"{sys.executable} -c pass"), folders, failing=command("false"))


def test_agent_that_hides_its_failure(folders):
    with pytest.raises(AssertionError, match="a failure is a result"):
        check_agent(command("true"), folders, failing=command("true"))


def test_agent_that_claims_to_know_its_cost(folders):
    class Braggart(CommandAgent):
        reports_cost = True

    with pytest.raises(AssertionError, match="reports cost"):
        check_agent(command("true", Braggart), folders)


def test_agent_that_ignores_the_end(folders):
    class Stubborn(CommandAgent):
        async def open_session(self, request):
            session = await super().open_session(request)

            async def run_turn(prompt, stop):
                return TurnResult(outcome=TurnOutcome.FINISHED)

            session.run_turn = run_turn
            return session

    with pytest.raises(AssertionError, match="which end was asked for"):
        check_agent(command("true", Stubborn), folders)


def test_preflight_policy():
    conformance.check_budget_policy(PreflightPolicy)


def test_policy_that_refuses_without_a_reason():
    class Miser:
        async def admit(self, forecast):
            return Refusal(scope=CapScope.USD, observed=0, maximum=1)

    with pytest.raises(AssertionError, match="is admitted"):
        conformance.check_budget_policy(Miser)


def test_assumed_pricing():
    conformance.check_pricing(AssumedPricing)


def test_pricing_that_knows_too_much():
    class Free:
        def __init__(self, assumed):
            pass

        def price(self, usage):
            return tuple(row.evolve(micro_usd=0) for row in usage) or (Usage(micro_usd=0),)

    with pytest.raises(AssertionError, match="stays unknown"):
        conformance.check_pricing(Free)


def test_fresh_with_summary():
    conformance.check_handoff_strategy(FreshWithSummary)


def test_strategy_that_tidies_the_goal():
    class Tidy:
        async def build_next_round(self, context):
            return NextRoundSpec(prompt=" ".join(context.goal.split()))

    with pytest.raises(AssertionError, match="byte for byte"):
        conformance.check_handoff_strategy(Tidy)
