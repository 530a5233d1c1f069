"""Python outside of tests that reaches for what runs the tests.

The test framework imported, ``builtins`` or an imported module written to, import hooks, tracing.
What is only there for type checkers is none, and neither is ``doctest`` of a file that is run.
"""

import ast
from collections.abc import Iterator

from loopctl.domain.sign import SignKind
from loopctl.domain.signs.mark import Mark
from loopctl.domain.signs.python_source import PythonSource

_KIND = SignKind.TOUCHES_TESTS
FRAMEWORKS = frozenset(
    {"pytest", "_pytest", "py", "unittest", "unittest2", "nose", "nose2", "pluggy", "hypothesis"}
    | {
        "mock",
        "ward",
        "behave",
        "testtools",
        "xdist",
        "pytest_mock",
        "__main__",
        "sybil",
        "forbiddenfruit",
    }
)
_HOOKS = (
    *("sys.settrace", "sys.setprofile", "sys.monitoring", "sys.addaudithook"),
    *("threading.settrace", "threading.setprofile", "ctypes.pythonapi"),
)
_IMPORT_SYSTEM = ("sys.meta_path", "sys.path_hooks", "sys.path_importer_cache")
_ANY_VALUE = ("builtins", "time", "random", "unittest", "pytest", "_pytest", "datetime", "math")
_OF_SYS = frozenset({"exit", "modules", "settrace", "setprofile", "stdlib_module_names"})
_WRITERS = frozenset({"append", "clear", "extend", "insert", "pop", "remove", "setdefault"})
_WRITERS |= {"update", "__setitem__", "__delitem__"}
_IMPORT_CHANGES = frozenset(f"{each}.{verb}" for each in _IMPORT_SYSTEM for verb in _WRITERS)
_REFUSALS = frozenset({"SkipTest", "Skipped", "SkippedTest"})


def marks(source: PythonSource) -> Iterator[Mark]:
    """Every such place."""
    yield from _imports(source)
    yield from _hooks(source)
    yield from _written(source)
    yield from _calls(source)


def is_framework(module: str) -> bool:
    """Whether a dotted name belongs to something that runs tests."""
    return module.partition(".")[0] in FRAMEWORKS


def _imports(source: PythonSource) -> Iterator[Mark]:
    for module, node, scope in source.imports:
        if is_framework(module) and not (scope.typing_only or scope.guarded):
            yield source.mark(_KIND, node)
    for node, _ in source.of(ast.Subscript):
        if is_framework(source.module(node)):
            yield source.mark(_KIND, node)
    for raised, _ in source.of(ast.Raise):
        called = raised.exc.func if isinstance(raised.exc, ast.Call) else raised.exc
        name = called.id if isinstance(called, ast.Name) else ""
        name = called.attr if isinstance(called, ast.Attribute) else name
        if name in _REFUSALS:
            yield source.mark(_KIND, raised)


def _hooks(source: PythonSource) -> Iterator[Mark]:
    for defined, scope in source.defined:
        if defined.name.startswith("pytest_") and scope.owner is None and scope.at_import:
            yield source.mark(_KIND, defined)
    for use in source.uses:
        if use.name in _HOOKS or use.name in _IMPORT_CHANGES:
            yield source.mark(_KIND, use.node)


def _written(source: PythonSource) -> Iterator[Mark]:
    """Assignments to, and deletions of, what belongs to another module."""
    for node, _ in source.of(ast.Assign):
        yield from _targets(source, node, node.targets, node.value)
    for grown, _ in source.of(ast.AugAssign):
        yield from _targets(source, grown, [grown.target], grown.value)
    for gone, _ in source.of(ast.Delete):
        yield from _targets(source, gone, gone.targets, None)


def _targets(
    source: PythonSource, node: ast.stmt, targets: list[ast.expr], value: ast.expr | None
) -> Iterator[Mark]:
    flat = [
        part
        for each in targets
        for part in (each.elts if isinstance(each, ast.Tuple | ast.List) else [each])
    ]
    if any(_is_foreign(source, target, value) for target in flat):
        yield source.mark(_KIND, node)


def _is_foreign(source: PythonSource, target: ast.expr, value: ast.expr | None) -> bool:
    match target:
        case ast.Attribute(attr="__code__") | ast.Subscript(value=ast.Name(id="__builtins__")):
            return True
        case ast.Attribute(value=owner, attr=attr):
            return _patches(source, owner, attr, value)
        case (
            ast.Subscript(value=ast.Attribute(value=owner, attr="__dict__"))
            | ast.Subscript(value=ast.Call(func=ast.Name(id="vars"), args=[owner]))
        ):
            return _patches(source, owner, "", value)
        case ast.Subscript(value=table, slice=key):
            itself = isinstance(key, ast.Name) and key.id == "__name__"
            return source.name(table) == "sys.modules" and not itself
    return False


def _patches(source: PythonSource, owner: ast.expr, attr: str, value: ast.expr | None) -> bool:
    """Whether writing ``attr`` of ``owner`` changes a module or class of somebody else."""
    leads_to = source.name(owner)
    if not leads_to or not _is_module_name(source, owner):
        return False
    root = leads_to.partition(".")[0]
    if leads_to == "sys":
        return attr in _OF_SYS or f"sys.{attr}" in _IMPORT_SYSTEM
    return root in _ANY_VALUE or is_framework(leads_to) or _is_code(source, value)


def _is_module_name(source: PythonSource, owner: ast.expr) -> bool:
    """Whether the name at the beginning is imported from another distribution."""
    while isinstance(owner, ast.Attribute):
        owner = owner.value
    if isinstance(owner, ast.Name):
        return owner.id == "__builtins__" or source.is_imported(owner.id)
    return bool(source.module(owner))


def _is_code(source: PythonSource, value: ast.expr | None) -> bool:
    match value:
        case ast.Lambda():
            return True
        case ast.Name(id=name):
            return name in source.functions
    return False


def _calls(source: PythonSource) -> Iterator[Mark]:
    for node, _ in source.of(ast.Call):
        match node:
            case ast.Call(
                func=ast.Name(id="setattr"), args=[owner, ast.Constant(value=str(attr)), value]
            ):
                found = _patches(source, owner, attr, value)
            case ast.Call(func=ast.Name(id="delattr"), args=[owner, ast.Constant(value=str(attr))]):
                found = _patches(source, owner, attr, None)
            case ast.Call(func=ast.Attribute(value=table, attr=verb)):
                found = verb in _WRITERS and source.name(table) == "sys.modules"
            case _:
                found = False
        if found:
            yield source.mark(_KIND, node)
