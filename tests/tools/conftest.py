"""Tests play against a desk whose loop answers at once."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from tools_world import World, open_world

from loopctl.domain.agent_session import Role


@pytest.fixture
def play(tmp_path) -> Callable[..., None]:
    """Plays a scene with a session of a role; nothing is left behind by it."""

    def run(scene: Callable[[World], Awaitable[None]], role: Role = Role.CODER) -> None:
        async def main() -> None:
            async with open_world(tmp_path, role) as world:
                places.append(Path(world.socket))
                await asyncio.wait_for(scene(world), 50)
            assert asyncio.all_tasks() == {asyncio.current_task()}

        places: list[Path] = []
        asyncio.run(main())
        assert len(bytes(places[0])) <= 103
        assert not places[0].parent.exists()
        assert list(tmp_path.iterdir()) == []

    return run
