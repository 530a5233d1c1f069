"""Python as it is written: its nodes by type, and what its names stand for.

Names are followed as far as imports and plain aliases go (``import os as o``, ``m = sys``,
``__import__("os")``, ``sys.modules["os"]``, ``getattr(os, "_exit")``), without regard to the order
of the lines. Invariant: the source is read and never run.
"""

import ast
import warnings
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple, TypeVar, cast

from loopctl.domain.sign import SignKind
from loopctl.domain.signs.mark import Mark, mark
from loopctl.domain.signs.python_scope import Scope, walk

Function = ast.FunctionDef | ast.AsyncFunctionDef
N = TypeVar("N", bound=ast.AST)

_MOST_PARTS = 12
_IMPORTERS = frozenset({"builtins.__import__", "importlib.import_module", "importlib.__import__"})
_RUNNERS = frozenset({"builtins.exec", "builtins.eval", "builtins.compile"})
_BUILTINS = frozenset(
    {"compile", "__import__", "delattr", "eval", "exec", "exit", "getattr", "globals", "isinstance"}
    | {"open", "quit", "setattr", "type", "vars"}
)


class Use(NamedTuple):
    """A name that leads to something imported or built in, such as ``os._exit``."""

    name: str
    node: ast.expr
    scope: Scope


class Import(NamedTuple):
    """One imported module, however it is imported."""

    module: str
    node: ast.stmt | ast.expr
    scope: Scope


class PythonSource:
    """One text, parsed.

    Raises:
        SyntaxError: it is no Python of this version.
        ValueError: it holds null bytes.
        RecursionError: it is nested too deeply.
        MemoryError: alike.
    """

    def __init__(self, text: str) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # odd escapes in a text that is only looked at
            tree = ast.parse(text)
        self.lines = text.split("\n")
        self.is_script = text.startswith("#!")
        self._nodes: dict[type[ast.AST], list[tuple[ast.AST, Scope]]] = defaultdict(list)
        for node, scope in walk(tree):
            self._nodes[type(node)].append((node, scope))
        self.defined: list[tuple[Function, Scope]] = [
            *self.of(ast.FunctionDef),
            *self.of(ast.AsyncFunctionDef),
        ]
        self._returned: dict[int, list[ast.expr | None]] = defaultdict(list)
        for given, scope in self.of(ast.Return):
            self._returned[id(scope.function)].append(given.value)
        self.functions = {node.name: node for node, _ in self.defined}
        self._names: dict[str, str] = {}
        self._own: set[str] = set()
        self.imports: list[Import] = []
        self._read_imports()
        self._read_aliases()
        self.uses = self._find_uses()

    def of(self, kind: type[N]) -> list[tuple[N, Scope]]:
        """All nodes of one type, with their scopes."""
        return cast("list[tuple[N, Scope]]", self._nodes.get(kind, []))

    def returned(self, function: Function | ast.Lambda) -> list[ast.expr | None]:
        """What a function returns, in the order of the text."""
        if isinstance(function, ast.Lambda):
            return [function.body]
        return self._returned.get(id(function), [])

    def mark(self, kind: SignKind, node: ast.stmt | ast.expr | ast.excepthandler) -> Mark:
        """A mark at the first line of ``node``."""
        line = node.lineno
        return mark(kind, line, self.lines[line - 1] if line <= len(self.lines) else "")

    def is_imported(self, name: str) -> bool:
        """Whether a name of this text stands for something of another distribution."""
        return name in self._names and name not in self._own

    def name(self, node: ast.AST) -> str:
        """What ``node`` leads to, with dots; ``""`` when that cannot be told."""
        parts: list[str] = []
        while len(parts) < _MOST_PARTS:
            match node:
                case ast.Attribute(value=value, attr=attr):
                    parts.append(attr)
                    node = value
                case ast.Call(
                    func=ast.Name(id="getattr"), args=[value, ast.Constant(value=str(attr)), *_]
                ):
                    parts.append(attr)
                    node = value
                case ast.Name(id=name):
                    known = self._names.get(name) or _built_in(name)
                    return ".".join([known, *reversed(parts)]) if known else ""
                case _:
                    module = self.module(node)
                    return ".".join([module, *reversed(parts)]) if module else ""
        return ""

    def module(self, node: ast.AST) -> str:
        """The module that an expression imports or finds by its name; ``""`` for none."""
        match node:
            case ast.Call(func=func, args=[ast.Constant(value=str(name)), *_]):
                finder = self.name(func)
                found = finder in _IMPORTERS or finder in ("sys.modules.get", "sys.modules.pop")
                return name if found else ""
            case ast.Subscript(value=value, slice=ast.Constant(value=str(name))):
                return name if self.name(value) == "sys.modules" else ""
        return ""

    def run_texts(self) -> Iterator[tuple[int, str]]:
        """Every text that is written down and run as code, with its line."""
        for call, _ in self.of(ast.Call):
            match call.args:
                case [ast.Constant(value=str(text)), *_]:
                    if self.name(call.func) in _RUNNERS:
                        yield call.lineno, text

    def _read_imports(self) -> None:
        for plain, scope in self.of(ast.Import):
            for alias in plain.names:
                self.imports.append(Import(alias.name, plain, scope))
                bound = alias.asname or alias.name.partition(".")[0]
                self._names[bound] = alias.name if alias.asname else bound
        for chosen, scope in self.of(ast.ImportFrom):
            module = "." * chosen.level + (chosen.module or "")
            self.imports.append(Import(module, chosen, scope))
            for alias in chosen.names:
                bound = alias.asname or alias.name
                self._names[bound] = f"{module}.{alias.name}"
                if chosen.level:
                    self._own.add(bound)

    def _read_aliases(self) -> None:
        for node, _ in self.of(ast.Assign):
            match node:
                case ast.Assign(targets=[ast.Name(id=bound)], value=value):
                    leads_to = self.name(value)
                    if leads_to and bound not in self._names:
                        self._names[bound] = leads_to
        for call, scope in self.of(ast.Call):
            module = self.module(call)
            if module and self.name(call.func) in _IMPORTERS:
                self.imports.append(Import(module, call, scope))

    def _find_uses(self) -> list[Use]:
        uses = []
        named: tuple[type[ast.expr], ...] = (ast.Attribute, ast.Name, ast.Call, ast.Subscript)
        for kind in named:
            for node, scope in self.of(kind):
                name = self.name(node)
                if name:
                    uses.append(Use(name, node, scope))
        return uses


def _built_in(name: str) -> str:
    if name == "__builtins__":
        return "builtins"
    return f"builtins.{name}" if name in _BUILTINS else ""
