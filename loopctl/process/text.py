"""Plain text out of terminal output.

Invariant: the result has no control character but newline and tab, so that it can neither hide
nor move anything when it is shown, and it is what a reader of the terminal would have seen last.
"""

import re

_ESCAPES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # CSI: colours, cursor
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?"  # OSC, DCS
    r"|\x1b[ -/]*[0-~]?"  # the short ones
)
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def plain_text(data: bytes) -> str:
    """Decodes UTF-8 (what is not becomes U+FFFD) and removes what only a terminal understands.

    Of a line that was overwritten after a carriage return the last version is kept; a backspace
    takes the character before it back.
    """
    text = _ESCAPES.sub("", data.decode(errors="replace")).replace("\r\n", "\n")
    if "\r" in text or "\b" in text:
        text = "\n".join(map(_last_version, text.split("\n")))
    return _CONTROLS.sub("", text)


def _last_version(line: str) -> str:
    versions = [version for version in line.split("\r") if version.strip()]
    line = versions[-1] if versions else ""
    if "\b" not in line:
        return line
    kept: list[str] = []
    for character in line:
        if character != "\b":
            kept.append(character)
        elif kept:
            kept.pop()
    return "".join(kept)
