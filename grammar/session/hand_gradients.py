"""Scripts that compute gradients by hand behind their output, as homework does: they end in ``db1``."""

from __future__ import annotations

import re

from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.node import OpNode
from autodiff.core.graph.topological_order import newest_first

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from autodiff.core.graph.node import Node
    from autodiff.grammar.session.run import Execution

#: A file that needs no quotes on the command line; names such as ``<stdin>`` are those of no file.
FILE_NAME = re.compile(r"[\w./][\w./-]*")


#: What courses call a loss on paper.
LOSS_NAMES = frozenset(["C", "Cost", "E", "J", "L", "Loss", "cost", "loss"])
#: What stands between the two names of ``dL_dw``, ``dLdw`` and ``dL_by_dw``.
BETWEEN_NAMES = r"_(?:by_|wrt_)?d_?|(?<=[^_])d"
#: What follows the name of a gradient that is worked out in another way: ``dx2``, ``dx_alt``.
OTHER_WAY = (
    r"_?(?:v?\d+|alt|alternative|auto|check|direct|exact|fast|hand|loops?|manual|mine|my|naive|ref|reference|short|"
    r"simple|simplified|slow|true|vec|vectori[sz]ed)"
)
#: The same of one that is made of differences, which give a few digits only.
BY_DIFFERENCES = r"_?(?:approx|fd|num|numeric|numerical)"
#: What a variable is called whose value a training loop makes small.
LOSS = re.compile(r"(?i)(?:\w*_)?(?:loss|cost|error|mae|mse|nll|objective|sse)(?:_val|_value)?")


def is_loss(name: str) -> bool:
    return name in LOSS_NAMES or LOSS.fullmatch(name) is not None


def stands_for_loss(name: str) -> bool:
    """Whether ``J`` or ``j`` may mean the loss of a script where no variable is called so."""
    return not LOSS_NAMES.isdisjoint([name, name.capitalize()])


def is_loss_list(name: str) -> bool:
    """Whether a list by this name has a loss for each turn: ``losses``, ``cost_history``."""
    return any(word in name.lower() for word in ("loss", "cost", "error", "mse"))


def output_of_hand_gradient(name: str, execution: Execution) -> str:
    """Return the output whose gradient a variable seems to be: ``loss`` for ``db1``; "" if there is none.

    It is the last single number that is computed from ``b1``, which has the shape of ``db1``. One that is
    called a loss comes before others, such as ``delta1``. If no gradient is recorded for ``b1``, as for
    random data, it is the last that is computed before ``db1``.
    """
    values = execution.names
    by, value = values.get(differentiated_by(name, values)), values.get(name)
    if by.__class__ is not Tensor or value.__class__ is not Tensor or by.shape != value.shape:
        return ""
    numbers = [one for one in values if is_number(values[one]) and not is_gradient(one, execution)]
    found = [one for one in numbers if is_made_of(values[one], by)]
    if not found and not by.requires_grad:
        start = execution.first_offset(name)
        found = [one for one in numbers if execution.first_offset(one) < start]
    return max(found, key=lambda one: (is_loss(one), execution.first_offset(one)), default="")


def is_number(value: object) -> bool:
    """Whether a value is a single number that was computed."""
    return isinstance(value, Tensor) and value.entry_count == 1 and isinstance(value.node, OpNode)


def is_made_of(value: Tensor, by: Tensor) -> bool:
    return value is not by and value.node is not None and by.node in newest_first([value.node])


def is_only_output(node: Node, execution: Execution) -> bool:
    """Whether the script computes no single number, gradients by hand aside, that a node is not made of."""
    within = set(newest_first([node]))
    return not any(
        is_number(value) and value.node not in within and not is_gradient(name, execution)
        for name, value in execution.names.items()
    )


def is_gradient(name: str, execution: Execution) -> bool:
    return differentiated_by(name, execution.names) in execution.names


def differentiated_by(name: str, names: Collection[str]) -> str:
    """Return the name that a gradient worked out by hand is by: ``w`` of ``dw`` and ``dL_dw``; else "".

    ``names`` are those of the script.
    """
    if name.endswith("_grad"):
        return name.removesuffix("_grad")
    if name[1:] not in names and (pair := names_in_one(name, names)):
        return pair[1]
    prefix = next((one for one in ("grad_", "nabla_", "d_", "d") if name.startswith(one)), name)
    by = name[len(prefix) :]
    return by if by in names else without_way(by, names) or by


def without_way(by: str, names: Collection[str], ways: str = f"{OTHER_WAY}|{BY_DIFFERENCES}") -> str:
    """Return the name of a script that ``x2``, ``x_alt`` or ``x_num`` in that of a gradient is; "" if none.

    The gradient may be compared with ``dx``, as another way to work it out.
    """
    found = re.fullmatch(rf"(\w*?)(?:{ways})", by)
    return found[1] if found and by not in names and found[1] in names else ""


def names_in_one(name: str, names: Collection[str]) -> tuple[str, str] | None:
    """Return the output and the input of a name such as ``dz_dw``, ``dzdw`` or ``dL_by_dw``, if it has both.

    The output is "" where ``L`` is what a loss is called, and the script calls it something else.
    """
    text = name[1:] if name[:1] == "d" else ""
    for between in re.finditer(BETWEEN_NAMES, text):
        output, by = text[: between.start()], text[between.end() :]
        if by in names and (output in names or stands_for_loss(output)):
            return (output if output in names else ""), by
    return None


def hand_gradient_advice(name: str, execution: Execution) -> tuple[str, ...]:
    """Return how to differentiate the output of ``db1``, and how to check it; nothing for other variables."""
    output = output_of_hand_gradient(name, execution)
    if not output:
        return ()
    quotient = f"d{output}/d{differentiated_by(name, execution.names)}"
    script = execution.source.name
    check = f": autodiff check --formula '{quotient} == {name}'"
    if FILE_NAME.fullmatch(script):
        check = f", step by step: autodiff check {script} --of {output} --formula @"
    return (
        f"`{name}` looks like {quotient}: differentiate {output} with --of {output}",
        f"or check yours{check}",
    )
