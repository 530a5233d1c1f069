"""Everything that a run of the program imports, imported once: the fork server begins with this.

Invariant: importing it starts no thread, and nothing of it is collected again, so that what the
forked processes share stays shared.
"""

import gc
import importlib
import pkgutil

import warm_start  # noqa: F401 - where the forked process begins

import loopctl

# What the package imports late, and what the plug-ins of the tests need.
LATE = (
    "genai_prices",
    "git",
    "pydantic_ai.models.openai",
    "pydantic_settings",
    "pytest",
    "typer._adapters",
)

for name in LATE:
    importlib.import_module(name)
for module in pkgutil.walk_packages(loopctl.__path__, "loopctl."):
    if not module.name.endswith(("__main__", ".guard")):
        importlib.import_module(module.name)
gc.collect()
gc.freeze()
