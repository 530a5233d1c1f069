"""Which pipelines hide the failure of their left side."""

import pytest

from loopctl.domain.pipeline import hides_failures


@pytest.mark.parametrize(
    "command",
    [
        "pytest | tee log",
        "pytest -q 2>&1 | tail -20",
        "make test | cat | sort",
        "lint && pytest | /usr/bin/tee log",
        "(pytest) | tee log",
        "pytest |& tee log",
    ],
)
def test_the_left_side_may_fail_unnoticed(command):
    assert hides_failures(command)


@pytest.mark.parametrize(
    "command",
    [
        "pytest",
        "pytest || make",
        "run | grep -q ok",
        "yes | head -1",
        "pytest | tee log | grep passed",
        "set -o pipefail; pytest | tee log",
        "echo 'a | tee b'",
        "cat <<EOF | tee log",
        "pytest | 'unclosed",
        "a | b=1",
        "",
    ],
)
def test_the_status_is_meant_or_cannot_be_told(command):
    assert not hides_failures(command)
