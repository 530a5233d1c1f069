"""Evaluators: who judges a tree, and the places in which that happens."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from loopctl.domain.confinement import Confinement
from loopctl.domain.criteria import EvaluatorReport
from loopctl.domain.evaluator_spec import EvaluatorSpec, Isolation
from loopctl.domain.hardening import Hardening
from loopctl.ports.spending import Meter
from loopctl.ports.tooling import Activity, ignore_activity


async def _nothing() -> tuple[str, ...]:
    return ()


@dataclass(frozen=True)
class Checkout:
    """A folder in which an evaluator runs.

    Attributes:
        folder: its working directory.
        tree: object id of the tree it holds.
        isolation: the label that the evidence carries.
        environment: the variables of the evaluator, complete.
        warnings: what the evidence has to mention, such as links that were left out.
        finish: ends what the evaluator has started here, and returns warnings about that.
        reused: earlier evaluations ran in this folder; it was made what a fresh one would be.
        places: folders that have other names in every checkout, by what they are for.
        confinement: what every program of the evaluator can see; ``None`` runs it as it is.
        moved: call it when nothing runs here any more: the paths of the tree that were written to
            since the checkout was opened.
    """

    folder: Path
    tree: str
    isolation: Isolation
    environment: Mapping[str, str]
    warnings: tuple[str, ...] = ()
    finish: Callable[[], Awaitable[tuple[str, ...]]] = _nothing
    reused: bool = False
    places: Mapping[str, Path] = field(default_factory=dict)
    confinement: Confinement | None = None
    moved: Callable[[], Awaitable[tuple[str, ...]]] = _nothing


class Checkouts(Protocol):
    """Makes the places in which evaluators run."""

    def open(
        self,
        tree: str,
        isolation: Isolation,
        workspace: Path,
        *,
        fresh: bool = False,
        holdout: bool = False,
    ) -> AbstractAsyncContextManager[Checkout]:
        """A checkout of ``tree`` that nobody can use any more when the context is left.

        Args:
            tree: tree id, the judged one.
            isolation: what kind of place.
            workspace: the loop's worktree.
            fresh: the folder must not have been used before.
            holdout: the held-out files are laid over it.

        Raises:
            SupplyError: what it is to be supplied with is missing, or its setup failed.
        """
        ...


@dataclass(frozen=True)
class WorkFacts:
    """What loopctl itself knows of the work that is judged. No agent has written any of it.

    Attributes:
        goal: the user's text.
        changes: the changed paths with their line counts, a line each.
        restored: protected paths that were changed and have been put back, a line each.
        results: what the other evaluators said of this tree, a line each.
        diff: the patch from the base commit to the judged tree; text that an agent wrote.
        diff_cut: there is more of the patch than ``diff`` holds.
    """

    goal: str
    changes: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    diff: str = ""
    diff_cut: bool = False


@dataclass(frozen=True)
class JudgeSession:
    """What a judge works with: a new agent session for every report.

    Attributes:
        session_id: its identifier, unique for ever.
        model: ``PROVIDER:MODEL``.
        round: number of the round.
        facts: what loopctl knows of the work.
        meter: asks for requests to the model.
        environment: loopctl's own variables, for keys and addresses of providers.
        activity: is told what the session does.
    """

    session_id: str
    model: str
    round: int
    facts: WorkFacts
    meter: Meter
    environment: Mapping[str, str]
    activity: Callable[[Activity], None] = ignore_activity


@dataclass(frozen=True)
class EvaluationRequest:
    """One run of one evaluator.

    Attributes:
        spec: what to run.
        checkout: where to run it.
        attempt: counted from 1.
        timeout_s: seconds after which it is ended.
        baseline_completed: it was seen to complete on the base commit.
        log: the file for its output.
        record: the file that keeps what is known of the base commit's tests; None keeps nothing.
        record_digest: what that file must be; ``""`` when nothing is known of them.
        hardening: how far the run is hardened.
        is_baseline: the checkout holds the base commit, and its tests are to be recorded.
        stop: set when the run is to be given up.
        judge: what a judge works with; ``None`` for every other evaluator.
    """

    spec: EvaluatorSpec
    checkout: Checkout
    attempt: int
    timeout_s: float
    baseline_completed: bool
    log: Path
    record: Path | None = None
    record_digest: str = ""
    hardening: Hardening = Hardening.NONE
    is_baseline: bool = False
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    judge: JudgeSession | None = None


class Evaluator(Protocol):
    """Judges a tree. A PASS without evidence is refused by the ledger."""

    async def evaluate(self, request: EvaluationRequest) -> EvaluatorReport:
        """Judge the checkout. Whatever keeps it from judging is an ERROR in the report."""
        ...
