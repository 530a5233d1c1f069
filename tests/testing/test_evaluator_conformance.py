"""The checks of evaluators accept good ones, and name the promise that a bad one breaks."""

import asyncio
import itertools
import subprocess
from pathlib import Path

import psutil
import pytest

from loopctl.domain.criteria import CriterionReport, EvaluatorReport, Verdict
from loopctl.domain.evaluator_spec import (
    Contract,
    EvaluatorSpec,
    ProviderExecutor,
    ShellExecutor,
    SingleMetric,
)
from loopctl.evaluators.shell import ShellEvaluator
from loopctl.process.spec import ProcessSpec
from loopctl.process.toolbox import exit_state
from loopctl.testing.conformance import check_evaluator

PASS, FAIL, ERROR = Verdict.PASS, Verdict.FAIL, Verdict.ERROR
REPORT = """\
if grep -qx 42 answer.txt; then verdict=PASS; else verdict=FAIL; fi
printf '{"version": 1, "nonce": "%s", "criteria": [{"name": "answer", "verdict": "%s", \
"evidence": ["looked"]}]}' $LOOPCTL_REPORT_NONCE $verdict > $LOOPCTL_REPORT
"""
SPEC = EvaluatorSpec(
    name="answer", criteria=SingleMetric(name="answer"), executor=ProviderExecutor(name="acme")
)


def shell(command, criteria=None):
    criteria = criteria or SingleMetric(name="answer")
    executor = ShellExecutor(command=command)
    return EvaluatorSpec(name="answer", criteria=criteria, executor=executor)


@pytest.fixture
def trees(tmp_path):
    for name, answer in (("passing", "42\n"), ("failing", "0\n"), ("slow", "42\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "answer.txt").write_text(answer)
    (tmp_path / "slow" / "slow").touch()
    (tmp_path / "logs").mkdir()
    return tmp_path


def check(trees, factory, spec=SPEC, slow=False, **how):
    check_evaluator(
        factory,
        spec,
        passing=trees / "passing",
        failing=trees / "failing",
        logs=trees / "logs",
        slow=trees / "slow" if slow else None,
        **how,
    )


class Reader:
    """A good one: it runs a program on the file, as it should."""

    spec: EvaluatorSpec = SPEC

    def __init__(self, tools):
        self.tools = tools

    async def evaluate(self, request):
        return self.report(request, *await self.look(request))

    async def look(self, request):
        """The verdict and its evidence."""
        program = self.program(request)
        result = await self.tools.run(
            program, deadline_s=request.timeout_s, interrupt_grace_s=0.1, stop=request.stop
        )
        state = exit_state(result)
        if result.cancelled or state is None or state.problem or state.timed_out:
            return ERROR, f"{state}"
        return (PASS if state.code == 0 else FAIL), f"grep: {state}"

    def program(self, request):
        script = "test ! -e slow || sleep 9; grep -qx 42 answer.txt"
        return ProcessSpec(
            argv=("sh", "-c", script),
            cwd=request.checkout.folder,
            env=request.checkout.environment,
            confinement=request.checkout.confinement,
        )

    def report(self, request, verdict, *evidence):
        criterion = CriterionReport(name="answer", verdict=verdict, evidence=evidence)
        return EvaluatorReport(
            evaluator=request.spec.name,
            digest=request.spec.digest,
            tree=request.checkout.tree,
            isolation=request.checkout.isolation,
            criteria=(criterion,),
        )


class InProcess(Reader):
    """A good one that needs no program."""

    async def look(self, request):
        file = request.checkout.folder / "answer.txt"
        if not file.is_file():
            return FAIL, "there is no answer.txt"
        return (PASS if file.read_text() == "42\n" else FAIL), f"read {file.read_text()}"


def test_good_ones(trees):
    check(trees, Reader, slow=True)
    check(trees, InProcess)
    slow = "test ! -e slow || sleep 9; "
    check(trees, ShellEvaluator, shell(slow + "grep -qx 42 answer.txt"), slow=True)
    check(trees, ShellEvaluator, shell(slow + REPORT, Contract(name="agreed")), slow=True)


class Silent(InProcess):
    async def look(self, request):
        return (await super().look(request))[:1]


class Raising(InProcess):
    async def look(self, request):
        text = (request.checkout.folder / "answer.txt").read_text()
        return (PASS if text == "42\n" else FAIL), text


class Lenient(Reader):
    """A program that cannot be started is no reason to worry."""

    async def look(self, request):
        verdict, *evidence = await super().look(request)
        return (PASS if verdict is ERROR else verdict), *evidence


class Hasty(Reader):
    """What was not judged is a failure."""

    async def look(self, request):
        verdict, *evidence = await super().look(request)
        return (FAIL if verdict is ERROR else verdict), *evidence


class Elsewhere(InProcess):
    """It looks where loopctl was started."""

    async def look(self, request):
        right = Path("answer.txt").read_text() == "42\n"  # noqa: ASYNC240 - it is a bad one
        return (PASS if right else FAIL), "read answer.txt"


class ByItself(InProcess):
    async def look(self, request):
        subprocess.run(["true"], check=True)  # noqa: ASYNC221 - it is a bad one
        return await super().look(request)


class Unconfined(Reader):
    def program(self, request):
        program = super().program(request)
        return ProcessSpec(argv=program.argv, cwd=program.cwd, env=program.env)


class Open(Reader):
    """Its program gets loopctl's own variables, keys and all."""

    def program(self, request):
        import os  # noqa: PLC0415 - nothing else here may look at it

        program = super().program(request)
        return ProcessSpec(
            argv=program.argv,
            cwd=program.cwd,
            env=dict(os.environ),
            confinement=program.confinement,
        )


class Scribbling(InProcess):
    async def look(self, request):
        found = await super().look(request)
        if found[0] is PASS:
            (request.checkout.folder / "answer.txt").write_text("42 \n")
        return found


class Wavering(InProcess):
    verdicts = itertools.cycle([PASS, FAIL, FAIL])

    async def look(self, request):
        return next(self.verdicts), "a feeling"


class Renaming(InProcess):
    """A contract that is called after what it says."""

    def report(self, request, verdict, *evidence):
        report = super().report(request, verdict, *evidence)
        return report.evolve(
            criteria=tuple(
                entry.evolve(name=f"answer is {entry.verdict}") for entry in report.criteria
            )
        )


class Deaf(InProcess):
    """It takes its time, whoever waits."""

    async def look(self, request):
        if (request.checkout.folder / "slow").exists():
            await asyncio.sleep(9)
        return await super().look(request)


class Leaving(InProcess):
    """It leaves a program running, which it has not started with its tools."""

    async def look(self, request):
        process = await asyncio.create_subprocess_exec(
            "sh", "-c", "sleep 7531 > /dev/null 2>&1 & exit 0"
        )
        await process.wait()
        return await super().look(request)


@pytest.mark.parametrize(
    ("bad", "promise"),
    [
        (Silent, "a PASS has evidence"),
        (Raising, "is an ERROR in its report: FileNotFoundError"),
        (Lenient, "without its programs it is no PASS|given up, it is no PASS"),
        (Hasty, "given up, it is no FAIL"),
        (Elsewhere, "passing is PASS"),
        (ByItself, r"started with tools\.run alone: \['subprocess\.Popen true'\]"),
        (Unconfined, r"sh runs in request\.checkout\.confinement"),
        (Open, r"sh gets request\.checkout\.environment"),
        (Scribbling, r"not written to: answer\.txt"),
        (Wavering, "one tree has one verdict"),
        (Renaming, "what is named on one tree is named on every other"),
        (Leaving, "nothing is left running: sleep 7531"),
    ],
)
def test_bad_ones(trees, bad, promise):
    spec = SPEC.evolve(criteria=Contract(name="agreed")) if bad is Renaming else SPEC
    with pytest.raises(AssertionError, match=f"broken promise: .*{promise}"):
        check(trees, bad, spec)
    assert "sleep 7531" not in {
        " ".join(one.info["cmdline"] or ()) for one in psutil.process_iter(["cmdline"])
    }


def test_one_that_does_not_end(trees):
    with pytest.raises(AssertionError, match=r"it ends soon .* \(not within 0\.5 s\)"):
        check(trees, Deaf, slow=True, patience_s=0.5)
