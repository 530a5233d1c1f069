"""The options that commands share, and those of ``run``: how they are spelt and what they mean.

All values are text here. They are understood in one place each, so that an option, a variable
and a line of a configuration file mean the same.
"""

from typing import Annotated

import typer

LoopName = Annotated[
    str | None, typer.Argument(metavar="NAME", help="The loop. See `loopctl list`.")
]
SomeLoop = Annotated[str, typer.Argument(metavar="NAME", help="The loop. See `loopctl list`.")]
Restart = Annotated[bool, typer.Option("--restart", help="Go on with the loop, in the foreground.")]
Everywhere = Annotated[bool, typer.Option("--all", help="Those of all projects.")]
Round = Annotated[
    str | None, typer.Option(metavar="N", help="This round alone; 0 is the baseline.")
]
Force = Annotated[bool, typer.Option("--force", help="Also work that is not proved.")]
Overwrite = Annotated[bool, typer.Option("--force", help="Replace a loopctl.toml that is there.")]
AskJudges = Annotated[
    bool, typer.Option("--judge", help="Ask the judges as well, which are paid for.")
]
KeepGoing = Annotated[
    bool,
    typer.Option("--keep-going", help="Judge also when what was stored is not as it was."),
]
Stdout = Annotated[bool, typer.Option("--stdout", help="Print it, and write nothing.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]
OneRound = Annotated[
    str | None, typer.Option("--round", metavar="N", help="What this round alone has changed.")
]
Stat = Annotated[bool, typer.Option("--stat", help="Print a summary alone.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON on stdout (see docs/json.md).")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Show the end card alone.")]

Goal = Annotated[
    str,
    typer.Argument(
        metavar="GOAL", help="The goal in words; @FILE reads a file, - reads standard input."
    ),
]
Agent = Annotated[
    str | None,
    typer.Option(
        metavar="AGENT",
        help="Who does the work: cmd:COMMAND, PROVIDER:MODEL, PROVIDER. "
        "Default: what is installed, or has a key.",
    ),
]
Model = Annotated[
    str | None,
    typer.Option(
        metavar="MODEL",
        help="The built-in agent's model. Default: the last used, else the provider's default.",
    ),
]
FallbackModels = Annotated[
    list[str] | None,
    typer.Option(
        "--fallback-model",
        metavar="MODEL",
        help="Used when the model cannot be. May be repeated.",
    ),
]
Stop = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COMMAND", help="The goal is met when this exits with 0. May be repeated."
    ),
]
Results = Annotated[
    list[str] | None,
    typer.Option(
        metavar="PATH",
        help="JUnit XML that the stop command writes (a glob, or none); found for plain pytest.",
    ),
]
Contract = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COMMAND",
        help="Names its criteria in a report (docs/reports.md); all must pass. May be repeated.",
    ),
]
Evaluators = Annotated[
    list[str] | None,
    typer.Option(
        "--evaluator",
        metavar="NAME",
        help="An evaluator of the configuration, or a plug-in. May be repeated. "
        "Default: all that the configuration declares.",
    ),
]
Judge = Annotated[
    str | None,
    typer.Option(metavar="RUBRIC.md", help="A language model judges the work by these criteria."),
]
JudgeModel = Annotated[
    str | None,
    typer.Option(metavar="MODEL", help="The judge's model, as PROVIDER:MODEL. Default: --model."),
]
JudgeFallbackModels = Annotated[
    list[str] | None,
    typer.Option(
        "--judge-fallback-model",
        metavar="MODEL",
        help="Used when the judge's model cannot be. May be repeated.",
    ),
]
JudgeMaxDiff = Annotated[
    str | None,
    typer.Option(
        metavar="BYTES",
        help="The longest patch that is shown to the judge; a longer one is not judged. "
        "Default: 200000.",
    ),
]
MaxRounds = Annotated[
    str | None,
    typer.Option(metavar="N", help="Rounds since the last restart; 0 is no cap. Default: 15."),
]
MaxTime = Annotated[
    str | None, typer.Option(metavar="TIME", help="Working time, such as 90, 30m or 1h30m.")
]
MaxWait = Annotated[
    str | None,
    typer.Option(metavar="TIME", help="The longest wait for a provider, altogether. Default: 6h."),
]
MaxUsd = Annotated[str | None, typer.Option(metavar="X", help="Cost in US dollars.")]
MaxTokens = Annotated[str | None, typer.Option(metavar="N", help="Tokens of all turns.")]
PerRoundUsd = Annotated[
    str | None,
    typer.Option(metavar="X", help="A round that is expected to cost more does not start."),
]
AssumeUsd = Annotated[
    str | None,
    typer.Option(
        "--assume-usd-per-round",
        metavar="X",
        help="What a round costs, for agents that cannot say.",
    ),
]
AssumeTokens = Annotated[
    str | None,
    typer.Option(
        "--assume-tokens-per-round",
        metavar="N",
        help="Tokens of a round, for agents that cannot say.",
    ),
]
Isolation = Annotated[
    str | None,
    typer.Option(
        metavar="WHERE",
        help="Where evaluators run: separate-worktree (default), container or same-workspace.",
    ),
]
Sandbox = Annotated[
    str | None,
    typer.Option(
        metavar="auto|off|bwrap",
        help="Whether the agent works in a sandbox (see docs/sandbox.md). Default: off.",
    ),
]
Protect = Annotated[
    list[str] | None,
    typer.Option(metavar="GLOB", help="Paths restored before every evaluation. May be repeated."),
]
Allow = Annotated[
    list[str] | None,
    typer.Option(metavar="GLOB", help="Protected paths to open again. May be repeated."),
]
HoldOut = Annotated[
    str | None,
    typer.Option(
        "--holdout",
        metavar="DIR",
        help="Files that the agent never sees, laid over the checkout in which the hold-out runs.",
    ),
]
HoldOutStop = Annotated[
    list[str] | None,
    typer.Option(
        "--holdout-stop",
        metavar="COMMAND",
        help="Must exit with 0 as well, once all else has passed; the agent never hears of it. "
        "May be repeated. Default: the stop commands, with the files of --holdout.",
    ),
]
Confirm = Annotated[
    str | None,
    typer.Option(metavar="K", help="How often everything has to pass on one snapshot. Default: 1."),
]
AllowNewTests = Annotated[
    bool | None,
    typer.Option(
        "--allow-new-tests/--no-allow-new-tests",
        help="Whether test files that the agent adds are run as well, in a second pass. "
        "Default: no.",
        show_default=False,
    ),
]
ContainerNetwork = Annotated[
    bool | None,
    typer.Option(
        "--container-network/--no-container-network",
        help="Whether evaluators in a container reach the network. Default: no.",
        show_default=False,
    ),
]
OnConcern = Annotated[
    str | None,
    typer.Option(
        metavar="stop|notify-continue|ignore",
        help="What a doubt about the goal does. Default: stop.",
    ),
]
RequireHandoff = Annotated[
    bool | None,
    typer.Option(
        "--require-handoff/--no-require-handoff",
        help="Whether a turn has to end with a handoff. Default: if the agent has the tools.",
        show_default=False,
    ),
]
RoundTimeout = Annotated[
    str | None, typer.Option(metavar="TIME", help="The longest turn. Default: 30m.")
]
EvalTimeout = Annotated[
    str | None,
    typer.Option(
        metavar="TIME", help="The longest evaluation. Default: 10m, or 3 times the baseline's."
    ),
]
Baseline = Annotated[
    str | None,
    typer.Option(metavar="run|skip", help="Judge the base commit before round 1. Default: run."),
]
Name = Annotated[
    str | None, typer.Option(metavar="NAME", help="The loop's name. Default: from the goal.")
]
Branch = Annotated[
    str | None, typer.Option(metavar="BRANCH", help="The loop's branch. Default: loopctl/NAME.")
]
WorkingFolder = Annotated[
    str | None,
    typer.Option(
        "--cwd",
        metavar="DIR",
        help="Where agent and commands run. Default: here.",
    ),
]
Handoff = Annotated[
    str | None, typer.Option(metavar="NAME", help="The handoff strategy (a plug-in).")
]
BudgetPolicy = Annotated[
    str | None, typer.Option(metavar="NAME", help="The budget policy (a plug-in).")
]
Pricing = Annotated[
    str | None, typer.Option(metavar="NAME", help="The pricing provider (a plug-in).")
]
LogDetail = Annotated[
    str | None,
    typer.Option(metavar="full|summary", help="Keep prompts, or their digests. Default: full."),
]
