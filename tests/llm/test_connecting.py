"""The libraries of a provider take a second or more to load; nobody is held up by that."""

import subprocess
import sys

PROGRAM = """
import asyncio
from loopctl.llm.client import connected
from loopctl.llm.model_name import parse_model

async def connecting():
    async with connected(parse_model("openai:m@http://127.0.0.1:9/v1"), {}):
        pass

async def main():
    ticks, task = 0, asyncio.create_task(connecting())
    while not task.done():
        ticks += 1
        await asyncio.sleep(0.01)
    await task
    print(ticks)

asyncio.run(main())
"""


def test_a_driver_hears_what_is_said_while_the_libraries_are_loaded():
    """A cancellation in the first request came as late as the libraries did."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, timeout=60
    )
    assert int(done.stdout) > 5
