"""Doubts about a failing baseline: signs that the checkout lacks something, and not the work.

A base commit that fails is what most loops start from. Invariant: a doubt is said, before any
round is paid for, and refuses nothing: the missing module may be what the agent is to write.
"""

import re

from loopctl.domain.criteria import EvaluatorReport, Verdict
from loopctl.domain.records import BaselineNotice

_SUPPLY = (
    "if that is not what the agent is to write, supply it: loopctl init proposes how, "
    "loopctl doctor says what a checkout has"
)
_RESULTS = "no round can pass before there are some: correct --results, or see to what writes them"
_MISSING = re.compile(
    r"ModuleNotFoundError: No module named .+"
    r"|Cannot find (?:module|package) .+|ERR_MODULE_NOT_FOUND.*"
    r"|(?:/bin/)?(?:ba|da|z)?sh: (?:line )?(?:\d+: )?[\w./-]+: (?:command )?not found"
    r"|error(?:\[E\d+\])?: (?:can't find crate for|no matching package named) .+"
    r"|error: package [\w.]+ does not exist"
    r"|no required module provides package .+"
)


def baseline_notices(report: EvaluatorReport) -> tuple[BaselineNotice, ...]:
    """What a person should look at in the report of a baseline.

    Args:
        report: with its whole evidence.
    """
    if report.verdict is not Verdict.FAIL:
        return ()
    lines = [line for criterion in report.criteria for line in criterion.evidence]
    found = []
    missing = next(filter(None, map(_MISSING.search, lines)), None)
    suite = report.suite
    if missing is not None:
        found.append((missing.group().strip(), _SUPPLY))
    elif suite is not None and suite.failed and suite.failed == suite.errors and not suite.passed:
        found.append(("no test could be run on the base commit", _SUPPLY))
    if report.results_missing:
        found.append((report.results_missing, _RESULTS))
    return tuple(
        BaselineNotice(evaluator=report.evaluator, problem=problem, advice=advice)
        for problem, advice in found
    )
