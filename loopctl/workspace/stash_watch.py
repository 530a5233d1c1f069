"""The stash, which all checkouts of a repository share: an agent's `git stash pop` takes yours.

Invariant: it is only compared. An entry that is gone is named by its commit, with the command that
brings it back, because git keeps the commit for a while.
"""

import json
from dataclasses import dataclass
from pathlib import Path

from loopctl.git.repository import UserRepository


@dataclass(frozen=True)
class StashWatch:
    """Compares the stash with what it was when the loop was last here.

    Attributes:
        user: the user's repository.
        file: where the entries are kept.
    """

    user: UserRepository
    file: Path

    def remember(self) -> None:
        """Keep what the stash holds now."""
        self.file.touch(mode=0o600)
        self.file.write_text(json.dumps(self.user.stash()))

    def changes(self) -> tuple[str, ...]:
        """What changed since it was last remembered, which it is now."""
        if not self.file.exists():
            return ()
        before, now = json.loads(self.file.read_text()), self.user.stash()
        gone = [entry for entry in before if entry not in now]
        new = [entry for entry in now if entry not in before]
        if gone or new:
            self.remember()
        return (
            *(
                f"the stash entry {entry[:12]} is gone (git stash store {entry} brings it back)"
                for entry in gone
            ),
            *(f"the stash has a new entry {entry[:12]}" for entry in new),
        )
