"""Doubts about a stop command: ways in which it could succeed although the work is not done.

Only its text is looked at. A doubt is a warning and never a refusal: whoever writes `true` may
mean it. Invariant: a command whose failures all reach its exit status raises no doubt.
"""

from collections.abc import Iterator

from loopctl.domain.shell_text import COMPOUND, SimpleCommand, simple_commands
from loopctl.domain.value import Value

_ALWAYS_TRUE = frozenset({"true", ":", "echo", "printf", "sleep", "/bin/true", "/usr/bin/true"})
_PREPARING = _ALWAYS_TRUE | frozenset(
    {"cd", "export", "set", "shopt", "unset", "trap", "umask", "ulimit", ".", "source", "mkdir"}
    | {"rm", "cp", "touch", "alias", "local", "readonly", "date", "pwd", "ls", "pushd", "popd"}
)
_FILTERS = frozenset(
    {"tail", "head", "tee", "cat", "less", "more", "sed", "tr", "sort", "uniq", "column", "ts"}
    | {"fold", "wc", "nl", "cut"}
)
_SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "/bin/sh", "/bin/bash"})
_SHOWN = 60
# Options with which a program succeeds without having judged anything.
_IDLE_OPTIONS = {
    "pytest": ("--collect-only", "--co", "--version", "--help", "--fixtures", "--setup-plan"),
    "make": ("-n", "--dry-run", "--just-print", "-i", "--ignore-errors"),
    "cargo": ("--no-run",),
    "npm": ("--if-present",),
    "pnpm": ("--if-present",),
    "jest": ("--passWithNoTests", "--listTests"),
    "vitest": ("--passWithNoTests",),
    "ruff": ("--exit-zero",),
    "pylint": ("--exit-zero",),
    "flake8": ("--exit-zero",),
    "mvn": ("-DskipTests", "-Dmaven.test.skip=true", "-Dmaven.test.failure.ignore=true"),
    "gradle": ("--dry-run", "-m"),
}
_SAME = {"py.test": "pytest", "gmake": "make", "mvnw": "mvn", "gradlew": "gradle"}


class Doubt(Value):
    """Why a command's success may mean nothing.

    Attributes:
        problem: what is doubtful, a whole sentence.
        remedy: what to write instead.
    """

    problem: str
    remedy: str


ALWAYS = Doubt(
    problem="it always succeeds, whatever the work is",
    remedy="name a command that fails as long as the goal is not met",
)


def stop_doubts(command: str) -> tuple[Doubt, ...]:
    """What is doubtful about a command that must exit with 0 for the goal to be met."""
    parts = simple_commands(command)
    if not parts:
        return ()
    if len(parts) == 1 and parts[0].program[:1] and parts[0].program[0] in _SHELLS:
        inner = _inline_script(parts[0].program)
        if inner:
            return stop_doubts(inner)
    if all(_is_true(part) or part.words[:1] == ("set",) for part in parts):
        return (ALWAYS,)
    return tuple(dict.fromkeys([*_hidden(parts), *_switched_off(parts), *_idle(parts)]))


def shown(command: str) -> str:
    """A command short enough to stand inside a sentence, on one line."""
    line = " ".join(command.split())
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 3]}..."


def _inline_script(words: tuple[str, ...]) -> str:
    """What ``sh -c`` is given, with its options as the ``set`` that they are."""
    options = ""
    for position, word in enumerate(words[1:-1], start=1):
        if not word.startswith(("-", "+")):
            options += f" {word}"  # the value of `-o`
            continue
        is_script = not word.startswith("--") and word.endswith("c")
        flag = word.removesuffix("c") if is_script else word
        options += f" {flag}" if flag not in {"-", ""} else ""
        if is_script:
            script = words[position + 1]
            return f"set{options}; {script}" if options else script
    return ""


def _is_true(part: SimpleCommand) -> bool:
    words = part.program
    return (not words and bool(part.words)) or (
        bool(words) and (words[0] in _ALWAYS_TRUE or words[:2] == ("exit", "0"))
    )


def _hidden(parts: tuple[SimpleCommand, ...]) -> Iterator[Doubt]:
    """Failures that the exit status does not show."""
    sets = [part.words for part in parts if part.words[:1] == ("set",)]
    for part in parts:
        if part.then == "&":
            yield Doubt(
                problem=f"`{shown(str(part))} &` runs in the background: nobody sees it fail",
                remedy="leave the & out",
            )
    lists = _lists(parts)
    for pipelines in lists:
        yield from _excused(pipelines)
    if not any("pipefail" in words for words in sets):
        for pipelines in lists:
            yield from _filtered(pipelines)
    is_plain = not any(p.in_group or (p.words[:1] and p.words[0] in COMPOUND) for p in parts)
    if is_plain and not any(_ends_at_failure(words) for words in sets):
        yield from _forgotten(lists)


def _lists(parts: tuple[SimpleCommand, ...]) -> list[list[list[SimpleCommand]]]:
    """The text as lists (between ``;``) of pipelines (between ``&&`` and ``||``) of commands."""
    lists: list[list[list[SimpleCommand]]] = [[[]]]
    for part in parts:
        lists[-1][-1].append(part)
        if part.then in {"&&", "||"}:
            lists[-1].append([])
        elif part.then not in {"|", "|&"}:
            lists.append([[]])
    return [found for each in lists if (found := [pipeline for pipeline in each if pipeline])]


def _excused(pipelines: list[list[SimpleCommand]]) -> Iterator[Doubt]:
    """``|| true`` and its like, when nothing after it can fail."""
    for position, pipeline in enumerate(pipelines[1:], start=1):
        after = pipelines[position:]
        is_excuse = pipelines[position - 1][-1].then == "||"
        if is_excuse and all(_is_true(each[-1]) for each in after):
            yield Doubt(
                problem=f"`|| {shown(str(pipeline[-1]))}` turns every failure into success",
                remedy=f"leave `|| {shown(str(pipeline[-1]))}` out",
            )
            return


def _filtered(pipelines: list[list[SimpleCommand]]) -> Iterator[Doubt]:
    for pipeline in pipelines:
        last = pipeline[-1].program
        if len(pipeline) > 1 and last and last[0] in _FILTERS:
            yield Doubt(
                problem=f"the exit status is that of `{last[0]}`, not of "
                f"`{shown(str(pipeline[0]))}` before the |",
                remedy="leave the pipe out: the end of the output is kept anyway "
                "(or: bash -o pipefail -c '...')",
            )


def _forgotten(lists: list[list[list[SimpleCommand]]]) -> Iterator[Doubt]:
    """Commands before a ``;`` whose failure is lost."""
    for pipelines in lists[:-1]:
        last = pipelines[-1][-1]
        program = last.program
        leaves = any(part.program[:1] in {("exit",), ("return",)} for p in pipelines for part in p)
        if not program or program[0] in _PREPARING or leaves or last.then == "&":
            continue
        yield Doubt(
            problem=f"`{shown(str(last))}` may fail unnoticed: only the last command counts",
            remedy="join the commands with &&",
        )
        return


def _switched_off(parts: tuple[SimpleCommand, ...]) -> Iterator[Doubt]:
    for part in parts:
        words = part.program
        if words[:1] == ("set",) and any(
            word.startswith("+") and "e" in word and not word.startswith("+o") for word in words[1:]
        ):
            yield Doubt(
                problem=f"`{part}` lets the commands after it fail unnoticed",
                remedy=f"leave `{part}` out",
            )
        if words[:1] == ("trap",) and "exit 0" in " ".join(words) and {"EXIT", "0"} & {*words[2:]}:
            yield Doubt(
                problem="its trap ends it with `exit 0` whatever happened",
                remedy="leave `exit 0` out of the trap",
            )


def _idle(parts: tuple[SimpleCommand, ...]) -> Iterator[Doubt]:
    """Options with which nothing is judged."""
    for part in parts:
        names = [word.rpartition("/")[2] for word in part.program]
        for name in names:
            idle = _IDLE_OPTIONS.get(_SAME.get(name, name), ())
            found = next((word for word in part.program if word in idle), None)
            if found:
                yield Doubt(
                    problem=f"with {found}, `{name}` can succeed without having judged anything",
                    remedy=f"leave {found} out",
                )
                break


def _ends_at_failure(words: tuple[str, ...]) -> bool:
    """Whether this ``set`` makes the shell end at the first failure."""
    is_short = any(w.startswith("-") and "e" in w and not w.startswith("--") for w in words[1:])
    return is_short or "errexit" in words
