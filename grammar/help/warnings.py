"""What is said of a warning beside torch's own words."""

from __future__ import annotations

import re
from math import prod

from autodiff.core.base.errors import CompileError
from autodiff.core.base.source import Source, Span
from autodiff.grammar.help.bindings import Bindings
from autodiff.grammar.help.failure_scene import with_parentheses
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.parser import parse_expression, parse_to_first_error
from autodiff.grammar.syntax.walk import path_to

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NON_LEAF_GRAD = "The .grad attribute of a Tensor that is not a leaf"
COPY_OF_TENSOR = "To copy construct from a tensor"
BROADCAST = "that is different to the input size"
#: By the beginning of the warning, or by a part of it that names no numbers.
WARNING_HELP = {
    NON_LEAF_GRAD: ("only leaves keep .grad; `.retain_grad()` before backward() makes a result keep it too"),
    "Converting a tensor with requires_grad=True to a scalar": (
        "the number has no graph; write `.item()` if that is intended, or use torch's function on the tensor"
    ),
    COPY_OF_TENSOR: (
        "`torch.tensor(x)` leaves the graph; `x.clone()` stays in it, and `x.detach()` leaves it openly"
    ),
    "Using backward() with create_graph=True": (
        "`torch.autograd.grad(loss, w, create_graph=True)` gives the same gradients and fills no .grad"
    ),
    "Implicit dimension choice for": "`dim=-1` makes each row a distribution, `dim=0` each column",
    BROADCAST: "both are broadcast, and every pair is compared",
    "The use of `x.T` on tensors of dimension other than 2": (
        "`.T` of a vector is the vector itself; `x.unsqueeze(1)` is its column"
    ),
    "degrees of freedom is <= 0": (
        "a single value has no sample variance; `correction=0` divides by the number of values"
    ),
    "torch.meshgrid: in an upcoming release": '`indexing="ij"` states the present behaviour',
    "Using torch.cross without specifying": "`dim=-1` takes the vectors along the last dimension",
    "reduction: 'mean' divides the total loss": (
        '`reduction="batchmean"` is the divergence of one distribution'
    ),
}
SIZES = re.compile(r"torch\.Size\(\[([\d, ]*)\]\)")


def warning_help(warning: str, source: Source | None = None, span: Span | None = None) -> tuple[str, ...]:
    """The sentence for a warning, of a place in a script; none where torch's own says it all."""
    if warning.startswith(NON_LEAF_GRAD) and source is not None and span is not None:
        from autodiff.grammar.session.scaled_leaf import intended_leaf

        meant = intended_leaf(source, span)
        if meant is not None:
            return (f"only leaves keep .grad; make the result the leaf: `{meant}`",)
    if BROADCAST in warning and source is not None and span is not None:
        meant = view_as_repair(warning, source, span)
        if meant is not None:
            return (f"{WARNING_HELP[BROADCAST]}; `{meant}` pairs entry by entry",)
    return tuple([text for part, text in WARNING_HELP.items() if part in warning])


def is_of_torch(warning: str, source: Source, span: Span) -> bool:
    """Whether torch gives a warning at a place too: it copies arrays of numpy, which are tensors here."""
    if not warning.startswith(COPY_OF_TENSOR):
        return True
    script = parse_to_first_error(source)
    call = next((node for node in reversed(path_to(script, span)) if isinstance(node, tree.Call)), None)
    if call is None or not call.arguments:
        return True
    bindings = Bindings(script)
    seen: set[str] = set()
    todo: list[Any] = [call.arguments[0].value]
    while todo:
        node = todo.pop()
        if isinstance(node, tree.Name):
            if node.id not in seen:
                seen.add(node.id)
                todo += [one.value for one in bindings.assigned.get(node.id, ())]
        elif isinstance(node, tree.Call) and isinstance(node.function, tree.Attribute):
            if node.function.name == "numpy":
                return False
            todo.append(node.function.object)
        elif isinstance(node, tree.Subscript):
            todo.append(node.object)
        elif isinstance(node, tree.Binary):
            todo += [node.left, node.right]
        elif isinstance(node, tree.Unary):
            todo.append(node.operand)
    return True


def view_as_repair(warning: str, source: Source, span: Span) -> str | None:
    """Return ``y.view_as(x)`` for the call ``F.mse_loss(x, y)``; None if the numbers of entries differ."""
    sizes = [prod(map(int, found.split(", "))) if found else 1 for found in SIZES.findall(warning)]
    call = Source(source.excerpt(span))
    try:
        node = parse_expression(call)
    except CompileError:
        return None
    if len(set(sizes)) != 1 or not isinstance(node, tree.Call):
        return None
    given = {argument.keyword or at: argument for at, argument in enumerate(node.arguments)}
    if any(argument.star for argument in node.arguments):
        return None
    first, second = given.get("input", given.get(0)), given.get("target", given.get(1))
    if first is None or second is None:
        return None
    words = [call.excerpt(argument.value.span) for argument in (second, first)]
    return f"{with_parentheses(words[0])}.view_as({words[1]})"
