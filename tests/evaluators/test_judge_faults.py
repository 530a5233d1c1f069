"""What keeps a judge from judging is an ERROR of the right kind, and counted to the request."""

import pytest
from judge_world import PASSING, look, verdicts

from loopctl.domain.criteria import Verdict
from loopctl.domain.evaluator_spec import SingleMetric
from loopctl.testing.scripted_llm import Fault, Turn
from loopctl.testing.scripted_llm.fault import FAULT_KINDS

ATTEMPTS = 5


def failing(kind, **fields):
    return Turn(text="an answer that does not come to its end", fault=Fault(kind, **fields))


def flags(report):
    judged = report.judged
    return [name for name in ("limited", "model_failed", "refused") if getattr(judged, name)]


PASSES = ["overloaded", "server_error", "rate_limit"]
LOST = ["reset", "garbage", "malformed", "empty", "cut", "unfinished", "error_event"]
UNUSABLE = ["not_found", "bad_request"]
LIMITS = ["auth", "permission", "billing"]
ALONE = ["context_length", "hang"]  # each has a test of its own
ELSEWHERE = ["stall", "quota"]  # waited for like "hang"; not said by this vendor


def test_no_fault_is_forgotten():
    named = [*PASSES, *LOST, *UNUSABLE, *LIMITS, *ALONE, *ELSEWHERE]
    assert sorted(named) == sorted(FAULT_KINDS)


@pytest.mark.parametrize("kind", PASSES)
def test_an_error_that_passes_is_waited_out(hearing, kind):
    report = hearing.judge(failing(kind), failing(kind), verdicts(PASSING))
    assert report.verdict is Verdict.PASS
    assert hearing.meter.ended == ["nothing", "nothing", "used"]


@pytest.mark.parametrize("kind", LOST)
def test_an_answer_that_was_lost_is_asked_for_again(hearing, kind):
    report = hearing.judge(failing(kind), verdicts(PASSING))
    assert report.verdict is Verdict.PASS
    assert hearing.meter.ended == ["lost", "used"]


@pytest.mark.parametrize(("kind", "ended"), [("overloaded", "nothing"), ("reset", "lost")])
def test_an_error_that_does_not_pass_is_the_models(hearing, kind, ended):
    report = hearing.judge(*[failing(kind)] * ATTEMPTS)
    assert (report.verdict, flags(report)) == (Verdict.ERROR, ["model_failed"])
    assert hearing.meter.ended == [ended] * ATTEMPTS


@pytest.mark.parametrize("kind", UNUSABLE)
def test_a_model_that_cannot_be_used(hearing, kind):
    report = hearing.judge(failing(kind))
    assert (report.verdict, flags(report)) == (Verdict.ERROR, ["model_failed"])
    assert hearing.meter.ended == ["nothing"]


def test_a_conversation_that_became_too_long_is_not_the_models_fault(hearing):
    report = hearing.judge(look("list_files"), failing("context_length"))
    assert (report.verdict, flags(report)) == (Verdict.ERROR, [])
    assert hearing.meter.ended == ["used", "nothing"]


@pytest.mark.parametrize("kind", LIMITS)
def test_a_limit_of_the_provider(hearing, kind):
    report = hearing.judge(failing(kind))
    assert (report.verdict, flags(report)) == (Verdict.ERROR, ["limited"])
    assert report.judged.limit_resets_in_s is None
    assert hearing.meter.ended == ["nothing"]


def test_a_limit_with_a_known_end(hearing):
    report = hearing.judge(look("list_files"), failing("rate_limit", retry_after="3600"))
    assert (report.verdict, flags(report)) == (Verdict.ERROR, ["limited"])
    assert report.judged.limit_resets_in_s == pytest.approx(3600)
    assert "429" in report.criteria[0].headline[0]


def test_a_request_that_is_not_granted_is_not_sent(hearing):
    hearing.meter.allowed = 1
    report = hearing.judge(look("list_files"))
    assert (report.verdict, flags(report)) == (Verdict.ERROR, ["refused"])
    assert report.criteria[0].headline == ("the request was not sent: the token cap is used up",)
    assert hearing.meter.ended == ["used"]


def test_a_judge_that_does_not_answer_in_time(hearing):
    hearing.judge(verdicts(PASSING))  # what takes its time only once has taken it
    hearing.meter.ended.clear()
    report = hearing.judge(failing("hang"), timeout_s=1.0)
    assert (report.verdict, report.exit, flags(report)) == (Verdict.ERROR, "timed out", [])
    assert hearing.meter.ended == ["lost"]


def test_a_judge_that_is_stopped(hearing):
    report = hearing.judge(failing("hang"), stopped=True)
    assert (report.verdict, report.exit, flags(report)) == (Verdict.ERROR, "given up", [])
    assert hearing.meter.ended == ["lost"]


def test_a_missing_key_is_an_error_that_says_so(hearing, monkeypatch):
    monkeypatch.setattr(hearing.llm, "environment", dict)
    report = hearing.judge()
    assert report.verdict is Verdict.ERROR
    assert "ANTHROPIC_API_KEY" in " ".join(report.criteria[0].evidence)
    assert hearing.meter.ended == []


@pytest.mark.parametrize("provider", ["openai-chat", "openai-responses"])
def test_the_other_providers(hearing, provider):
    hearing.model = hearing.configured = f"{provider}:scripted-1"
    report = hearing.judge(look("read_file", path="src/read.py"), verdicts(PASSING))
    assert (report.verdict, report.warnings) == (Verdict.PASS, ())
    cut = hearing.judge(Turn(calls=verdicts(PASSING).calls, cut_off=True))
    assert cut.verdict is Verdict.ERROR
    assert hearing.meter.ended == ["used"] * 3


def test_no_error_has_a_verdict_or_an_answer(hearing):
    report = hearing.judge(failing("not_found"))
    assert {entry.verdict for entry in report.criteria} == {Verdict.ERROR}
    assert report.judged.answer == ""


def test_what_is_not_for_a_judge_is_refused(hearing):
    hearing.rubric = SingleMetric(name="tests")
    with pytest.raises(TypeError):
        hearing.judge()
