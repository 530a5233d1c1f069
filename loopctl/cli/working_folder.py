"""The working folder: where an agent and the commands that judge it run.

Invariant: a command means the folder in which it was written. A stop command that was typed runs
where it was typed, one of a configuration file in the folder of that file; ``cwd`` says otherwise.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from loopctl.cli.checkout import checkout_top
from loopctl.cli.config_file import ConfigFile


def configuration_folder(flags: Mapping[str, Any], folder: Path) -> Path:
    """The folder whose configuration files hold: that of ``--cwd``, else where it was typed."""
    return folder / str(flags.get("cwd", ""))


def working_folder(
    flags: Mapping[str, Any], cwd: str, folder: Path, files: Sequence[ConfigFile]
) -> Path:
    """The absolute path of the working folder.

    Args:
        flags: what was typed; its ``cwd`` is relative to ``folder``.
        cwd: the setting, from wherever it is; relative to the root of the checkout.
        folder: where the command was typed.
        files: the files that may hold the stop commands, the stronger first.
    """
    if "cwd" in flags:
        return folder / str(flags["cwd"])
    top = checkout_top(folder)
    if cwd:
        return (top or folder) / cwd
    place = next((file.path.parent for file in files if "stop" in file.values), folder)
    return place if top is not None and place.is_relative_to(top) else folder
