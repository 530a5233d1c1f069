"""What a coding agent is told at the start of a turn.

The goal comes first; then how the turn is judged, then the facts about what was. All that
programs and other agents wrote stands in fences, as data.

Invariant: the text is bounded but for the goal, which is never changed nor cut, and the same
context always gives the same text.
"""

from loopctl.domain.protection import Protection
from loopctl.domain.round_context import JudgedBy, RoundContext
from loopctl.prompts.failing import failing_criteria
from loopctl.prompts.fence import fence
from loopctl.prompts.history import last_words, recent_rounds, restored_paths
from loopctl.prompts.listing import listing

MAX_EVALUATORS = 40
MAX_PATTERNS = 40

_JUDGED = """\
## How your turn is judged

The goal is met when all of these pass on the files that you leave. What you say about your work
is never a verdict."""
_IGNORED = """\
Files that git ignores are not part of what is judged, nor are installed dependencies (.venv,
node_modules): an evaluator has its own."""
_PROTECTED = """\
Protected paths are put back as they were at the start before every evaluation; only the user can
open one, with --allow. Protected is what matches one of:"""
_ALLOWED = "Of these, the user has opened what matches one of:"
_BY_TOOL = """\
- End your turn with the tool loop_handoff: what you changed and why, and which checks you ran
  with which outcome. Without it the turn does not count as finished."""
_BY_COMMAND = """\
- End your turn with this command: what you changed and why, and which checks you ran with which
  outcome. Without it the turn does not count as finished.
  loopctl tool loop_handoff --json '{"changes": [{"summary": "...", "reason": "..."}],
  "verification": [{"command": "...", "cwd": ".", "outcome": "pass", "changedAfter": false}]}'"""
_HAND_OVER = {"tool": f"\n{_BY_TOOL}", "command": f"\n{_BY_COMMAND}", "": ""}
_RULES = """\
## Rules

- Solve the task itself: do not write TODO, FAKE or PLACEHOLDER code, or code that only looks
  right to the evaluators, in order to get past them.
- Let errors show: do not write empty exception handlers (`except: pass`, `catch (_) {}`) that
  hide an error from the evaluators.
- There is no human to ask. Decide for yourself, do the work, then end your turn."""


def build(context: RoundContext) -> str:
    """The whole text of a coding turn."""
    sections = (
        _opening(context),
        f"## Goal\n\n{fence('goal', context.goal)}",
        _judgement(context.judged_by, context.protection),
        f"{_RULES}{_HAND_OVER[context.hand_over]}",
        restored_paths(context.restored),
        failing_criteria(context),
        recent_rounds(context.recent),
        last_words(context.previous),
    )
    return "\n\n".join(section for section in sections if section) + "\n"


def _opening(context: RoundContext) -> str:
    return (
        "You work toward the goal below, on the project in the current folder.\n"
        f"This is {_round(context)}. Go on with the files as you find them there.\n"
        "You need not commit: the files count as they are when your turn ends."
    )


def _round(context: RoundContext) -> str:
    if context.max_rounds is None:
        return f"round {context.round}"
    if context.round == context.round_of_run:
        return f"round {context.round} of {context.max_rounds}"
    place = f"{context.round_of_run} of {context.max_rounds} since the restart"
    return f"round {context.round} ({place})"


def _judgement(judged_by: tuple[JudgedBy, ...], protection: Protection) -> str:
    evaluators = [
        f"{judge.name}: {judge.how} (isolation: {judge.isolation})" for judge in judged_by
    ]
    text = f"{_JUDGED}\n\n{listing(evaluators, MAX_EVALUATORS)}\n\n{_IGNORED}"
    if protection.patterns:
        text += f"\n\n{_PROTECTED}\n\n{_patterns(protection.patterns)}"
    if protection.patterns and protection.allowed:
        text += f"\n\n{_ALLOWED}\n\n{_patterns(protection.allowed)}"
    return text


def _patterns(patterns: tuple[str, ...]) -> str:
    return listing([f"`{pattern}`" for pattern in patterns], MAX_PATTERNS)
