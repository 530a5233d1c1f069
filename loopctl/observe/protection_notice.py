"""What is protected in a loop and what is not, for the user to read as it starts."""

from loopctl.domain.presets import named_presets
from loopctl.domain.protection import Protection


def protection_notice(protection: Protection) -> tuple[str, ...]:
    """One line for each preset in use; one that says so when nothing is protected."""
    lines = tuple(
        f"protected: {preset.name} tests and their settings (not covered: {preset.leaves_open})"
        for preset in named_presets(protection.presets)
    )
    if not protection.patterns:
        return ("nothing is protected: name what judges the work with --protect GLOB",)
    return lines
