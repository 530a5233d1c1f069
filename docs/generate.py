# ruff: noqa: INP001
"""Writes what the papers say about the program from the program itself.

``docs/machine.md`` comes from the machine's table; the marked blocks of ``README.md`` come from
the real ``--help``, from the exit codes and from what each isolation promises; the schema of a
report from its model; the table of honest repositories from their catalogue, and
``docs/cheats.md`` from that of the cheats. With ``--check`` nothing is written, and the exit status
is 1 when a paper differs.
"""

import argparse
import importlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from loopctl.domain.evaluator_spec import Isolation
from loopctl.domain.events import Event
from loopctl.domain.machine import _ANYWHERE, TABLE, Rule
from loopctl.domain.promises import PROMISES
from loopctl.domain.written_report import WrittenReport
from loopctl.errors import ExitCode

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(
    r"(<!-- (help|exit-codes|isolation|repositories|report-schema)(?:: (.+?))? -->\n)"
    r".*?(<!-- end -->)",
    re.DOTALL,
)
MEANINGS = {
    ExitCode.GOAL_MET: "goal met",
    ExitCode.FAILED: "loopctl itself failed; a report that can be pasted is written",
    ExitCode.USAGE: "usage or configuration error; nothing was started",
    ExitCode.BUDGET_CAP: "budget cap: rounds, tokens, dollars or time",
    ExitCode.STUCK: "stuck: the last rounds went nowhere",
    ExitCode.APPROVAL_REQUIRED: "approval required: a person has to look",
    ExitCode.STALLED: "stalled: the agent showed no sign of life",
    ExitCode.ERRORED: "errored: the agent failed again and again, or never handed over, or the "
    "workspace is lost",
    ExitCode.EVALUATOR_ERROR: "errored: an evaluator, or the baseline, could not be run",
    ExitCode.PROVIDER_LIMIT: "errored: the provider refuses further work",
    ExitCode.NOT_SHOWN_AGAIN: "`loopctl verify` alone: the result was not shown again",
    ExitCode.HUNG_UP: "cancelled by SIGHUP",
    ExitCode.CANCELLED: "cancelled by `loopctl cancel` or SIGINT",
    ExitCode.TERMINATED: "cancelled by SIGTERM",
}


def exit_codes() -> str:
    """The table of exit codes."""
    rows = (f"| {code.value} | {MEANINGS[code]} |" for code in ExitCode)
    return "\n".join(("| exit | meaning |", "|---|---|", *rows)) + "\n"


def isolation() -> str:
    """The table of what each isolation is and does not promise, the default first."""
    order = (Isolation.SEPARATE_WORKTREE, Isolation.CONTAINER, Isolation.SAME_WORKSPACE)
    rows = (
        f"| `{each}`{' (default)' if each is order[0] else ''} | {PROMISES[each].what} | "
        f"{PROMISES[each].leaves_open} |"
        for each in order
    )
    head = ("| `--isolation` | where | what it does **not** promise |", "|---|---|---|")
    return "\n".join((*head, *rows)) + "\n"


def repositories() -> str:
    """The table of the honest repositories."""
    return str(_of_tests("catalogue").table())


def cheats() -> str:
    """The page of the cheats."""
    return str(_of_tests("cheat_table", "cheats").page())


def _of_tests(module: str, *further: str) -> ModuleType:
    folders = [str(ROOT / "tests" / name) for name in (*further, "system", "repositories")]
    sys.path[:0] = folders
    try:
        return importlib.import_module(module)
    finally:
        del sys.path[: len(folders)]


def report_schema() -> str:
    """The JSON schema of the report that a command may write."""
    schema = json.dumps(_plain(WrittenReport.model_json_schema()), indent=2)
    return f"```json\n{schema}\n```\n"


def _plain(value: object) -> object:
    """A schema without what only repeats the names of its fields."""
    match value:
        case dict():
            texts = {key for key in ("title", "description") if isinstance(value.get(key), str)}
            return {key: _plain(one) for key, one in value.items() if key not in texts}
        case list():
            return [_plain(one) for one in value]
        case _:
            return value


def help_of(command: str) -> str:
    """What ``command --help`` prints on a plain terminal of 100 columns."""
    _, *words = command.split()
    program = Path(sys.executable).with_name("loopctl")
    plain = {"COLUMNS": "100", "TERM": "dumb", "NO_COLOR": "1"}
    done = subprocess.run(
        [program, *words, "--help"],
        env=os.environ | plain,
        capture_output=True,
        text=True,
        check=True,
    )
    lines = (line.rstrip() for line in done.stdout.strip().splitlines())
    return "```\n" + "\n".join(lines) + "\n```\n"


def readme(text: str, show_help: Callable[[str], str] = help_of) -> str:
    """``text`` with every marked block written again."""

    def fill(block: re.Match[str]) -> str:
        start, kind, command, end = block.groups()
        texts = {
            "exit-codes": exit_codes,
            "isolation": isolation,
            "repositories": repositories,
            "report-schema": report_schema,
        }
        return start + (texts[kind]() if kind in texts else show_help(command)) + end

    return BLOCK.sub(fill, text)


def machine() -> str:
    """The diagram and the table of the machine."""
    parts = [
        "# The machine",
        "Written by `docs/generate.py` from the table in `loopctl/domain/machine.py`.",
        f"```mermaid\n{_diagram()}\n```",
        "`same` leaves the step as it is, `over` is the end. From outside, at any step:",
        _table(_ANYWHERE),
    ]
    for phase, steps in TABLE.items():
        for step, rules in steps.items():
            parts += [f"## {phase}: {step}", _table(rules)]
    return "\n\n".join(parts) + "\n"


def _diagram() -> str:
    edges: dict[tuple[str, str], list[str]] = {}
    for steps in TABLE.values():
        for step, rules in steps.items():
            for kind, rule in rules.items():
                for target in rule.leads_to:
                    names = edges.setdefault((step, "[*]" if target == "over" else target), [])
                    if _name(kind) not in names:
                        names.append(_name(kind))
    lines = [f"    {a} --> {b}: {', '.join(names)}" for (a, b), names in edges.items()]
    return "\n".join(("stateDiagram-v2", "    [*] --> baseline", *lines))


def _table(rules: dict[type[Event], Rule]) -> str:
    rows = (f"| `{_name(kind)}` | {', '.join(rule.leads_to)} |" for kind, rule in rules.items())
    return "\n".join(("| event | leads to |", "|---|---|", *rows))


def _name(kind: type[Event]) -> str:
    return str(kind.model_fields["kind"].default)


def main(root: Path = ROOT) -> int:
    """Write the papers, or check them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; 1 when a file differs")
    check = parser.parse_args().check
    papers = (
        root / "README.md",
        root / "docs" / "reports.md",
        root / "tests" / "repositories" / "README.md",
    )
    wanted = {root / "docs" / "machine.md": machine(), root / "docs" / "cheats.md": cheats()}
    wanted |= {file: readme(file.read_text()) for file in papers if file.exists()}
    stale = [file for file, text in wanted.items() if not file.exists() or file.read_text() != text]
    for file in stale:
        if check:
            sys.stderr.write(f"{file.relative_to(root)} is out of date; type: make docs\n")
        else:
            file.write_text(wanted[file])
    return int(check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
