"""How many tests ran with which result, read from the summary that pytest prints last."""

import re

_SUMMARY = re.compile(r"^ *=* ?(\d+ \w+(?:, \d+ \w+)*) in [\d.]+s", re.MULTILINE)


def counts_of(output: str) -> dict[str, int]:
    """Return counts such as `{"passed": 180, "skipped": 1}`; raises ValueError without a summary.

    Warnings are no results, and left out.
    """
    summaries = _SUMMARY.findall(output)
    if not summaries:
        raise ValueError(f"no summary of pytest in: {output[-500:]}")
    pairs = (item.split() for item in summaries[-1].split(", "))
    return {result: int(number) for number, result in pairs if not result.startswith("warning")}
