"""Names of files as text: any bytes can be in one, a line break included.

Invariant: what is shown is one line that can be encoded, and a name without oddities is shown as
it is.
"""

import re

MOST_CHARACTERS = 500
_ODD = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def shown(name: str) -> str:
    """The name with its oddities as escapes, but for a tab; cut when it is very long."""
    text = _ODD.sub(lambda found: found[0].encode("unicode_escape").decode(), name)
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}..."
