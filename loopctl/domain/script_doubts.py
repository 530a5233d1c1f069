"""Doubts about what a stop command runs in the repository: a package script, a rule, a script.

``npm test`` is as good as the line in ``package.json``, ``make test`` as the recipe. Invariant:
what cannot be found or read raises no doubt.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator

from loopctl.domain.makefile import NAMES, rules_of
from loopctl.domain.shell_text import simple_commands
from loopctl.domain.stop_doubts import ALWAYS, Doubt, shown, stop_doubts

Read = Callable[[str], str | None]
"""The text of a file by its path from the root; ``None`` when there is none."""

MANAGERS = frozenset({"npm", "pnpm", "yarn", "bun"})
PLACEHOLDER = "no test specified"
_SHELL = re.compile(r"(?:.*/)?(?:ba|da|z|k)?sh")
_SHEBANG = re.compile(r"#![^\n]*\b(?:ba|da|z|k)?sh\b(?P<options>[^\n]*)")
_PREFIX = "@-+ \t"
_HARMLESS = ("rm", "mkdir", "echo", "printf", "true", "include")


def script_doubts(command: str, read: Read) -> tuple[Doubt, ...]:
    """What is doubtful about the scripts and rules that a command runs.

    Args:
        command: shell text that runs at the root of the repository.
        read: gives the files that are looked into.
    """
    found: list[Doubt] = []
    folder = ""
    for part in simple_commands(command) or ():
        words = part.program
        if not words:
            continue
        if words[0] == "cd":
            folder = _inside(folder, words[1] if len(words) > 1 else "")
        elif words[0] in MANAGERS:
            found += _package_script(words, folder, read)
        elif words[0] in {"make", "gmake"}:
            found += _rule(words[1:], folder, read)
        else:
            found += _script(words, folder, read)
    return tuple(dict.fromkeys(found))


def package_scripts(text: str) -> dict[str, str]:
    """The scripts of a ``package.json``; none when it cannot be read."""
    try:
        scripts = json.loads(text).get("scripts", {})
        return {str(name): line for name, line in scripts.items() if isinstance(line, str)}
    except (ValueError, AttributeError, RecursionError):
        return {}


def _package_script(words: tuple[str, ...], folder: str, read: Read) -> Iterator[Doubt]:
    names = [word for word in words[1:] if not word.startswith("-")]
    if names[:1] in (["run"], ["run-script"]):
        names.pop(0)
    name = "test" if names[:1] in (["t"], ["tst"]) else "".join(names[:1])
    path = _inside(folder, "package.json")
    line = package_scripts(read(path) or "").get(name)
    if line is None:
        return
    if PLACEHOLDER in line:
        yield Doubt(
            problem=f"the script `{name}` in {path} is npm's placeholder, which always fails",
            remedy=f"write a test script into {path}, or name another command",
        )
        return
    yield from _placed(stop_doubts(line), f"the script `{name}` in {path}")


def _rule(words: tuple[str, ...], folder: str, read: Read) -> Iterator[Doubt]:
    text = next((text for name in NAMES if (text := read(_inside(folder, name))) is not None), "")
    rules = rules_of(text)
    asked = [word for word in words if not word.startswith("-") and "=" not in word]
    first = next((target for target in rules if not target.startswith(".")), "")
    for target in asked or [first]:
        rule = rules.get(target)
        if rule is None:
            continue
        where = f"the rule `{target}`"
        if not rule.recipe and not rule.needs:
            yield Doubt(
                problem=f"{where} runs nothing: make finds it done at once",
                remedy="name a target that tests something",
            )
        yield from _recipe(rule.recipe, where, needs=bool(rule.needs))


def _recipe(lines: tuple[str, ...], where: str, *, needs: bool) -> Iterator[Doubt]:
    """Each line of a recipe is a shell of its own: the first that fails ends make."""
    texts = [line.lstrip(_PREFIX).replace("$$", "$") for line in lines]
    whole = stop_doubts("\n".join(("set -e", *texts)))
    if texts and not needs and whole == (ALWAYS,):
        yield from _placed(whole, where)
        return
    for line, text in zip(lines, texts, strict=True):
        mark = line[: len(line) - len(line.lstrip(_PREFIX))]
        if "-" in mark and not text.startswith(_HARMLESS):
            yield Doubt(
                problem=f"{where}: the - before `{shown(text)}` lets it fail unnoticed",
                remedy="leave the - out",
            )
        doubts = (doubt for doubt in stop_doubts(text) if doubt != ALWAYS)
        yield from _placed(doubts, where)


def _script(words: tuple[str, ...], folder: str, read: Read) -> Iterator[Doubt]:
    """A script of the repository that is run by its path or by a shell."""
    path, options = words[0], ""
    if _SHELL.fullmatch(path):
        arguments = [word for word in words[1:] if not word.startswith("-")]
        options = " ".join(word for word in words[1:] if word.startswith("-"))
        if not arguments or "c" in options.replace("-", " ").split():
            return
        path = arguments[0]
    elif "/" not in path:
        return
    text = read(_inside(folder, path))
    shebang = _SHEBANG.match(text or "")
    if not text or (shebang is None and not options and path == words[0]):
        return
    options += shebang["options"] if shebang else ""
    yield from _placed(stop_doubts(f"set {options}\n{text}"), f"in {_inside(folder, path)}")


def _placed(doubts: Iterable[Doubt], where: str) -> Iterator[Doubt]:
    for doubt in doubts:
        yield doubt.evolve(problem=f"{where}: {doubt.problem}")


def _inside(folder: str, path: str) -> str:
    """A path below ``folder`` in its plainest form; one that leads out names no file."""
    parts: list[str] = []
    for part in f"{folder}/{path}".split("/"):
        if part == ".." and parts:
            parts.pop()
        elif part not in {"", "."}:
            parts.append(part)
    return "/".join(parts)
