"""Proposes small changes of a formula that keep it away from where it breaks down.

A choice is made before the op as well as after it, or a small number is added below a root. Each is a guess
that is tried before it is shown.
"""

from __future__ import annotations

from math import exp

from autodiff.core.base.errors import Edit, Fix
from autodiff.core.base.source import Span
from autodiff.grammar.help.failure_scene import Scene, called_name, edited_text, with_parentheses
from autodiff.grammar.repair.proposals.formulas import (
    assigned_expressions,
    edge_operand,
    is_method_call,
    operand_of,
    option_value,
)
from autodiff.grammar.repair.proposals.library_words import LibraryWords
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import path_to, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from autodiff.core.report.cause import Cause

#: Numbers to add where 0 must be avoided. Two, as float32 has no number between 1 - 1e-12 and 1.
SMALL = ("1e-12", "1e-6")
#: Operands for an op where a choice leaves its result out; for other ops 1.
SAFE_OPERANDS = {"acos": "0", "asin": "0", "atanh": "0", "acosh": "2", "logit": "0.5"}
#: Functions that ask which entries are numbers.
TESTS_OF_VALUES = ("isnan", "isfinite", "isinf")
EXPONENTIALS = ("exp", "exp2", "expm1", "sinh", "cosh")
#: Ops with an edge at the lower end of their domain.
ROOTS_AND_LOGARITHMS = ("sqrt", "rsqrt", "log", "log2", "log10", "log1p", "reciprocal")


# -- choices that compute both branches --------------------------------------------------------------------


def choose_before_op(cause: Cause, scene: Scene) -> Iterator[Fix]:
    """Propose to choose before the op as well, so that it never gets values that are left out."""
    operand = edge_operand(scene.node)
    if cause.selection_span is None or operand is None:
        return
    choice = path_to(scene.script, cause.selection_span)[-1]
    x, harmless = scene.text(operand), SAFE_OPERANDS.get(cause.op, "1")
    for safe in chosen_operands(choice, x, harmless, cause, scene):
        reason = "choose before the op as well, so that it never gets the values that are left out"
        yield replace_operand(scene, operand, safe, reason)


def chosen_operands(choice: Any, x: str, harmless: str, cause: Cause, scene: Scene) -> Iterator[str]:
    """Yield texts of the operand with the choice already made, by the kind of choice."""
    name, where = called_name(choice), LibraryWords(scene).name("where")
    if isinstance(choice, tree.Assign) and isinstance(choice.targets[0], tree.Subscript):  # r[mask] = 0
        yield f"{where}({condition_text(choice.targets[0].index, scene)}, {harmless}, {x})"
    elif isinstance(choice, tree.Subscript):  # r[mask], which may be assigned to as well
        condition = condition_text(choice.index, scene)
        yield from (f"{where}({condition}, {x}, {harmless})", f"{where}({condition}, {harmless}, {x})")
    elif name == "where" and choice.arguments:
        condition = condition_text(
            option_value(choice, "condition") if is_method_call(choice) else operand_of(choice), scene
        )
        orders = [f"{where}({condition}, {x}, {harmless})", f"{where}({condition}, {harmless}, {x})"]
        other = choice.arguments[-1].value
        yield from reversed(orders) if other.span.start <= scene.span.start < other.span.end else orders
    elif name in ("masked_fill", "masked_fill_"):
        mask = condition_text(option_value(choice, "mask"), scene)
        yield f"{with_parentheses(x)}.masked_fill({mask}, {harmless})"
    elif name == "clamp" and cause.op == "log":
        bound = literal_number(option_value(choice, "min"))
        if bound is not None:
            yield f"{with_parentheses(x)}.clamp(min={exp(bound):.3g})"


def literal_number(node: Any) -> float | None:
    """Return the number that an expression writes out, with its sign; None if it is no number."""
    if isinstance(node, tree.Unary) and node.op == "-" and isinstance(node.operand, tree.Number):
        return -float(node.operand.value)
    return float(node.value) if isinstance(node, tree.Number) else None


def condition_text(condition: Any, scene: Scene) -> str:
    """Return the text of a condition at the failed place.

    A name that is assigned only later is replaced by its expression.
    """
    if isinstance(condition, tree.Name):
        given = assigned_expressions(scene.script).get(condition.id, [])
        if len(given) == 1 and given[0] is not None and given[0].span.start > scene.span.start:
            return scene.text(given[0])
    return scene.text(condition)


# -- edges -------------------------------------------------------------------------------------------------


def avoid_edge(cause: Cause, scene: Scene) -> Iterator[Fix]:
    """Propose a small number where a root, a logarithm or a quotient would meet its edge."""
    node, op = scene.node, cause.op
    x = edge_operand(node)
    if x is None or (isinstance(node, tree.Binary) and scene.text(node.left) == scene.text(node.right)):
        return
    text, words = scene.text(x), LibraryWords(scene)
    for small in SMALL:
        if isinstance(node, tree.Binary) and node.op == "/":
            root = operand_of(x) if called_name(x) == "sqrt" else None
            if root is not None:
                below = f"{scene.text(root)} + {small}"
                safe = f"({below})" if x.span.start == root.span.start else below
                yield replace_operand(scene, root, safe, "keep the root away from 0")
            yield replace_operand(scene, x, f"({text} + {small})", "keep the divisor away from 0")
        elif op == "pow":
            base = f"({text} + {small})" if isinstance(node, tree.Binary) else f"{text} + {small}"
            yield replace_operand(scene, x, base, "keep the base away from 0")
        elif op in ROOTS_AND_LOGARITHMS:
            yield replace_operand(scene, x, f"{text} + {small}", "keep it away from the edge")
            safe = words.bounded(text, "min", small if op != "log1p" else f"{small} - 1")
            yield replace_operand(scene, x, safe, "keep it where the function has a value")
        elif op in ("acos", "asin", "atanh"):
            yield replace_operand(
                scene, x, f"{with_parentheses(text)} * (1 - {small})", "keep it between -1 and 1"
            )
        elif op == "acosh":
            yield replace_operand(scene, x, f"{text} + {small}", "keep it above 1")
    if op in ("acos", "asin") and words.is_of_tensors:  # float32 has no number close enough to 1
        inside = replace_operand(
            scene, x, f"{with_parentheses(text)}.double() * (1 - {SMALL[0]})", "keep it between -1 and 1"
        )
        back = Edit(Span(node.span.end, node.span.end), ".float()")
        yield Fix(f"{inside.text}.float()", *inside.edits, back)
    if op in EXPONENTIALS:
        for largest in ("700", "80"):  # in float64 and in float32
            yield replace_operand(scene, x, words.bounded(text, "max", largest), "keep it below the overflow")


# -- data -----------------------------------------------------------------------------------------------


def leave_out_nan(cause: Cause, scene: Scene) -> Iterator[Fix]:
    """Propose ``nan_to_num(y)`` for data with nan of which the results are left out later."""
    edits: list[Edit] = []
    around: list[Any] = []
    number = LibraryWords(scene).name("nan_to_num")
    for node in walk(scene.script):
        if called_name(node) in TESTS_OF_VALUES:
            continue
        parts = [node.left, node.right] if isinstance(node, tree.Binary) else []
        if isinstance(node, tree.Call):
            parts = [argument.value for argument in node.arguments]
        for part in parts:
            if isinstance(part, tree.Name) and part.id == cause.name:
                edits.append(Edit(part.span, f"{number}({part.id})"))
                around.append(node)
    if edits and number:
        span = around[0].span
        inside = [edit for edit in edits if span.start <= edit.span.start < span.end]
        text = edited_text(scene, around[0], *inside)
        yield Fix(f"put a number for nan before it is used, its results are left out later: {text}", *edits)


# -- edits ---------------------------------------------------------------------------------------------


def replace_operand(scene: Scene, part: Any, text: str, reason: str) -> Fix:
    """Return a fix that writes ``text`` for an operand with its brackets, and shows the new op."""
    node = scene.node
    is_owner = isinstance(node, tree.Call) and is_method_call(node) and part is operand_of(node)
    if is_owner:
        text = with_parentheses(text)
    is_operand = isinstance(node, tree.Binary) and part in (node.left, node.right)
    span = scene.bracketed_span(part) if is_owner or is_operand else part.span
    edit = Edit(span, text)
    return Fix(f"{reason}: {edited_text(scene, node, edit)}", edit)
