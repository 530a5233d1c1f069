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

Invariant: the program decides nothing. What it does follows from the script and the round.
"""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
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
        script = _read_script(Path(arguments[0]))
        number = int(os.environ.get("LOOPCTL_ROUND", "1"))
    except (BadScriptError, IndexError, OSError, ValueError) as error:
        _complain(f"scripted agent: bad script: {error}")
        return BAD_SCRIPT
    prompt = Path(arguments[1]).read_bytes() if len(arguments) > 1 else sys.stdin.buffer.read()
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
        with open(self._path, "ab", buffering=0) as file:  # noqa: PTH123 - unbuffered append
            file.write(json.dumps(line).encode() + b"\n")


def _read_script(path: Path) -> dict[str, Any]:
    script = json.loads(path.read_bytes())
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
            Path(argument).write_bytes(prompt)
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
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text, encoding="utf-8")


def _append(argument: list[str]) -> None:
    path, text = argument
    with Path(path).open("a", encoding="utf-8") as file:
        file.write(text)


def _replace(argument: list[str]) -> None:
    path, old, new = argument
    text = Path(path).read_text(encoding="utf-8")
    if old not in text:
        raise BadScriptError(f"{path} does not hold {old!r}")
    Path(path).write_text(text.replace(old, new), encoding="utf-8")


def _delete(path: str) -> None:
    target = Path(path)
    if target.is_dir() and not target.is_symlink():
        shutil.rmtree(target)
    else:
        target.unlink()


def _mkdir(path: str) -> None:
    Path(path).mkdir(parents=True)


def _symlink(argument: list[str]) -> None:
    path, target = argument
    Path(path).symlink_to(target)


def _sleep(seconds: float) -> None:
    time.sleep(seconds)


def _run(command: str) -> None:
    sys.stdout.flush()
    subprocess.run(["/bin/sh", "-c", command], check=False)


def _daemon(command: str) -> None:
    """Leave a process behind that no longer belongs to the agent's session."""
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
