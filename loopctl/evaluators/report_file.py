"""The file in which a command leaves its report, and the proof that this run wrote it.

Its path and its nonce are drawn for one run, in the folder for temporary files that the checkout
made for it: nobody can have written it before. Invariant: only a plain file of a bounded size is
read, from the very folder that was there before the command started, and no link is followed.
"""

import errno
import os
import secrets
import stat
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from loopctl.domain.written_report import MAX_BYTES, WrittenCriterion, read_report

PATH_VARIABLE = "LOOPCTL_REPORT"
NONCE_VARIABLE = "LOOPCTL_REPORT_NONCE"
NONE_WRITTEN = "no report was written to LOOPCTL_REPORT"


class ReportUnreadableError(Exception):
    """There is no report of this run that counts; the text says why."""


class ReportFile:
    """Where one run of a command writes its report; see `report_file`.

    Args:
        folder: the folder of the file.
        descriptor: the same folder, opened before the command started.
    """

    def __init__(self, folder: Path, descriptor: int) -> None:
        self._descriptor = descriptor
        self._name = f"report-{secrets.token_hex(16)}.json"
        self._nonce = secrets.token_hex(16)
        self.variables: Mapping[str, str] = {
            PATH_VARIABLE: str(folder / self._name),
            NONCE_VARIABLE: self._nonce,
        }

    def read(self, mask: Callable[[str], str]) -> tuple[WrittenCriterion, ...]:
        """The criteria that the command reported; call it when nothing of it is alive.

        Args:
            mask: takes secrets out of a name.

        Raises:
            ReportUnreadableError: there is none, or it is not one of this run.
        """
        try:
            return read_report(self._content(), self._nonce, mask)
        except ValueError as error:
            raise ReportUnreadableError(f"the report does not count: {error}") from error
        except FileNotFoundError as error:
            raise ReportUnreadableError(NONE_WRITTEN) from error
        except OSError as error:
            reason = "it is a link" if error.errno == errno.ELOOP else error.strerror
            raise ReportUnreadableError(f"the report cannot be read: {reason}") from error

    def _content(self) -> bytes:
        # Without O_NONBLOCK a FIFO would wait for a writer.
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        descriptor = os.open(self._name, flags, dir_fd=self._descriptor)
        try:
            seen = os.fstat(descriptor)
            if not stat.S_ISREG(seen.st_mode):
                raise ValueError("it is not a regular file")
            if seen.st_nlink > 1:
                raise ValueError("it has another name as well (a hard link)")
            with open(descriptor, "rb", closefd=False) as file:
                content = file.read(MAX_BYTES + 1)
        finally:
            os.close(descriptor)
        if len(content) > MAX_BYTES:
            raise ValueError(f"it has more than {MAX_BYTES:,} bytes")
        return content


@contextmanager
def report_file(environment: Mapping[str, str]) -> Iterator[ReportFile]:
    """A new place for a report.

    Args:
        environment: the command's; its TMPDIR is used.

    Raises:
        OSError: the folder cannot be opened.
    """
    folder = Path(environment.get("TMPDIR") or tempfile.gettempdir())
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield ReportFile(folder, descriptor)
    finally:
        os.close(descriptor)
