"""Which evaluators can be named: those that are declared, then the plug-ins."""

from loopctl.bootstrap import builtins
from loopctl.bootstrap.request import StartRequest
from loopctl.errors import UnknownNameError


def check_evaluator_names(request: StartRequest) -> None:
    """See that each name of the request means something.

    Raises:
        UnknownNameError: one does not; all that would are listed.
        UsageError: a plug-in cannot be loaded.
    """
    declared = [each.name for each in request.declared]
    for name in request.evaluators:
        if name in declared:
            continue
        try:
            builtins.EVALUATORS.factory(name)
        except UnknownNameError as error:
            plugins = builtins.EVALUATORS.names()
            raise UnknownNameError(
                f"no evaluator is called {name!r}",
                why=f"declared in the configuration: {', '.join(declared) or 'none'}; "
                f"plug-ins: {', '.join(plugins) or 'none'}",
                next_step=f"use one of them, or declare [evaluators.{name}] in loopctl.toml, or "
                "give a dotted path such as package.module:Factory",
            ) from error
