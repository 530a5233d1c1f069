"""The report of a bug: a file to paste, without secrets, in the state folder.

Invariant: writing it never fails; when the state folder cannot be used, it goes to the folder
for temporary files.
"""

import os
import platform
import tempfile
import time
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path

from loopctl import __version__
from loopctl.errors import LoopctlError
from loopctl.process.masking import Masker
from loopctl.store.home import state_home


def write_report(
    error: Exception, arguments: Sequence[str], environment: Mapping[str, str]
) -> Path:
    """Write what is known about ``error``; return the file."""
    text = "\n".join(
        [
            f"loopctl {__version__}",
            f"Python {platform.python_version()} on {platform.platform()}",
            f"arguments: {list(arguments)!r}",
            "",
            "".join(traceback.format_exception(error)),
        ]
    )
    data = Masker.from_environment(environment).mask(text).encode(errors="backslashreplace")
    try:
        folder = state_home(environment).path / "reports"
        folder.mkdir(mode=0o700, exist_ok=True)
        return _write(folder, data)
    except (LoopctlError, OSError):
        return _write(Path(tempfile.gettempdir()), data)


def _write(folder: Path, data: bytes) -> Path:
    stamp = time.strftime("%Y%m%d-%H%M%S")
    descriptor, path = tempfile.mkstemp(".txt", f"loopctl-{stamp}-", folder)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
    return Path(path)
