"""The three standard streams of a short command.

Invariant: a stream that is closed, cannot take a character, or has lost its reader never ends a
command. A closed one leads to the null device, so that no file of ours is opened in its place
and written over.
"""

import contextlib
import io
import json
import os
import sys
from collections.abc import Iterable

from loopctl.errors import LoopctlError


def prepare_streams() -> None:
    """Open what is closed; show characters that a stream lacks as their escapes."""
    for descriptor, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(descriptor)
        except OSError:
            null = os.open(os.devnull, os.O_RDWR)
            if null != descriptor:
                os.dup2(null, descriptor)
                os.close(null)
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(descriptor, mode, closefd=False))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def as_json(document: object) -> str:
    """One line of JSON, in ASCII."""
    return json.dumps(document)


def say(text: str) -> None:
    """Print ``text`` on stdout; a reader that went away is no error.

    Raises:
        LoopctlError: it could not be written for another reason, such as a full disk.
    """
    try:
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
    except BrokenPipeError:
        _silence(1)
    except OSError as error:
        _silence(1)
        raise LoopctlError("the output could not be written", why=str(error)) from error


def pour(lines: Iterable[bytes]) -> None:
    """Write lines on stdout byte for byte; on a terminal, without what it would obey.

    Raises:
        LoopctlError: they could not be written for another reason than a reader that went away.
    """
    from loopctl.observe.plain import block

    terminal = sys.stdout.isatty()
    try:
        for line in lines:
            shown = f"{block(line.decode(errors='backslashreplace'))}\n".encode()
            sys.stdout.buffer.write(shown if terminal else line)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        _silence(1)
    except OSError as error:
        _silence(1)
        raise LoopctlError("the output could not be written", why=str(error)) from error


def notice(text: str) -> None:
    """Print something that a person should know on stderr."""
    with contextlib.suppress(OSError):
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()


def complain(error: LoopctlError) -> None:
    """Print an error on stderr: what happened, why, what to type next."""
    from loopctl.observe.plain import block

    lines = [f"loopctl: {block(error.message)}"]
    if error.why:
        lines.append(f"  why: {block(error.why)}")
    if error.next_step:
        lines.append(f"  next: {block(error.next_step)}")
    notice("\n".join(lines))


def _silence(descriptor: int) -> None:
    """Let what is still buffered go nowhere when the interpreter ends."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, descriptor)
    os.close(null)
