"""Runs an evaluator as a driver does, and sees what it does beside judging.

Invariant: every run has a new copy of the tree at a path of its own, while the working directory
is a tree that deserves another verdict: whoever looks there is found out.
"""

import asyncio
import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from pathlib import Path

from loopctl.domain.confinement import Confinement
from loopctl.domain.criteria import EvaluatorReport, admit_report
from loopctl.domain.evaluator_spec import EvaluatorSpec
from loopctl.ports import Checkout, EvaluationRequest, Evaluator
from loopctl.process.environment import evaluator_environment
from loopctl.process.spec import ProcessSpec
from loopctl.testing.conformance.observed_tools import (
    ObservedTools,
    end_children,
    living_children,
    observed_starts,
)
from loopctl.testing.conformance.promise import TIMEOUT_S, promise

_TREE = "0" * 40
_CANARY = "OF_LOOPCTL_ALONE"


@dataclass(frozen=True)
class Courtroom:
    """Where one evaluator is tried.

    Attributes:
        evaluator: what is tried.
        tools: what it starts programs with.
        spec: what it is to judge.
        logs: a folder for its log files.
        patience_s: seconds that a run may take.
    """

    evaluator: Evaluator
    tools: ObservedTools
    spec: EvaluatorSpec
    logs: Path
    patience_s: float

    async def judge(
        self,
        folder: Path,
        elsewhere: Path,
        *,
        stop: asyncio.Event | None = None,
        timeout_s: float = TIMEOUT_S,
        programs: bool = True,
    ) -> EvaluatorReport:
        """One run.

        Args:
            folder: what is judged.
            elsewhere: what lies in the working directory.
            stop: set when the run is given up.
            timeout_s: seconds that the evaluator is given.
            programs: whether there are any on its PATH.

        Raises:
            AssertionError: a promise is broken.
        """
        with tempfile.TemporaryDirectory() as scratch:
            place = Path(scratch)
            shutil.copytree(folder, place / "work", symlinks=True)
            shutil.copytree(elsewhere, place / "elsewhere", symlinks=True)
            checkout = _checkout(place, self.spec, programs=programs)
            request = EvaluationRequest(
                spec=self.spec,
                checkout=checkout,
                attempt=1,
                timeout_s=timeout_s,
                baseline_completed=False,
                log=self.logs / f"{place.name}.log",
                stop=stop or asyncio.Event(),
            )
            before = _contents(checkout.folder)
            known = living_children()
            self.tools.runs.clear()
            with chdir(place / "elsewhere"), _canary(), observed_starts() as started:
                report = await self._report(request)
            left = end_children(known)
            promise(not left, f"nothing is left running: {'; '.join(left)}")
            promise(not started, f"programs are started with tools.run alone: {started}")
            for run in self.tools.runs:
                _check_run(run, checkout)
            after = _contents(checkout.folder)
            moved = [path for path, content in before.items() if after.get(path) != content]
            promise(not moved, f"the tree that is judged is not written to: {', '.join(moved)}")
        _check_report(self.spec, report)
        return report

    async def _report(self, request: EvaluationRequest) -> EvaluatorReport:
        try:
            return await asyncio.wait_for(self.evaluator.evaluate(request), self.patience_s)
        except TimeoutError as error:
            raise AssertionError(
                f"broken promise: it ends soon after its time is up or it is given up "
                f"(not within {self.patience_s:g} s)"
            ) from error
        except Exception as error:
            raise AssertionError(
                f"broken promise: whatever keeps it from judging is an ERROR in its report: "
                f"{type(error).__name__}: {error}"
            ) from error


def _checkout(place: Path, spec: EvaluatorSpec, *, programs: bool) -> Checkout:
    home, tmp = place / "home", place / "tmp"
    home.mkdir()
    tmp.mkdir()
    environment = evaluator_environment(os.environ, (), str(home), str(tmp))
    if not programs:
        environment["PATH"] = str(home)
    return Checkout(
        folder=place / "work",
        tree=_TREE,
        isolation=spec.isolation,
        environment=environment,
        places={"CHECKOUT": place / "work", "HOME": home, "TMPDIR": tmp},
        confinement=Confinement(home=str(home)),
    )


def _check_run(run: ProcessSpec, checkout: Checkout) -> None:
    name = run.argv[0]
    promise(
        run.confinement == checkout.confinement,
        f"{name} runs in request.checkout.confinement",
    )
    promise(
        run.cwd.resolve().is_relative_to(checkout.folder.parent.resolve()),
        f"{name} runs in request.checkout, not in {run.cwd}",
    )
    promise(_CANARY not in run.env, f"{name} gets request.checkout.environment, not loopctl's own")
    lacking = [key for key in ("HOME", "TMPDIR") if run.env.get(key) != checkout.environment[key]]
    promise(not lacking, f"{name} gets the {' and '.join(lacking)} of the checkout")


def _check_report(spec: EvaluatorSpec, report: EvaluatorReport) -> None:
    refused = admit_report(spec, report).refused
    promise(not refused, f"a report judges what is declared, a PASS has evidence: {refused}")
    silent = [entry.name for entry in report.criteria if not entry.headline]
    promise(not silent, f"every verdict has evidence, a FAIL and an ERROR too: {silent}")


@contextmanager
def _canary() -> Iterator[None]:
    """A variable of loopctl's own, which no program of an evaluator may see."""
    os.environ[_CANARY] = "seen"
    try:
        yield
    finally:
        os.environ.pop(_CANARY, None)


def _contents(folder: Path) -> dict[str, str]:
    """What tells each path of a tree from a changed one; what is added is none of them."""
    found = {}
    for path in sorted(folder.rglob("*")):
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            content = os.readlink(path)  # noqa: PTH115 - as it is written
        elif stat.S_ISREG(mode):
            content = hashlib.sha256(path.read_bytes()).hexdigest()
        else:
            content = ""
        found[str(path.relative_to(folder))] = f"{mode:o} {content}"
    return found
