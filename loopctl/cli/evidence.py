"""The evidence of a loop for cards: read from the store when the loop has ended."""

import os
from collections.abc import Sequence

from loopctl.domain.loop import LoopState
from loopctl.errors import LoopctlError
from loopctl.observe.summary import Row


def card_evidence(state: LoopState) -> Sequence[Row]:
    """The rows of the end card that need the store; a store that fails costs these rows alone."""
    from loopctl.cli.stored import open_stored
    from loopctl.observe.evidence_card import evidence_rows
    from loopctl.store.evidence_rows import stored_evidence
    from loopctl.store.loops import find

    try:
        with open_stored(os.environ) as stored:
            loop = find(stored.database, state.spec.project, state.spec.name)
            return tuple(evidence_rows(stored_evidence(stored.database, loop.id, state)))
    except LoopctlError as error:
        return (("evidence", f"could not be read from the store: {error.message}"),)
