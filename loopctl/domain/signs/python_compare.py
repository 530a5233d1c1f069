"""Python objects that compare as a test would like them to, whatever they are compared with.

An operator that returns a constant, or never reads one of its operands; however it gets onto the
class. Abstract ones (a body that raises, or ``...``) and ``NotImplemented`` are none.
"""

import ast
from collections.abc import Iterator

from loopctl.domain.sign import SignKind
from loopctl.domain.signs.always import is_constant, names_read, parameters
from loopctl.domain.signs.mark import Mark, mark
from loopctl.domain.signs.python_source import Function, PythonSource

_KIND = SignKind.COMPARES_ALWAYS
_BINARY = frozenset(
    {"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__contains__"}
    | {"__instancecheck__", "__subclasscheck__", "__subclasshook__"}
)
_UNARY = frozenset({"__bool__", "__len__", "__hash__", "__array_ufunc__", "__array_function__"})
_UNARY |= {"__sub__", "__rsub__", "__abs__", "__round__", "__float__"}  # what "almost equal" asks
_OPERATORS = _BINARY | _UNARY
_TYPE_QUESTIONS = frozenset({"isinstance", "issubclass", "type"})
_Callable = Function | ast.Lambda


def marks(source: PythonSource) -> Iterator[Mark]:
    """Every such place."""
    for node, scope in source.defined:
        is_method = scope.owner is not None and scope.statement is node
        if is_method and node.name in _OPERATORS and _is_deceiving(source, node.name, node):
            yield _shown(source, node)
    yield from _assigned(source)
    yield from _built(source)


def _shown(source: PythonSource, node: Function) -> Mark:
    """The head of the method and its last line, which mostly says what it returns."""
    first, last = node.lineno, node.end_lineno or node.lineno
    shown = dict.fromkeys((source.lines[first - 1].strip(), source.lines[last - 1].strip()))
    return mark(_KIND, first, " ".join(shown))


def _is_deceiving(source: PythonSource, operator: str, function: _Callable) -> bool:
    values = source.returned(function)
    if not values or all(_is_refusal(each) for each in values):
        return False
    read = names_read(function)
    own, *others = parameters(function) or [""]
    constant = all(is_constant(each) or _is_refusal(each) for each in values)
    same = len({ast.dump(each) for each in values if each is not None}) == 1
    if operator not in _BINARY:
        return constant and same
    blind = bool(others) and not read.intersection(others)
    one_sided = own not in read and not read.intersection(_TYPE_QUESTIONS)
    return blind or (constant and (same or one_sided))


def _is_refusal(node: ast.expr | None) -> bool:
    """``NotImplemented``, or the ``None`` of a hash that is switched off."""
    match node:
        case ast.Name(id="NotImplemented") | ast.Constant(value=None) | None:
            return True
    return False


def _assigned(source: PythonSource) -> Iterator[Mark]:
    """``__eq__ = lambda ...`` in a class, ``Thing.__eq__ = ...`` anywhere."""
    for node, scope in source.of(ast.Assign):
        for target in node.targets:
            match target:
                case ast.Name(id=name) if scope.owner is not None and scope.function is None:
                    found = name in _OPERATORS and _is_planted(source, name, node.value)
                case ast.Attribute(attr=name):
                    found = name in _OPERATORS and not _is_harmless(name, node.value)
                case _:
                    found = False
            if found:
                yield source.mark(_KIND, node)


def _is_planted(source: PythonSource, operator: str, value: ast.expr) -> bool:
    """Whether a class takes a function that deceives as its operator."""
    match value:
        case ast.Lambda():
            return _is_deceiving(source, operator, value)
        case ast.Name(id=name) if name in source.functions:
            return _is_deceiving(source, operator, source.functions[name])
        case ast.Call(func=func, args=args):
            made = source.name(func)
            wrapped = any(_is_planted(source, operator, each) for each in args)
            return wrapped or made.startswith(("functools.partial", "unittest.mock"))
    return False


def _is_harmless(operator: str, value: ast.expr) -> bool:
    """``None``, which switches an operator off, or the same operator of another class."""
    match value:
        case ast.Constant(value=None):
            return True
        case ast.Attribute(attr=attr):
            return attr == operator
    return False


def _built(source: PythonSource) -> Iterator[Mark]:
    """``setattr(Thing, "__eq__", ...)`` and ``type("Thing", (), {"__eq__": ...})``."""
    for node, _ in source.of(ast.Call):
        match node:
            case ast.Call(
                func=ast.Name(id="setattr"), args=[_, ast.Constant(value=str(name)), value]
            ) if name in _OPERATORS and not _is_harmless(name, value):
                yield source.mark(_KIND, node)
            case ast.Call(args=[_, _, ast.Dict(keys=keys, values=values), *_]):
                pairs = zip(keys, values, strict=True)
                if any(_is_operator_of_dict(source, key, value) for key, value in pairs):
                    yield source.mark(_KIND, node)


def _is_operator_of_dict(source: PythonSource, key: ast.expr | None, value: ast.expr) -> bool:
    match key:
        case ast.Constant(value=str(name)) if name in _OPERATORS:
            return _is_planted(source, name, value) or isinstance(value, ast.Name)
    return False
