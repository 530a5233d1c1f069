"""Masking: no known secret leaves this process in text that is stored, shown or sent.

Known are the values of secret-like variables, in every spelling of `secret_values`, and the
shapes of common keys. Each is a rule that begins with fixed bytes, its anchor: a rule runs only
where its anchor occurs, which a plain search decides at the speed of memory.

Invariant: no rule matches more than `CONTEXT` bytes, and only key blocks contain a newline. So
with that much context around a cut, a secret that lies across it is seen whole.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple, Self

from loopctl.process.secret_values import secrets_in, spellings

CONTEXT = 16 * 1024
MASK = b"[masked]"

# What follows the anchor of a key that begins a word.
_KEYS = {
    b"sk-": rb"[\w-]{16,512}",
    **dict.fromkeys((b"ghp_", b"gho_", b"ghs_", b"ghu_", b"ghr_"), rb"[A-Za-z0-9]{16,512}"),
    b"github_pat_": rb"\w{16,512}",
    b"glpat-": rb"[\w-]{16,512}",
    b"xox": rb"[abeoprs]-[\w-]{10,512}",
    **dict.fromkeys((b"AKIA", b"ASIA"), rb"[A-Z0-9]{16}"),
    b"AIza": rb"[\w-]{30,512}",
    b"npm_": rb"[A-Za-z0-9]{30,512}",
    b"hf_": rb"[A-Za-z0-9]{20,512}",
    b"pypi-": rb"[\w-]{32,1024}",
    b"eyJ": rb"[\w-]{8,4096}\.eyJ[\w-]{8,8000}(?:\.[\w-]{0,2048})?",
}
_GAP = rb"(?:\s|\\[rn]){0,8}"
_KEY_BLOCK = (
    rb"-----BEGIN (?:[A-Z]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
    rb"(?:" + _GAP + rb"[A-Za-z-]{1,20}: [^\n\\]{0,80}){0,4}"
    rb"(?:" + _GAP + rb"[A-Za-z0-9+/=]{20,80}){0,160}"
    rb"(?:" + _GAP + rb"[A-Za-z0-9+/=]{1,19})?" + _GAP + rb"(?:-----END [A-Z ]{1,40}-----)?"
)


class Rule(NamedTuple):
    """One thing to look for: every match of `pattern` begins with `anchor`."""

    anchor: bytes
    pattern: re.Pattern[bytes]
    mask: bytes


class Span(NamedTuple):
    """One secret in some data, and what is shown in its place."""

    start: int
    end: int
    mask: bytes


_SHAPES = (
    *(
        # The look-behind stands after the anchor, so that the search for the anchor stays fast.
        Rule(anchor, re.compile(rb"%b(?<![A-Za-z0-9]%b)%b" % (anchor, anchor, rest)), MASK)
        for anchor, rest in _KEYS.items()
    ),
    Rule(b"://", re.compile(rb"://[^\s/:@]{0,256}:[^\s/@]{1,256}@"), b"://[masked]@"),
    Rule(b"-----BEGIN ", re.compile(_KEY_BLOCK), MASK),
)


class Masker:
    """Replaces secrets by `[masked:NAME]`, or `[masked]` when only their shape is known.

    Args:
        secrets: secret values by the name that stands for them.
    """

    def __init__(self, secrets: Mapping[str, str]) -> None:
        named = {
            spelling: b"[masked:%b]" % name.encode(errors="replace")
            for name, value in secrets.items()
            for spelling in spellings(value)
        }
        literals = (
            Rule(literal, re.compile(re.escape(literal)), mask) for literal, mask in named.items()
        )
        self._rules = (*literals, *_SHAPES)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Self:
        """A masker for the secret-like variables of an environment."""
        return cls(secrets_in(environment))

    def mask(self, text: str) -> str:
        """The text without secrets."""
        data = text.encode(errors="surrogatepass")
        return self.mask_bytes(data).decode(errors="surrogatepass")

    def mask_bytes(self, data: bytes, start: int = 0) -> bytes:
        """The data from `start` on without secrets; what is before is looked at, not returned."""
        return splice(data, self.spans(data), start, len(data))

    def spans(self, data: bytes) -> list[Span]:
        """Every secret in the data, from left to right; those that overlap are one."""
        found = [
            Span(match.start(), match.end(), rule.mask)
            for rule in self._rules
            if rule.anchor in data
            for match in rule.pattern.finditer(data)
        ]
        found.sort(key=lambda span: (span.start, -span.end))
        merged: list[Span] = []
        for span in found:
            if merged and span.start < merged[-1].end:
                last = merged.pop()
                span = last._replace(end=max(last.end, span.end))  # noqa: PLW2901 - the merged one
            merged.append(span)
        return merged


def splice(data: bytes, spans: list[Span], start: int, stop: int) -> bytes:
    """The data from `start` to `stop` with each span replaced by its mask."""
    return b"".join(_pieces(data, spans, start, stop))


def _pieces(data: bytes, spans: list[Span], start: int, stop: int) -> Iterator[bytes]:
    position = start
    for span in spans:
        if span.end > start and span.start < stop:
            yield data[position : span.start]
            yield span.mask
            position = span.end
    yield data[position:stop]
