"""The judge that a user asks for: a rubric, and the language model that scores it.

Invariant: the rubric is read once, from the user's own folder, before an agent exists; what the
loop keeps is its text, so that no agent can change what its work is held against.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from loopctl.domain.evaluator_spec import (
    MAX_DIFF,
    EvaluatorSpec,
    Isolation,
    JudgeExecutor,
    Rubric,
    RubricItem,
)
from loopctl.domain.rubric import parse_rubric
from loopctl.errors import UsageError

NAME = "judge"
_LARGEST = 200_000  # bytes; fifty criteria are far smaller


@dataclass(frozen=True)
class JudgeRequest:
    """A judge, as it was asked for.

    Attributes:
        file: the rubric, as it was typed.
        model: ``PROVIDER:MODEL``; ``""`` is for `model_choice` to fill in.
        fallbacks: models to use when that one cannot be used, in this order.
        rubric: what the file holds; ``None`` before it was read.
        max_diff: bytes of the patch that it is shown at most.
    """

    file: str
    model: str = ""
    fallbacks: tuple[str, ...] = ()
    rubric: Rubric | None = None
    max_diff: int = MAX_DIFF

    def read(self, folder: Path) -> "JudgeRequest":
        """The same with its rubric.

        Args:
            folder: where the name of the file was typed.

        Raises:
            UsageError: there is no such file, or it is no rubric.
        """
        return (
            self
            if self.rubric is not None
            else replace(self, rubric=read_rubric(self.file, folder))
        )

    def spec(self, mask: Callable[[str], str]) -> EvaluatorSpec:
        """The evaluator. It always works on a checkout, never where the agent does.

        Args:
            mask: takes secrets out of a text: a rubric is stored, shown and sent to a provider.
        """
        items = () if self.rubric is None else self.rubric.items
        masked = tuple(
            RubricItem(name=mask(item.name), description=mask(item.description)) for item in items
        )
        return EvaluatorSpec(
            name=NAME,
            criteria=Rubric(items=masked),
            executor=JudgeExecutor(
                rubric=mask(self.file),
                model=self.model,
                fallbacks=self.fallbacks,
                max_diff=self.max_diff,
            ),
            isolation=Isolation.SEPARATE_WORKTREE,
        )


def read_rubric(file: str, folder: Path) -> Rubric:
    """The criteria in a Markdown file.

    Args:
        file: its path.
        folder: what the path is relative to.

    Raises:
        UsageError: there is no such file, or it is no rubric.
    """
    another = "give a Markdown file with one list item for each criterion: --judge RUBRIC.md"
    try:
        with (folder / file).open("rb") as source:
            content = source.read(_LARGEST + 1)
        text = content.decode()
    except OSError as error:
        raise UsageError(
            f"the rubric {file} cannot be read",
            why=error.strerror or str(error),
            next_step=another,
        ) from error
    except ValueError as error:
        raise UsageError(f"the rubric {file} is not UTF-8 text", next_step=another) from error
    if len(content) > _LARGEST:
        raise UsageError(
            f"the rubric {file} has more than {_LARGEST:,} bytes",
            why="it is sent to the judge in every round",
            next_step=another,
        )
    return parse_rubric(text, file)
