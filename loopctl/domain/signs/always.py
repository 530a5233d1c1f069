"""What an expression of Python always comes to, as far as that can be seen without running it."""

import ast

_SAME = ast.Eq | ast.Is | ast.LtE | ast.GtE
_FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def is_constant(node: ast.expr | None) -> bool:
    """Whether ``node`` has the same value whatever the operands are."""
    match node:
        case None | ast.Constant():
            return True
        case ast.UnaryOp(operand=operand):
            return is_constant(operand)
        case ast.BoolOp(op=op, values=values):
            decides = isinstance(op, ast.Or)
            return any(
                isinstance(each, ast.Constant) and bool(each.value) is decides for each in values
            )
        case ast.IfExp(body=body, orelse=orelse):
            return is_constant(body) and is_constant(orelse) and _same(body, orelse)
    return _is_settled(node)


def _is_settled(node: ast.expr) -> bool:
    """Whether a comparison or a question comes to the same for every operand."""
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            plain = is_constant(left) and is_constant(right)
            return plain or (isinstance(op, _SAME) and _same(left, right))
        case ast.Call(func=ast.Name(id="bool" | "int" | "len" | "hash"), args=args):
            return all(map(is_constant, args))
        case ast.Call(func=ast.Name(id="isinstance"), args=[_, ast.Name(id="object")]):
            return True
    return False


def names_read(function: _FUNCTIONS) -> set[str]:
    """Every name that the body of a function reads."""
    body = [function.body] if isinstance(function, ast.Lambda) else function.body
    return {
        node.id
        for part in body
        for node in ast.walk(part)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }


def parameters(function: _FUNCTIONS) -> list[str]:
    """The names of a function's parameters, those of ``*`` and ``**`` last."""
    arguments = function.args
    plain = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return [each.arg for each in (*plain, arguments.vararg, arguments.kwarg) if each is not None]


def _same(one: ast.expr, other: ast.expr) -> bool:
    return ast.dump(one) == ast.dump(other)
