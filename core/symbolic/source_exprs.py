"""Source texts that are used as names, parsed into expressions."""

from __future__ import annotations

from autodiff.core.symbolic.expr import Expr, call, infix, name, neg, number, postfix

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from typing import TypeGuard


def read(source: str) -> Expr | None:
    """The expression that a source text denotes; None if it cannot be written as one."""
    import ast

    try:
        return _read(ast.parse(source, mode="eval").body)
    except (SyntaxError, ValueError, KeyError, RecursionError, MemoryError):
        return None


def operands_in(source: str) -> list[Expr]:
    """The operands of the outermost operation in a source text, without those that are not expressions here.

    >>> [str(expr) for expr in operands_in("torch.where(x > 0, y, [1])")]
    ['x > 0', 'y']
    """
    import ast

    try:
        body = ast.parse(f"({source})", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    parts = [part for part in ast.iter_child_nodes(body) if isinstance(part, ast.expr)]
    if isinstance(body, ast.Call):
        parts = [
            *([body.func.value] if is_method(body.func) else []),
            *body.args,
            *(key.value for key in body.keywords),
        ]
    found = (read(ast.unparse(part)) for part in parts)
    return [expr for expr in found if expr is not None]


def is_method(function: ast.expr) -> TypeGuard[ast.Attribute]:
    """Whether a function is an attribute of a value, not of a module."""
    import ast

    if not isinstance(function, ast.Attribute) or isinstance(function.value, ast.Attribute):
        return False
    return not (isinstance(function.value, ast.Name) and function.value.id in MODULES)


def _read(at: ast.expr) -> Expr:
    import ast

    if isinstance(at, ast.Constant) and at.value.__class__ in (int, float):
        return number(at.value)
    if isinstance(at, ast.Name):
        return name(at.id)
    if isinstance(at, ast.UnaryOp) and isinstance(at.op, ast.USub):
        return neg(_read(at.operand))
    if isinstance(at, ast.BinOp):
        return infix(SIGNS_READ[type(at.op).__name__], _read(at.left), _read(at.right))
    if isinstance(at, ast.Compare) and len(at.ops) == 1:
        return infix(SIGNS_READ[type(at.ops[0]).__name__], _read(at.left), _read(at.comparators[0]))
    if isinstance(at, ast.Attribute) and at.attr in ("T", "mT"):
        return postfix(_read(at.value), f".{at.attr}")
    if isinstance(at, ast.Subscript):
        place = ast.unparse(at.slice).strip("()")
        return postfix(_read(at.value), f"[{place}]")
    if isinstance(at, ast.Call):
        function, operands = at.func, list(at.args)
        if isinstance(function, ast.Attribute):
            if is_method(function):
                operands.insert(0, function.value)
            spelled = function.attr
        elif isinstance(function, ast.Name):
            spelled = function.id
        else:
            raise ValueError(source_of(at))
        sizes = [one.value for one in at.args if isinstance(one, ast.Constant) and one.value.__class__ is int]
        if spelled == "reshape" and len(operands) == len(sizes) + 1 > 1:
            shape = tuple(sizes)
            return call("reshape", _read(operands[0]), details=(str(shape),), params={"shape": shape})
        details = [f"{key.arg}={ast.unparse(key.value)}" for key in at.keywords]
        return call(spelled, *map(_read, operands), details=tuple(details))
    raise ValueError(source_of(at))


MODULES = frozenset(["torch", "F", "np", "math", "nn"])
SIGNS_READ = {
    **{"Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "Pow": "**", "MatMult": "@", "FloorDiv": "//"},
    **{"Mod": "%", "Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">=", "Eq": "==", "NotEq": "!="},
    **{"BitAnd": "&", "BitOr": "|", "BitXor": "^"},
}


def source_of(at: ast.expr) -> str:
    import ast

    return ast.unparse(at)
