"""The hold-out that a user asks for: files and commands that the agent never sees.

Invariant: a hold-out has the last word and never the only one. Of its failure is said only that
it failed, and an agent that hears nothing else could not go on.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from loopctl.domain.evaluator_spec import (
    EvaluatorSpec,
    Isolation,
    ShellExecutor,
    SingleMetric,
)
from loopctl.errors import UsageError


@dataclass(frozen=True)
class HoldOutRequest:
    """A hold-out, as it was asked for.

    Attributes:
        folder: of the files that are laid over the evaluator's checkout; ``""`` for none.
        stops: commands that must exit with 0 there; none runs the loop's own once more.
    """

    folder: str = ""
    stops: tuple[str, ...] = ()

    def check(self, own: Iterable[ShellExecutor], isolation: Isolation, *, judged: bool) -> None:
        """Refuse what cannot be a hold-out, as far as that can be told without a repository.

        Args:
            own: the loop's own commands.
            isolation: where its evaluators run.
            judged: whether anything else judges the work.

        Raises:
            UsageError: says what is missing and how to give it.
        """
        if any(not command.strip() for command in self.stops):
            raise UsageError(
                "a hold-out command is empty",
                why="an empty command always succeeds and would prove nothing",
                next_step='give a command, such as --holdout-stop "python -m pytest -q acceptance"',
            )
        if not judged:
            raise UsageError(
                "a hold-out alone cannot judge the work",
                why="it runs once everything else has passed, and tells the agent nothing",
                next_step='add --stop "COMMAND" for what the agent may know',
            )
        if not self.stops and not any(own):
            raise UsageError(
                "--holdout has no command that would run with its files",
                why="without --holdout-stop the stop commands are run with them, and there is none",
                next_step='add --holdout-stop "COMMAND"',
            )
        if isolation is Isolation.SAME_WORKSPACE:
            raise UsageError(
                f"a hold-out cannot be run in {isolation}",
                why="the agent would find it where it works",
                next_step="leave --isolation out, or use --isolation separate-worktree",
            )

    def specs(
        self, own: Iterable[ShellExecutor], isolation: Isolation
    ) -> tuple[EvaluatorSpec, ...]:
        """The evaluators, under names that tell nothing.

        Args:
            own: the loop's own commands.
            isolation: where they run.
        """
        # Plain pytest calls are read here as well: exit status 0 can be had without a test.
        typed = tuple(ShellExecutor(command=command) for command in dict.fromkeys(self.stops))
        return tuple(
            EvaluatorSpec(
                name=f"holdout-{number}",
                criteria=SingleMetric(name=f"hold-out {number}"),
                executor=executor,
                isolation=isolation,
            )
            for number, executor in enumerate(typed or own, start=1)
        )
