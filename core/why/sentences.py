"""The sentences about an op that passes on nothing, or nothing finite, with the values that explain it."""

from __future__ import annotations

import re

from autodiff.core.base.lazy_imports import np
from autodiff.core.base.limits import limits
from autodiff.core.graph.node import OpNode
from autodiff.core.symbolic.expr import expr_text, number_expr
from autodiff.core.symbolic.symbol import is_custom
from autodiff.core.why.dead_units import dead_units
from autodiff.core.why.op_table import (
    ADDED_PRODUCT_OPS,
    BLOCKING_WORDS,
    BOUNDED_OPS,
    CENTERING_OPS,
    EXPONENTIALS,
    JOINING_OPS,
    LOGARITHMS,
    OVERFLOWING_OPS,
    SATURATING_OPS,
    SELECTING_OPS,
    STEP_OPS,
    STOPPING_WORDS,
    UNBOUNDED_SLOPE_REASONS,
    UNDEFINED_VALUE_REASONS,
    UNNAMED_OPS,
    factors_beside,
    is_product_with_itself,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from autodiff.core.graph.node import Node
    from autodiff.core.paths.node_names import NodeNames

DIVIDES = "divides by the differences of the"
#: Ops of which the slope divides by the differences of values: what it divides by, and the values' name.
VECTOR_OPS = {
    "eigenvectors": (f"{DIVIDES} eigenvalues", "the eigenvalues", "eigvalsh"),
    "left_vectors": (
        f"{DIVIDES} squared singular values",
        "the singular values",
        "svd",
    ),
    "right_vectors": (
        f"{DIVIDES} squared singular values",
        "the singular values",
        "svd",
    ),
}
#: The ops that find eigenvalues, singular values or vectors, each with one of VECTOR_OPS of its kind.
DECOMPOSITIONS = {
    **{name: name for name in VECTOR_OPS},
    "eigenvalues": "eigenvectors",
    "singular_values": "left_vectors",
}
LONGEST_QUOTE = 60
WORDS = re.compile(r"\w+")
#: A name, an entry or a call.
ATOM = re.compile(r"[\w.]+([(\[][^()\[\]]*[)\]])*")


def value_words(value: Any, at: tuple[int, ...] | None = None) -> str:
    """A value in a sentence: a number, one entry, or the range of an array's entries."""
    if value.__class__ is float or np.size(value) == 1:
        return _number(float(np.asarray(value).item()))
    array = np.asarray(value)
    if at is not None and len(at) == array.ndim:
        return _number(float(array[at]))
    if not array.size:
        return "no entries"
    low, high = float(array.min()), float(array.max())
    return (
        f"{_number(low)} in all entries" if low == high else f"entries from {_number(low)} to {_number(high)}"
    )


def _number(value: float) -> str:
    return expr_text(number_expr(value), digits=limits.digits)


def spoken_name(node: Node, names: NodeNames) -> str:
    """The name of a node in a sentence. A short name such as ``t7`` stands behind the source text."""
    if not names.is_short(node):
        return names[node] if node.name is not None else names.without_suffix(node)
    return f"{shorten_middle(names.without_suffix(node))} ({names[node]})"


def shorten_middle(text: str) -> str:
    """A text, with the middle cut out if it is long."""
    return (
        text
        if len(text) <= LONGEST_QUOTE
        else f"{text[: LONGEST_QUOTE // 2 - 2]} ... {text[3 - LONGEST_QUOTE // 2 :]}"
    )


def operand_in_words(node: Node, index: int, names: NodeNames, at: tuple[int, ...] | None = None) -> str:
    """``h = -3``, ``entry [0, 2] of h = -3``, ``h (entries from -4 to -3)``."""
    below = node.inputs[index]
    value = node.operands[index]
    if below is None:
        return value_words(value)
    name = spoken_name(below, names)
    if np.size(value) == 1:
        said = value_words(value)
        return said if said == name else f"{name} = {said}"
    is_broadcast = isinstance(node, OpNode) and node.op.is_elementwise
    place = place_in(value, at) if is_broadcast or len(at or ()) == np.ndim(value) else None
    if place is not None:
        return f"entry [{', '.join(map(str, place))}] of {name} = {value_words(value, place)}"
    return f"{name} ({value_words(value)})"


def _zeros_among(node: Node, indices: Iterable[int], names: NodeNames) -> list[str]:
    """The operands that are 0 in all entries, in words; all of them if none is."""
    taken = list(indices)
    zeros = [at for at in taken if np.size(node.operands[at]) and not np.any(node.operands[at])]
    return list(dict.fromkeys(operand_in_words(node, at, names) for at in zeros or taken))


# -- zero -----------------------------------------------------------------------------------------------


def zero_slope_sentence(node: Node, index: int, g: Any, names: NodeNames) -> str:
    """Why operand ``index`` receives nothing although the gradient ``g`` arrives."""
    assert isinstance(node, OpNode)
    op = node.op.name
    name = spoken_name(node, names)
    x = operand_in_words(node, index, names)
    if not np.size(node.operands[index]):
        return f"{name} is computed from nothing: {x}"
    if op in ("std", "var"):
        return f"the slope of {name} is 0 where all entries are equal: {x}"
    if op in ("relu", *BOUNDED_OPS):
        below = node.inputs[index]
        units = "" if below is None else dead_units(node, index, spoken_name(below, names))
        return f"{name} {STOPPING_WORDS[op]}: {x}{units}"
    if op in STEP_OPS:
        return f"{function_of(node, names)} is flat everywhere, so its slope is 0: {x}"
    if arrives_constant(node, g):
        dims = node.params["dim"] if isinstance(node.params["dim"], tuple) else (node.params["dim"],)
        along = ("dimension " if len(dims) == 1 else "dimensions ") + " and ".join(map(str, dims))
        return (
            f"{name} passes on how much what arrives differs along {along}, where it does not:"
            f" {value_words(g)}"
        )
    if op in SATURATING_OPS:
        return f"{name} has levelled out, its slope is too small for a number: {x}"
    if op == "masked_fill":
        return f"{name} writes over the entries that a gradient arrives at: {x}"
    if op == "where":
        return f"{name} takes the other branch: the condition is {_truth(node.operands[0])}"
    if op in ("maximum", "minimum", "fmax", "fmin"):
        other = operand_in_words(node, 1 - index, names)
        below = node.inputs[index]
        units = "" if below is None else dead_units(node, index, spoken_name(below, names))
        return f"{name} takes the other operand: {other} against {x}{units}"
    if op in SELECTING_OPS:
        return f"{name} takes other entries, and those get the gradient"
    if is_product_with_itself(node):
        return f"{x} is multiplied by itself in {name}, and the slope of a square is 0 at 0"
    if op == "div":
        other = operand_in_words(node, 1 - index, names)
        return f"{other} is divided by {x} in {name}" if index else f"{x} is divided by {other} in {name}"
    scale = ("alpha" if index else "beta") if op in ADDED_PRODUCT_OPS else ""
    if scale and not node.params[scale]:
        return f"{x} is multiplied by {scale} = 0 in {name}"
    if by := factors_beside(node, index):
        return f"{x} is multiplied by {' and '.join(_zeros_among(node, by, names))} in {name}"
    if op == "pow" and index == 0:
        return f"the slope of {name} is {_power_slope(node, names)}, which is 0 here: {x}"
    if op == "square":
        return f"the slope of {name} is 2*{_factor(node, 0, names)}, which is 0 here: {x}"
    if op == "vector_norm":
        return f"the slope of the norm {name} is 0 here: {x}"
    if op in JOINING_OPS:
        return f"nothing arrives at the entries of {name} that are {x}"
    if op == "to":
        return f"{name} makes whole numbers, which have no slope"
    numbers = [
        at for at, value in enumerate(node.operands) if at == index or np.asarray(value).dtype.kind == "f"
    ]
    return f"the slope of {name} is 0 here: {', '.join(_zeros_among(node, numbers, names))}"


def _power_slope(node: Node, names: NodeNames) -> str:
    """``3*h**2`` for ``h**3``."""
    base, exponent = _factor(node, 0, names), node.operands[1]
    if np.size(exponent) == 1:
        n = float(np.asarray(exponent).item())
        if n == 2:
            return f"2*{base}"
        return f"{_number(n)}*{base}**{_number(n - 1) if n >= 1 else f'({_number(n - 1)})'}"
    n_in_words = _factor(node, 1, names)
    return f"{n_in_words}*{base}**({n_in_words} - 1)"


def _factor(node: Node, index: int, names: NodeNames) -> str:
    """The name of an operand as a factor in a product."""
    name = _operand_name(node, index, names)
    return name if ATOM.fullmatch(name) else f"({name})"


def _operand_name(node: Node, index: int, names: NodeNames) -> str:
    below = node.inputs[index]
    return value_words(node.operands[index]) if below is None else spoken_name(below, names)


def arrives_constant(node: OpNode, g: Any, tolerance: float = 0.0) -> bool:
    """Whether an op compares the entries of ``g`` along some dimensions and all are equal along these."""
    if node.op.name not in CENTERING_OPS or "dim" not in node.params:
        return False
    return bool((np.ptp(np.asarray(g), axis=node.params["dim"]) <= tolerance).all())


def custom_words(node: Node, index: int, answers_none: bool, names: NodeNames) -> str:
    """What a function defined in the script answered for operand ``index``."""
    assert isinstance(node, OpNode)
    said = "None" if answers_none else "0"
    return f"{node.op.name}.backward answers {said} for {operand_in_words(node, index, names)}"


def blocking_sentence(node: OpNode, names: NodeNames) -> str:
    """How an op keeps the gradient from an entry."""
    if node.op.name == "except_where":  # in the slope of an op only
        return "the slope leaves this out there, but not its derivative"
    line = names.line(node)
    place = "" if line is None else f" in line {line}"
    return f"{function_of(node, names)}{place} {BLOCKING_WORDS[node.op.name]}"


def function_of(node: OpNode, names: NodeNames) -> str:
    """The function that the script calls at a node's place: ``nansum`` if the op is a ``where``."""
    op = UNNAMED_OPS.get(node.op.name, node.op.name)
    text = names.source_line(node)
    if op != node.op.name or op in WORDS.findall(text):
        return op
    depth = 0
    for at in range(len(text) - 1, -1, -1):  # the bracket matching the last one follows the name
        depth += (text[at] == ")") - (text[at] == "(")
        if not depth:
            called = WORDS.findall(text[:at]) if text[at] == "(" else []
            return called[-1] if called else op
    return op


def _truth(value: Any) -> str:
    array = np.asarray(value)
    return "True" if array.all() else "False" if not array.any() else "True in some entries"


# -- not finite ------------------------------------------------------------------------------------------


def singular_slope_sentence(node: Node, index: int, at: tuple[int, ...] | None, names: NodeNames) -> str:
    """Why the cotangent of operand ``index`` is not finite although the operand's value is."""
    assert isinstance(node, OpNode)
    op = node.op.name
    if is_custom(node.op):
        x = operand_in_words(node, index, names, at)
        return f"{op}.backward answers what is not finite: {x}"
    name = spoken_name(node, names)
    first = operand_in_words(node, 0, names, at)
    if op == "div" and index < 2:
        divisor = operand_in_words(node, 1, names, at)
        if _entry(node.operands[1], at):
            return f"the divisor is so small that the slope of {name} is beyond the largest number: {divisor}"
        return f"{UNBOUNDED_SLOPE_REASONS[op]}: {divisor}"
    if op in VECTOR_OPS:
        equal = equal_values_sentence(node, names)
        if equal:
            return f"the slope of {name} {VECTOR_OPS[op][0]}, and {equal}"
    if op == "pow":
        base, exponent = _entry(node.operands[0], at), _entry(node.operands[1], at)
        if index == 1:
            if base is None:  # several entries lead to one exponent: those without a logarithm count
                at = first_entry(node.operands[0], lambda entries: entries <= 0)
                base, first = _entry(node.operands[0], at), operand_in_words(node, 0, names, at)
            what = "no logarithm" if base is not None and base < 0 else "an endless one"
            return f"the slope of {name} in the exponent has log(base) in it, and {first} has {what}"
        if base:
            return f"the slope of {name} is beyond the largest number: {first}"
        if exponent is not None and exponent < 0:
            return f"a negative power and its slope have no bound at 0: {first}"
        return f"{UNBOUNDED_SLOPE_REASONS[op]}: {first}"
    x = operand_in_words(node, index, names, at)
    steep = UNBOUNDED_SLOPE_REASONS.get(op)
    if steep is None:
        return f"the slope of {name} is not finite: {x}"
    return f"{with_operands(steep, node, names, index)}: {x}"


def equal_values_sentence(node: OpNode, names: NodeNames) -> str:
    """Which eigenvalues or singular values of the operand are equal; "" if none are."""
    _, what, kind = VECTOR_OPS[DECOMPOSITIONS[node.op.name]]
    x = node.operands[0]
    values = np.linalg.eigvalsh(x) if kind == "eigvalsh" else np.linalg.svd(x, compute_uv=False)
    pairs = np.argwhere(np.diff(values) == 0)
    if not len(pairs):
        return ""
    place = tuple(int(at) for at in pairs[0])
    after = (*place[:-1], place[-1] + 1)
    text = f"{what} {place[-1]} and {after[-1]} of {_operand_name(node, 0, names)} are equal"
    return f"{text}: {value_words(values, place)} and {value_words(values, after)}"


def with_operands(sentence: str, node: OpNode, names: NodeNames, own: int = 0) -> str:
    """A sentence of ``UNBOUNDED_SLOPE_REASONS`` or ``UNDEFINED_VALUE_REASONS`` with the operands filled in.
    ``own`` is its main operand.
    """
    factors = [_factor(node, index, names) for index in range(len(node.operands))][:2]
    plain = [_operand_name(node, index, names) for index in range(len(factors))]
    said = dict(zip("xyfg", [*plain, *[""] * (2 - len(plain)), *factors], strict=False))
    return sentence.format(**said, own=factors[own] if own < len(factors) else "")


def nonfinite_value_sentence(node: Node, at: tuple[int, ...] | None, names: NodeNames) -> str:
    """Why the value of a node is not finite although its operands are."""
    assert isinstance(node, OpNode)
    op = node.op.name
    out = value_words(node.out, at)
    operands = [operand_in_words(node, index, names, at) for index in range(len(node.operands))]
    said = ", ".join(dict.fromkeys(operands))
    name = spoken_name(node, names)
    why = _forward_reason(op, node, at, names)
    return f"{name} is {out} already on the way forward: {why}{said}"


def _forward_reason(op: str, node: OpNode, at: tuple[int, ...] | None, names: NodeNames) -> str:
    first = _entry(node.operands[0], at)
    second = _entry(node.operands[1], at) if len(node.operands) > 1 else None
    is_nan = np.isnan(np.asarray(node.out)).any()
    if op in ("softmax", "log_softmax", "logsumexp") and is_nan:
        return "where all entries are -infinity there is nothing to compare: "
    if first is not None and second is not None and is_nan:
        sign = {"add": "+", "sub": "-", "mul": "*", "div": "/"}.get(op)
        if sign and (first - first or second - second):
            return f"{_number(first)} {sign} {_number(second)} is nan: "
    if op in LOGARITHMS and first is not None:
        if first < 0:
            return "the logarithm of a negative number is nan: "
        return "the logarithm of 0 is -infinity: "
    if op in EXPONENTIALS:
        return f"{op} grows beyond the largest number: "
    if op == "div" and second == 0:
        return "0/0 is nan: " if first == 0 else "a division by 0: "
    if op == "pow" and is_nan:
        return "a power with a fraction above has no value for negative numbers: "
    if op == "pow" and first == 0:
        return "a negative power has no value at 0: "
    if op in ("std", "var") and is_nan:
        return "it divides by n - 1, which is 0 for a single number: "
    if not np.size(node.operands[0]):
        return "it is computed from nothing: "
    if op in OVERFLOWING_OPS:
        return "the result is beyond the largest number: "
    reason = UNDEFINED_VALUE_REASONS.get(op)
    return f"{with_operands(reason, node, names)}: " if reason else ""


def _entry(value: Any, at: tuple[int, ...] | None) -> float | None:
    if np.size(value) == 1:
        return float(np.asarray(value).item())
    place = place_in(value, at)
    return None if place is None else float(np.asarray(value)[place])


def place_in(value: Any, at: tuple[int, ...] | None) -> tuple[int, ...] | None:
    """Return the entry of an operand that goes into entry ``at`` of a result, by broadcasting; else None."""
    shape = np.shape(value)
    if at is None or len(at) < len(shape) or not shape:
        return None
    place = tuple(0 if n == 1 else i for i, n in zip(at[len(at) - len(shape) :], shape, strict=True))
    return place if all(i < n for i, n in zip(place, shape, strict=True)) else None


def first_entry(value: Any, test: Any) -> tuple[int, ...] | None:
    """The position of the first entry that passes a test; None for plain numbers."""
    if value.__class__ is float or not np.ndim(value):
        return None
    places = np.argwhere(test(np.asarray(value)))
    return tuple(int(i) for i in places[0]) if len(places) else None
