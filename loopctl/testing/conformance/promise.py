"""A promise of a seam, and what its checks start programs with."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from loopctl.process.guard_client import Guard
from loopctl.process.masking import Masker
from loopctl.process.toolbox import Toolbox

TIMEOUT_S = 60.0
"""How long the checks of one implementation may take."""


def promise(kept: bool, words: str) -> None:
    """See that a promise is kept.

    Raises:
        AssertionError: it is not.
    """
    if not kept:
        raise AssertionError(f"broken promise: {words}")


@asynccontextmanager
async def toolbox() -> AsyncIterator[Toolbox]:
    """What starts programs, as a driver has it."""
    guard = await Guard.start()
    try:
        yield Toolbox(guard, Masker.from_environment(os.environ))
    finally:
        guard.close()
