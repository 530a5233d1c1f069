"""A list of lines whose number and length are bounded.

Invariant: what was left out is counted in the list's last line.
"""

from loopctl.prompts.excerpt import one_line

LINE_CHARACTERS = 500


def listing(lines: list[str], limit: int) -> str:
    """The first ``limit`` lines, each on a line of its own behind a dash."""
    shown = [f"- {one_line(line, LINE_CHARACTERS)}" for line in lines[:limit]]
    if len(lines) > limit:
        shown.append(f"- and {len(lines) - limit} more")
    return "\n".join(shown)
