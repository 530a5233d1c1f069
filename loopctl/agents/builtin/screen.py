"""What a session is doing just now, for the screen: one short line at a time.

Invariant: a line is short, is one line, and holds no secret that is known.
"""

from loopctl.ports import Activity, SessionRequest
from loopctl.process.masking import Masker
from loopctl.tools.files.names import shown

LINE_CHARACTERS = 100


class Screen:
    """Tells what one session does.

    Args:
        request: whose session it is, and who is told.
        masker: what is kept out of it.

    Attributes:
        tokens: used by the session so far.
    """

    def __init__(self, request: SessionRequest, masker: Masker) -> None:
        self.tokens = 0
        self._request = request
        self._masker = masker

    def show(self, *words: object) -> None:
        """Show what is done now: the name of a tool and its argument, or what was said."""
        text = " ".join(str(word) for word in words)
        line = shown(" ".join(self._masker.mask(text).split()))
        self._request.activity(
            Activity(
                round=self._request.round,
                role=self._request.role,
                text=line if len(line) <= LINE_CHARACTERS else f"{line[:LINE_CHARACTERS]}...",
                tokens=self.tokens,
            )
        )
