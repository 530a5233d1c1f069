"""Why a file tool did not do what it was asked to: text for a model, not for a user."""

from loopctl.errors import LoopctlError


class FileToolError(LoopctlError):
    """A call of a file tool that changed nothing; its text says what to do instead."""

    def __str__(self) -> str:
        text = f"{self.message}: {self.why}" if self.why else self.message
        return f"{text}; {self.next_step}" if self.next_step else text
