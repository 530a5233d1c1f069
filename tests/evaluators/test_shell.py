"""Verdicts and evidence of real commands."""

import asyncio
import re
import shlex
import stat
import sys
import time

import psutil
import pytest

from loopctl.domain.criteria import Verdict, admit_report
from loopctl.domain.evaluator_spec import JudgeExecutor, Rubric, RubricItem
from loopctl.process.masking import Masker

PYTHON = shlex.quote(sys.executable)
PASS, FAIL, ERROR = Verdict.PASS, Verdict.FAIL, Verdict.ERROR


def evidence(report):
    """The only criterion's evidence, with its duration filtered."""
    (criterion,) = report.criteria
    first, *others = criterion.evidence
    return [re.sub(r"after \d+\.\d\d s", "after N s", first), *others]


@pytest.mark.parametrize(
    ("command", "verdict", "words"),
    [
        ("true", PASS, "exit 0"),
        ("exit 1", FAIL, "exit 1"),
        ("exit 2; true", FAIL, "exit 2"),
        (f"{PYTHON} -c 'import os; os._exit(-1)'", FAIL, "exit 255"),
        (f"{PYTHON} -c 'import os; os._exit(-256 + 3)'", FAIL, "exit 3"),
        ("sh -c 'kill -9 $$'; exit $?", FAIL, "exit 137"),
        ("no-such-program", ERROR, "exit 127"),
        ("./plain", ERROR, "exit 126"),
        ("./no-such-script", ERROR, "exit 127"),
        ("exit 126", ERROR, "exit 126"),
        ("false | true", PASS, "exit 0"),
    ],
)
@pytest.mark.parametrize("baseline_completed", [False, True])
def test_the_exit_code_is_the_verdict(court, command, verdict, words, baseline_completed):
    (court.folder / "plain").touch(mode=0o644)
    report = court.judge(command, baseline_completed=baseline_completed)
    assert (report.verdict, report.exit) == (verdict, words)


@pytest.mark.parametrize(("completed", "verdict"), [(False, ERROR), (True, FAIL)])
@pytest.mark.parametrize("signal", ["KILL", "TERM", "SEGV", "PIPE"])
def test_a_death_by_signal_is_never_a_pass(court, signal, completed, verdict):
    report = court.judge(f"kill -{signal} $$", baseline_completed=completed)
    assert report.verdict is verdict
    assert report.exit.startswith("ended by signal ")


@pytest.mark.parametrize(("completed", "verdict"), [(False, ERROR), (True, FAIL)])
@pytest.mark.parametrize(
    "command", ["sleep 1000", "trap 'exit 0' INT; while :; do sleep 0.01; done"]
)
def test_a_time_out_is_never_a_pass(court, command, completed, verdict):
    report = court.judge(command, timeout_s=0.2, baseline_completed=completed)
    assert (report.verdict, report.exit) == (verdict, "timed out")
    assert evidence(report)[0] == f"timed out after N s: {command}"


def test_the_whole_evidence_of_a_failure(court):
    report = court.judge("echo out; echo err >&2; exit 3")
    assert evidence(report) == [
        "exit 3 after N s: echo out; echo err >&2; exit 3",
        "separate-worktree, tree 0123456789ab, log round-0001.tests.1.log",
        "the output:",
        "out",
        "err",
    ]
    assert (report.log, report.warnings) == (court.log.name, ())
    assert court.log.read_text() == "out\nerr\n"
    assert stat.S_IMODE(court.log.stat().st_mode) == 0o600


def test_a_silent_pass_has_evidence_that_the_ledger_admits(court):
    request = court.request("true")
    report = court.judge("true")
    assert evidence(report) == [
        "exit 0 after N s: true",
        "separate-worktree, tree 0123456789ab, log round-0001.tests.1.log",
        "no output",
    ]
    assert admit_report(request.spec, report).refused == ()
    assert (report.digest, report.tree) == (request.spec.digest, request.checkout.tree)


def test_the_headline_of_an_error_says_what_the_shell_said(court):
    report = court.judge("pytest-of-elsewhere -q")
    assert re.fullmatch(
        r"exit 127 after N s: pytest-of-elsewhere -q \(pytest-of-elsewhere: (command )?not found\)",
        evidence(report)[0],
    )
    assert evidence(court.judge("exit 127"))[0] == "exit 127 after N s: exit 127 (no output)"


def test_a_folder_that_is_gone_is_an_error(court):
    court.folder.rmdir()
    report = court.judge("true")
    assert report.verdict is ERROR
    assert re.match("not started: .*No such file", evidence(report)[0])


def test_a_long_command_of_many_lines_is_one_line(court):
    headline = evidence(court.judge("true\n" + "  echo x\n" * 1000))[0]
    assert headline.startswith("exit 0 after N s: true echo x echo x")
    assert headline.endswith("...")
    assert len(headline) < 400


def test_only_the_environment_of_the_checkout(court):
    court.environment |= {"HOME": "/nowhere", "TERM": "dumb"}
    report = court.judge(f"{PYTHON} -I -c 'import os; print(*sorted(os.environ))'")
    seen = set(evidence(report)[-1].split()) - {"PWD", "OLDPWD", "SHLVL", "_", "LC_CTYPE"}
    assert seen == set(court.environment)
    assert evidence(court.judge("pwd"))[-1] == str(court.folder)


def test_a_daemon_is_ended_and_named_and_does_not_hold_the_verdict(court):
    writer = "while :; do echo x >> late; sleep 0.005; done"
    command = f"setsid sh -c '{writer}' & while [ ! -s late ]; do sleep 0.005; done"
    report = court.judge(command)
    late = court.folder / "late"
    size = late.stat().st_size
    time.sleep(0.1)
    assert late.stat().st_size == size
    assert report.verdict is PASS
    assert f"left running and ended: sh -c {writer}" in report.warnings


def test_many_daemons_are_counted(court):
    report = court.judge("for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 1000 & done")
    assert len(report.warnings) == 11
    assert report.warnings[-1] == "and 2 more processes"


def test_output_with_escapes_and_binary_is_plain_text(court):
    report = court.judge(
        r"printf '\033]0;t\007\033[31mred\033[0m\n10%%\r100%%\n'; "
        r"printf '\000\001\377\376\n\033[2Jlast\n'; exit 1"
    )
    assert evidence(report)[2:] == ["the output:", "red", "100%", "\ufffd\ufffd", "last"]


def test_huge_output_is_bounded_and_its_end_is_shown(court):
    code = "import os\nfor _ in range(20): os.write(1, b'x' * 1_000_000)\nprint('\\nlast')"
    lines = evidence(court.judge(f"{PYTHON} -I -c {shlex.quote(code)}; exit 1"))
    assert lines[2] == "the end of the output (all of it is in the log):"
    assert lines[-1] == "last"
    assert len("\n".join(lines[3:])) == 4000
    many = evidence(court.judge("i=0; while [ $i -lt 500 ]; do i=$((i+1)); echo $i; done"))
    assert many[2] == "the end of the output (all of it is in the log):"
    assert many[3:] == [str(number) for number in range(441, 501)]


def test_secrets_are_masked_everywhere(court):
    court.masker = Masker({"A_TOKEN": "hunter2-hunter2"})
    report = court.judge("echo hunter2-hunter2; exit 1")
    assert "hunter2" not in report.model_dump_json()
    assert evidence(report)[0] == "exit 1 after N s: echo [masked:A_TOKEN]; exit 1"
    assert evidence(report)[-1] == "[masked:A_TOKEN]"
    assert b"hunter2" not in court.log.read_bytes()


def test_a_run_that_is_given_up_judges_nothing(court):
    async def play(evaluator):
        request = court.request("echo up; trap 'exit 0' INT; while :; do sleep 0.01; done")
        running = asyncio.create_task(evaluator.evaluate(request))
        while not court.log.exists() or not court.log.read_text():  # noqa: ASYNC110 - another process
            await asyncio.sleep(0.005)
        request.stop.set()
        return await running

    report = court.with_evaluator(play)
    assert (report.verdict, report.exit) == (ERROR, "")
    assert evidence(report)[0].startswith("given up after N s: echo up")


def test_an_evaluator_that_kills_the_guard_judges_nothing(court):
    report = court.judge("echo $$ > pid; kill -9 $PPID; exec sleep 1000")
    assert (report.verdict, report.exit) == (ERROR, "")
    assert evidence(report)[0].startswith("its end was not seen after N s: ")
    assert report.warnings[0] == "the process guard was killed"
    assert not psutil.pid_exists(int((court.folder / "pid").read_text()))


def test_a_log_that_cannot_be_written_is_a_warning(court):
    court.log.parent.rmdir()
    report = court.judge("true")
    assert report.verdict is PASS
    assert report.warnings[0].startswith("the log is incomplete: ")


def test_one_exit_state_judges_every_declared_criterion(court):
    items = tuple(RubricItem(name=name, description="") for name in ("a", "b"))
    report = court.judge("exit 1", criteria=Rubric(items=items))
    assert [(entry.name, entry.verdict) for entry in report.criteria] == [("a", FAIL), ("b", FAIL)]


def test_another_executor_is_a_mistake_of_the_caller(court):
    executor = JudgeExecutor(rubric="r.md", model="m")
    with pytest.raises(TypeError, match="llm-judge"):
        court.judge("", executor=executor)
