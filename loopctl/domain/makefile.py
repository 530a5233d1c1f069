"""The rules of a makefile, as far as they can be read without running make."""

import re

from loopctl.domain.value import Value

NAMES = ("GNUmakefile", "makefile", "Makefile")
"""Names that make looks for, in its order."""

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
