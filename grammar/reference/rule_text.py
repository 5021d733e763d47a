"""How an op's record spells its derivative, for listings of ops.

An elementwise rule is applied to Symbols, which record its arithmetic. Any other rule is quoted: the
expression of its ``lambda``, or the name and the docstring of its function.
"""

from __future__ import annotations

import ast
import linecache
from functools import partial

from autodiff.core.base.errors import AutodiffError
from autodiff.core.graph.op import Op
from autodiff.core.symbolic.expr import name_expr
from autodiff.core.symbolic.symbol import Symbol, as_symbol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any

#: Longer numbers are constants that have a name in the source.
LONGEST_NUMBER = 8


#: The result of a rule: d out/d operand, the whole cotangent of the operand, or an error.
FACTOR, CONTRIBUTION, REFUSAL = "factor", "contribution", "refusal"


class SpelledRule:
    """The text of the rule for one operand. ``kind`` is FACTOR, CONTRIBUTION or REFUSAL."""

    __slots__ = ("kind", "operand", "text")

    def __init__(self, operand: str, text: str, kind: str) -> None:
        self.operand = operand
        self.text = text
        self.kind = kind

    def __str__(self) -> str:
        if self.kind == FACTOR:
            return f"d out/d {self.operand} = {self.text}"
        if self.kind == REFUSAL:
            return f"{self.operand} has no derivative: {self.text}"
        return f"{self.operand} gets {self.text}"


def spell_rules(op: Op) -> list[SpelledRule]:
    """The rule of every operand that can have a gradient; none if no gradient passes.

    >>> from autodiff.core.graph.op import OPS
    >>> [(rule.operand, rule.text) for rule in spell_rules(OPS["mul"])]
    [('x', 'y'), ('y', 'x')]
    """
    rules: tuple[Any, ...] = op.vjps or op.partials
    names = operand_names(op)
    if all(rule.__class__ is int and not rule for rule in rules):
        return []
    kind = CONTRIBUTION if op.vjps else FACTOR
    spelled = []
    for at, operand in enumerate(names):
        refused = refusal_message(rules[at])
        if refused is None:
            continue
        text = refused or spell_rule(op, at, names)
        spelled.append(SpelledRule(operand, text, REFUSAL if refused else kind))
    return spelled


def operand_names(op: Op) -> list[str]:
    """The names of the operands in the rules, or in the forward function if no rule names them."""
    count = len(op.vjps or op.partials)
    if count and isinstance((op.vjps or op.partials)[0], partial):
        return ["each operand"]
    skipped = 2 if op.vjps else 1
    for rule in op.vjps or op.partials:
        code = getattr(rule, "__code__", None)
        if code is not None and code.co_argcount - skipped >= count:
            return list(code.co_varnames[skipped : skipped + count])
    code = getattr(op.forward, "__code__", None)
    if code is not None and code.co_argcount >= count:
        return list(code.co_varnames[:count])
    return ["x", "y", "z"][:count] if count <= 3 else [f"x{at}" for at in range(1, count + 1)]


def spell_rule(op: Op, at: int, names: list[str]) -> str:
    """The rule of one operand: as arithmetic if it can be applied to symbols, else from its source."""
    rule: Any = (op.vjps or op.partials)[at]
    if rule.__class__ is int:
        return str(rule)
    if op.is_elementwise:
        text = spell_with_symbols(op, rule, names)
        if text:
            return text
    return spell_from_source(rule)


def spell_with_symbols(op: Op, rule: Any, names: list[str]) -> str:
    """What the rule computes from symbols; "" if it does not accept them or gives long numbers."""
    operands = [Symbol(name_expr(text)) for text in names]
    given = [Symbol(name_expr("g"))] if op.vjps else []
    code = rule.__code__
    passed = len(given) + 1 + len(operands)
    parameters = code.co_varnames[passed : code.co_argcount + code.co_kwonlyargcount]
    params = {text: Symbol(name_expr(text)) for text in parameters}
    try:
        text = str(as_symbol(rule(*given, Symbol(name_expr("out")), *operands, **params)).expr)
    except (
        ArithmeticError,
        AssertionError,
        AttributeError,
        AutodiffError,
        LookupError,
        TypeError,
        ValueError,
    ):
        return ""
    if "<symbol" in text:  # a parameter was a symbol where its op expects a number
        return ""
    digits = "".join(letter if letter.isdigit() or letter == "." else " " for letter in text)
    return "" if any(len(number) > LONGEST_NUMBER for number in digits.split()) else text


# -- from the source --------------------------------------------------------------------------------------


def spell_from_source(rule: Any) -> str:
    """The expression of a ``lambda``; for a function its name and the map that its docstring states."""
    if isinstance(rule, partial):  # one rule for every operand, which gets the operand's number
        return spell_from_source(rule.func)
    node, lines = find_definition(rule.__code__)
    if node is None:
        return str(rule.__name__)
    if isinstance(node, ast.Lambda):
        text = source_segment(lines, node.body)
    else:
        summary = " ".join((ast.get_docstring(node) or "").partition("\n\n")[0].split())
        if summary:
            return f"{node.name}: {summary}"
        returned = [inner.value for inner in ast.walk(node) if isinstance(inner, ast.Return) and inner.value]
        text = source_segment(lines, returned[-1]) if returned else node.name
    return text + spell_closure(rule)


def refusal_message(rule: Any) -> str | None:
    """The message of a rule that only raises; "" if it computes, None if it is never called."""
    if not hasattr(rule, "__code__"):
        return ""
    node, _ = find_definition(rule.__code__)
    if not isinstance(node, ast.FunctionDef) or any(isinstance(part, ast.Return) for part in ast.walk(node)):
        return ""
    try:
        rule(*[None] * rule.__code__.co_argcount)
    except AutodiffError as error:
        return error.message
    except AssertionError:
        return None
    return ""


def spell_closure(rule: Any) -> str:
    """``, partial = 2 * (x - y)``: the functions in the closure of a rule."""
    cells = zip(rule.__code__.co_freevars, rule.__closure__ or (), strict=True)
    inner = [(variable, cell.cell_contents) for variable, cell in cells]
    return "".join(
        f", {variable} = {spell_from_source(value)}"
        for variable, value in inner
        if hasattr(value, "__code__")
    )


def source_segment(lines: list[str], node: ast.expr) -> str:
    """The source text of an expression, on one line. Columns count bytes, as those of ``ast`` do."""
    parts = [line.encode() for line in lines[node.lineno - 1 : node.end_lineno]]
    parts[-1] = parts[-1][: node.end_col_offset]
    parts[0] = parts[0][node.col_offset :]
    return " ".join(b"".join(parts).decode().split()).replace("( ", "(").replace(" )", ")")


_parsed: dict[str, tuple[list[str], list[ast.Lambda | ast.FunctionDef]]] = {}


def find_definition(code: CodeType) -> tuple[ast.Lambda | ast.FunctionDef | None, list[str]]:
    """The syntax tree that a code object was compiled from, and the lines; None without a source."""
    if code.co_filename not in _parsed:
        lines = linecache.getlines(code.co_filename)
        nodes = ast.walk(ast.parse("".join(lines)))
        _parsed[code.co_filename] = (
            lines,
            [node for node in nodes if isinstance(node, (ast.Lambda, ast.FunctionDef))],
        )
    lines, definitions = _parsed[code.co_filename]
    places = [place for place in code.co_positions() if None not in place]
    around = [node for node in definitions if encloses(node, code, places)]
    # Of nested lambdas, the smallest that contains all of the code is the right one.
    return min(around, key=lambda node: (node.end_lineno or 0) - node.lineno, default=None), lines


def encloses(node: ast.Lambda | ast.FunctionDef, code: CodeType, places: list[Any]) -> bool:
    if isinstance(node, ast.FunctionDef):
        return node.name == code.co_name and node.lineno == code.co_firstlineno
    if code.co_name != "<lambda>" or node.lineno != code.co_firstlineno:
        return False
    begin, end = (node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0)
    return all(
        begin <= (line, column) and (end_line, end_column) <= end
        for line, end_line, column, end_column in places
        if end_column
    )
