"""What a script ends in: a tensor, a number, or a list of them, which is differentiated as one tensor.

The entries of a list, a tuple or a named result are joined in one dimension, one after the other, and so are
the weights of ``--grad-output``.
"""

from __future__ import annotations

from autodiff.core.base.errors import UsageError
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.source import Span
from autodiff.core.engine.named_results import NamedResult
from autodiff.core.engine.tensor import Tensor
from autodiff.core.fast.tape import name_node
from autodiff.core.graph.op import OPS
from autodiff.core.graph.state import mode
from autodiff.grammar.session.assignment_plan import nested_list_shape, number_tensor
from autodiff.grammar.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

SEQUENCES = (list, tuple, NamedResult)


def is_number(value: Any) -> bool:
    return value.__class__ is float or value.__class__ is int


def is_sequence(value: Any) -> bool:
    return value.__class__ in SEQUENCES


def is_output(value: Any) -> bool:
    """Whether a value can be what a script computes: a tensor, a number, or a list of such values."""
    if not is_sequence(value):
        return value.__class__ is Tensor or is_number(value)
    entries = [entry for _, entry in entries_of(value, "")]
    return bool(entries) and all(entry.__class__ is Tensor or is_number(entry) for entry in entries)


def entries_of(value: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Yield what a list holds, lists in it included, each with the expression for it, as in ``y[0][1]``.

    The parts of a named result that have no gradient, such as positions, are left out.
    """
    opened: set[int] = set()  # a list may contain itself
    stack = [(name, value)]
    while stack:
        place, value = stack.pop()
        if not is_sequence(value) or id(value) in opened:
            yield place, value
            continue
        opened.add(id(value))
        stack += reversed(parts_of(value, place))


def parts_of(value: Any, name: str) -> list[tuple[str, Any]]:
    """Return the parts of a list as ``entries_of`` does, lists in it as one part."""
    if value.__class__ is not NamedResult:
        return [(f"{name}[{at}]", part) for at, part in enumerate(value)]
    parts = [(f"{name}.{field}", value.field(field)) for field in value.fields]
    return [
        (place, part) for place, part in parts if part.__class__ is Tensor and part.dtype.is_floating_point
    ]


def join_entries(value: Any, name: str, site: Span | None) -> Tensor:
    """Return a list of several entries as one tensor of one dimension, recorded at ``site``."""
    entries = [entry for _, entry in entries_of(value, name)]
    tensors = [entry if entry.__class__ is Tensor else number_tensor(entry) for entry in entries]
    kind = next((x.dtype for x in tensors if x.requires_grad), tensors[0].dtype)
    tensors = [x if x.dtype is kind else OPS["to"](x, dtype=kind.name) for x in tensors]
    before, mode.site = mode.site, site
    try:
        if all(not x.shape for x in tensors):
            made: Tensor = OPS["stack"](*tensors, dim=0)
        else:
            made = OPS["cat"](*[OPS["reshape"](x, shape=(x.entry_count,)) for x in tensors], dim=0)
    finally:
        mode.site = before
    name_node(made, name)
    return made


def join_weights(value: Any, weights: Any, name: str) -> list[float]:
    """Return the weights of all entries of ``value`` in the order of ``join_entries``.

    ``weights`` has the same lists; a number weighs all entries of a tensor or of a list. Raises UsageError if
    it has another shape.
    """
    if is_number(weights) or (weights.__class__ is str and weights == "ones"):
        factor = 1.0 if weights.__class__ is str else float(weights)
        entries = [entry for _, entry in entries_of(value, name)]
        return [factor] * sum(entry.entry_count if entry.__class__ is Tensor else 1 for entry in entries)
    if not is_sequence(value):
        shape = value.shape if value.__class__ is Tensor else ()
        given = nested_list_shape(weights)
        if given != tuple(shape):
            what = "lists of several lengths" if given is None else f"shape {given}"
            raise UsageError(
                f"--grad-output has {what} for `{name}`, which has shape {tuple(shape)}", code="E0605"
            )
        return [float(entry) for entry in np.ravel(weights)]
    parts = parts_of(value, name)
    if weights.__class__ is not list or len(weights) != len(parts):
        held = f"{len(weights)} weights" if weights.__class__ is list else "one weight"
        raise UsageError(
            f"--grad-output has {held}, and `{name}` has {len(parts)} entries",
            code="E0605",
            help=(f"give one for each entry, as in --grad-output '{[1] * len(parts)}'",),
        )
    return [
        weight
        for (place, entry), given in zip(parts, weights, strict=True)
        for weight in join_weights(entry, given, place)
    ]


def printed_result(last: tree.Expression, loop: tree.For | tree.While, names: dict[str, Any]) -> str | None:
    """Return the one result of the last loop that the script's last line prints, as in ``print(v)``.

    None if it prints several results or none. Counters, which are whole numbers, are no results.
    """
    from autodiff.grammar.syntax.walk import assigned_names, walk

    function = last.function if isinstance(last, tree.Call) else None
    if not isinstance(function, tree.Name) or function.id != "print":
        return None
    read = {part.id for part in walk(last) if isinstance(part, tree.Name)}
    changed = {name.id for name in assigned_names(*loop.body)} & read
    shown = [name for name in changed if is_output(names.get(name)) and names[name].__class__ is not int]
    return shown[0] if len(shown) == 1 else None
