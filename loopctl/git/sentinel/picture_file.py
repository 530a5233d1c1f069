"""A picture on the disk, for the driver that goes on after this one has died.

Invariant: it is only compared, never written back into a repository: an agent has the same user
id and could have written the file. A damaged one is no picture.
"""

import base64
import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

from loopctl.git.sentinel.index_flags import IndexFlags
from loopctl.git.sentinel.picture import Picture
from loopctl.git.sentinel.places import Outside
from loopctl.git.sentinel.refs import Refs
from loopctl.git.sentinel.seen import Kind, Seen


def write_picture(file: Path, picture: Picture) -> None:
    """Store the picture, for its owner alone, in one step."""
    refs = picture.refs
    document = {
        "seen": {name: _plain(seen) for name, seen in picture.seen.items()},
        "outside": asdict(picture.outside),
        "loose": refs.loose,
        "packed_file": _plain(refs.packed_file),
        "packed": refs.packed,
        "stash_log": _plain(refs.stash_log),
        "stash": refs.stash,
        "is_cut": refs.is_cut,
        "indexes": {path: asdict(flags) for path, flags in picture.indexes.items()},
    }
    fresh = file.with_name(f"{file.name}.new")
    fresh.unlink(missing_ok=True)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as stream:
        json.dump(document, stream)
    fresh.replace(file)


def read_picture(file: Path) -> Picture | None:
    """The stored picture; ``None`` when there is none that can be understood."""
    try:
        stored = json.loads(file.read_bytes())
        return Picture(
            seen={name: _seen(plain) for name, plain in stored["seen"].items()},
            outside=Outside(*(tuple(names) for names in stored["outside"].values())),
            refs=Refs(
                loose={
                    name: (_stamp(stamp), bool(settled), str(value))
                    for name, (stamp, settled, value) in stored["loose"].items()
                },
                packed_file=_seen(stored["packed_file"]),
                packed=dict(stored["packed"]),
                stash_log=_seen(stored["stash_log"]),
                stash=tuple(stored["stash"]),
                is_cut=bool(stored["is_cut"]),
            ),
            indexes={
                path: IndexFlags(
                    _stamp(flags["stamp"]), bool(flags["settled"]), tuple(flags["flags"])
                )
                for path, flags in stored["indexes"].items()
            },
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _plain(seen: Seen) -> dict[str, Any]:
    content = None if seen.content is None else base64.b64encode(seen.content).decode()
    return {**asdict(seen), "content": content}


def _seen(plain: dict[str, Any]) -> Seen:
    content = plain["content"]
    return Seen(
        Kind(plain["kind"]),
        int(plain["mode"]),
        _stamp(plain["stamp"]),
        bool(plain["settled"]),
        str(plain["digest"]),
        None if content is None else base64.b64decode(content),
    )


def _stamp(stored: list[int]) -> tuple[int, int, int, int]:
    inode, size, modified, changed = map(int, stored)
    return inode, size, modified, changed
