"""What ``loopctl apply`` has done, in words."""

import shlex
from collections.abc import Sequence

from loopctl.bootstrap.applying import Applied
from loopctl.observe.plain import count, listing, one_line

_LISTED = 50


def applied_text(applied: Applied) -> str:
    """Every changed file, where it is, and what can be typed next."""
    if not applied.changes:
        return f"nothing to do: {one_line(str(applied.folder))} holds this work already"
    lines = [f"{kind} {one_line(path)}" for kind, path in applied.changes[:_LISTED]]
    more = len(applied.changes) - _LISTED
    if more > 0:
        lines.append(f"and {count(more, 'more file')}")
    where = one_line(str(applied.folder))
    name = shlex.quote(applied.loop)
    lines += [
        f"{count(len(applied.changes), 'file')} changed in {where}: not staged, not committed",
        f"next: git status, then git add and git commit; loopctl discard {name} when done",
    ]
    return "\n".join(lines)


def left_out_text(paths: Sequence[str]) -> str:
    """What the agent has changed and no evaluator has seen."""
    return f"left out (protected, or compiled): {listing(paths)}; loopctl diff shows them"
