"""``loopctl run``: start a loop and drive it to its end."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loopctl.cli import options
from loopctl.cli.agent_guard import refuse_inside_agent, refuse_inside_worktree

if TYPE_CHECKING:
    from loopctl.bootstrap.judge_request import JudgeRequest
    from loopctl.bootstrap.request import StartRequest
    from loopctl.cli.settings import Settings


def run(
    goal: options.Goal,
    *,
    agent: options.Agent = None,
    model: options.Model = None,
    fallback_models: options.FallbackModels = None,
    stop: options.Stop = None,
    results: options.Results = None,
    evaluators: options.Evaluators = None,
    judge: options.Judge = None,
    judge_model: options.JudgeModel = None,
    judge_fallback_models: options.JudgeFallbackModels = None,
    judge_max_diff: options.JudgeMaxDiff = None,
    max_rounds: options.MaxRounds = None,
    max_time: options.MaxTime = None,
    max_wait: options.MaxWait = None,
    max_usd: options.MaxUsd = None,
    max_tokens: options.MaxTokens = None,
    per_round_usd: options.PerRoundUsd = None,
    assume_usd_per_round: options.AssumeUsd = None,
    assume_tokens_per_round: options.AssumeTokens = None,
    isolation: options.Isolation = None,
    protect: options.Protect = None,
    allow: options.Allow = None,
    on_concern: options.OnConcern = None,
    require_handoff: options.RequireHandoff = None,
    round_timeout: options.RoundTimeout = None,
    eval_timeout: options.EvalTimeout = None,
    baseline: options.Baseline = None,
    name: options.Name = None,
    branch: options.Branch = None,
    cwd: options.WorkingFolder = None,
    handoff: options.Handoff = None,
    budget_policy: options.BudgetPolicy = None,
    pricing: options.Pricing = None,
    log_detail: options.LogDetail = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Start a loop. An agent works toward GOAL until it is proved, or a cap is reached."""
    flags = dict(locals())  # the parameters are called as the settings are
    for not_a_setting in ("goal", "json", "quiet"):
        del flags[not_a_setting]
    given = {key: value for key, value in flags.items() if value not in (None, [])}
    return _start(goal, given, json=json, quiet=quiet)


def _start(goal: str, flags: dict[str, Any], *, json: bool, quiet: bool) -> int:
    refuse_inside_agent(os.environ, "loopctl run")
    from loopctl.bootstrap.doubting import (
        judge_warnings,
        setup_notices,
        share_warnings,
        stop_warnings,
    )
    from loopctl.bootstrap.preparing import prepare
    from loopctl.bootstrap.request import check_request
    from loopctl.bootstrap.starting import start
    from loopctl.cli.checkout import checkout_top
    from loopctl.cli.drive import drive
    from loopctl.cli.goal import read_goal
    from loopctl.cli.settings import load_settings
    from loopctl.process.masking import Masker

    folder = Path.cwd()
    refuse_inside_worktree(os.environ, folder)
    request = start_request(read_goal(goal), folder, load_settings(flags, folder))
    check_request(request)
    request, chosen = prepare(request, os.environ)
    mask = Masker.from_environment(os.environ).mask
    return drive(
        lambda observers: start(request, os.environ, observers),
        json=json,
        quiet=quiet,
        notices=(
            *map(mask, chosen),
            *judge_warnings(request),
            *stop_warnings(request.stops, checkout_top(folder) and request.cwd, mask),
            *share_warnings(request.evaluator_supplies.share),
            *(mask(line) for line in setup_notices(request)),
        ),
    )


def start_request(goal: str, folder: Path, settings: "Settings") -> "StartRequest":
    """What is asked for, in the words of the use case."""
    from loopctl.bootstrap.request import StartRequest
    from loopctl.domain.budget import Budget
    from loopctl.domain.loop import Assumption, Plugins
    from loopctl.domain.supplies import EvaluatorSupplies, WorkspaceSupplies

    return StartRequest(
        goal=goal,
        folder=folder,
        cwd=Path(settings.cwd or folder),
        agent=settings.agent,
        model=settings.model,
        fallback_models=settings.fallback_models,
        stops=settings.stop,
        results=settings.results,
        evaluators=settings.evaluators,
        judge=_judge(settings),
        isolation=settings.isolation,
        budget=Budget(
            max_tokens=settings.max_tokens,
            max_micro_usd=settings.max_usd,
            max_time_s=settings.max_time,
            per_round_micro_usd=settings.per_round_usd,
        ),
        max_rounds=settings.max_rounds,
        assumed=Assumption(
            micro_usd=settings.assume_usd_per_round, tokens=settings.assume_tokens_per_round
        ),
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
        workspace_supplies=WorkspaceSupplies(
            share=settings.workspace_share, setup=settings.workspace_setup
        ),
        evaluator_supplies=EvaluatorSupplies(
            share=settings.evaluator_share,
            setup=settings.evaluator_setup,
            teardown=settings.evaluator_teardown,
            git=settings.evaluator_git,
            cache=settings.evaluator_cache,
            paths=settings.evaluator_paths,
        ),
        name=settings.name,
        branch=settings.branch,
        plugins=Plugins(
            handoff=settings.handoff,
            budget_policy=settings.budget_policy,
            pricing=settings.pricing,
        ),
        log_detail=settings.log_detail,
    )


def _judge(settings: "Settings") -> "JudgeRequest | None":
    from loopctl.bootstrap.judge_request import JudgeRequest

    if not settings.judge:
        return None
    return JudgeRequest(
        settings.judge,
        settings.judge_model,
        settings.judge_fallback_models,
        max_diff=settings.judge_max_diff,
    )
