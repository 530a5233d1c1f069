"""The work itself: the worktree with its snapshots, the processes, how context crosses rounds."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from loopctl.domain.agent_session import Survivor
from loopctl.domain.round_context import NextRoundSpec, RoundContext
from loopctl.domain.snapshot import Published, Snapshot


class HandoffStrategy(Protocol):
    """Decides how context crosses from one round to the next."""

    async def build_next_round(self, context: RoundContext) -> NextRoundSpec:
        """The start of the next turn."""
        ...


@dataclass(frozen=True)
class PreparedWorkspace:
    """The worktree of a loop.

    Attributes:
        path: its folder.
        branch_tip: commit id of the loop's branch.
        origin: how it came to be there.
        notes: what the user should know of it before an agent works in it.
    """

    path: Path
    branch_tip: str
    origin: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Difference:
    """How a tree differs from the base commit.

    Attributes:
        overview: the changed paths with their line counts, a line each.
        patch: a unified diff, as text.
        is_cut: there is more of the patch than this.
    """

    overview: tuple[str, ...]
    patch: str
    is_cut: bool


class Workspace(Protocol):
    """The worktree of one loop and the snapshots of it."""

    async def prepare(
        self, snapshot: Snapshot | None, *, first_time: bool, branch_tip: str
    ) -> PreparedWorkspace | None:
        """Create, adopt or rebuild the worktree; ``None`` when it is lost for good."""
        ...

    def working_folder(self) -> Path:
        """The folder in which an agent works: the worktree, or one of its own folders."""
        ...

    async def snapshot(
        self, round_number: int, previous: Snapshot | None, *, partial: bool
    ) -> Snapshot:
        """Store the tree as it is now. Doing it again after a crash gives the same."""
        ...

    async def publish(self, snapshot: Snapshot, branch_tip: str) -> Published:
        """Commit the snapshot's tree on the loop's branch, by compare-and-swap."""
        ...

    async def difference(self, tree: str, limit: int) -> Difference:
        """How ``tree`` differs from the base commit; the patch has ``limit`` bytes at most."""
        ...

    async def release(self) -> None:
        """Remove the worktree and the branch of a loop in which nothing was done."""
        ...


class Processes(Protocol):
    """Everything that was started for agents and evaluators."""

    async def end_all(self) -> tuple[Survivor, ...]:
        """End whatever is still alive and prove that nothing is left."""
        ...
