"""The rules of a makefile, as far as they can be read without running make."""

import re
from collections.abc import Iterable

from loopctl.domain.value import Value

NAMES = ("GNUmakefile", "makefile", "Makefile")
"""Names that make looks for, in its order."""

_PHONY = ".PHONY"
_PLAIN_NAME = re.compile(r"(?!\.)[\w./-]+")
_RULE = re.compile(r"^([\w./% -]+?)\s*::?(?![:=])([^\n]*)$")


class Rule(Value):
    """A target with what it needs and what it runs.

    Attributes:
        needs: names of other targets or files.
        recipe: the lines that a shell gets, with make's own marks (``@``, ``-``) before them.
    """

    needs: tuple[str, ...] = ()
    recipe: tuple[str, ...] = ()


def rules_of(text: str) -> dict[str, Rule]:
    """The explicit rules by their target; several for one target are put together."""
    rules: dict[str, Rule] = {}
    targets: list[str] = []
    for line in text.replace("\\\n", " ").splitlines():
        if line.startswith("\t"):
            for target in targets:
                rule = rules[target]
                rules[target] = rule.evolve(recipe=(*rule.recipe, line.strip()))
            continue
        found = _RULE.match(line)
        if found is None:
            targets = targets if not line.strip() or line.startswith("#") else []
            continue
        needs, _, inline = found[2].partition("#")[0].partition(";")
        targets = found[1].split()
        for target in targets:
            rule = rules.get(target, Rule())
            recipe = (inline.strip(),) if inline.strip() else ()
            rules[target] = Rule(
                needs=(*rule.needs, *needs.split()), recipe=(*rule.recipe, *recipe)
            )
    return rules


def made_without_needs(text: str, asked: Iterable[str]) -> tuple[str, ...]:
    """The targets of which a file of their name would be an order to make to do nothing.

    A rule without needs is run while there is no such file, and never again. What needs a file
    of the repository is made all the same, because files that were added look older than it.

    Args:
        text: the makefile.
        asked: words, the goals among them; the first rule is always meant.
    """
    rules = rules_of(text)
    phony = set(rules.get(_PHONY, Rule()).needs)
    first = next((target for target in rules if not target.startswith(".")), "")
    waiting = [first, *asked]
    seen: set[str] = set()
    found: list[str] = []
    while waiting:
        target = waiting.pop()
        rule = rules.get(target)
        if rule is None or target in seen:
            continue
        seen.add(target)
        needs = " ".join(rule.needs).partition("|")[0].split()
        if target not in phony and all(need.startswith("$") for need in needs):
            found.append(target)
        waiting += rule.needs
        waiting += [word for line in rule.recipe if "make" in line.lower() for word in line.split()]
    return tuple(name for name in found if _PLAIN_NAME.fullmatch(name))
