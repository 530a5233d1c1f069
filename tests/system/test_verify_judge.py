"""A judge is paid for: ``loopctl verify`` asks it only when it is told to."""

import json

from model_world import MODEL, USED, scripted

from loopctl.testing.scripted_llm import Call, Lane, Turn

LOOK = Turn(calls=(Call("read_file", {"path": "answer.txt"}),), usage=USED)


def verdict(word: str) -> Turn:
    cited = [{"file": "answer.txt", "line": 1, "quote": "42 is all that is in this file"}]
    criterion = {"name": "Exact", "verdict": word, "reason": "so it is", "evidence": cited}
    return Turn(calls=(Call("give_verdicts", {"criteria": [criterion]}),), usage=USED)


def test_a_judge_is_asked_when_the_user_says_so(world):
    world.write("RUBRIC.md", "- **Exact**: the file answer.txt holds the number 42 alone\n")
    world.commit("a rubric")
    options = ("--stop", "grep -q 42 answer.txt", "--judge", "RUBRIC.md")
    options += ("--judge-model", f"openai:{MODEL}")
    solve = [{"write": ["answer.txt", "42 is all that is in this file\n"]}]
    answers = (LOOK, verdict("PASS"), LOOK, verdict("FAIL"))
    with scripted(world, lanes=[Lane(list(answers), tool="give_verdicts")]) as llm:
        world.run_loop(solve, options=options).check(0)
        without = world.run_loopctl("verify", "demo").check(0)
        assert "outcome   shown again, but for judge, which was not asked" in without.stdout
        assert len(llm.requests) == 2
        done = world.run_loopctl("verify", "demo", "--judge", "--json").check(17)
        llm.check()
    said = json.loads(done.stdout)
    assert [(one["criterion"], one["now"]) for one in said["criteria"]] == [
        ("grep -q 42 answer.txt", "PASS"),
        ("Exact", "FAIL"),
    ]
