"""The pytest plug-ins that are installed for a call, so that they can be loaded by name.

Invariant: nothing of the judged tree takes part: the interpreter is asked in isolated mode.
"""

import asyncio
import json
import re
import shutil
from pathlib import Path

from loopctl.domain.pytest_call import PytestCall
from loopctl.ports import Checkout
from loopctl.process.spec import ProcessSpec
from loopctl.process.toolbox import Toolbox, exit_state

_DEADLINE_S = 30.0
_QUESTION = """\
import importlib.metadata, json
found = importlib.metadata.entry_points(group="pytest11")
print(json.dumps(sorted({each.name for each in found})))
"""
_SHEBANG = re.compile(r"#! *(\S+)|'''exec' (?:\"([^\"]+)\"|(\S+)) ")


async def installed_plugins(
    tools: Toolbox, call: PytestCall, checkout: Checkout
) -> tuple[str, ...] | None:
    """The entry point names, sorted; None when the call's interpreter cannot be told or asked."""
    interpreter = _interpreter(call, checkout)
    if interpreter is None:
        return None
    question = ProcessSpec(
        argv=(interpreter, "-I", "-c", _QUESTION),
        cwd=checkout.folder,
        env=checkout.environment,
        confinement=checkout.confinement,
    )
    result = await tools.run(
        question, deadline_s=_DEADLINE_S, interrupt_grace_s=1.0, stop=asyncio.Event()
    )
    state = exit_state(result)
    if state is None or state.code != 0:
        return None
    try:
        return tuple(json.loads(result.output.tail))
    except (ValueError, TypeError):
        return None


def _interpreter(call: PytestCall, checkout: Checkout) -> str | None:
    if call.is_module or not call.program:
        return call.program or None
    found = shutil.which(call.program, path=checkout.environment.get("PATH"))
    script = Path(found or checkout.folder / call.program)
    try:
        head = script.read_bytes()[:4096].decode("utf-8", "surrogateescape")
    except OSError:
        return None
    named = [next(filter(None, match)) for match in _SHEBANG.findall(head)]
    return next((name for name in named if "python" in name.rpartition("/")[2]), None)
