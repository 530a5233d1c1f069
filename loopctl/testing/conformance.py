"""What a plug-in promises, as checks that its own tests can run.

Each function exercises one seam of ``loopctl.ports`` and raises ``AssertionError`` with the
promise that was broken. They run real objects on real folders; none of them needs a repository.
The factories are the ones that a plug-in registers, called as loopctl calls them (see
``loopctl.bootstrap.builtins`` for their arguments).
"""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import uuid4

from loopctl.domain.agent_session import Role, TurnOutcome, TurnResult
from loopctl.domain.budget import Budget, Spent
from loopctl.domain.criteria import EvaluatorReport, Verdict, admit_report
from loopctl.domain.evaluator_spec import EvaluatorSpec
from loopctl.domain.loop import Assumption
from loopctl.domain.protection import Protection
from loopctl.domain.round_context import JudgedBy, PreviousRound, RoundContext
from loopctl.domain.usage import Usage, UsageSource
from loopctl.ports import (
    Admission,
    AgentRunner,
    AgentSession,
    BudgetPolicy,
    Checkout,
    EvaluationRequest,
    Evaluator,
    HandoffStrategy,
    PricingProvider,
    Refusal,
    RoundForecast,
    SessionRequest,
    StopSignal,
)
from loopctl.process.environment import clean_environment
from loopctl.process.guard_client import Guard
from loopctl.process.masking import Masker
from loopctl.process.toolbox import Toolbox

_TREE = "0" * 40
_TIMEOUT_S = 60.0
_ODD_GOALS = (
    "make it work",
    "first line\n\n```\nsecond line\t$HOME `id` {prompt} %s\n",
    "ünïcödé \N{SNOWMAN} \\ \"quoted\" 'twice'  two spaces ",
    "x" * 300_000,
)


def check_evaluator(
    factory: Callable[[Toolbox], Evaluator],
    spec: EvaluatorSpec,
    *,
    passing: Path,
    failing: Path,
    logs: Path,
) -> None:
    """An evaluator judges what it finds, with evidence, and reports also when it is given up.

    Args:
        factory: makes the evaluator.
        spec: what it is to judge.
        passing: a folder that has to PASS.
        failing: a folder that has to FAIL.
        logs: a folder for its log files.

    Raises:
        AssertionError: a promise is broken.
    """

    async def check() -> None:
        async with _toolbox() as tools:
            evaluator = factory(tools)
            for folder, verdict in ((passing, Verdict.PASS), (failing, Verdict.FAIL)):
                report = await evaluator.evaluate(_evaluation(spec, folder, logs))
                _check_report(spec, report)
                _promise(report.verdict is verdict, f"{folder.name} is {verdict}: {report}")
            given_up = _evaluation(spec, passing, logs)
            given_up.stop.set()
            _check_report(spec, await evaluator.evaluate(given_up))

    asyncio.run(asyncio.wait_for(check(), _TIMEOUT_S))


def check_agent_runner(
    factory: Callable[[Toolbox], AgentRunner],
    *,
    workspace: Path,
    logs: Path,
    failing: Callable[[Toolbox], AgentRunner] | None = None,
) -> None:
    """An agent's turns always come back as results, and say no more than what is known.

    Args:
        factory: makes a runner whose turns finish.
        workspace: a folder that the agent may change.
        logs: a folder for its log files.
        failing: makes a runner whose turns fail.

    Raises:
        AssertionError: a promise is broken.
    """

    async def check() -> None:
        async with _toolbox() as tools:
            runner = factory(tools)
            runner.check()
            sessions = [
                await runner.open_session(_session(workspace, logs, number)) for number in (1, 2)
            ]
            _promise(sessions[0].id != sessions[1].id, "every session has an id of its own")
            finished = await _turn(sessions[0], tools)
            _check_result(runner, finished)
            _promise(finished.outcome is TurnOutcome.FINISHED, f"the turn finishes: {finished}")
            await _check_abort(sessions[1], tools)
            if failing is not None:
                await _check_failure(failing(tools), workspace, logs, tools)

    asyncio.run(asyncio.wait_for(check(), _TIMEOUT_S))


def check_budget_policy(factory: Callable[[], BudgetPolicy]) -> None:
    """A policy admits what is far from every cap, and refuses with figures that show why.

    Raises:
        AssertionError: a promise is broken.
    """
    policy = factory()
    free = _forecast(Budget(), Assumption())
    answer = asyncio.run(policy.admit(free))
    _promise(isinstance(answer, Admission), f"a round without caps is admitted: {answer}")
    for assumed in (Assumption(), Assumption(micro_usd=2_000_000, tokens=5)):
        tight = _forecast(Budget(per_round_micro_usd=1_000_000), assumed)
        answer = asyncio.run(policy.admit(tight))
        _promise(answer == asyncio.run(policy.admit(tight)), "the same question, the same answer")
        if isinstance(answer, Refusal):
            shown = answer.observed > answer.maximum
            _promise(shown, f"a refusal shows that the maximum is exceeded: {answer}")


def check_pricing(factory: Callable[[Assumption], PricingProvider]) -> None:
    """Prices never turn the unknown into zero, and never change what an agent reported.

    Raises:
        AssertionError: a promise is broken.
    """
    pricing = factory(Assumption())
    unheard_of = Usage(model="no-such-model-was-ever-made", input_tokens=1000, output_tokens=10)
    for usage in ((), (Usage(),), (unheard_of,)):
        priced = pricing.price(usage)
        no_zero = all(row.micro_usd is None for row in priced)
        _promise(no_zero, f"what nobody knows stays unknown: {priced}")
    reported = Usage(
        input_tokens=7, output_tokens=3, micro_usd=1234, source=UsageSource.AGENT_REPORTED
    )
    for assumed in (Assumption(), Assumption(micro_usd=99, tokens=99)):
        priced = factory(assumed).price((reported,))
        _promise(priced == (reported,), f"a reported cost stays as it is: {priced}")


def check_handoff_strategy(factory: Callable[[], HandoffStrategy]) -> None:
    """A prompt holds the goal byte for byte, with or without a round before it.

    Raises:
        AssertionError: a promise is broken.
    """
    strategy = factory()
    for goal in _ODD_GOALS:
        for previous in (None, PreviousRound(summary="one file changed")):
            context = RoundContext(
                loop="conformance",
                goal=goal,
                round=2,
                round_of_run=2,
                max_rounds=3,
                judged_by=(JudgedBy(name="stop-1", how="make test", isolation="same-workspace"),),
                protection=Protection(),
                previous=previous,
            )
            following = asyncio.run(strategy.build_next_round(context))
            present = goal.encode() in following.prompt.encode()
            _promise(present, f"the prompt holds the goal byte for byte: {goal[:60]!r}")


def _promise(kept: bool, promise: str) -> None:
    if not kept:
        raise AssertionError(f"broken promise: {promise}")


def _forecast(budget: Budget, assumed: Assumption) -> RoundForecast:
    return RoundForecast(loop="conformance", round=1, budget=budget, spent=Spent(), assumed=assumed)


@asynccontextmanager
async def _toolbox() -> AsyncIterator[Toolbox]:
    guard = await Guard.start()
    try:
        yield Toolbox(guard, Masker.from_environment(os.environ))
    finally:
        guard.close()


def _evaluation(spec: EvaluatorSpec, folder: Path, logs: Path) -> EvaluationRequest:
    return EvaluationRequest(
        spec=spec,
        checkout=Checkout(
            folder=folder, tree=_TREE, isolation=spec.isolation, environment=dict(os.environ)
        ),
        attempt=1,
        timeout_s=_TIMEOUT_S,
        baseline_completed=True,
        log=logs / f"{folder.name}.log",
    )


def _check_report(spec: EvaluatorSpec, report: EvaluatorReport) -> None:
    refused = admit_report(spec, report).refused
    _promise(not refused, f"a report judges what is declared, a PASS has evidence: {refused}")


def _session(workspace: Path, logs: Path, number: int) -> SessionRequest:
    environment = clean_environment(os.environ) | {
        "LOOPCTL_LOOP": "conformance",
        "LOOPCTL_ROUND": str(number),
    }
    return SessionRequest(
        session_id=uuid4().hex,
        loop="conformance",
        round=number,
        role=Role.CODER,
        workspace=workspace,
        log=logs / f"agent-{number}.log",
        environment=environment,
    )


async def _turn(
    session: AgentSession, tools: Toolbox, stop: StopSignal | None = None
) -> TurnResult:
    """One turn, settled as the driver does it; closing twice has to be harmless."""
    result = await session.run_turn("do what you are told", stop or StopSignal())
    await session.wait_idle()
    await session.close()
    await session.close()
    await tools.guard.end()
    return result


async def _check_abort(session: AgentSession, tools: Toolbox) -> None:
    stop = StopSignal()
    stop.set(TurnOutcome.TIMED_OUT)
    result = await _turn(session, tools, stop)
    labelled = result.outcome is TurnOutcome.TIMED_OUT
    _promise(labelled, f"a turn that is ended says which end was asked for: {result}")


async def _check_failure(runner: AgentRunner, workspace: Path, logs: Path, tools: Toolbox) -> None:
    session = await runner.open_session(_session(workspace, logs, 3))
    result = await _turn(session, tools)
    _check_result(runner, result)
    told = result.outcome is not TurnOutcome.FINISHED and bool(result.problem or result.exit)
    _promise(told, f"a failure is a result that says what failed: {result}")


def _check_result(runner: AgentRunner, result: TurnResult) -> None:
    costs = bool(result.usage) and all(row.micro_usd is not None for row in result.usage)
    _promise(costs or not runner.reports_cost, "an agent that reports cost does so in each turn")
    tokens = bool(result.usage) and all(row.tokens is not None for row in result.usage)
    _promise(tokens or not runner.reports_tokens, "an agent that reports tokens always does")
    zero = any(row.micro_usd == 0 and row.source is UsageSource.UNKNOWN for row in result.usage)
    _promise(not zero, "an unknown cost is None, never 0")
