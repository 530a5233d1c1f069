"""Serves a script from a file until it is interrupted or terminated.

Exits with 0 when the script was played to its end, 1 when not, 2 when it cannot be read.
"""

import signal
import sys
import threading
from pathlib import Path

from loopctl.testing.scripted_llm.script_file import read_script
from loopctl.testing.scripted_llm.server import ScriptedLlm, ScriptError

_ARGUMENTS = 2


def main(arguments: list[str]) -> int:
    """Print the address, then serve."""
    if len(arguments) != _ARGUMENTS:
        return _complain("usage: python -m loopctl.testing.scripted_llm SCRIPT.json", 2)
    try:
        lanes = read_script(Path(arguments[1]))
    except (OSError, ValueError) as error:
        return _complain(f"scripted LLM: {error}", 2)
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    with ScriptedLlm(lanes=lanes) as llm:
        sys.stdout.write(f"{llm.url}\n")
        sys.stdout.flush()
        ended.wait()
    try:
        llm.check()
    except ScriptError as error:
        return _complain(f"scripted LLM: {error}", 1)
    return 0


def _complain(problem: str, status: int) -> int:
    sys.stderr.write(f"{problem}\n")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv))
