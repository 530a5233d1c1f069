"""The script of the second run: the repair, what a judge says of it, and one more round."""

from pathlib import Path

from loopctl.testing.scripted_llm import Call, Lane, Tokens, Turn, read_script

HERE = Path(__file__).parent
CRITERION = "Unknown units"
WRONG = "return amount * GRAMS[unit]"
RIGHT = """if unit not in GRAMS:
        raise ValueError(f"unknown unit: {unit!r}")
    return amount * GRAMS[unit]"""
CHECK = {"command": "python3 -m unittest -q", "cwd": ".", "outcome": "pass", "changedAfter": False}
HANDOFF = {
    "changes": [{"summary": "unknown units are refused", "reason": "the judge asked for it"}],
    "verification": [CHECK],
}


def lanes() -> list[Lane]:
    """The worker's turns and the judge's, told apart by the tools that they are offered."""
    (worker,) = read_script(HERE / "repair.json")
    worker.tool = "edit_file"
    edit = {"path": "pantry/units.py", "old": WRONG, "new": RIGHT}
    worker.steps += [
        Turn(calls=(Call("edit_file", edit),), usage=Tokens(2100, 80)),
        Turn(calls=(Call("loop_handoff", HANDOFF),), usage=Tokens(2300, 60)),
        Turn(text="Unknown units are refused now.", usage=Tokens(2400, 8)),
    ]
    look = Turn(calls=(Call("read_file", {"path": "pantry/units.py"}),), usage=Tokens(1500, 20))
    judge = Lane(
        [
            look,
            verdict("FAIL", 8, WRONG, "an unknown unit ends as a KeyError of the table"),
            look,
            verdict("PASS", 9, 'raise ValueError(f"unknown unit: {unit!r}")', "it is refused"),
        ]
    )
    return [worker, judge]


def verdict(word: str, line: int, quote: str, reason: str) -> Turn:
    """What the judge says of its one criterion."""
    cited = [{"file": "pantry/units.py", "line": line, "quote": quote}]
    judged = {"name": CRITERION, "verdict": word, "reason": reason, "evidence": cited}
    return Turn(calls=(Call("give_verdicts", {"criteria": [judged]}),), usage=Tokens(1700, 70))
