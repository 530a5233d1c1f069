"""An evaluator that the user declares under a name: what runs, what it judges, and where.

Invariant: a rubric is read once, from the user's own folder, before an agent exists, and a name
tells one evaluator of a loop from every other.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, JsonValue, model_validator

from loopctl.bootstrap.judge_request import read_rubric
from loopctl.domain.evaluator_spec import (
    Contract,
    Criteria,
    EvaluatorSpec,
    Isolation,
    ProviderExecutor,
    Rubric,
    RubricItem,
    ShellExecutor,
    SingleMetric,
)
from loopctl.domain.value import Value
from loopctl.domain.written_report import MAX_CRITERIA, NAME_CHARACTERS, criterion_name

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
_OURS = re.compile(r"judge|(stop|contract|holdout)-\d+")


def _items(value: object) -> object:
    """A list of criteria, each a table or, in short, its name."""
    if not isinstance(value, list | tuple):
        return value
    return tuple({"name": one, "description": ""} if isinstance(one, str) else one for one in value)


class EvaluatorRequest(Value):
    """One table ``[evaluators.NAME]``.

    Attributes:
        name: of the table.
        command: shell text.
        provider: name or dotted path of a plug-in, instead of a command.
        config: what the plug-in is given.
        criteria: ``single``: the whole is one; ``contract``: the report names them; or a list.
        rubric: a Markdown file with the list.
        results: where the command writes JUnit XML; see ``ShellExecutor``.
        isolation: where it runs; ``None`` is where all do.
    """

    name: str
    command: str = ""
    provider: str = ""
    config: JsonValue = None
    criteria: Annotated[
        Literal["single", "contract"] | tuple[RubricItem, ...], BeforeValidator(_items)
    ] = "single"
    rubric: str = ""
    results: str = ""
    isolation: Isolation | None = None

    @model_validator(mode="after")
    def _is_usable(self) -> Self:
        if not _NAME.fullmatch(self.name):
            raise ValueError(
                "its name has up to 40 letters, digits, dots, dashes and underscores, and begins "
                "with a letter or digit"
            )
        if _OURS.fullmatch(self.name):
            raise ValueError("its name is one that loopctl gives; choose another")
        if bool(self.command.strip()) == bool(self.provider.strip()):
            raise ValueError("it needs either a command or a provider")
        if self.provider and self.results:
            raise ValueError("results are written by a command, and it has a provider")
        if self.command and self.config is not None:
            raise ValueError("config is for a provider, and it has a command")
        if self.rubric and self.criteria != "single":
            raise ValueError("its criteria are those of its rubric; leave one of the two out")
        if isinstance(self.criteria, tuple):
            _require_names(self.criteria)
        return self

    def read(self, folder: Path) -> "EvaluatorRequest":
        """The same with the criteria of its rubric.

        Args:
            folder: what the name of the file is relative to.

        Raises:
            UsageError: there is no such file, or it is no rubric.
        """
        if not self.rubric:
            return self
        return self.evolve(criteria=read_rubric(self.rubric, folder).items, rubric="")

    def spec(self, isolation: Isolation, mask: Callable[[str], str]) -> EvaluatorSpec:
        """The evaluator.

        Args:
            isolation: where it runs unless it says so itself.
            mask: takes secrets out of a text that is stored and shown.
        """
        executor: ShellExecutor | ProviderExecutor
        if self.provider:
            executor = ProviderExecutor(name=self.provider, config=self.config)
        else:
            executor = ShellExecutor(command=self.command, results=self.results)
        return EvaluatorSpec(
            name=self.name,
            criteria=self._criteria(mask),
            executor=executor,
            isolation=self.isolation or isolation,
        )

    def _criteria(self, mask: Callable[[str], str]) -> Criteria:
        match self.criteria:
            case "single":
                return SingleMetric(name=self.name)
            case "contract":
                return Contract(name=self.name)
            case items:
                return Rubric(
                    items=tuple(
                        RubricItem(name=mask(item.name), description=mask(item.description))
                        for item in items
                    )
                )


def contract_specs(
    commands: tuple[str, ...], isolation: Isolation, mask: Callable[[str], str]
) -> tuple[EvaluatorSpec, ...]:
    """The evaluators of commands that name their criteria in a report, each command once."""
    return tuple(
        EvaluatorSpec(
            name=f"contract-{number}",
            criteria=Contract(name=mask(command)),
            executor=ShellExecutor(command=command),
            isolation=isolation,
        )
        for number, command in enumerate(dict.fromkeys(commands), start=1)
    )


def _require_names(items: tuple[RubricItem, ...]) -> None:
    if not 0 < len(items) <= MAX_CRITERIA:
        raise ValueError(f"it has {len(items)} criteria; from 1 to {MAX_CRITERIA} can be judged")
    names: set[str] = set()
    for item in items:
        if not item.name or len(item.name) > NAME_CHARACTERS:
            raise ValueError(f"the name of a criterion has 1 to {NAME_CHARACTERS} characters")
        if criterion_name(item.name).casefold() in names:
            raise ValueError(f"it has two criteria called {item.name!r}")
        names.add(item.name.casefold())
