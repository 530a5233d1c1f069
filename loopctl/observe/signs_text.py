"""Signs of code that could deceive tests, for people. A sign is never told as a verdict."""

from collections import Counter
from collections.abc import Sequence

from loopctl.domain.sign import Sign
from loopctl.observe.plain import count, listing, one_line


def signs_text(signs: Sequence[Sign]) -> str:
    """All of them in one line, those of one kind in one file together."""
    places = Counter((str(sign.kind), sign.path) for sign in signs)
    first = {(str(sign.kind), sign.path): _place(sign) for sign in reversed(signs)}
    told = [
        f"{kind} {first[kind, path]}" + (f" and {number - 1} more" if number > 1 else "")
        for (kind, path), number in places.items()
    ]
    return f"{count(len(signs), 'sign')} of code that could deceive tests: {listing(told)}"


def sign_text(sign: Sign) -> str:
    """One of them with the place itself."""
    return f"{sign.kind} {one_line(_place(sign))}: {one_line(sign.text)}"


def _place(sign: Sign) -> str:
    return f"{sign.path}:{sign.line}" if sign.line else sign.path
