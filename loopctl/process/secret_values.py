"""Which variables hold secrets, and every spelling in which one of their values can leak.

Invariant: a value is judged by its variable's name; a path, a number and a word such as `true`
are never secrets, because masking them would make output unreadable.
"""

import base64
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import quote, quote_plus

MIN_CHARS = 8
"""Shorter values occur in ordinary text."""
MAX_LITERAL = 4096
"""Longer spellings are masked in pieces of this many bytes."""

_WORDS = frozenset(
    {"KEY", "KEYS", "PASS", "PASSPHRASE", "PAT", "PWD", "AUTH", "AUTHORIZATION", "COOKIE"}
    | {"COOKIES", "DSN", "BEARER", "JWT", "SALT"}
)
_PARTS = re.compile("APIKEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|PRIVATEKEY|ACCESSKEY")
_HARMLESS_WORDS = frozenset({"PATH", "FILE", "DIR", "HOME", "SOCK", "SOCKET"})
_HARMLESS_VALUE = re.compile(r"[\d.,:+\-eE]*|true|false|enabled|disabled", re.IGNORECASE)
_URL_PASSWORD = re.compile(r"://[^\s/:@]*:([^\s/@]+)@")


def secrets_in(environment: Mapping[str, str]) -> dict[str, str]:
    """The secret values of an environment, by the name of their variable."""
    secrets = {}
    for name, value in environment.items():
        password = _URL_PASSWORD.search(value)
        if _is_secret_name(name) and not _is_harmless(value):
            secrets[name] = value
        elif password and len(password[1]) >= MIN_CHARS:
            secrets[name] = password[1]
    return secrets


def spellings(value: str) -> Iterator[bytes]:
    """Every form of a value that is looked for: plain, JSON, URL and base64, never a newline.

    Base64 text depends on where in its input the value begins: all three alignments are given,
    without the characters at both ends that neighbouring bytes take part in.
    """
    raw = value.encode(errors="surrogateescape")
    forms = [line.strip() for line in raw.splitlines()]
    for line in value.splitlines():
        escapable = line.strip().encode(errors="replace").decode()
        forms += [json.dumps(escapable, ensure_ascii=only)[1:-1].encode() for only in (True, False)]
    forms += [quoted(raw, safe="").encode() for quoted in (quote, quote_plus)]
    for shift in range(3):
        text = base64.b64encode(b"\0" * shift + raw)
        whole = text[(shift * 8 + 5) // 6 : (shift + len(raw)) * 8 // 6]
        forms += [whole, whole.translate(bytes.maketrans(b"+/", b"-_"))]
    for form in forms:
        for start in range(0, len(form), MAX_LITERAL):
            if len(piece := form[start : start + MAX_LITERAL]) >= MIN_CHARS:
                yield piece


def _is_secret_name(name: str) -> bool:
    words = set(re.split(r"[^A-Z0-9]+", name.upper()))
    if words & _HARMLESS_WORDS:
        return False
    return bool(words & _WORDS or _PARTS.search(name.upper().replace("_", "")))


def _is_harmless(value: str) -> bool:
    if len(value) < MIN_CHARS or _HARMLESS_VALUE.fullmatch(value):
        return True
    return value.startswith("/") and len(value) < MAX_LITERAL and Path(value).exists()
