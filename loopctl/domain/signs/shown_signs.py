"""Which of many signs are kept.

Invariant: every kind has its share, and in it every file; no number of signs of one kind, or in one
file, pushes those of another out.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable

from loopctl.domain.sign import Sign, SignKind

_RANKS = {kind: rank for rank, kind in enumerate(SignKind)}


def shown_signs(signs: Iterable[Sign], most: int) -> tuple[Sign, ...]:
    """At most ``most`` of them, by kind, path and line."""
    turns: Counter[tuple[SignKind, str]] = Counter()
    kinds: dict[SignKind, list[tuple[int, Sign]]] = defaultdict(list)
    for sign in sorted(signs, key=_place):
        kinds[sign.kind].append((turns[sign.kind, sign.path], sign))
        turns[sign.kind, sign.path] += 1
    ranked = [
        (turn, _RANKS[kind], sign)
        for kind, found in kinds.items()
        for turn, (_, sign) in enumerate(sorted(found, key=lambda each: each[0]))
    ]
    chosen = sorted(ranked, key=lambda each: each[:2])[:most]
    return tuple(sorted((sign for *_, sign in chosen), key=_place))


def _place(sign: Sign) -> tuple[int, str, int]:
    return _RANKS[sign.kind], sign.path, sign.line
