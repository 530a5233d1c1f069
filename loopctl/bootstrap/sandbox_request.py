"""The sandbox of the agent that a user asks for."""

from dataclasses import dataclass, field
from typing import Literal

from loopctl.domain.confinement import SandboxSettings

SandboxMode = Literal["auto", "off", "bwrap"]


@dataclass(frozen=True)
class SandboxRequest:
    """A sandbox, as it was asked for.

    Attributes:
        mode: ``auto`` makes one where that is possible, ``bwrap`` makes one or refuses.
        read: files and folders that the agent may read, from where the command was typed.
        write: the same that it may change.
        keys: names of secret-like variables that it receives beside those of its vendor.
        settings: what came of it, once that is decided.
    """

    mode: SandboxMode = "off"
    read: tuple[str, ...] = ()
    write: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    settings: SandboxSettings = field(default_factory=SandboxSettings)
