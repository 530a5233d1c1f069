"""What a command's report comes to: named criteria, FAIL until proved."""

import json
import os
import shlex
import stat
import sys

import pytest

from loopctl.domain.criteria import Verdict, admit_report
from loopctl.domain.evaluator_spec import Contract, Rubric, RubricItem, ShellExecutor
from loopctl.process.masking import Masker

PASS, FAIL, ERROR = Verdict.PASS, Verdict.FAIL, Verdict.ERROR
CONTRACT = Contract(name="agreed")
RUBRIC = Rubric(items=tuple(RubricItem(name=name, description="") for name in ("api", "docs")))


def criterion(name, verdict="PASS", *evidence):
    return {"name": name, "verdict": verdict, "evidence": evidence or [f"{name} was seen"]}


def write(criteria, code=0, **changes):
    """A command that writes a report; ``NONCE`` stands for the nonce of the run."""
    report = {"version": 1, "nonce": "NONCE", "criteria": criteria} | changes
    text = json.dumps(report)
    fill = 'sed "s/NONCE/$LOOPCTL_REPORT_NONCE/" > "$LOOPCTL_REPORT"'
    return f"printf %s {shlex.quote(text)} | {fill}; exit {code}"


@pytest.fixture
def bench(court, tmp_path):
    """A court with a TMPDIR, as a checkout has it."""
    (tmp_path / "tmp").mkdir()
    court.environment = {"PATH": os.environ["PATH"], "TMPDIR": str(tmp_path / "tmp")}
    return court


def judged(bench, command, criteria=CONTRACT, **fields):
    """The admitted report."""
    report = bench.judge(command, criteria=criteria, **fields)
    return admit_report(bench.request(command, criteria=criteria).spec, report).report


def verdicts(report):
    return {entry.name: str(entry.verdict) for entry in report.criteria}


def said(report, name):
    return next(entry.evidence for entry in report.criteria if entry.name == name)


def test_the_report_is_the_verdict(bench):
    report = judged(bench, write([criterion("api"), criterion("docs", "FAIL", "no page on B")]))
    assert verdicts(report) == {"api": "PASS", "docs": "FAIL"}
    assert said(report, "api") == ("api was seen",)
    assert said(report, "docs") == ("no page on B",)


def test_a_rubric_by_the_book(bench):
    """What was declared and is missing is FAIL, what nobody declared is dropped."""
    command = write([criterion("api"), criterion("bonus")])
    report = bench.judge(command, criteria=RUBRIC)
    admitted = admit_report(bench.request(command, criteria=RUBRIC).spec, report)
    assert verdicts(admitted.report) == {"api": "PASS", "docs": "FAIL"}
    assert len(admitted.refused) == 2


@pytest.mark.parametrize("evidence", [[], [""], [" ", "\n\x1b[0m\r"]])
def test_a_pass_without_evidence_is_none(bench, evidence):
    report = judged(
        bench, write([{"name": "api", "verdict": "PASS", "evidence": evidence}, criterion("docs")])
    )
    assert verdicts(report) == {"api": "FAIL", "docs": "PASS"}


def test_a_failure_without_evidence_shows_the_output(bench):
    bare = {"name": "api", "verdict": "FAIL"}
    report = judged(bench, "echo the reason; " + write([bare, {**bare, "name": "docs"}]))
    assert said(report, "api")[0] == "the report gives no evidence"
    assert "the reason" in said(report, "api")
    assert "the reason" not in said(report, "docs")


@pytest.mark.parametrize("code", [1, 3])
def test_an_exit_status_contradicts_a_report_of_passes(bench, code):
    report = judged(bench, write([criterion("api"), criterion("docs")], code))
    assert set(verdicts(report).values()) == {"FAIL"}
    assert (
        said(report, "api")[0] == f"exit {code} contradicts the report, in which everything passes"
    )


def test_an_exit_status_that_fits_leaves_passes_alone(bench):
    report = judged(bench, write([criterion("api"), criterion("docs", "FAIL")], 1))
    assert verdicts(report) == {"api": "PASS", "docs": "FAIL"}


def test_a_failure_that_nobody_declared_explains_no_exit_status(bench):
    command = write([criterion("api"), criterion("docs"), criterion("mine", "FAIL")], 1)
    assert verdicts(judged(bench, command, RUBRIC)) == {"api": "FAIL", "docs": "FAIL"}


def test_a_command_that_was_killed_proves_nothing(bench):
    command = write([criterion("api"), criterion("docs", "ERROR")]).replace("exit 0", "kill -9 $$")
    report = judged(bench, command)
    assert verdicts(report) == {"api": "FAIL", "docs": "FAIL"}
    assert said(report, "api")[0].startswith("ended by signal 9: no PASS stands")
    assert verdicts(judged(bench, command, baseline_completed=False)) == {"tests": "ERROR"}


def test_a_time_out_after_a_report_proves_nothing(bench):
    command = "trap 'exit 0' INT; " + write([criterion("api")]).replace("exit 0", "sleep 9 & wait")
    assert verdicts(judged(bench, command, timeout_s=0.5)) == {"api": "FAIL"}


@pytest.mark.parametrize("code", [126, 127])
def test_a_command_that_cannot_run_is_an_error_whatever_it_wrote(bench, code):
    assert verdicts(judged(bench, write([criterion("api")], code))) == {"tests": "ERROR"}


def test_an_error_of_one_criterion_stays_one(bench):
    report = judged(bench, write([criterion("api"), criterion("docs", "ERROR", "no server")]))
    assert verdicts(report) == {"api": "PASS", "docs": "ERROR"}


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("true", "no report was written"),
        (write([criterion("api")], nonce="0" * 32), "does not repeat the nonce"),
        (write([criterion("api")], version=2), "version: Input should be 1"),
        (write([criterion("api")], more=1), "more: Extra inputs"),
        (write([criterion("api"), criterion("API")]), "two criteria called 'API'"),
        (write([]), "at least 1 item"),
        (write([criterion("x" * 101)]), "at most 100 characters"),
        (write([criterion("two\nlines")]), "one line of printable text"),
        (write([criterion("api", "passed")]), "'PASS', 'FAIL' or 'ERROR'"),
        ("echo PASS > $LOOPCTL_REPORT", "it is not JSON"),
        ('echo \'{"version": 1, "version": 1}\' > $LOOPCTL_REPORT', "comes twice"),
        ("printf '\\377' > $LOOPCTL_REPORT", "it is not UTF-8"),
        ("head -c 1000001 /dev/zero > $LOOPCTL_REPORT", "more than 1,000,000 bytes"),
        ("mkfifo $LOOPCTL_REPORT", "not a regular file"),
        ("mkdir $LOOPCTL_REPORT", "not a regular file"),
        ("ln -s /dev/zero $LOOPCTL_REPORT", "it is a link"),
        (write([criterion("api")]).replace("exit 0", 'ln "$LOOPCTL_REPORT" twin'), "a hard link"),
        ('mv "$TMPDIR" "$TMPDIR.gone"; mkdir "$TMPDIR"; ' + write([criterion("api")]), "no report"),
    ],
)
def test_what_is_no_report_of_this_run(bench, command, why):
    """Every declared criterion fails; a contract fails under the evaluator's name."""
    report = judged(bench, command)
    assert verdicts(report) == {"tests": "FAIL"}
    assert why in said(report, "tests")[0]
    if why == "no report was written":
        assert verdicts(judged(bench, command, RUBRIC)) == {"api": "FAIL", "docs": "FAIL"}


def test_a_report_cannot_be_written_before_its_run(bench):
    """Path and nonce are drawn anew each time, and no record of a run tells them."""
    for name in ("first", "second"):
        bench.judge(f"env | grep ^LOOPCTL_ | sort > {name}", criteria=CONTRACT)
    first, second = ((bench.folder / name).read_text() for name in ("first", "second"))
    assert not set(first.splitlines()) & set(second.splitlines())
    (told,) = bench.log.parent.glob("environment.*.json")
    assert stat.S_IMODE(told.stat().st_mode) == 0o600
    environment = json.loads(told.read_text())["environment"]
    assert environment["LOOPCTL_REPORT_NONCE"] == "(new in every run)"
    assert environment["LOOPCTL_REPORT"] == "(new in every run)"


def test_a_command_with_one_criterion_gets_no_report(bench):
    report = bench.judge("env | grep -c ^LOOPCTL_REPORT")
    assert report.verdict is FAIL


@pytest.mark.parametrize(("code", "verdict"), [(0, "ERROR"), (1, "FAIL")])
def test_no_report_on_the_base_commit(bench, code, verdict):
    """A command that succeeds without its report is misconfigured, one that fails may be honest."""
    report = judged(bench, f"exit {code}", is_baseline=True, baseline_completed=False)
    assert verdicts(report) == {"tests": verdict}


def test_secrets_and_control_characters_are_taken_out(bench):
    bench.masker = Masker({"TOKEN": "s3cr3t-value"})
    command = write([criterion("with s3cr3t-value", "FAIL", "\x1b[31ms3cr3t-value", "x" * 9000)])
    (entry,) = judged(bench, command).criteria
    assert entry.name == "with [masked:TOKEN]"
    assert entry.evidence[0] == "[masked:TOKEN]"
    assert len(entry.evidence[1]) == 300


def test_the_evidence_is_bounded(bench):
    (entry,) = judged(bench, write([criterion("api", "FAIL", "\n".join(["a line"] * 50))])).criteria
    assert entry.evidence[19:21] == ("a line", "and 30 more lines")


JUNIT = "<testsuite><testcase name='a'>{}</testcase></testsuite>"


@pytest.mark.parametrize(("inner", "expected"), [("", "PASS"), ("<failure/>", "FAIL")])
def test_the_result_floor_holds_for_a_report_as_well(bench, inner, expected):
    command = f"echo {shlex.quote(JUNIT.format(inner))} > results.xml; " + write([criterion("api")])
    executor = ShellExecutor(command=command, results="results.xml")
    assert verdicts(judged(bench, command, executor=executor)) == {"api": expected}


def test_a_runner_that_exits_early_leaves_no_report(bench):
    """Product code that ends the process with status 0 keeps the report from being written."""
    script = "import os; os._exit(0); open(os.environ['LOOPCTL_REPORT'], 'w')"
    assert verdicts(judged(bench, f"{sys.executable} -c {shlex.quote(script)}")) == {
        "tests": "FAIL"
    }
