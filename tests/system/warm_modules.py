"""Everything that a run of the program imports, imported once: the fork server begins with this.

Invariant: importing it starts no thread, and nothing of it is collected again, so that what the
forked processes share stays shared.
"""

import gc
import importlib
import pkgutil

import warm_start  # noqa: F401 - where the forked process begins
from pydantic_ai.messages import ModelMessagesTypeAdapter

import loopctl
from loopctl.llm import client

# What the package imports late, and what the plug-ins of the tests need.
LATE = (
    "anyio._backends._asyncio",
    "ctypes",
    "genai_prices.data",
    "genai_prices.validation",
    "git",
    "openai.resources.chat.completions",
    "pydantic_ai.models.openai",
    "pydantic_ai.providers.openai",
    "pydantic_settings",
    "pytest",
    "typer._adapters",
    "typer._click.decorators",
)

for name in LATE:
    importlib.import_module(name)
for module in pkgutil.walk_packages(loopctl.__path__, "loopctl."):
    if not module.name.endswith(("__main__", ".guard")):
        importlib.import_module(module.name)
# What every program with a model makes once for itself, and what takes as long as a scripted turn.
client.certificates()
ModelMessagesTypeAdapter.rebuild()
gc.collect()
gc.freeze()
