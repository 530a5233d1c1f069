"""Answers in Python: tables, branches, cases, and functions that do not look at what they get."""

import ast
from collections.abc import Iterator

from loopctl.domain.signs.always import names_read, parameters
from loopctl.domain.signs.answer import MOST_ANSWERS, Answer
from loopctl.domain.signs.literal import TRIVIAL, is_telling, of_node
from loopctl.domain.signs.python_scope import Scope
from loopctl.domain.signs.python_source import PythonSource

_Rows = ast.List | ast.Tuple | ast.Set
_HANDS_OUT = frozenset({"iter", "cycle", "deque"})


def python_answers(source: PythonSource) -> tuple[Answer, ...]:
    """Every answer in a text of Python, up to a bound."""
    found: list[Answer] = []
    for part in (_tables, _branches, _cases, _hollow, _series):
        for answer in part(source):
            if len(found) >= MOST_ANSWERS:
                return tuple(found)
            if not answer.literals <= TRIVIAL:
                found.append(answer)
    return tuple(found)


def _tables(source: PythonSource) -> Iterator[Answer]:
    for table, _ in source.of(ast.Dict):
        for key, value in zip(table.keys, table.values, strict=True):
            asked = of_node(key)
            if key is not None and asked:
                yield Answer(key.lineno, table.lineno, asked, of_node(value))
    lists: list[tuple[_Rows, Scope]] = [
        *source.of(ast.List),
        *source.of(ast.Tuple),
        *source.of(ast.Set),
    ]
    for rows, _ in lists:
        yield from _rows(rows)


def _rows(rows: _Rows) -> Iterator[Answer]:
    """A list of tuples, of which the last part is taken as what comes out."""
    for row in rows.elts:
        if isinstance(row, ast.Tuple | ast.List) and len(row.elts) > 1:
            *inputs, output = row.elts
            asked = [of_node(each) for each in inputs]
            told = of_node(output)
            if all(asked) and told:
                flat = tuple(part for each in asked for part in each)
                yield Answer(row.lineno, rows.lineno, flat, told)


def _branches(source: PythonSource) -> Iterator[Answer]:
    for branch, scope in source.of(ast.If):
        asked, told = _compared(branch.test), _told(branch.body)
        if asked and told:
            yield Answer(branch.lineno, _around(scope), asked, told)
    for choice, scope in source.of(ast.IfExp):
        asked, told = _compared(choice.test), of_node(choice.body)
        if asked and told:
            yield Answer(choice.lineno, _around(scope), asked, told)


def _cases(source: PythonSource) -> Iterator[Answer]:
    for chosen, _ in source.of(ast.Match):
        for case in chosen.cases:
            asked, told = _in_pattern(case.pattern), _told(case.body)
            if asked and told:
                yield Answer(case.pattern.lineno, chosen.lineno, asked, told)


def _in_pattern(pattern: ast.pattern) -> tuple[str, ...]:
    match pattern:
        case ast.MatchValue(value=value):
            return of_node(value)
        case ast.MatchSequence(patterns=patterns):
            parts = [_in_pattern(each) for each in patterns]
            return tuple(part for each in parts for part in each) if all(parts) else ()
    return ()


def _hollow(source: PythonSource) -> Iterator[Answer]:
    """Literals that come out whatever goes in, and those that nobody writes by chance."""
    for function, _ in source.defined:
        values = source.returned(function)
        if len(values) != 1:
            continue
        told = of_node(values[0])
        asked = set(parameters(function)) - {"self", "cls"}
        ignores = bool(asked) and not asked & names_read(function)
        if told and (ignores or any(map(is_telling, told))):
            yield Answer(function.lineno, -function.lineno, (), told)


def _series(source: PythonSource) -> Iterator[Answer]:
    """Literals that come out one after the other, call by call."""
    for call, _ in source.of(ast.Call):
        name = call.func.attr if isinstance(call.func, ast.Attribute) else None
        name = call.func.id if isinstance(call.func, ast.Name) else name
        if name in _HANDS_OUT and call.args and isinstance(call.args[0], _Rows):
            for each in call.args[0].elts:
                told = of_node(each)
                if told:
                    yield Answer(each.lineno, -call.lineno, (), told)


def _around(scope: Scope) -> int:
    return scope.function.lineno if scope.function is not None else 0


def _compared(test: ast.expr) -> tuple[str, ...]:
    """The literals that something is compared with for equality; empty for another test."""
    match test:
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
            return of_node(right) or of_node(left)
        case ast.BoolOp(op=ast.And(), values=values):
            parts = [_compared(each) for each in values]
            return tuple(part for each in parts for part in each) if all(parts) else ()
    return ()


def _told(body: list[ast.stmt]) -> tuple[str, ...]:
    match body:
        case [ast.Return(value=value)] | [ast.Assign(value=value)]:
            return of_node(value)
        case [ast.Expr(value=ast.Yield(value=value))]:
            return of_node(value)
    return ()
