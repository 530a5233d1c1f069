"""The shell of a command: no settings of anybody, and failures before a pipe where that is said."""

import pytest

from loopctl.domain.criteria import Verdict
from loopctl.domain.evaluator_spec import Isolation
from loopctl.domain.hardening import Hardening

PASS, FAIL = Verdict.PASS, Verdict.FAIL


@pytest.mark.parametrize("hardening", [Hardening.NONE, Hardening.PIPEFAIL])
def test_no_settings_of_a_shell_are_read(court, hardening):
    home = court.folder / "home"
    home.mkdir()
    names = (".profile", ".bashrc", ".bash_profile", ".shrc", ".kshrc", ".zshenv")
    for folder in (home, court.folder):
        for name in names:
            (folder / name).write_text("false() { return 0; }\nalias false=true\n")
    court.environment |= {"HOME": str(home)}
    assert court.judge("false", hardening=hardening).verdict is FAIL


def test_a_failure_before_a_pipe_counts_where_it_is_said(court):
    assert court.judge("exit 3 | tee log").verdict is PASS
    report = court.judge("exit 3 | tee log", hardening=Hardening.PIPEFAIL)
    assert (report.verdict, report.exit) == (FAIL, "exit 3")
    assert "hardened: pipefail" in report.criteria[0].evidence[1]
    assert court.judge("true | tee log", hardening=Hardening.PIPEFAIL).verdict is PASS


def test_the_shell_with_pipefail_behaves_and_speaks_like_sh(court):
    court.environment |= {"HOME": "/nowhere"}
    text = 'echo "a\\tb" "$0" >own; no-such-program | cat'
    report = court.judge(text, hardening=Hardening.PIPEFAIL)
    assert report.exit == "exit 127"
    assert "no-such-program: command not found" in report.criteria[0].evidence[0]
    assert "/bin/sh" not in report.criteria[0].evidence[0]


@pytest.mark.parametrize(
    ("command", "isolation", "piped"),
    [
        ("true | tee log", Isolation.SEPARATE_WORKTREE, True),
        ("true | tee log", Isolation.SAME_WORKSPACE, False),
        ("true | grep -q x", Isolation.SEPARATE_WORKTREE, False),
    ],
)
def test_a_baseline_says_whether_a_trial_is_worth_it(court, command, isolation, piped):
    court.isolation = isolation
    assert court.judge(command, is_baseline=True).piped is piped
    assert not court.judge(command).piped
