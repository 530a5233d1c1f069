"""The record of the base commit's tests: kept in a file of the loop, its digest in the state.

A suite may have tens of thousands of ids, which no state document should carry. Invariant: the
record is believed only while it is what the digest says.
"""

import hashlib
from pathlib import Path

from loopctl.domain.suite import Outcome
from loopctl.domain.value import Value


class BaseRecord(Value):
    """What is known of the base commit's tests.

    Attributes:
        tests: id and outcome of every test.
        plugins: entry point names of the pytest plug-ins that were installed; None when they
            could not be told.
    """

    tests: dict[str, Outcome]
    plugins: tuple[str, ...] | None = None

    def keep(self, path: Path) -> str:
        """Write the record whole or not at all; return its digest."""
        content = self.model_dump_json().encode()
        fresh = path.with_name(path.name + ".new")
        fresh.touch(mode=0o600)
        fresh.write_bytes(content)
        fresh.replace(path)
        return _digest(content)


def kept_record(path: Path, digest: str) -> BaseRecord:
    """The record that was kept.

    Raises:
        ValueError: it is gone, or it is not what the digest says.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ValueError(f"the record of the base commit's tests is gone: {error}") from error
    if _digest(content) != digest:
        raise ValueError(f"the record of the base commit's tests was changed: {path}")
    return BaseRecord.model_validate_json(content)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
