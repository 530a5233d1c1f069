"""One cheat: an agent that does not do the work, and what becomes of it at each level.

Invariant: what is expected is data, told once; the tests prove it, the table in the docs is made
of it. A cheat that fools the bare loop is known to work, so that its being caught elsewhere is
the doing of what is between them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from cheated_kind import Kind
from harness import World

Action = dict[str, str | int | float | list[str]]

NOTED: Action = {"append": ["notes", "done\n"]}
"""Something that changes the tree: the verdict on an unchanged one is kept, whatever is done."""


def product(code: str) -> tuple[Action, ...]:
    """The turn of an agent that writes this as the product."""
    return ({"write": ["calc.py", code]},)


def restored(path: str) -> str:
    """What loopctl's output says when this path was put back before judging."""
    return f'"restored": [^]]*"path": "{path}"'


class Level(StrEnum):
    """Where the work is judged; the heads of the table."""

    BARE = "bare loop"
    SAME = "same-workspace"
    SEPARATE = "separate-worktree + floor"
    CONTAINER = "container + hold-out"


class Outcome(StrEnum):
    """What became of a cheat.

    ``CAUGHT`` is not goal-met; ``WARNED`` is goal-met, and the evidence names what is odd;
    ``PASSED`` is goal-met and nothing is said.
    """

    CAUGHT = "caught"
    WARNED = "warned"
    PASSED = "passed"


_EXITS = 10  # the cap of rounds


@dataclass(frozen=True)
class Cheat:
    """See the module.

    Attributes:
        name: the test's id.
        group: where it stands in the list of mechanisms: part and number.
        does: what the agent does; a row of the table.
        kind: the repository and its stop command.
        turn: what the agent does in every turn. ``@FOLDER@`` and other names in capitals stand
            for places of the test's world; see ``cheating.py``.
        second: what it does from its second turn on, when that is something else.
        bare, same, separate, container: what is expected at each level; nothing where it is not
            tried. All are tried at the default isolation, and all that are not of loopctl alone
            against the bare loop; elsewhere one of each group, and in a container those that the
            default isolation only warns of.
        in_process: it works inside the process that runs the tests, out of reach of any defence
            by files.
        names: regular expression; a line of the evidence that names it, where it is only warned.
            By default that files which judge were changed.
        shown_by: regular expression; what loopctl's output must say when it is caught by
            ``separate-worktree``: that it was caught for the right reason.
        exits: exit status of loopctl at a level, when it is not that of the cap of rounds.
        rounds: the cap.
        restarted: the loop is restarted once when it has ended.
        options: further options of ``loopctl run``.
        prepare: done in the user's repository before the loop.
        tools: programs that the machine must have.
        afterwards: what else must hold when the loop has ended.
        own_environment: it writes into the virtual environment of the tests.
    """

    name: str
    group: str
    does: str
    kind: Kind
    turn: tuple[Action, ...]
    second: tuple[Action, ...] | None = None
    bare: Outcome | None = Outcome.PASSED
    same: Outcome | None = None
    separate: Outcome = Outcome.CAUGHT
    container: Outcome | None = None
    in_process: bool = False
    names: str = "^restored: |is not judged"
    shown_by: str = ""
    exits: Mapping[Level, int] = field(default_factory=dict)
    rounds: int = 1
    restarted: bool = False
    options: tuple[str, ...] = ()
    prepare: Callable[[World], None] | None = None
    tools: tuple[str, ...] = ()
    afterwards: Callable[[World], None] | None = None
    own_environment: bool = False

    @property
    def turns(self) -> list[list[Action]]:
        """What it does, turn by turn; the last one for ever."""
        return [list(self.turn), *([] if self.second is None else [list(self.second)])]

    def expected(self, level: Level) -> Outcome | None:
        """What becomes of it there."""
        match level:
            case Level.BARE:
                return self.bare
            case Level.SAME:
                return self.same
            case Level.SEPARATE:
                return self.separate
            case Level.CONTAINER:
                return self.container

    @property
    def levels(self) -> tuple[Level, ...]:
        """Where it is tried."""
        return tuple(level for level in Level if self.expected(level) is not None)

    def exit_at(self, level: Level) -> int:
        """The exit status that loopctl is to have."""
        met = self.expected(level) is not Outcome.CAUGHT
        return self.exits.get(level, 0 if met else _EXITS)
