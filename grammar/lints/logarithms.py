"""Lints for logarithms and quotients of exponentials, which functions of their own give without overflow."""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError, Edit, Fix, Label
from autodiff.grammar.lints.finding import Lint, Subject, atom, contains, finding
from autodiff.grammar.lints.numerics import (
    SCORES,
    SIMPLE,
    VECTOR,
    applied,
    arguments_of,
    first_input,
    is_method_call,
    operation_of,
)
from autodiff.grammar.lints.shapes import shape_of
from autodiff.grammar.lints.values import GRAPH, Value, ancestors
from autodiff.grammar.objects.methods import SELECTING_METHODS
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.imports import functional_prefix, imported_names, module_prefix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

#: Functions of which a part of the exponent shows that the overflow was thought of.
SHIFTS = ("max", "amax", "logsumexp")


class Small:
    """A value that rounds to 0 or overflows before its logarithm is taken.

    ``name`` is the function that makes it, at the node ``made``; ``logarithm`` is the text of its logarithm,
    which reads the nodes ``parts``.
    """

    __slots__ = ("logarithm", "made", "name", "parts")

    def __init__(self, name: str, made: Any, logarithm: str, parts: list[Any]) -> None:
        self.name = name
        self.made = made
        self.logarithm = logarithm
        self.parts = parts

    def is_readable_at(self, call: tree.Call) -> bool:
        """Whether the parts may be written where the logarithm is taken."""
        return contains(call, self.made) or all(
            isinstance(getattr(part, "value", part), SIMPLE) for part in self.parts
        )


class Functions:
    """The texts of functions, with the prefix that a call in the script shows: torch's or numpy's."""

    def __init__(self, subject: Subject, call: Any) -> None:
        function = call.function if isinstance(call, tree.Call) else None
        owner = function.object if isinstance(function, tree.Attribute) else None
        numpy = module_prefix(imported_names(subject.script), "numpy")
        self.is_numpy = isinstance(owner, tree.Name) and f"{owner.id}." == numpy
        self.home = "" if isinstance(function, tree.Name) else "torch."
        # torch has no name for some functions outside of torch.nn.functional
        self.functional = functional_prefix(subject.script) or (self.home and "F.")
        if self.is_numpy:
            self.home = numpy

    def log_softmax(self, x: str, dim: str) -> str:
        """The logarithm of softmax over ``dim``, or over all entries if it is empty; ``x`` is one operand."""
        if self.is_numpy:  # which has no logsumexp
            options = f", axis={dim}, keepdims=True" if dim else ""
            largest = f"{self.home}max({x}{options})"
            total = f"{self.home}log({self.home}sum({self.home}exp({x} - {largest}){options}))"
            return f"({x} - {largest} - {total})"
        if dim:
            return f"{self.home}log_softmax({x}, {dim})"
        return f"({x} - {self.home}logsumexp({x}.flatten(), 0))"


def logarithm_of_small(subject: Subject) -> Iterator[AutodiffError]:
    for call, _, inputs, _ in applied(subject, "log"):
        found = small_value(subject, inputs[0], Functions(subject, call)) if inputs else None
        if found is None:
            continue
        fixes = []
        if found.logarithm and found.is_readable_at(call):
            fixes = [Fix(f"take the logarithm together with {found.name}", Edit(call.span, found.logarithm))]
        yield finding(
            call.span,
            f"the logarithm of {found.name} is -inf where {found.name} rounds to 0",
            "and the gradient there is nan",
            fixes=fixes,
            labels=[]
            if contains(call, found.made)
            else [Label(found.made.span, f"{found.name} is applied here")],
        )


def small_value(subject: Subject, value: Value, functions: Functions) -> Small | None:
    """The entries of softmax or sigmoid that a value is, whether these are called or written with exp."""
    node, name = value.node, operation_of(value)
    if isinstance(node, tree.Subscript) and value.inputs:
        return selected(small_value(subject, value.inputs[0], functions), f"[{subject.text(node.index)}]")
    if name in SELECTING_METHODS and value.inputs and is_method_call(subject, node):
        given = ", ".join(subject.text(one) for one in node.arguments)
        return selected(small_value(subject, value.inputs[0], functions), f".{name}({given})")
    if name in ("softmax", "sigmoid"):
        parts = [node.function.object] if is_method_call(subject, node) else []
        joined = f"{functions.home}log_softmax" if name == "softmax" else f"{functions.functional}logsigmoid"
        text = f"{joined}({', '.join(arguments_of(subject, node))})"
        return Small(name, node, text, [*parts, *node.arguments])
    if not isinstance(node, tree.Binary) or len(value.inputs) != 2:
        return None
    left, right = value.inputs
    if node.op == "-" and left.number == 1 and operation_of(right) == "sigmoid":
        x = first_input(subject, right.node)
        return Small("sigmoid", right.node, f"{functions.functional}logsigmoid({negated(subject, x)})", [x])
    return softmax_by_hand(subject, value, functions) if node.op == "/" else None


def selected(found: Small | None, selection: str) -> Small | None:
    if found is not None and found.logarithm:
        found.logarithm += selection
    return found


def softmax_by_hand(subject: Subject, value: Value, functions: Functions) -> Small | None:
    """``exp(x) / exp(x).sum(dim)``, with its logarithm, unless the largest entry is subtracted from ``x``."""
    found = softmax_parts(subject, value)
    if found is None:
        return None
    part, dim = found
    is_one_operand = functions.is_numpy or not dim
    text = functions.log_softmax(atom(subject, part) if is_one_operand else subject.text(part), dim)
    return Small("softmax", value.node, text, [part])


def softmax_parts(subject: Subject, value: Value) -> tuple[Any, str] | None:
    """``x`` and ``dim`` of ``exp(x) / exp(x).sum(dim)``; ``dim`` is empty if all entries are summed."""
    if len(value.inputs) != 2:
        return None
    above, total = value.inputs
    if operation_of(total) != "sum" or not total.inputs:
        return None
    x, below = exponent_of(above), exponent_of(total.inputs[0])
    if x is None or below is not x:
        return None
    part = first_input(subject, above.node)
    dim = dimension(subject, total.node)
    is_kept = any(one.keyword in ("keepdim", "keepdims") for one in total.node.arguments)
    if dim not in ("", "0") and not is_kept:  # it is broadcast along another dimension
        return None
    is_vector = shape_of(x) is not None and len(shape_of(x) or ()) == 1
    return part, dim or "0" * is_vector


def exponent_of(value: Value) -> Value | None:
    """What exp is taken of, unless a largest value is subtracted from it."""
    if operation_of(value) != "exp" or not value.inputs:
        return None
    x = value.inputs[0]
    return None if any(operation_of(one) in SHIFTS for one in ancestors(x)) else x


def dimension(subject: Subject, total: tree.Call) -> str:
    """The text of the dimension that a sum is taken over; empty if it is taken over all."""
    x = first_input(subject, total)
    given = [one for one in total.arguments if one.value is not x and one.keyword in (None, "dim", "axis")]
    return subject.text(given[0].value) if given else ""


def negated(subject: Subject, node: Any) -> str:
    if isinstance(node, tree.Unary) and node.op == "-":
        return subject.text(node.operand)
    return f"-{atom(subject, node)}"


# -- sums of exponentials -------------------------------------------------------------------------------


def logarithm_of_exponentials(subject: Subject) -> Iterator[AutodiffError]:
    for call, _, inputs, made in applied(subject, "log"):
        found = sum_of_exponentials(subject, inputs[0], Functions(subject, call)) if inputs else None
        if found is None or made.kind != GRAPH:
            continue
        fixes = []
        if found.is_readable_at(call):
            fixes = [Fix(f"take {found.name}", Edit(call.span, found.logarithm))]
        yield finding(
            call.span,
            "exp overflows beyond 709, and beyond 88 in single precision, though this logarithm does not",
            "where it does, the gradient is nan",
            fixes=fixes,
            labels=[] if contains(call, found.made) else [Label(found.made.span, "the sum is made here")],
        )


def sum_of_exponentials(subject: Subject, value: Value, functions: Functions) -> Small | None:
    """``exp(x).sum()`` and ``1 + exp(x)``, with the logarithm of each."""
    node = value.node
    if operation_of(value) == "sum" and value.inputs and (x := exponent_of(value.inputs[0])) is not None:
        part = first_input(subject, value.inputs[0].node)
        kept = [one for one in node.arguments if one.keyword == "keepdim"]
        given = [dimension(subject, node), *(subject.text(one) for one in kept)]
        text = subject.text(part)
        if not given[0]:
            given[0] = "0"
            text = text if len(shape_of(x) or ()) == 1 else f"{atom(subject, part)}.flatten()"
        return Small("logsumexp", node, f"{functions.home}logsumexp({', '.join([text, *given])})", [part])
    part = exponent_beside_one(subject, value)
    if part is None:
        return None
    return Small("softplus", node, f"{functions.functional}softplus({subject.text(part)})", [part])


def exponent_beside_one(subject: Subject, value: Value) -> Any:
    """The node of ``x`` in ``1 + exp(x)``, else None."""
    if isinstance(value.node, tree.Binary) and value.node.op == "+" and len(value.inputs) == 2:
        for one, other in (value.inputs, value.inputs[::-1]):
            if one.number == 1 and exponent_of(other) is not None:
                return first_input(subject, other.node)
    return None


def quotients_by_hand(subject: Subject) -> Iterator[AutodiffError]:
    """Sigmoid and softmax that are written with exp; a softmax whose logarithm is taken is L053's."""
    logged = [ancestors(inputs[0]) for _, _, inputs, _ in applied(subject, "log") if inputs]
    for node, _, inputs, made in applied(subject, "/"):
        if made.kind != GRAPH or len(inputs) != 2:
            continue
        softened = softmax_parts(subject, made)
        part = exponent_beside_one(subject, inputs[1]) if inputs[0].number == 1 else None
        if softened is not None and not any(made in found for found in logged):
            x, dim = softened
            name, texts = "softmax", [f"torch.softmax({subject.text(x)}, {dim})"] * bool(dim)
            below, parts = inputs[1].node, [x]
        elif part is not None:
            name, texts = "sigmoid", [f"torch.sigmoid({negated(subject, part)})"]
            below, parts = inputs[1].node, [part]
        else:
            continue
        small = Small(name, below, "", parts)
        yield finding(
            node.span,
            "exp overflows beyond 709, and beyond 88 in single precision, though this quotient does not",
            "where it does, the gradient is nan",
            fixes=[
                Fix(f"take {name}", Edit(node.span, text)) for text in texts if small.is_readable_at(node)
            ],
        )


LINTS = (
    Lint(
        "L053",
        "The logarithm of softmax or sigmoid is taken in two steps.",
        "softmax and sigmoid round small numbers to 0, whose logarithm is -inf; in one step nothing is lost.",
        logarithm_of_small,
        SCORES + "L = torch.log(torch.softmax(z, dim=1))[0, 2]\nL.backward()\nprint(z.grad)\n",
    ),
    Lint(
        "L057",
        "The logarithm of a sum of exponentials is written out.",
        "exp overflows long before this logarithm is large; logsumexp() and softplus() never compute it.",
        logarithm_of_exponentials,
        VECTOR + "L = torch.log(torch.exp(x).sum())\nL.backward()\nprint(x.grad)\n",
    ),
    Lint(
        "L058",
        "sigmoid or softmax is written with exp.",
        "exp overflows beyond 709 and the gradient is nan there; sigmoid() and softmax() have all values.",
        quotients_by_hand,
        VECTOR + "L = (1 / (1 + torch.exp(-x))).sum()\nL.backward()\nprint(x.grad)\n",
    ),
)
