"""What a loop's evidence says that is odd: lines that a person should look at.

Invariant: an honest agent's loop has none of them.
"""

from harness import Result

_LISTS = ("alerts", "signs", "late", "restored", "new_tests")


def oddities(result: Result) -> tuple[str, ...]:
    """The odd lines in a loop's events, in their order."""
    found: list[str] = []
    for snapshot in (data["snapshot"] for data in result.of("snapshot_taken")):
        for name in _LISTS:
            found += (f"{name}: {_words(each)}" for each in snapshot.get(name, ()))
        found += (f"note: {note}" for note in snapshot["notes"])
    for settled in result.of("settled"):
        found += (f"survivor: {_words(each)}" for each in settled["survivors"])
    for report in (data["report"] for data in result.of("evaluator_finished")):
        found += (f"warning: {each}" for each in report["warnings"])
    return tuple(found)


def _words(value: object) -> str:
    if isinstance(value, dict):
        return " ".join(str(each) for each in value.values())
    return str(value)
