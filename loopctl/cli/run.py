"""``loopctl run``: start a loop and drive it to its end."""

import os
from pathlib import Path
from typing import Any

from loopctl.cli import options
from loopctl.cli.agent_guard import refuse_inside_agent, refuse_inside_worktree


def run(
    goal: options.Goal,
    *,
    agent: options.Agent = None,
    model: options.Model = None,
    fallback_models: options.FallbackModels = None,
    stop: options.Stop = None,
    results: options.Results = None,
    contract: options.Contract = None,
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
    sandbox: options.Sandbox = None,
    protect: options.Protect = None,
    allow: options.Allow = None,
    holdout: options.HoldOut = None,
    holdout_stop: options.HoldOutStop = None,
    confirm: options.Confirm = None,
    allow_new_tests: options.AllowNewTests = None,
    container_network: options.ContainerNetwork = None,
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
        container_warnings,
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
    from loopctl.cli.start_request import start_request
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
            *stop_warnings(
                (*request.commands, *request.held_commands),
                checkout_top(folder) and request.cwd,
                mask,
            ),
            *share_warnings(request.evaluator_supplies.share),
            *container_warnings(request),
            *(mask(line) for line in setup_notices(request)),
        ),
    )
