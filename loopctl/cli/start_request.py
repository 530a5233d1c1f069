"""From settings to the request for a start: what is asked for, in the words of the use case.

Invariant: nothing is decided here. Each setting becomes one part of the request, and what is
missing or wrong in it is for the request's own rules to say.
"""

from pathlib import Path

from loopctl.bootstrap.holdout_request import HoldOutRequest
from loopctl.bootstrap.judge_request import JudgeRequest
from loopctl.bootstrap.request import StartRequest
from loopctl.bootstrap.sandbox_request import SandboxRequest
from loopctl.cli.settings import Settings
from loopctl.domain.budget import Budget
from loopctl.domain.loop import Assumption, Plugins
from loopctl.domain.supplies import EvaluatorSupplies, WorkspaceSupplies


def start_request(goal: str, folder: Path, settings: Settings) -> StartRequest:
    """What is asked for, in the words of the use case."""
    return StartRequest(
        goal=goal,
        folder=folder,
        cwd=Path(settings.cwd or folder),
        agent=settings.agent,
        model=settings.model,
        fallback_models=settings.fallback_models,
        stops=settings.stop,
        results=settings.results,
        contracts=settings.contract,
        evaluators=settings.evaluators,
        declared=tuple(settings.declared.values()),
        judge=_judge(settings),
        isolation=settings.isolation,
        sandbox=_sandbox(settings),
        budget=_caps(settings),
        max_rounds=settings.max_rounds,
        assumed=_assumed(settings),
        max_wait_s=settings.max_wait,
        prices=settings.price_table,
        on_concern=settings.on_concern,
        require_handoff=settings.require_handoff,
        protect=settings.protect,
        allow=settings.allow,
        run_baseline=settings.baseline == "run",
        round_timeout_s=settings.round_timeout,
        eval_timeout_s=settings.eval_timeout,
        evaluator_env=settings.evaluator_env,
        workspace_supplies=_workspace_supplies(settings),
        evaluator_supplies=_evaluator_supplies(settings),
        name=settings.name,
        branch=settings.branch,
        plugins=_plugins(settings),
        log_detail=settings.log_detail,
        holdout=_holdout(settings),
        confirm=settings.confirm,
        allow_new_tests=settings.allow_new_tests,
        container=settings.container,
    )


def _holdout(settings: Settings) -> HoldOutRequest | None:
    if not settings.holdout and not settings.holdout_stop:
        return None
    return HoldOutRequest(settings.holdout, settings.holdout_stop)


def _judge(settings: Settings) -> JudgeRequest | None:
    if not settings.judge:
        return None
    return JudgeRequest(
        settings.judge,
        settings.judge_model,
        settings.judge_fallback_models,
        max_diff=settings.judge_max_diff,
    )


def _sandbox(settings: Settings) -> SandboxRequest:
    return SandboxRequest(
        mode=settings.sandbox,
        read=settings.sandbox_read,
        write=settings.sandbox_write,
        keys=settings.sandbox_keys,
    )


def _caps(settings: Settings) -> Budget:
    return Budget(
        max_tokens=settings.max_tokens,
        max_micro_usd=settings.max_usd,
        max_time_s=settings.max_time,
        per_round_micro_usd=settings.per_round_usd,
    )


def _assumed(settings: Settings) -> Assumption:
    return Assumption(
        micro_usd=settings.assume_usd_per_round, tokens=settings.assume_tokens_per_round
    )


def _workspace_supplies(settings: Settings) -> WorkspaceSupplies:
    return WorkspaceSupplies(share=settings.workspace_share, setup=settings.workspace_setup)


def _evaluator_supplies(settings: Settings) -> EvaluatorSupplies:
    return EvaluatorSupplies(
        share=settings.evaluator_share,
        setup=settings.evaluator_setup,
        teardown=settings.evaluator_teardown,
        git=settings.evaluator_git,
        cache=settings.evaluator_cache,
        paths=settings.evaluator_paths,
    )


def _plugins(settings: Settings) -> Plugins:
    return Plugins(
        handoff=settings.handoff,
        budget_policy=settings.budget_policy,
        pricing=settings.pricing,
    )
