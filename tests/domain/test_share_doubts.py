"""Shared paths that are the product of sources."""

import pytest

from loopctl.domain.share_doubts import share_doubts


@pytest.mark.parametrize("path", ["dist", "web/dist", "src/a/_speed.cpython-311.so", "lib/x.jar"])
def test_what_was_built_is_doubted(path):
    (doubt,) = share_doubts([".venv", path])
    assert doubt.problem.startswith(f"{path} is copied as it is")


def test_dependencies_and_what_its_tool_builds_again_are_not():
    assert share_doubts([".venv", "node_modules", "target", "build", "distribution"]) == ()
