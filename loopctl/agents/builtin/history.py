"""The conversation of a session, kept in a file from which another process can go on.

Invariant: the file is whole at any time, nobody else may read it, and it holds no secret that is
known. What is read from it can be sent: calls that were never answered are answered as lost.
"""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_ai import ModelMessage, ModelMessagesTypeAdapter
from pydantic_ai.messages import repair_messages

from loopctl.errors import LoopctlError
from loopctl.process.masking import Masker

_UNSETTLED = 2
"""The library still completes the last messages of a conversation."""


class History:
    """Reads and writes the messages of one session.

    Args:
        path: the file; ``None`` keeps nothing.
        masker: what is kept out of it.
    """

    def __init__(self, path: Path | None, masker: Masker) -> None:
        self._path = path
        self._masker = masker
        self._texts: dict[int, tuple[ModelMessage, str]] = {}

    def load(self) -> list[ModelMessage]:
        """The messages so far, ready to be gone on with; none when there is no file.

        Raises:
            LoopctlError: there is a file, and it cannot be read.
        """
        if self._path is None or not self._path.exists():
            return []
        try:
            messages = ModelMessagesTypeAdapter.validate_json(self._path.read_bytes())
        except (OSError, ValidationError) as error:
            raise LoopctlError(
                f"the conversation cannot be gone on with: {self._path}",
                why=str(error).splitlines()[0],
                next_step="begin a new session",
            ) from error
        return repair_messages(messages)

    def save(self, messages: Sequence[ModelMessage]) -> None:
        """Replace what is in the file by ``messages``.

        Raises:
            OSError: it cannot be written; the file is as it was.
        """
        if self._path is None:
            return
        texts = [self._text(message, is_settled=False) for message in messages[-_UNSETTLED:]]
        settled = [self._text(message, is_settled=True) for message in messages[:-_UNSETTLED]]
        text = f"[{','.join((*settled, *texts))}]"
        temporary = self._path.with_suffix(".new")
        temporary.unlink(missing_ok=True)  # left by a driver that was killed
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(text)
        temporary.replace(self._path)

    def _text(self, message: ModelMessage, *, is_settled: bool) -> str:
        """One message as masked JSON, which is made once when the message will not change."""
        known = self._texts.get(id(message))
        if known is not None and known[0] is message:
            return known[1]
        [plain] = ModelMessagesTypeAdapter.dump_python([message], mode="json")
        text = json.dumps(self._masked(plain))
        if is_settled:
            self._texts[id(message)] = (message, text)
        return text

    def _masked(self, value: Any) -> Any:
        """A JSON value with every text in it masked on its own: its structure is not touched."""
        match value:
            case str():
                return self._masker.mask(value)
            case list():
                return [self._masked(item) for item in value]
            case {"part_kind": "tool-call", "args": str()}:
                part = _with_plain_arguments(value)
                return {key: self._masked(item) for key, item in part.items()}
            case dict():
                return {key: self._masked(item) for key, item in value.items()}
            case _:
                return value


def _with_plain_arguments(part: dict[str, Any]) -> dict[str, Any]:
    """A call of a tool with its arguments as values, not as JSON inside of JSON."""
    try:
        arguments = json.loads(part["args"])
    except ValueError:  # what a model wrote in their place
        return part
    return {**part, "args": arguments} if isinstance(arguments, dict) else part
