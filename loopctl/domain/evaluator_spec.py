"""What is judged, by what, and behind which boundary: three independent choices, made at start.

A free function would let the strength of an evaluator fade in silence; the specification makes
the user say it. Its digest is part of the key under which a verdict is kept.
"""

import hashlib
import re
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, JsonValue, PositiveInt

from loopctl.domain.value import Value


class Isolation(StrEnum):
    """Where an evaluator runs. What each does not promise is in the documentation."""

    SAME_WORKSPACE = "same-workspace"
    SEPARATE_WORKTREE = "separate-worktree"
    CONTAINER = "container"
    REMOTE = "remote"


class SingleMetric(Value):
    """One criterion."""

    kind: Literal["single-metric"] = "single-metric"
    name: str

    @property
    def declared(self) -> tuple[str, ...] | None:
        """The names that a report must judge; ``None`` when the report names them itself."""
        return (self.name,)


class RubricItem(Value):
    """One line of a rubric."""

    name: str
    description: str


class Rubric(Value):
    """A list of criteria, written down in advance."""

    kind: Literal["rubric"] = "rubric"
    items: tuple[RubricItem, ...]

    @property
    def declared(self) -> tuple[str, ...] | None:
        """The names that a report must judge; ``None`` when the report names them itself."""
        return tuple(item.name for item in self.items)


class Contract(Value):
    """Criteria that the evaluator names in its report."""

    kind: Literal["contract"] = "contract"
    name: str

    @property
    def declared(self) -> tuple[str, ...] | None:
        """The names that a report must judge; ``None`` when the report names them itself."""
        return None


NO_RESULTS = "none"


class ShellExecutor(Value):
    """A command, judged by its exit state and, where it has any, by its results.

    Attributes:
        command: shell text.
        results: path or glob of the JUnit XML files that it writes, below its folder; ``""``
            finds those of a plain pytest call by itself, ``"none"`` looks for none.
    """

    kind: Literal["shell"] = "shell"
    command: str
    results: str = ""


MAX_DIFF = 200_000
"""Bytes of a patch that a judge is shown unless the user says otherwise: some 50,000 tokens."""


class JudgeExecutor(Value):
    """A language model that scores a rubric.

    Attributes:
        rubric: the file that it was read from, for people; its criteria are in ``criteria``.
        model: ``PROVIDER:MODEL``.
        fallbacks: models to use when that one cannot be used, in this order.
        max_diff: bytes of the patch that it is shown at most; of a longer one it judges nothing.
    """

    kind: Literal["llm-judge"] = "llm-judge"
    rubric: str
    model: str
    fallbacks: tuple[str, ...] = ()
    max_diff: PositiveInt = MAX_DIFF

    @property
    def models(self) -> tuple[str, ...]:
        """All of them, the one to be tried first at the front."""
        return (self.model, *self.fallbacks)


class ProviderExecutor(Value):
    """An evaluator from an entry point or a dotted path."""

    kind: Literal["provider"] = "provider"
    name: str
    config: JsonValue = None


Criteria = Annotated[SingleMetric | Rubric | Contract, Field(discriminator="kind")]
Executor = Annotated[ShellExecutor | JudgeExecutor | ProviderExecutor, Field(discriminator="kind")]


class EvaluatorSpec(Value):
    """One evaluator of a loop, as the user declared it."""

    name: str
    criteria: Criteria
    executor: Executor
    isolation: Isolation = Isolation.SEPARATE_WORKTREE

    @property
    def digest(self) -> str:
        """A digest of the whole specification (16 hexadecimal digits)."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:16]

    @property
    def file_name(self) -> str:
        """Its name as a part of file names."""
        return re.sub(r"[^A-Za-z0-9._-]+", "-", self.name)[:40]

    @property
    def is_deterministic(self) -> bool:
        """Whether it costs nothing to run and says the same of the same tree."""
        return not isinstance(self.executor, JudgeExecutor)
