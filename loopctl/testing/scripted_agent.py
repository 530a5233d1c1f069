"""An agent that does as a script tells it: a plain program of the standard library.

    python -m loopctl.testing.scripted_agent SCRIPT.json [PROMPT_FILE]

The script has one entry for each round, a list of actions; an action is an object with one key,
its name (see ``ACTIONS``)::

    {"record": "/tmp/calls", "repeat": true,
     "rounds": [[{"say": "thinking"}], [{"write": ["answer.txt", "42"]}, {"exit": 0}]]}

``LOOPCTL_ROUND`` tells the round. With ``repeat`` the last entry is played for ever; without it,
a round that has no entry exits with 98. A script that cannot be understood exits with 97 before
anything is done. With ``record``, a line is appended to that file when a call begins and when it
ends, so that calls can be counted without asking loopctl.

Invariant: the program decides nothing. What it does follows from the script and the round. It is
started for every turn, so it imports what few actions need when they need it.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import sys
import time

TYPE_CHECKING = False  # `typing` is slow to import
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, BinaryIO

BAD_SCRIPT = 97
EXHAUSTED = 98
_LINE = b"x" * 79 + b"\n"


class BadScriptError(Exception):
    """The script cannot be understood."""


def main(arguments: list[str]) -> int:
    """Play the entry of this round.

    Args:
        arguments: the script, and the file with the prompt when it is not on standard input.

    Returns:
        The exit status.
    """
    try:
        script = _read_script(arguments[0])
        number = int(os.environ.get("LOOPCTL_ROUND", "1"))
    except (BadScriptError, IndexError, OSError, ValueError) as error:
        _complain(f"scripted agent: bad script: {error}")
        return BAD_SCRIPT
    prompt = _read(arguments[1]) if len(arguments) > 1 else sys.stdin.buffer.read()
    record = _Record(script.get("record"), number)
    record.write("begin", prompt=hashlib.sha256(prompt).hexdigest())
    status = _play(script, number, prompt)
    record.write("end", exit=status)
    sys.stdout.flush()
    if status < 0:
        os.kill(os.getpid(), -status)
    return status


class _Record:
    """The file that counts the calls."""

    def __init__(self, path: str | None, number: int) -> None:
        self._path = path
        self._round = number

    def write(self, event: str, **fields: object) -> None:
        """Append one line with one write, so that lines of several agents do not mix."""
        if self._path is None:
            return
        line = {"event": event, "round": self._round, "pid": os.getpid(), **fields}
        with open(self._path, "ab", buffering=0) as file:
            file.write(json.dumps(line).encode() + b"\n")


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _put(path: str, content: bytes, mode: str = "wb") -> None:
    with open(path, mode) as file:
        file.write(content)


def _read_script(path: str) -> dict[str, Any]:
    script = json.loads(_read(path))
    if not isinstance(script, dict) or script.keys() - {"record", "repeat", "rounds"}:
        raise BadScriptError("a script is an object with the keys record, repeat and rounds")
    for entry in script.get("rounds", ()):
        for action in entry:
            if not isinstance(action, dict) or len(action) != 1 or action.keys() - ACTIONS.keys():
                raise BadScriptError(f"no such action: {json.dumps(action)}")
    return script


def _play(script: dict[str, Any], number: int, prompt: bytes) -> int:
    """Play one entry; a negative status is the signal that the program is to die of."""
    entries = script.get("rounds", [])
    if script.get("repeat") and entries:
        number = min(number, len(entries))
    if not 1 <= number <= len(entries):
        _complain(f"scripted agent: no entry for round {number}")
        return EXHAUSTED
    for action in entries[number - 1]:
        ((name, argument),) = action.items()
        if name == "exit":
            return int(argument)
        if name == "die":
            return -int(argument)
        if name == "save_prompt":
            _put(argument, prompt)
        else:
            ACTIONS[name](argument)
    return 0


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _complain(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def _write(argument: list[str]) -> None:
    path, text = argument
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    _put(path, text.encode())


def _append(argument: list[str]) -> None:
    path, text = argument
    _put(path, text.encode(), "ab")


def _replace(argument: list[str]) -> None:
    path, old, new = argument
    text = _read(path).decode()
    if old not in text:
        raise BadScriptError(f"{path} does not hold {old!r}")
    _put(path, text.replace(old, new).encode())


def _delete(path: str) -> None:
    if os.path.isdir(path) and not os.path.islink(path):
        import shutil

        shutil.rmtree(path)
    else:
        os.unlink(path)


def _mkdir(path: str) -> None:
    os.makedirs(path)


def _symlink(argument: list[str]) -> None:
    path, target = argument
    os.symlink(target, path)


def _sleep(seconds: float) -> None:
    time.sleep(seconds)


def _run(command: str) -> None:
    import subprocess

    sys.stdout.flush()
    subprocess.run(["/bin/sh", "-c", command], check=False)


def _daemon(command: str) -> None:
    """Leave a process behind that no longer belongs to the agent's session."""
    import subprocess

    subprocess.Popen(
        ["/bin/sh", "-c", command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _flood(size: int) -> None:
    _pour(size, sys.stdout.buffer)


def _flood_error(size: int) -> None:
    _pour(size, sys.stderr.buffer)


def _pour(size: int, stream: BinaryIO) -> None:
    block = _LINE * 1024
    stream.writelines(block for _ in range(size // len(block)))
    stream.write(block[: size % len(block)])
    stream.flush()


def _nothing(_: object) -> None:
    """Stand in the table for what ``_play`` does itself."""


ACTIONS: dict[str, Callable[[Any], None]] = {
    "say": _say,  # TEXT on standard output
    "complain": _complain,  # TEXT on standard error
    "write": _write,  # [PATH, TEXT]
    "append": _append,  # [PATH, TEXT]
    "replace": _replace,  # [PATH, OLD, NEW]; OLD must be there
    "delete": _delete,  # PATH, a folder with everything in it
    "mkdir": _mkdir,  # PATH
    "symlink": _symlink,  # [PATH, TARGET]
    "sleep": _sleep,  # SECONDS
    "run": _run,  # COMMAND of a shell, waited for; its status is ignored
    "daemon": _daemon,  # COMMAND of a shell, in a session of its own, left behind
    "flood": _flood,  # BYTES on standard output
    "flood_error": _flood_error,  # BYTES on standard error
    "save_prompt": _nothing,  # PATH that receives the prompt
    "exit": _nothing,  # STATUS, at once
    "die": _nothing,  # number of a SIGNAL, at once
}

if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        sys.exit(main(sys.argv[1:]))
    except BadScriptError as bad:
        _complain(f"scripted agent: {bad}")
        sys.exit(BAD_SCRIPT)
