"""Source texts that are used as names, parsed into expressions."""

from __future__ import annotations

import re

from autodiff.core.symbolic.expr import Expr, call, infix, name_expr, neg, number_expr, postfix

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from typing import TypeGuard


def parse_source(source: str) -> Expr | None:
    """The expression that a source text denotes; None if it cannot be written as one."""
    import ast

    try:
        return _convert_node(ast.parse(source, mode="eval").body)
    except (SyntaxError, ValueError, KeyError, RecursionError, MemoryError):
        return None


def parse_operands(source: str) -> list[Expr]:
    """The operands of the outermost operation in a source text, without those that are not expressions here.

    >>> [str(expr) for expr in parse_operands("torch.where(x > 0, y, [1])")]
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
    found = (parse_source(ast.unparse(part)) for part in parts)
    return [expr for expr in found if expr is not None]


def parse_operation(source: str) -> tuple[str, tuple[Expr | None, ...]]:
    """The sign or the name of the outermost operation in a source text, and its operands in order.

    An operand that cannot be written as an expression is None. A text without an operation has none.

    >>> parse_operation("(1 - y)*f(x)"), parse_operation("torch.pow(x, [2])")
    (('*', (<expr 1 - y>, <expr f(x)>)), ('pow', (<expr x>, None)))
    """
    import ast

    try:
        body = ast.parse(f"({source})", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return "", ()
    if isinstance(body, ast.BinOp):
        head, parts = AST_OPERATOR_SIGNS[type(body.op).__name__], [body.left, body.right]
    elif isinstance(body, ast.Compare) and len(body.ops) == 1:
        head, parts = AST_OPERATOR_SIGNS[type(body.ops[0]).__name__], [body.left, *body.comparators]
    elif isinstance(body, ast.Call) and isinstance(body.func, ast.Attribute):
        head, parts = body.func.attr, [body.func.value] * is_method(body.func) + body.args
    elif isinstance(body, ast.Call) and isinstance(body.func, ast.Name):
        head, parts = body.func.id, body.args
    else:
        return "", ()
    return head, tuple(parse_source(ast.unparse(part)) for part in parts)


def is_method(function: ast.expr) -> TypeGuard[ast.Attribute]:
    """Whether a function is an attribute of a value, not of a module."""
    import ast

    if not isinstance(function, ast.Attribute) or isinstance(function.value, ast.Attribute):
        return False
    return not (isinstance(function.value, ast.Name) and function.value.id in MODULES)


def _convert_node(node: ast.expr) -> Expr:
    import ast

    if isinstance(node, ast.Constant) and node.value.__class__ in (int, float):
        return number_expr(node.value)
    if isinstance(node, ast.Name):
        return name_expr(node.id)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return neg(_convert_node(node.operand))
    if isinstance(node, ast.BinOp):
        return infix(
            AST_OPERATOR_SIGNS[type(node.op).__name__], _convert_node(node.left), _convert_node(node.right)
        )
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return infix(
            AST_OPERATOR_SIGNS[type(node.ops[0]).__name__],
            _convert_node(node.left),
            _convert_node(node.comparators[0]),
        )
    if isinstance(node, ast.Attribute) and MODULE_CONSTANT.fullmatch(source_of(node)):
        return name_expr(source_of(node))
    if isinstance(node, ast.Attribute) and node.attr in ("T", "mT"):
        return postfix(_convert_node(node.value), f".{node.attr}")
    if isinstance(node, ast.Subscript):
        place = ast.unparse(node.slice).strip("()")
        return postfix(_convert_node(node.value), f"[{place}]")
    if isinstance(node, ast.Call):
        function, operands = node.func, list(node.args)
        if isinstance(function, ast.Attribute):
            if is_method(function):
                operands.insert(0, function.value)
            spelled = function.attr
        elif isinstance(function, ast.Name):
            spelled = function.id
        else:
            raise ValueError(source_of(node))
        sizes = [
            one.value for one in node.args if isinstance(one, ast.Constant) and one.value.__class__ is int
        ]
        if spelled == "reshape" and len(operands) == len(sizes) + 1 > 1:
            shape = tuple(sizes)
            return call("reshape", _convert_node(operands[0]), details=(str(shape),), params={"shape": shape})
        details = [f"{key.arg}={ast.unparse(key.value)}" for key in node.keywords]
        return call(spelled, *map(_convert_node, operands), details=tuple(details))
    raise ValueError(source_of(node))


#: The names that modules have for numbers.
MODULE_CONSTANT = re.compile(r"(?:torch|np|math)\.(pi|e|tau)")
MODULES = frozenset(["torch", "F", "np", "math", "nn"])
AST_OPERATOR_SIGNS = {
    **{"Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "Pow": "**", "MatMult": "@", "FloorDiv": "//"},
    **{"Mod": "%", "Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">=", "Eq": "==", "NotEq": "!="},
    **{"BitAnd": "&", "BitOr": "|", "BitXor": "^"},
}


def source_of(at: ast.expr) -> str:
    import ast

    return ast.unparse(at)
