"""What a session did, for a person to read.

Invariant: the file has at most about `MOST_BYTES` bytes, nobody else may read it, and it holds no
secret that is known. A log that cannot be written disturbs nothing.
"""

import os
from pathlib import Path

from loopctl.process.masking import Masker

MOST_BYTES = 4 * 1024 * 1024
ENTRY_CHARACTERS = 4000
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC


class SessionLog:
    """Appends entries to a file, which may have some already.

    Args:
        path: the file.
        masker: what is kept out of it.
    """

    def __init__(self, path: Path, masker: Masker) -> None:
        self.error = ""
        self._path = path
        self._masker = masker

    @property
    def name(self) -> str:
        """The file's name."""
        return self._path.name

    def add(self, title: str, text: str = "") -> None:
        """Write one entry; of a long text its beginning and its end."""
        text = self._masker.mask(text)
        head, tail = text[: ENTRY_CHARACTERS // 2], text[ENTRY_CHARACTERS // 2 :]
        left_out = len(tail) - ENTRY_CHARACTERS // 2
        if left_out > 0:
            tail = f"\n[{left_out} characters left out]\n{tail[left_out:]}"
        entry = f"## {title}\n{head}{tail}".rstrip() + "\n\n"
        try:
            descriptor = os.open(self._path, _FLAGS, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                if os.fstat(descriptor).st_size < MOST_BYTES:
                    file.write(entry.encode(errors="backslashreplace"))
        except OSError as error:
            self.error = f"the log is incomplete: {error}"
