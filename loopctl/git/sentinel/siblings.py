"""What other loops of the same repository had seen before this one began.

When another loop's agent has just changed something, this loop begins from a picture with the
change in it, and the other loop puts it back. Invariant: that is no change of this loop's turn, and
nothing that differed from another loop's picture at the start is ever put back to what it was
then.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from loopctl.git.sentinel.finding import Finding, PutBack, Remedy, SetRef, WriteSettings
from loopctl.git.sentinel.picture import Picture
from loopctl.git.sentinel.picture_file import read_picture
from loopctl.git.sentinel.places import Places
from loopctl.git.sentinel.seen import Seen

_OF_ONE_LOOP = "worktrees/"
_REPLACED = "refs/replace/"
_NOTE = "not put back: it differed already when this loop began, while another one was open"


@dataclass(frozen=True)
class Siblings:
    """What they had seen otherwise.

    Attributes:
        seen: paths, as each of the others had them.
        refs: replaced objects, in the same way; ``""`` is none.
    """

    seen: dict[str, tuple[Seen, ...]] = field(default_factory=dict)
    refs: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, places: Places, files: Iterable[Path], now: Picture) -> "Siblings":
        """The siblings whose pictures are in these files, beside what is there now."""
        seen: dict[str, tuple[Seen, ...]] = {}
        refs: dict[str, tuple[str, ...]] = {}
        for other in filter(None, map(read_picture, files)):
            if not set(places.indexes) & other.indexes.keys():
                continue  # of another repository
            for name in other.seen.keys() | now.seen.keys():
                of_all = not name.startswith((_OF_ONE_LOOP, "/"))
                if of_all and not other.at(name).is_same(now.at(name)):
                    seen[name] = (*seen.get(name, ()), other.at(name))
            theirs, ours = other.refs.values, now.refs.values
            for ref in theirs.keys() | ours.keys():
                if ref.startswith(_REPLACED) and theirs.get(ref) != ours.get(ref):
                    refs[ref] = (*refs.get(ref, ()), theirs.get(ref, ""))
        return cls(seen, refs)

    def settled(self, before: Picture, now: Picture) -> Picture:
        """The earlier picture with what is again as another loop had seen it."""
        back = [
            name
            for name, seen in self.seen.items()
            if any(now.at(name).is_same(each) for each in seen)
        ]
        if not back:
            return before
        kept = {name: seen for name, seen in before.seen.items() if name not in back}
        return replace(
            before, seen=kept | {name: now.seen[name] for name in back if name in now.seen}
        )

    def left_alone(self, finding: Finding) -> Finding:
        """The finding without its remedy, when that would bring back what another loop took."""
        if not self._concerns(finding.remedy):
            return finding
        alert = finding.alert.evolve(detail=f"{finding.alert.detail}; {_NOTE}")
        return replace(finding, alert=alert, remedy=None)

    def _concerns(self, remedy: Remedy | None) -> bool:
        match remedy:
            case PutBack(name=name) | WriteSettings(name=name):
                return name in self.seen
            case SetRef(ref=ref):
                return ref in self.refs
            case None:
                return False
