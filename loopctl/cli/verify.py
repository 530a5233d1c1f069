"""``loopctl verify``: judge the last tree of a loop again, from scratch."""

import gc
import os
from pathlib import Path

from loopctl.cli import options
from loopctl.cli.agent_guard import refuse_inside_agent, refuse_inside_worktree
from loopctl.cli.output import as_json, notice, say
from loopctl.errors import ExitCode


def verify(
    name: options.SomeLoop,
    *,
    judge: options.AskJudges = False,
    keep_going: options.KeepGoing = False,
    json: options.Json = False,
) -> int:
    """Judge an ended loop's last tree again. From scratch, and held against what is stored."""
    refuse_inside_agent(os.environ, "loopctl verify")
    refuse_inside_worktree(os.environ, Path.cwd())
    gc.enable()  # see `main`: an evaluation may take hours
    from loopctl.bootstrap import verifying
    from loopctl.cli.verification_text import verification_object, verification_text
    from loopctl.domain.verification import Shown
    from loopctl.process.masking import Masker

    mask = Masker.from_environment(os.environ).mask
    wish = verifying.Wish(
        judges=judge, keep_going=keep_going, tell=lambda text: notice(f"{mask(text)} ...")
    )
    verification = verifying.verify(name, Path.cwd(), os.environ, wish)
    if json:
        say(as_json(verification_object(verification)))
    else:
        say(verification_text(verification))
    return {
        Shown.AGAIN: ExitCode.GOAL_MET,
        Shown.NOT_AGAIN: ExitCode.NOT_SHOWN_AGAIN,
        Shown.NOT_JUDGED: ExitCode.EVALUATOR_ERROR,
    }[verification.outcome]
