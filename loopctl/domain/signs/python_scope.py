"""Where a piece of Python stands: what is around it decides when it runs.

Invariant: the walk uses no recursion, so that no depth of nesting stops it.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

_FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef
_NO_STATEMENT = ast.Pass()
# Half of all nodes, and nobody asks for them.
_SIGNS = frozenset(
    kind
    for family in (ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop)
    for kind in family.__subclasses__()
)


@dataclass(frozen=True, slots=True)
class Scope:
    """What is around a node.

    Attributes:
        statement: the innermost statement that it is part of.
        function: the innermost function; ``None`` outside of all.
        owner: the innermost class; ``None`` outside of all.
        at_import: it runs when the module is imported.
        guarded: it is below ``if __name__ == "__main__"``.
        typing_only: it is below ``if TYPE_CHECKING``.
    """

    statement: ast.stmt = _NO_STATEMENT
    function: _FUNCTIONS | None = None
    owner: ast.ClassDef | None = None
    at_import: bool = True
    guarded: bool = False
    typing_only: bool = False


def walk(tree: ast.Module) -> Iterator[tuple[ast.AST, Scope]]:
    """Every node below ``tree`` with its scope, in the order of the text."""
    stack: list[tuple[ast.AST, Scope]] = [(each, Scope()) for each in reversed(tree.body)]
    while stack:
        node, scope = stack.pop()
        if isinstance(node, ast.stmt):
            scope = replace(scope, statement=node)
        yield node, scope
        stack.extend(reversed(_below(node, scope)))


def _below(node: ast.AST, scope: Scope) -> list[tuple[ast.AST, Scope]]:
    inner = _inside(node, scope)
    found: list[tuple[ast.AST, Scope]] = []
    for name in node._fields:
        value = getattr(node, name, None)
        there = inner if name == "body" else scope
        children = value if isinstance(value, list) else (value,)
        found += [
            (child, there)
            for child in children
            if isinstance(child, ast.AST) and type(child) not in _SIGNS
        ]
    return found


def _inside(node: ast.AST, scope: Scope) -> Scope:
    """The scope of the body of ``node``."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return replace(scope, function=node, at_import=False)
        case ast.Lambda():
            return replace(scope, at_import=False)
        case ast.ClassDef():
            return replace(scope, owner=node)
        case ast.If(test=test) if _asks_for_main(test):
            return replace(scope, at_import=False, guarded=True)
        case ast.If(test=ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING")):
            return replace(scope, at_import=False, typing_only=True)
    return scope


def _asks_for_main(test: ast.expr) -> bool:
    match test:
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
            both = (left, right)
            named = any(isinstance(each, ast.Name) and each.id == "__name__" for each in both)
            return named and any(
                isinstance(each, ast.Constant) and each.value == "__main__" for each in both
            )
    return False
