"""A driver that starts an orphan maker through a guard and waits to be killed."""

import asyncio
import os
import sys
from pathlib import Path

from loopctl.process.guard_client import Guard
from loopctl.process.spec import ProcessSpec


async def main():
    guard = await Guard.start()
    null = os.open(os.devnull, os.O_RDWR)
    spec = ProcessSpec(tuple(sys.argv[1:]), Path.cwd(), {"PATH": os.defpath})
    spawned = await guard.spawn(spec, stdout=null, stderr=null)
    print(guard.pid, await spawned.wait(), flush=True)
    await asyncio.sleep(3600)


asyncio.run(main())
