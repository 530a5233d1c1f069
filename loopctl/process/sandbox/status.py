"""What bubblewrap says beside its exit code: whether the program inside was started at all.

Its exit code is that of the program, or 1 when it could not make the sandbox. Invariant: that is
told by what it wrote on a descriptor of its own, which the program never has.
"""

import contextlib
import errno
import os

from loopctl.process.exit_status import Exited, ExitStatus, NotStarted

_MOST_BYTES = 65536
_STARTED = b'"exit-code"'


class StartReport:
    """A pipe for one sandbox. Close the writing end once the sandbox has it."""

    def __init__(self) -> None:
        self._read_end, self.write_end = os.pipe()
        os.set_blocking(self._read_end, False)

    def close_write_end(self) -> None:
        """Leave it to the sandbox alone."""
        if self.write_end >= 0:
            os.close(self.write_end)
            self.write_end = -1

    def corrected(self, status: ExitStatus, said: str) -> ExitStatus:
        """How the program inside ended, once nothing of the sandbox is left; closes the pipe.

        Args:
            status: how the sandbox ended.
            said: the end of what it printed.
        """
        written = b""
        with contextlib.suppress(BlockingIOError):
            written = os.read(self._read_end, _MOST_BYTES)
        os.close(self._read_end)
        if not isinstance(status, Exited) or _STARTED in written:
            return status
        lines = [line for line in said.splitlines() if line.startswith("bwrap: ")]
        return NotStarted(errno.EPERM, lines[-1] if lines else "the sandbox could not be made")
