"""Columns of text."""

from collections.abc import Sequence

GAP = "  "


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The rows under their head, each column as wide as its widest cell."""
    lines = [head, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    return "\n".join(
        GAP.join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def labelled(rows: Sequence[tuple[str, str]]) -> str:
    """Rows of a label and what it says."""
    return "\n".join(f"{label:<10}{text}" for label, text in rows)
