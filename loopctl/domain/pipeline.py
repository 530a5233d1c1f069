"""Pipelines whose left side can fail unnoticed: ``pytest | tee log`` exits as ``tee`` does.

Only those are meant in which the right side reads everything and judges nothing. ``grep -q`` and
``head`` do judge, or stop reading, which ends the left side with a signal: for them the exit
status of a pipeline is the right one. Invariant: quotes and substitutions are never looked into.
"""

from itertools import pairwise

from loopctl.domain.shell_text import SimpleCommand, simple_commands

_READERS = frozenset(
    {"tee", "cat", "tail", "tr", "sort", "uniq", "wc", "nl", "cut", "fold", "column", "ts"}
)
_PIPES = frozenset({"|", "|&"})


def hides_failures(command: str) -> bool:
    """Whether every pipeline of ``command`` would judge more with ``pipefail``, and none less."""
    parts = simple_commands(command) or ()
    if any("pipefail" in part.words for part in parts):
        return False
    fed = [following for part, following in pairwise(parts) if _pipes(part)]
    return bool(fed) and all(following.program[:1] and _reads_all(following) for following in fed)


def _pipes(part: SimpleCommand) -> bool:
    return part.then in _PIPES


def _reads_all(part: SimpleCommand) -> bool:
    return part.program[0].rpartition("/")[2] in _READERS
