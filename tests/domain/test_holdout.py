"""What is said of a hold-out, and what is not."""

import pytest
from loops import make_report, make_suite

from loopctl.domain.criteria import Verdict
from loopctl.domain.holdout import silenced


@pytest.mark.parametrize(
    ("verdict", "skipped", "said"),
    [
        (Verdict.PASS, 0, "the hold-out check passed"),
        (Verdict.PASS, 2, "the hold-out check passed; tests of it that were skipped: 2"),
        (Verdict.FAIL, 2, "the hold-out check failed"),
        (Verdict.ERROR, 2, "the hold-out check could not be run (its log says why)"),
    ],
)
def test_of_a_hold_out_only_a_pass_says_more_than_the_verdict(verdict, skipped, said):
    report = make_report(verdict=verdict, evidence=("secret",)).evolve(
        suite=make_suite().evolve(skipped=skipped), warnings=("secret",)
    )
    heard = silenced(report)
    assert [entry.evidence for entry in heard.criteria] == [(said,)]
    assert "secret" not in heard.model_dump_json()
    assert heard.suite is None
