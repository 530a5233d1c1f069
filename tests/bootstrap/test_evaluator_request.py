"""Where the evaluators of a request run, taken together."""

from pathlib import Path

import pytest

from loopctl.bootstrap.evaluator_request import EvaluatorRequest
from loopctl.bootstrap.request import StartRequest
from loopctl.domain.evaluator_spec import Isolation

HERE, APART, BOX = Isolation.SAME_WORKSPACE, Isolation.SEPARATE_WORKTREE, Isolation.CONTAINER
DECLARED = (
    EvaluatorRequest(name="boxed", command="x", isolation=BOX),
    EvaluatorRequest(name="plain", command="y"),
)


@pytest.mark.parametrize(
    ("asked", "isolations"),
    [
        ({"evaluators": ("boxed",)}, {BOX}),
        ({"evaluators": ("plain",)}, {HERE}),
        ({"evaluators": ("boxed", "plain")}, {BOX, HERE}),
        ({"evaluators": ("boxed", "plug-in")}, {BOX, HERE}),
        ({"evaluators": ("boxed",), "stops": ("z",)}, {BOX, HERE}),
        ({"contracts": ("z",), "isolation": APART}, {APART}),
        ({}, set()),
    ],
)
def test_the_isolations_are_those_of_what_is_used(asked, isolations):
    given = {"declared": DECLARED, "isolation": HERE} | asked
    request = StartRequest("g", Path("/f"), "cmd:x", **given)
    assert request.isolations == isolations
    assert request.is_in_place == (isolations == {HERE})
