"""A verification: what a loop's result was, beside what comes of judging its last tree again.

Invariant: it is shown again only when everything that was looked up is as it was stored, and
every criterion that was PASS is PASS once more. What nobody asked again was not shown.
"""

from collections.abc import Iterable
from enum import StrEnum

from loopctl.domain.criteria import EvaluatorReport, Verdict
from loopctl.domain.evaluation import BaselineRun
from loopctl.domain.ledger import Ledger
from loopctl.domain.suite import SuiteResult
from loopctl.domain.value import Value


class Shown(StrEnum):
    """What a verification came to."""

    AGAIN = "shown again"
    NOT_AGAIN = "not shown again"
    NOT_JUDGED = "not judged"


class Lookup(Value):
    """Something that was stored, and looked up again.

    Attributes:
        what: its name.
        was: what was stored.
        now: what is there now.
        holds: whether both are the same.
        why: what a reader should know when they are not.
    """

    what: str
    was: str
    now: str
    holds: bool = True
    why: str = ""


class BaselineAgain(Value):
    """The base commit's run of one evaluator, then and now; ``None`` when there is none."""

    evaluator: str
    was: Verdict | None = None
    now: Verdict | None = None
    suite_was: SuiteResult | None = None
    suite_now: SuiteResult | None = None


class JudgedAgain(Value):
    """One criterion, then and now.

    Attributes:
        evaluator: who judges it.
        criterion: its name.
        was: the verdict in the loop; ``None`` when there was none.
        was_because: the headline of its evidence.
        now: the verdict now; ``None`` when it was not asked again.
        now_because: the headline of its evidence.
        evidence: all of it, when it is no PASS.
    """

    evaluator: str
    criterion: str
    was: Verdict | None = None
    was_because: str = ""
    now: Verdict | None = None
    now_because: str = ""
    evidence: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether it was shown, and is again."""
        return self.was is Verdict.PASS and self.now is Verdict.PASS


class Verification(Value):
    """Everything that came of it.

    Attributes:
        loop: name of the loop.
        commit: the snapshot; ``""`` is the base commit.
        tree: the tree that was judged again; ``""`` when none was.
        lookups: what was stored, and looked up again.
        baseline: the base commit, then and now.
        criteria: the last tree, then and now.
        not_asked: evaluators that were left out, because they are paid for.
        problem: why it could not be judged again; ``""`` when it could.
        notes: what else a reader should know.
    """

    loop: str
    commit: str = ""
    tree: str = ""
    lookups: tuple[Lookup, ...] = ()
    baseline: tuple[BaselineAgain, ...] = ()
    criteria: tuple[JudgedAgain, ...] = ()
    not_asked: tuple[str, ...] = ()
    problem: str = ""
    notes: tuple[str, ...] = ()

    @property
    def outcome(self) -> Shown:
        """What it comes to."""
        if not all(lookup.holds for lookup in self.lookups):
            return Shown.NOT_AGAIN
        if self.problem:
            return Shown.NOT_JUDGED
        asked = [one for one in self.criteria if one.evaluator not in self.not_asked]
        again = bool(asked) and all(one.holds for one in asked)
        return Shown.AGAIN if again else Shown.NOT_AGAIN


def criteria_again(
    was: Ledger, now: Ledger, reports: Iterable[EvaluatorReport]
) -> tuple[JudgedAgain, ...]:
    """Each criterion of both ledgers, in the order of the loop's own.

    Args:
        was: what the loop came to.
        now: what the verification came to; empty when nothing was judged.
        reports: its runs, with their whole evidence.
    """
    then = {(entry.evaluator, entry.criterion): entry for entry in was.entries}
    again = {(entry.evaluator, entry.criterion): entry for entry in now.entries}
    evidence = {
        (report.evaluator, entry.name): entry.evidence
        for report in reports
        for entry in report.criteria
        if entry.verdict is not Verdict.PASS
    }
    found = []
    for key in dict.fromkeys((*then, *again)):
        old, new = then.get(key), again.get(key)
        found.append(
            JudgedAgain(
                evaluator=key[0],
                criterion=key[1],
                was=old.verdict if old is not None and was.judged else None,
                was_because="" if old is None else old.headline,
                now=None if new is None else new.verdict,
                now_because="" if new is None else new.headline,
                evidence=evidence.get(key, ()),
            )
        )
    return tuple(found)


def baseline_again(
    was: Iterable[BaselineRun], now: Iterable[BaselineRun]
) -> tuple[BaselineAgain, ...]:
    """The runs on the base commit, then and now."""
    then = {run.evaluator: run for run in was}
    again = {run.evaluator: run for run in now}
    return tuple(
        BaselineAgain(
            evaluator=name,
            was=_verdict(then.get(name)),
            now=_verdict(again.get(name)),
            suite_was=_suite(then.get(name)),
            suite_now=_suite(again.get(name)),
        )
        for name in dict.fromkeys((*then, *again))
    )


def _verdict(run: BaselineRun | None) -> Verdict | None:
    if run is None:
        return None
    return Verdict.PASS if run.passed else Verdict.FAIL


def _suite(run: BaselineRun | None) -> SuiteResult | None:
    return None if run is None else run.suite
