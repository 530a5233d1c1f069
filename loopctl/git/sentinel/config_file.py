"""A git configuration file, read without git: its entries, and where each one stands.

Git itself is not asked, because what it reads it also obeys. Invariant: the places are exact, so
that one entry can be taken out of a file and every other byte stays.
"""

import re
from dataclasses import dataclass

# No possessive quantifiers: Python has got them right only since 3.11.5.
_SECTION = re.compile(r'\[[ \t]*([A-Za-z0-9.-]+)(?:[ \t]+"((?:[^"\\\n]|\\.)*)")?[ \t]*\]')
_KEY = re.compile(r"([A-Za-z][A-Za-z0-9-]*)[ \t]*(=)?")
_END = re.compile(r"(?:[#;][^\n]*)?(?:\r?\n|\Z)")
_BLANK = re.compile(r"(?:[ \t\r\n]+|[#;][^\n]*)*")
_PLAIN = re.compile(r'[^"\\\n#;]*')
_QUOTED = re.compile(r'[^"\\\n]*')
_PIECE = re.compile(r'\\(?:\r?\n|\Z)|\\(.)|(")|([^\\"]+)', re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "b": "\b"}


@dataclass(frozen=True, slots=True)
class ConfigEntry:
    """One setting.

    Attributes:
        name: section, subsection and key, the parts that have no case in small letters.
        value: ``""`` also for a key without one, which means true.
        section: the section's header as it stands in the file.
        span: first byte of its line's own part, and the byte behind its end.
    """

    name: str
    value: str
    section: str
    span: tuple[int, int]

    @property
    def said(self) -> tuple[str, str]:
        """What it sets, wherever it stands."""
        return self.name, self.value


def config_entries(content: bytes) -> list[ConfigEntry] | None:
    """The entries in order; ``None`` when git would not understand the file either."""
    raw = content.decode("latin-1")  # a character for each byte
    position = _skip_blank(raw, 3 if raw.startswith("\xef\xbb\xbf") else 0)
    found: list[ConfigEntry] = []
    section, prefix = "", ""
    while position < len(raw):
        if header := _SECTION.match(raw, position):
            section, prefix = header[0], _prefix(header)
            position = _skip_blank(raw, header.end())
            continue
        key = _KEY.match(raw, position)
        stop = _value_end(raw, key.end(2)) if key and key[2] else key and key.end()
        end = None if stop is None else _END.match(raw, stop)
        if key is None or end is None:
            return None
        name = f"{prefix}.{key[1].lower()}" if section else key[1].lower()
        value = _value(raw[key.end(2) : stop]) if key[2] else ""
        span = position, end.end()
        found.append(ConfigEntry(_shown(name), _shown(value), section, span))
        position = _skip_blank(raw, end.end())
    return found


def without(content: bytes, entries: list[ConfigEntry]) -> bytes:
    """The file without these entries of it."""
    for entry in sorted(entries, key=lambda each: each.span, reverse=True):
        start, end = entry.span
        line = content.rfind(b"\n", 0, start) + 1
        begin = start if content[line:start].strip() else line  # behind a header on the same line
        content = content[:begin] + content[end:]
    return content


def with_entries(content: bytes, entries: list[ConfigEntry], origin: bytes) -> bytes:
    """The file with these entries of another one, ``origin``, behind its end.

    An entry without a section is one only at the beginning.
    """
    for entry in entries:
        if not entry.section:
            content = origin[slice(*entry.span)].rstrip(b"\n") + b"\n" + content
            continue
        if content and not content.endswith(b"\n"):
            content += b"\n"
        line = origin[slice(*entry.span)].rstrip(b"\n")
        content += entry.section.encode("latin-1") + b"\n\t" + line + b"\n"
    return content


def _value_end(raw: str, position: int) -> int | None:
    """Where a value ends that begins there; ``None`` when a quote stays open."""
    quoted = False
    while position < len(raw):
        plain = (_QUOTED if quoted else _PLAIN).match(raw, position)
        position = plain.end() if plain else position
        match raw[position : position + 1]:
            case '"':
                quoted = not quoted
                position += 1
            case "\\":  # with what follows, be it the end of a line
                position += 3 if raw.startswith("\r\n", position + 1) else 2
            case _:
                break
    return None if quoted else min(position, len(raw))


def _skip_blank(raw: str, position: int) -> int:
    blank = _BLANK.match(raw, position)
    return blank.end() if blank else position


def _prefix(header: re.Match[str]) -> str:
    subsection = header[2]
    if subsection is None:
        return header[1].lower()
    return f"{header[1].lower()}." + re.sub(r"\\(.)", r"\1", subsection)


def _value(raw: str) -> str:
    """The value that git sees: without quotes, and without blanks around it."""
    parts: list[str] = []
    length, kept, quoted = 0, 0, False
    for piece in _PIECE.finditer(raw.lstrip(" \t")):
        escaped, quote, plain = piece.groups()
        if quote:
            quoted = not quoted
        elif escaped:
            parts.append(_ESCAPES.get(escaped, escaped))
        elif plain:
            parts.append(plain)
        else:  # the line goes on
            continue
        blank = 0 if quoted or not plain else len(plain) - len(plain.rstrip())
        added = 0 if quote else len(parts[-1])
        length += added
        if not (plain and not quoted and blank == added):
            kept = length - blank
    return "".join(parts)[:kept]


def _shown(text: str) -> str:
    return text.encode("latin-1").decode("utf-8", "surrogateescape")
