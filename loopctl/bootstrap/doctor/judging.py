"""The evaluators: what would judge the work, where, with which programs, how surely."""

from collections.abc import Iterator
from typing import Any

from loopctl.bootstrap import builtins
from loopctl.bootstrap.doctor.diagnosis import Finding, Topic, note, refused_by, warning
from loopctl.bootstrap.doctor.programs import (
    Origin,
    Program,
    Surroundings,
    programs_in,
    untracked_part,
)
from loopctl.bootstrap.doubting import doubts_about, judge_warnings
from loopctl.bootstrap.request import StartRequest, check_request, evaluator_specs
from loopctl.domain.evaluator_spec import EvaluatorSpec, Isolation, JudgeExecutor, ShellExecutor
from loopctl.domain.stop_doubts import shown
from loopctl.domain.supplies import share_line
from loopctl.observe.plain import duration, listing, one_line
from loopctl.process.toolbox import Toolbox

_NOT_PROMISED = {
    Isolation.SEPARATE_WORKTREE: "the same user on the same machine: a program of the agent can "
    "read and write what you can",
    Isolation.SAME_WORKSPACE: "the agent can change every input, tests included; that is "
    "reported, not undone",
}
_IN_WORDS = {
    Origin.PROTECTED: "protected: as it is at the base commit",
    Origin.OPEN: "not protected: the agent may change it",
    Origin.SHARED: "a copy from your checkout",
    Origin.SETUP: "from the setup command",
    Origin.IGNORED: "in your checkout alone",
    Origin.PATH: "",
    Origin.CHECKOUT_PATH: "in your checkout",
    Origin.MISSING: "not found",
}


def judging(request: StartRequest, tools: Toolbox, where: Surroundings) -> Topic:
    """The evaluators of the request."""
    findings = list(refused_by(lambda: check_request(request)))
    findings += [warning(line.removeprefix("warning: ")) for line in judge_warnings(request)]
    rows: list[tuple[str, str]] = []
    evaluators: list[dict[str, Any]] = []
    for spec in evaluator_specs(request, tools.masker.mask):
        facts, own_rows, own_findings = _evaluator(spec, tools, where)
        evaluators.append(facts)
        rows += own_rows
        findings += own_findings
    if where.cwd:
        rows.append(("in", one_line(where.cwd)))
    rows += _circumstances(request)
    facts = {
        "evaluators": evaluators,
        "cwd": where.cwd,
        "isolation": request.isolation,
        "does_not_promise": _NOT_PROMISED.get(request.isolation, ""),
        "baseline": "run" if request.run_baseline else "skip",
        "timeout_s": request.eval_timeout_s,
    }
    return Topic("judging", tuple(rows), facts, tuple(findings))


def _evaluator(
    spec: EvaluatorSpec, tools: Toolbox, where: Surroundings
) -> tuple[dict[str, Any], list[tuple[str, str]], list[Finding]]:
    if isinstance(spec.executor, JudgeExecutor):
        return _judge(spec, spec.executor, tools)
    label = "stop" if isinstance(spec.executor, ShellExecutor) else "evaluator"
    name = spec.criteria.declared[0] if spec.criteria.declared else spec.name
    findings = list(refused_by(lambda: builtins.evaluator_for(spec.executor, tools)))
    rows = [(label, one_line(name))]
    facts: dict[str, Any] = {"name": spec.name, "criterion": name, "programs": [], "doubts": []}
    if isinstance(spec.executor, ShellExecutor):
        command = spec.executor.command
        doubts = doubts_about(command, where.top / where.cwd)
        facts["doubts"] = [doubt.problem for doubt in doubts]
        findings += [
            warning(f"`{shown(command)}`: {doubt.problem}", doubt.remedy) for doubt in doubts
        ]
        programs = programs_in(command, where)
        facts["programs"] = [
            {"name": each.name, "origin": each.origin, "path": each.path} for each in programs
        ]
        rows += [("", _program_text(each)) for each in programs]
        findings += [
            found for each in programs for found in _program_findings(each, where, spec.isolation)
        ]
    return facts, rows, findings


def _judge(
    spec: EvaluatorSpec, executor: JudgeExecutor, tools: Toolbox
) -> tuple[dict[str, Any], list[tuple[str, str]], list[Finding]]:
    criteria = spec.criteria.declared or ()
    facts: dict[str, Any] = {
        "name": spec.name,
        "criterion": ", ".join(criteria),
        "programs": [],
        "doubts": [],
        "rubric": executor.rubric,
        "models": list(executor.models),
    }
    rows = [
        ("judge", f"{one_line(executor.rubric)}, criteria: {len(criteria) or 'none was read'}"),
        *(("", f"  {one_line(name)}") for name in criteria),
        ("", f"by {listing(executor.models)}, in a {spec.isolation}"),
    ]
    findings = list(refused_by(lambda: builtins.evaluator_for(executor, tools)))
    return facts, rows, findings


def _program_text(program: Program) -> str:
    words = _IN_WORDS[program.origin]
    path = program.path if program.origin in {Origin.PATH, Origin.CHECKOUT_PATH} else ""
    return f"  {one_line(program.name)}: {one_line(', '.join(filter(None, (path, words))))}"


def _program_findings(
    program: Program, where: Surroundings, isolation: Isolation
) -> Iterator[Finding]:
    name = program.name
    table, place = "[evaluator]", "checkout"
    if isolation is Isolation.SAME_WORKSPACE:
        table, place = "[workspace]", "worktree"
    match program.origin:
        case Origin.MISSING:
            yield warning(
                f"{name} was not found: the baseline could not be run, and no loop would start",
                f"install it, or supply it with {table} share or setup",
            )
        case Origin.IGNORED:
            line = share_line((untracked_part(name, where),)).replace("[evaluator]", table)
            yield warning(
                f"{name} is in your checkout but not in the base commit: no {place} has it",
                f"write into loopctl.toml: {line} (or commit it)",
            )
        case Origin.OPEN:
            yield note(
                f"{name} judges the work, and --allow opens it: the agent may change it",
                "leave it out of --allow",
            )
        case Origin.CHECKOUT_PATH:
            yield note(
                f"{name} is {program.path}, in your checkout: it is used as it lies there",
                f"share the folder that it is in ({table} share)",
            )


def _circumstances(request: StartRequest) -> list[tuple[str, str]]:
    limit = (
        "10m, or 3 times what it takes on the base commit"
        if request.eval_timeout_s is None
        else duration(request.eval_timeout_s)
    )
    promise = _NOT_PROMISED.get(request.isolation, "")
    first = (
        "the base commit is judged before round 1; if it passes, no round is needed"
        if request.run_baseline
        else "the base commit is taken to fail (baseline = skip)"
    )
    return [
        ("isolation", f"{request.isolation}; not promised: {promise}"),
        ("time-out", limit),
        ("baseline", first),
    ]
