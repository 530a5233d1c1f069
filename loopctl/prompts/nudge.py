"""What an agent session is told when it ended its turn without handing over."""


def nudge(number: int, maximum: int) -> str:
    """The text of a nudge; ``number`` of ``maximum`` counts it."""
    return (
        "You ended your turn without calling loop_handoff. Finish the work, then call it: say "
        "what you changed and why, and which checks you ran with which outcome. "
        f"(reminder {number} of {maximum})\n"
    )
