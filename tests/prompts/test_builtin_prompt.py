"""What the built-in agent is told in every request."""

import pytest
from syrupy.extensions.single_file import SingleFileSnapshotExtension

from loopctl.prompts.builtin import instructions


class TextFiles(SingleFileSnapshotExtension):
    file_extension = "txt"


@pytest.mark.parametrize("hand_over", ["loop_handoff", ""])
def test_the_whole_text(snapshot, hand_over):
    assert instructions(hand_over).encode() == snapshot.use_extension(TextFiles)


def test_the_two_standing_instructions_are_always_there():
    for text in (instructions(), instructions("loop_complete")):
        assert "TODO, FAKE or PLACEHOLDER" in text
        assert "empty exception handlers" in text
