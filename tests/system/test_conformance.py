"""The conformance checks accept what ships with loopctl, and catch what breaks a promise."""

import sys
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from loopctl.agents.builtin.runner import BuiltinAgent
from loopctl.agents.command import CommandAgent
from loopctl.budgets.assumed_pricing import AssumedPricing
from loopctl.budgets.preflight import PreflightPolicy
from loopctl.domain.agent_session import TurnOutcome, TurnResult
from loopctl.domain.criteria import CriterionReport, Verdict
from loopctl.domain.evaluator_spec import EvaluatorSpec, ShellExecutor, SingleMetric
from loopctl.domain.round_context import NextRoundSpec
from loopctl.domain.stop import CapScope
from loopctl.domain.usage import Usage
from loopctl.errors import SpendRefusedError
from loopctl.evaluators.shell import ShellEvaluator
from loopctl.handoffs.fresh_with_summary import FreshWithSummary
from loopctl.ports import Refusal, SessionRequest
from loopctl.testing import conformance
from loopctl.testing.scripted_llm import Call, Fault, Lane, ScriptedLlm, Turn

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


CHECKED = {"command": "true", "cwd": ".", "outcome": "pass", "changedAfter": False}
HANDOFF = {"changes": [{"summary": "s", "reason": "r"}], "verification": [CHECKED]}


def built_in(llm, model):
    return lambda tools: BuiltinAgent(
        argument=model,
        folder=Path.cwd(),
        tools=tools,
        provider="openai",
        environment=llm.environment(),
    )


def test_the_built_in_agent(folders):
    hand_over = Turn(calls=(Call("loop_handoff", HANDOFF),))
    lanes = [
        Lane([hand_over, Turn(text="done")] * 2, model="good"),
        Lane([Turn(fault=Fault("auth"))], model="bad"),
    ]
    with ScriptedLlm(lanes=lanes) as llm:
        check_agent(built_in(llm, "good"), folders, failing=built_in(llm, "bad"))
        llm.check()


@dataclass
class Able:
    """An agent that does what it says it is able to do."""

    request: SessionRequest
    id: str = ""

    async def run_turn(self, prompt, stop):
        if stop.event.is_set():
            return TurnResult(outcome=stop.outcome)
        try:
            asked = await self.request.meter.reserve("x:big", 10, 10)
        except SpendRefusedError:
            return TurnResult(outcome=TurnOutcome.CAPPED)
        await self.request.meter.settle(asked, Usage(model="x:big", input_tokens=9))
        await self.request.tools.call("loop_handoff", HANDOFF)
        return TurnResult(outcome=TurnOutcome.FINISHED)

    async def wait_idle(self):
        pass

    async def close(self):
        pass


def able(session):
    class Agent:
        reports_cost = reports_tokens = has_tools = is_metered = True

        def check(self):
            pass

        async def open_session(self, request):
            return session(request, id=request.session_id)

    return lambda tools: Agent()


def test_an_agent_that_is_able(folders):
    check_agent(able(Able), folders)


def test_an_agent_with_tools_that_does_not_hand_over(folders):
    class Silent(Able):
        async def run_turn(self, prompt, stop):
            self.request = replace(self.request, tools=Mute())
            return await super().run_turn(prompt, stop)

    class Mute:
        async def call(self, tool, arguments):
            pass

    with pytest.raises(AssertionError, match="hands its turns over"):
        check_agent(able(Silent), folders)


def test_a_metered_agent_that_does_not_ask(folders):
    class Free(Able):
        async def run_turn(self, prompt, stop):
            await self.request.tools.call("loop_handoff", HANDOFF)
            return TurnResult(outcome=TurnOutcome.FINISHED)

    with pytest.raises(AssertionError, match="asks for its requests"):
        check_agent(able(Free), folders)


def test_a_request_that_nobody_ends(folders):
    class Careless(Able):
        async def run_turn(self, prompt, stop):
            await self.request.meter.reserve("x:big", 10, 10)
            return await super().run_turn(prompt, stop)

    with pytest.raises(AssertionError, match="settled, or lost"):
        check_agent(able(Careless), folders)


def test_a_metered_agent_that_hides_a_refusal(folders):
    class Proud(Able):
        async def run_turn(self, prompt, stop):
            result = await super().run_turn(prompt, stop)
            capped = result.outcome is TurnOutcome.CAPPED
            return result.evolve(outcome=TurnOutcome.FINISHED) if capped else result

    with pytest.raises(AssertionError, match="request is refused"):
        check_agent(able(Proud), folders)


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
