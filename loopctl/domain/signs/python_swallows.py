"""Python that lets every failure pass for a result."""

import ast
from collections.abc import Iterator

from loopctl.domain.sign import SignKind
from loopctl.domain.signs.always import is_constant
from loopctl.domain.signs.mark import Mark, mark
from loopctl.domain.signs.python_source import PythonSource

_KIND = SignKind.SWALLOWS
_BROAD = frozenset({"Exception", "BaseException", "AssertionError"})


def marks(source: PythonSource) -> Iterator[Mark]:
    """Every such place."""
    for handler, _ in source.of(ast.ExceptHandler):
        if _is_broad(handler.type) and len(handler.body) == 1 and _is_nothing(handler.body[0]):
            head = source.lines[handler.lineno - 1].strip()
            does = source.lines[handler.body[0].lineno - 1].strip()
            yield mark(_KIND, handler.lineno, head if head.endswith(does) else f"{head} {does}")
    for call, _ in source.of(ast.Call):
        if source.name(call.func) == "contextlib.suppress" and any(map(_is_broad, call.args)):
            yield source.mark(_KIND, call)


def _is_broad(caught: ast.expr | None) -> bool:
    match caught:
        case None:
            return True
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name in _BROAD
        case ast.Tuple(elts=elts):
            return any(map(_is_broad, elts))
    return False


def _is_nothing(statement: ast.stmt) -> bool:
    match statement:
        case ast.Pass() | ast.Continue() | ast.Break():
            return True
        case ast.Expr(value=value) | ast.Return(value=value):
            return is_constant(value)
    return False
