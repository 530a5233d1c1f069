"""A proposed configuration as the text of ``loopctl.toml``: every line with its reason.

Invariant: the text is valid TOML that `config_file` reads without an error, whatever the
repository's paths and scripts hold.
"""

import json
import textwrap
from collections.abc import Iterable, Iterator

from loopctl.bootstrap.proposing import Proposed
from loopctl.bootstrap.provider_defaults import KEYS, default_model
from loopctl.domain.suggestions.choose import Proposal
from loopctl.domain.suggestions.suggestion import Reason, Strength, Suggestion
from loopctl.observe.plain import one_line

_HEAD = """\
# loopctl.toml: what a loop in this repository runs, is given and may not change.
# Written by `loopctl init` from what the last commit holds; correct it as you like, then type
# `loopctl doctor`. Flags and LOOPCTL_* variables win over it.
"""
_A_KEY = next(iter(KEYS.values()))[0]
_SHOWN_OTHERS = 6
_WIDTH = 96


def config_text(proposed: Proposed) -> str:
    """The whole file."""
    proposal = proposed.proposal
    parts = [
        [_HEAD.rstrip("\n")],
        _agent(proposed),
        _stop(proposal),
        _judge(),
        _caps(),
        _protect(proposed),
        _walls(),
        _workspace(proposal),
        _evaluator(proposal),
        _declared(),
    ]
    return "\n\n".join("\n".join(lines) for lines in parts) + "\n"


def _agent(proposed: Proposed) -> list[str]:
    first, *others = proposed.agents
    lines = [
        "# Who does the work: a command that reads the prompt from standard input, or a model."
    ]
    mark = "" if proposed.installed else "# "
    if proposed.installed:
        lines.append("# This program was found on your PATH.")
    return [
        *lines,
        f"{mark}agent = {_text(first)}",
        *(f"# agent = {_text(each)}" for each in others),
        f"# agent = {_text(default_model(next(iter(KEYS))))}  # built in; needs {_A_KEY}",
    ]


def _stop(proposal: Proposal) -> list[str]:
    lines = ["# The goal is met when each of these exits with 0. They run at the root of a clean"]
    lines.append("# checkout of the judged tree, which has no ignored files.")
    chosen = proposal.chosen
    if chosen is None:
        lines.append("# Nothing in this repository tells how it is tested: name the command here.")
        return [*lines, '# stop = ["./check.sh"]']
    lines += _comments(_because(chosen))
    for name in proposal.missing:
        lines += _comments(f"{name} is not on your PATH: install it, or choose another command.")
    for note in chosen.notes:
        lines += _comments(f"{note}.")
    lines.append(f"stop = [{_text(chosen.command)}]")
    if proposal.others:
        lines.append("# Found as well (several commands may stand in the list):")
    return [*lines, *map(_alternative, proposal.others[:_SHOWN_OTHERS])]


def _judge() -> list[str]:
    return [
        "# A language model can judge what no command can: one list item for each criterion.",
        '# judge = "RUBRIC.md"',
        f"# judge-model = {_text(default_model(next(iter(KEYS))))}",
    ]


def _because(chosen: Suggestion) -> str:
    doubt = "; this is a guess" if chosen.strength is Strength.GUESSED else ""
    return f"Why this one: {chosen.because}{doubt}."


def _alternative(other: Suggestion) -> str:
    needs = [f"share {reason.value}" for reason in other.share]
    needs += [f"setup: {other.setup.command}"] if other.setup else []
    return _comment("; ".join([f"stop = [{_text(other.command)}]  # {other.because}", *needs]))


def _caps() -> list[str]:
    return [
        "# When to give up. Without these lines: after 15 rounds.",
        "# max-rounds = 15",
        '# max-time = "2h"',
        "# max-usd = 5.0  # needs an agent that says what it uses, or assume-usd-per-round",
        "# Dollars for a million tokens, where a model has another price or none is known:",
        '# prices."openai:my-model" = { input = 3.0, output = 15.0 }',
    ]


def _protect(proposed: Proposed) -> list[str]:
    lines = ["# Files that judge the work are put back before every evaluation."]
    for preset in proposed.presets:
        what = f"Protected anyway: {preset.name} tests and their settings"
        lines += _comments(f"{what}; not covered: {preset.leaves_open}.")
    found = proposed.proposal.protect
    if not found:
        return [*lines, '# protect = ["golden/**"]  # folders with a trailing /**, or any glob']
    return [*lines, *_reasoned_list("protect", found)]


def _walls() -> list[str]:
    return [
        "# Agent and stop commands run as you. A sandbox can keep either apart, or both:",
        '# isolation = "container"  # the stop commands, without network',
        '# sandbox.backend = "auto"  # the agent; "bwrap": or the loop does not start',
    ]


def _workspace(proposal: Proposal) -> list[str]:
    lines = ["[workspace]", "# What the agent's worktree is given beside the committed files."]
    share = list(_reasoned_list("share", proposal.share))
    share = share or [
        '# share = [".venv"]  # ignored folders of your checkout: the agent gets copies'
    ]
    return [*lines, *share, *_setup(proposal, for_agent=True)]


def _evaluator(proposal: Proposal) -> list[str]:
    chosen = proposal.chosen
    lines = ["[evaluator]", "# What every checkout is given in which a stop command runs."]
    share = list(_reasoned_list("share", proposal.share))
    share = share or ['# share = [".venv"]  # copies from your checkout, never from the agent\'s']
    lines += [*share, *_setup(proposal, for_agent=False)]
    if proposal.settings:
        names = ", ".join(map(_text, proposal.settings))
        lines += _comments(f"Ignored files that the tests may need; add them to share: {names}.")
    if chosen is not None and chosen.git is not None:
        lines += [*_comments(f"{chosen.git.because}."), f"git = {_text(chosen.git.value)}"]
    for cache in () if chosen is None else chosen.cache:
        lines += _comments(f"Yours as it is, readable and writable; {cache.because}:")
        lines.append(f"# cache = [{_text(cache.value)}]")
    return [*lines, '# env = ["DATABASE_URL"]  # variables that stop commands receive']


def _declared() -> list[str]:
    return [
        "# A command can judge several criteria, in a report that it writes (docs/reports.md):",
        "# [evaluators.api]",
        '# command = "./contract.sh"',
        '# criteria = "contract"  # or ["builds", "documented"], when their names are known',
        '# isolation = "separate-worktree"',
    ]


def _setup(proposal: Proposal, *, for_agent: bool) -> Iterator[str]:
    setup = proposal.chosen.setup if proposal.chosen else None
    if setup is None:
        yield '# setup = "make deps"  # a command that installs what the tests need'
        return
    once = "before round 1" if for_agent else "once for each state of the manifests"
    yield from _comments(f"Installs what the tests need, {once}: {setup.because}.")
    if for_agent and not setup.kept_out:
        yield from _comments(
            f"First commit a .gitignore that has {setup.makes}/, or it is snapshotted."
        )
    mark = "# " if for_agent and not setup.kept_out else ""
    yield f"{mark}setup = {_text(setup.command)}"


def _reasoned_list(key: str, reasons: Iterable[Reason]) -> Iterator[str]:
    found = tuple(reasons)
    if not found:
        return
    yield f"{key} = ["
    for reason in found:
        yield f"  {_text(reason.value)},  {_comment(reason.because)}"
    yield "]"


def _comments(text: str) -> list[str]:
    return [f"# {line}" for line in textwrap.wrap(one_line(text), _WIDTH)]


def _comment(text: str) -> str:
    return f"# {one_line(text)}"


def _text(value: str) -> str:
    """A string of TOML: its escapes are those of JSON, and DEL must be escaped as well."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
