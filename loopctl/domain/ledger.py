"""The ledger: all criteria of a loop with their verdicts, bound to one judged tree.

It is clean only when every evaluator in scope has reported and nothing but PASS is in it: an
empty one proves nothing.
"""

from loopctl.domain.criteria import Verdict
from loopctl.domain.value import Value


class LedgerEntry(Value):
    """The verdict on one criterion, with the headline of its evidence."""

    evaluator: str
    criterion: str
    verdict: Verdict
    headline: str = ""


class Ledger(Value):
    """All criteria of a loop with their verdicts, bound to one judged tree.

    ``judged`` says that every evaluator in scope has reported on this tree.
    """

    tree: str = ""
    entries: tuple[LedgerEntry, ...] = ()
    judged: bool = False

    @property
    def is_clean(self) -> bool:
        """Whether something was judged and all of it passed."""
        return (
            self.judged
            and bool(self.entries)
            and all(entry.verdict is Verdict.PASS for entry in self.entries)
        )
