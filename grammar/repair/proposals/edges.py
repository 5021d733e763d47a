"""Proposes small changes of a formula that keep it away from where it breaks down or is flat.

A choice is made before the op as well as after it, a small number is added below a root, a flat function is
replaced by one with a slope. Each is a guess that is tried before it is shown.
"""

from __future__ import annotations

from math import exp

from autodiff.core.base.errors import Edit, Fix
from autodiff.core.base.source import Span
from autodiff.grammar.help.failure_scene import Scene, after, atom
from autodiff.grammar.repair.proposals.formulas import (
    bindings,
    called,
    edge_operand,
    is_method_call,
    operand_of,
    option,
)
from autodiff.grammar.repair.proposals.stable import SameFunction, functional, library
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import path_to

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from autodiff.core.report.cause import Cause

#: Numbers to add where 0 must be avoided. Two, as float32 has no number between 1 - 1e-12 and 1.
SMALL = ("1e-12", "1e-6")
#: Operands for an op where a choice leaves its result out; for other ops 1.
HARMLESS = {"acos": "0", "asin": "0", "atanh": "0", "acosh": "2", "logit": "0.5"}
EXPONENTIALS = ("exp", "exp2", "expm1", "sinh", "cosh")
#: Ops with an edge at the lower end of their domain.
ROOTS_AND_LOGARITHMS = ("sqrt", "rsqrt", "log", "log2", "log10", "log1p", "reciprocal")


# -- choices that compute both branches --------------------------------------------------------------------


def safe_branch(cause: Cause, scene: Scene) -> Iterator[Fix]:
    """Propose to choose before the op as well, so that it never gets values that are left out."""
    operand = edge_operand(scene.node)
    if cause.selecting is None or operand is None:
        return
    choice = path_to(scene.script, cause.selecting)[-1]
    x, harmless = scene.text(operand), HARMLESS.get(cause.op, "1")
    for safe in chosen_before(choice, x, harmless, cause, scene):
        reason = "choose before the op as well, so that it never meets what is left out"
        yield replacing(scene, operand, safe, reason)


def chosen_before(choice: Any, x: str, harmless: str, cause: Cause, scene: Scene) -> Iterator[str]:
    """Yield texts of the operand with the choice already made, by the kind of choice."""
    name = called(choice)
    if isinstance(choice, tree.Assign):  # r[mask] = 0
        choice = choice.targets[0]
    if isinstance(choice, tree.Subscript):
        yield f"{library(scene)}where({told(choice.index, scene)}, {harmless}, {x})"
    elif name == "where" and choice.arguments:
        condition = told(option(choice, "condition") if is_method_call(choice) else operand_of(choice), scene)
        function = f"{library(scene)}where"
        orders = [f"{function}({condition}, {x}, {harmless})", f"{function}({condition}, {harmless}, {x})"]
        other = choice.arguments[-1].value
        yield from reversed(orders) if other.span.start <= scene.span.start < other.span.end else orders
    elif name in ("masked_fill", "masked_fill_"):
        yield f"{atom(x)}.masked_fill({told(option(choice, 'mask'), scene)}, {harmless})"
    elif name == "clamp" and cause.op == "log":
        bound = number_in(option(choice, "min"))
        if bound is not None:
            yield f"{atom(x)}.clamp(min={exp(bound):.3g})"


def number_in(node: Any) -> float | None:
    """Return the number that an expression writes out, with its sign; None if it is no number."""
    if isinstance(node, tree.Unary) and node.op == "-" and isinstance(node.operand, tree.Number):
        return -float(node.operand.value)
    return float(node.value) if isinstance(node, tree.Number) else None


def told(condition: Any, scene: Scene) -> str:
    """Return the text of a condition at the failed place.

    A name that is assigned only later is replaced by its expression.
    """
    if isinstance(condition, tree.Name):
        given = bindings(scene.script).get(condition.id, [])
        if len(given) == 1 and given[0] is not None and given[0].span.start > scene.span.start:
            return scene.text(given[0])
    return scene.text(condition)


# -- edges -------------------------------------------------------------------------------------------------


def away_from_the_edge(cause: Cause, scene: Scene) -> Iterator[Fix]:
    """Propose a small number where a root, a logarithm or a quotient would meet its edge."""
    node, op = scene.node, cause.op
    x = edge_operand(node)
    if x is None or (isinstance(node, tree.Binary) and scene.text(node.left) == scene.text(node.right)):
        return
    text = scene.text(x)
    if called(node) in ("std", "var"):
        edit = scene.with_argument(node, "unbiased=False")
        yield SameFunction(f"divide by n, not by n - 1: {after(scene, node, edit)}", edit)
    for small in SMALL:
        if isinstance(node, tree.Binary) and node.op == "/":
            root = operand_of(x) if called(x) == "sqrt" else None
            if root is not None:
                below = f"{scene.text(root)} + {small}"
                safe = f"({below})" if x.span.start == root.span.start else below
                yield replacing(scene, root, safe, "keep the root away from 0")
            fix = replacing(scene, x, f"({text} + {small})", "keep the divisor away from 0")
            yield SameFunction(fix.text, *fix.edits)
        elif op == "pow":
            base = f"({text} + {small})" if isinstance(node, tree.Binary) else f"{text} + {small}"
            yield replacing(scene, x, base, "keep the base away from 0")
        elif op in ROOTS_AND_LOGARITHMS:
            yield replacing(scene, x, f"{text} + {small}", "keep it away from the edge")
            safe = f"{atom(text)}.clamp(min={small if op != 'log1p' else f'{small} - 1'})"
            yield replacing(scene, x, safe, "keep it on the side where it has a value")
        elif op in ("acos", "asin", "atanh"):
            yield replacing(scene, x, f"{atom(text)} * (1 - {small})", "keep it between -1 and 1")
        elif op == "acosh":
            yield replacing(scene, x, f"{text} + {small}", "keep it above 1")
    if op in ("acos", "asin"):  # float32 has no number close enough to 1
        inside = replacing(scene, x, f"{atom(text)}.double() * (1 - {SMALL[0]})", "keep it between -1 and 1")
        back = Edit(Span(node.span.end, node.span.end), ".float()")
        yield Fix(f"{inside.text}.float()", *inside.edits, back)
    if op in EXPONENTIALS:
        for largest in ("700", "80"):  # in float64 and in float32
            yield replacing(scene, x, f"{atom(text)}.clamp(max={largest})", "keep it below the overflow")


# -- slopes of 0 -------------------------------------------------------------------------------------------


def sloped(cause: Cause, scene: Scene) -> Iterator[Fix]:
    """Propose a function that resembles a flat one and has a slope."""
    node = scene.node
    x = operand_of(node)
    if x is None:
        return
    text, op = scene.text(x), cause.op
    if op in ("relu", "relu6"):
        better = f"{functional(scene)}leaky_relu({text}, 0.01)"
        yield whole(node, better, "a slope for negative values too")
    elif op in ("round", "floor", "ceil", "trunc", "sign"):
        straight = f"({text} + ({scene.text(node)} - {atom(text)}).detach())"
        yield whole(node, straight, f"keep the value of {op}, and pass the gradient straight through")
    elif op == "sigmoid":
        yield whole(node, f"{functional(scene)}logsigmoid({text})", "its logarithm keeps a slope")


# -- edits ---------------------------------------------------------------------------------------------


def replacing(scene: Scene, part: Any, text: str, reason: str) -> Fix:
    """Return a fix that writes ``text`` for an operand with its brackets, and shows the new op."""
    node = scene.node
    is_owner = isinstance(node, tree.Call) and is_method_call(node) and part is operand_of(node)
    if is_owner:
        text = atom(text)
    is_operand = isinstance(node, tree.Binary) and part in (node.left, node.right)
    span = scene.with_brackets(part) if is_owner or is_operand else part.span
    edit = Edit(span, text)
    return Fix(f"{reason}: {after(scene, node, edit)}", edit)


def whole(node: Any, text: str, reason: str) -> Fix:
    """Return a fix that writes ``text`` for a whole expression."""
    return Fix(f"{reason}: {text}", Edit(node.span, text))
