"""Shared paths that may be out of date in a checkout: what was built from the sources beside it.

Invariant: folders in which a build tool itself looks what is out of date (``target``, ``build``)
are not doubted; what is loaded as it lies there is.
"""

from collections.abc import Iterable

from loopctl.domain.stop_doubts import Doubt

_BUILT = (".so", ".pyd", ".dylib", ".node", ".class", ".jar", ".wasm")
_DELIVERED = frozenset({"dist"})


def share_doubts(paths: Iterable[str]) -> tuple[Doubt, ...]:
    """What is doubtful about the paths that checkouts get from the user's."""
    built = (path for path in paths if path.endswith(_BUILT) or _name(path) in _DELIVERED)
    return tuple(
        Doubt(
            problem=f"{path} is copied as it is in your checkout, without what the agent changes",
            remedy="build it in the stop command, or with [evaluator] setup",
        )
        for path in built
    )


def _name(path: str) -> str:
    return path.rpartition("/")[2]
