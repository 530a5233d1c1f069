"""What of a judge's answer becomes a PASS: only what is looked up and found."""

import hashlib

import pytest
from judge_world import (
    CITATION,
    MODEL,
    NAMES,
    NO_EVAL,
    PASSING,
    entry,
    look,
    verdicts,
)

from loopctl.domain.criteria import Verdict
from loopctl.domain.evaluator_spec import Rubric, RubricItem
from loopctl.ports import WorkFacts
from loopctl.process.masking import Masker

TWO = Rubric(
    items=(
        RubricItem(name=NAMES, description="each error names its file"),
        RubricItem(name=NO_EVAL, description="there is no call of eval()"),
    )
)


def cite(**fields):
    return entry(NAMES, "PASS", CITATION | fields)


def test_a_citation_that_holds_is_a_pass_with_evidence(hearing):
    report = hearing.judge(look("read_file", path="src/read.py"), verdicts(PASSING))
    assert report.verdict is Verdict.PASS
    assert report.criteria[0].evidence == (
        "src/read.py:2: raise FileNotFoundError(f'no file {path}')",
        "the judge's words: because",
    )
    assert (report.evaluator, report.exit, report.log) == ("rubric", "answered", hearing.log.name)
    assert hearing.meter.ended == ["used", "used"]


def test_what_stands_behind_a_report(hearing):
    judged = hearing.judge(verdicts(PASSING)).judged
    assert (judged.session_id, judged.model) == ("j1", MODEL)
    assert '"verdict":"PASS"' in judged.answer.replace(" ", "")
    asked = hearing.llm.requests[0].body
    system = asked["system"] if isinstance(asked["system"], str) else asked["system"][0]["text"]
    message = asked["messages"][0]["content"][0]["text"]
    assert judged.prompt_digest == hashlib.sha256(f"{system}\n{message}".encode()).hexdigest()
    assert (judged.limited, judged.model_failed, judged.refused) == (False, False, False)


def test_a_fail_tells_where(hearing):
    report = hearing.judge(
        verdicts(entry(NAMES, "FAIL", CITATION, CITATION | {"line": 90}, reason="no name in it"))
    )
    assert report.verdict is Verdict.FAIL
    assert report.criteria[0].evidence == (
        "no name in it",
        "src/read.py:2: raise FileNotFoundError(f'no file {path}')",
        "src/read.py:90 does not hold: the file has 5 lines",
    )


def test_a_citation_that_does_not_hold_is_never_a_pass(hearing):
    (hearing.tree / "link").symlink_to("/etc/passwd")
    forged = {"file": "link", "line": 1, "quote": "root:x:0:0:root:/root"}
    report = hearing.judge(verdicts(entry(NAMES, "PASS", forged)), verdicts(cite(line=40)))
    assert report.verdict is Verdict.FAIL
    weak = "src/read.py:40 does not hold: the file has 5 lines"
    assert report.criteria[0].evidence == (
        f"the judge said PASS, and its evidence does not hold: {weak}",
        "the judge's words: because",
        weak,
    )
    assert "link:1 does not hold" in hearing.llm.requests[1].text


def test_a_judge_may_put_its_evidence_right_once(hearing):
    report = hearing.judge(verdicts(entry(NAMES, "PASS")), verdicts(PASSING))
    assert report.verdict is Verdict.PASS
    assert "its evidence does not hold: it has none" in hearing.llm.requests[1].text


SEARCH = {"pattern": r"\beval\(", "example": "x = eval(text)"}
ABSENT = entry(NO_EVAL, "PASS", search="S1")


def test_a_search_that_finds_nothing_is_evidence_of_absence(hearing):
    hearing.rubric = TWO
    report = hearing.judge(look("search", **SEARCH), verdicts(PASSING, ABSENT))
    assert report.verdict is Verdict.PASS
    assert report.criteria[1].evidence == (
        r"search S1: 0 matches of '\\beval\\(' in . among 3 lines",
        "the judge's words: because",
    )
    assert "As evidence of absence: it counts" in hearing.llm.requests[1].text


def test_a_search_that_could_find_nothing_is_none(hearing):
    hearing.rubric = Rubric(items=TWO.items[1:])
    weak = look("search", **(SEARCH | {"example": ""}))
    report = hearing.judge(weak, verdicts(ABSENT), verdicts(ABSENT))
    assert report.verdict is Verdict.FAIL
    assert "made without an example" in report.criteria[0].headline[0]


def test_a_search_that_was_never_made(hearing):
    hearing.rubric = Rubric(items=TWO.items[1:])
    report = hearing.judge(verdicts(ABSENT), verdicts(ABSENT))
    assert report.verdict is Verdict.FAIL


def test_a_criterion_that_was_left_out_fails_and_a_strange_one_is_dropped(hearing):
    hearing.rubric = TWO
    answer = verdicts(PASSING, entry("Everything", "PASS", CITATION))
    report = hearing.judge(answer, answer)
    assert [entry.verdict for entry in report.criteria] == [Verdict.PASS, Verdict.FAIL]
    assert report.criteria[1].evidence == ("the judge gave no verdict on it",)
    assert report.warnings == ("the judge spoke of criteria that there are not: Everything",)


@pytest.mark.parametrize("second", ["PASS", "FAIL"])
def test_two_verdicts_on_one_criterion_are_an_error(hearing, second):
    answer = verdicts(PASSING, entry(NAMES, second, CITATION))
    report = hearing.judge(answer, answer)
    assert report.verdict is Verdict.ERROR
    assert report.criteria[0].evidence == (f"the judge gave 2 verdicts on it: PASS, {second}",)


def test_a_model_in_place_of_another_is_named(hearing):
    hearing.configured = "anthropic:another"
    report = hearing.judge(verdicts(PASSING))
    assert report.warnings == (f"judged by {MODEL} in place of anthropic:another",)


def test_secrets_are_masked_wherever_a_judgement_is_kept(hearing):
    hearing.masker = Masker({"TOKEN": "hunter2hunter2"})
    hearing.write("src/read.py", "token = 'hunter2hunter2'\n")
    quoted = {"file": "src/read.py", "line": 1, "quote": "token = 'hunter2hunter2'"}
    hearing.facts = WorkFacts(goal="x", diff="+token = 'hunter2hunter2'\n")
    report = hearing.judge(
        look("search", pattern="hunter2hunter2"),
        verdicts(entry(NAMES, "FAIL", quoted, reason="it holds hunter2hunter2")),
    )
    assert report.criteria[0].headline == ("it holds [masked:TOKEN]",)
    kept = report.model_dump_json() + hearing.log.read_text() + str(hearing.shown)
    assert "hunter2hunter2" not in kept


def test_a_secret_at_the_end_of_a_long_line_is_masked_before_the_line_is_cut(hearing):
    hearing.masker = Masker({"TOKEN": "hunter2hunter2"})
    reason = f"{'x' * 290} hunter2hunter2"
    report = hearing.judge(verdicts(entry(NAMES, "FAIL", reason=reason)))
    assert "hunter" not in report.criteria[0].evidence[0]
    assert len(report.criteria[0].evidence[0]) == 300


def test_the_log_tells_the_whole_hearing(hearing):
    hearing.judge(look("search", **SEARCH), verdicts(PASSING))
    log = hearing.log.read_text()
    assert hearing.log.stat().st_mode & 0o777 == 0o600
    for part in ("You are a judge.", "# The criteria", "search \\beval\\(", "give_verdicts"):
        assert part in log
    assert [(shown.text, shown.tokens > 0) for shown in hearing.shown] == [
        ("search \\beval\\( .", True)
    ]


def test_a_log_that_cannot_be_written_is_said(hearing):
    hearing.log.mkdir()
    report = hearing.judge(verdicts(PASSING))
    assert report.verdict is Verdict.PASS
    assert "the log is incomplete" in report.warnings[0]
