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
from loopctl.bootstrap.evaluator_names import check_evaluator_names
from loopctl.bootstrap.request import StartRequest, check_request, evaluator_specs
from loopctl.domain.evaluator_spec import (
    Contract,
    EvaluatorSpec,
    Isolation,
    JudgeExecutor,
    ProviderExecutor,
    Rubric,
    ShellExecutor,
    SingleMetric,
)
from loopctl.domain.promises import PROMISES
from loopctl.domain.stop_doubts import shown
from loopctl.domain.supplies import share_line
from loopctl.observe.plain import duration, listing, one_line
from loopctl.process.toolbox import Toolbox

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
    findings += refused_by(lambda: check_evaluator_names(request))
    findings += [warning(line.removeprefix("warning: ")) for line in judge_warnings(request)]
    rows: list[tuple[str, str]] = []
    evaluators: list[dict[str, Any]] = []
    for spec in evaluator_specs(request, tools.masker.mask):
        facts, own_rows, own_findings = _evaluator(spec, tools, where)
        evaluators.append(facts)
        rows += own_rows
        if spec.isolation is not request.isolation and not isinstance(spec.executor, JudgeExecutor):
            promise = PROMISES[spec.isolation].in_short
            rows.append(("", f"  in {spec.isolation}; not promised: {promise}"))
        findings += own_findings
    if where.cwd:
        rows.append(("in", one_line(where.cwd)))
    rows += _circumstances(request)
    facts = {
        "evaluators": evaluators,
        "cwd": where.cwd,
        "isolation": request.isolation,
        "does_not_promise": PROMISES[request.isolation].in_short,
        "baseline": "run" if request.run_baseline else "skip",
        "timeout_s": request.eval_timeout_s,
    }
    return Topic("judging", tuple(rows), facts, tuple(findings))


def _evaluator(
    spec: EvaluatorSpec, tools: Toolbox, where: Surroundings
) -> tuple[dict[str, Any], list[tuple[str, str]], list[Finding]]:
    if isinstance(spec.executor, JudgeExecutor):
        return _judge(spec, spec.executor, tools)
    rows = list(_heading(spec))
    findings = list(_provider_findings(spec, tools))
    facts: dict[str, Any] = {
        "name": spec.name,
        "criterion": ", ".join(spec.criteria.declared or ()),
        "criteria": spec.criteria.kind,
        "isolation": spec.isolation,
        "programs": [],
        "doubts": [],
    }
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


def _heading(spec: EvaluatorSpec) -> Iterator[tuple[str, str]]:
    """What it is called and runs, and which criteria it judges."""
    match spec.executor:
        case ShellExecutor(command=command):
            what = command
        case ProviderExecutor(name=provider):
            what = provider
        case _:
            what = ""
    match spec.criteria:
        case SingleMetric(name=name):
            if spec.name.startswith("stop-"):  # a stop command is its own criterion
                yield "stop", one_line(name)
            else:
                yield "evaluator", one_line(": ".join(dict.fromkeys((spec.name, what))))
        case Contract():
            yield "contract", one_line(f"{spec.name}: {what}")
            yield "", "  the report names the criteria"
        case Rubric(items=items):
            yield "rubric", one_line(f"{spec.name}: {what}")
            yield from (("", f"  {one_line(item.name)}") for item in items)


def _provider_findings(spec: EvaluatorSpec, tools: Toolbox) -> Iterator[Finding]:
    """Why the plug-in cannot be used; that its name is not known is said once for all."""
    executor = spec.executor
    known = not isinstance(executor, ProviderExecutor) or _is_known(executor.name, spec.name)
    if known:
        yield from refused_by(lambda: builtins.evaluator_for(executor, tools))


def _is_known(provider: str, name: str) -> bool:
    return provider != name or ":" in provider or provider in builtins.EVALUATORS.names()


def _judge(
    spec: EvaluatorSpec, executor: JudgeExecutor, tools: Toolbox
) -> tuple[dict[str, Any], list[tuple[str, str]], list[Finding]]:
    criteria = spec.criteria.declared or ()
    facts: dict[str, Any] = {
        "name": spec.name,
        "criterion": ", ".join(criteria),
        "criteria": spec.criteria.kind,
        "isolation": spec.isolation,
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
    promise = PROMISES[request.isolation].in_short
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
