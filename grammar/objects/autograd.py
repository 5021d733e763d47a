"""``torch.autograd.grad`` and ``torch.autograd.backward``: backward passes from one or several tensors."""

from __future__ import annotations

from autodiff.core.base.errors import GradientError, ShapeError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.backward import backward_from, check_seed
from autodiff.core.engine.backward import grad as core_grad
from autodiff.core.engine.public_functions import find_function
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.state import mode
from autodiff.core.graph.values import as_stored
from autodiff.grammar.objects.values import as_index, is_true, iterate, type_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def tensor_list(value: Any, message: str) -> list[Tensor]:
    """Return one tensor or several as a list; ``message`` is torch's message for an entry of another type."""
    values = [value] if value.__class__ is Tensor else list(iterate(value))
    for entry in values:
        if entry.__class__ is not Tensor:
            kind = type_name(entry)
            raise GradientError(message.format(kind), code="E0408", caret=f"{kind} is no tensor")
    return values


ONLY_INPUTS = (
    "only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for"
    " other parts of the graph, please use torch.autograd.backward."
)


def output_tensors(value: Any) -> list[Tensor]:
    """Return the tensors from which a backward pass starts."""
    return tensor_list(value, "Expected output to be a torch.Tensor")


def input_tensors(name: str, inputs: Any) -> list[Tensor]:
    """Return the tensors of the argument ``inputs``; raise if there is none."""
    wanted = tensor_list(inputs, "all inputs have to be Tensors or GradientEdges, but got {}")
    if not wanted:
        raise GradientError(
            f"`inputs` argument to `{name}()` cannot be empty.",
            code="E0408",
            caret="there is nothing here to take a gradient for",
            help=("name the tensors, or leave `inputs` out for all leaves",) if name == "backward" else (),
        )
    return wanted


def as_flag(value: Any) -> bool:
    """Return a flag of a pass as a bool. As in torch it may be an integer."""
    return bool(value if value.__class__ is bool else as_index(value, "a switch"))


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: Any = None,
    create_graph: Any = False,
    only_inputs: Any = True,
    allow_unused: Any = None,
    is_grads_batched: Any = False,
    materialize_grads: Any = False,
) -> tuple[Any, ...]:
    given, wanted = output_tensors(outputs), input_tensors("grad", inputs)
    if allow_unused is False and is_true(materialize_grads):
        raise GradientError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got:"
            " allow_unused=False.",
            code="E0206",
            caret="`materialize_grads` gives zeros for unused inputs, and this forbids unused inputs",
            help=("leave `allow_unused` out",),
        )
    if not is_true(only_inputs):
        mode.warn(ONLY_INPUTS)
    is_batched = is_true(is_grads_batched)
    weights = None if grad_outputs is None else output_weights(grad_outputs, given, is_batched)
    retain = None if retain_graph is None else as_flag(retain_graph)
    materialize = as_flag(materialize_grads)
    unused = materialize or (allow_unused is not None and as_flag(allow_unused))
    passes = batched_grad if is_batched else core_grad
    found = passes(
        given, wanted, weights, retain_graph=retain, create_graph=as_flag(create_graph), allow_unused=unused
    )
    if materialize:
        create = as_flag(create_graph)  # as in torch, the zeros are then leaves of their own
        return tuple(
            zeros_like(x).set_requires_grad(create) if g is None else g
            for x, g in zip(wanted, found, strict=True)
        )
    return tuple(found)


def batched_grad(
    outputs: list[Tensor],
    inputs: list[Tensor],
    weights: list[Any] | None,
    *,
    retain_graph: bool | None,
    create_graph: bool,
    allow_unused: bool,
) -> list[Any]:
    """Return the result of ``grad(is_grads_batched=True)``: one pass per row of the weights, stacked."""
    if weights is None:
        raise GradientError(
            "vmap(vjp, in_dims=0, ...)(<inputs>): Got in_dim=0 for some input, but that input is a Tensor of"
            " dimensionality 0 so expected in_dim to satisfy 0 <= in_dim < 0.",
            code="E0206",
            caret="with `is_grads_batched=True` the weights are a batch, one weight per pass",
            help=("give `grad_outputs`, as in `torch.eye(3)` for three entries",),
        )
    for position, (output, weight) in enumerate(zip(outputs, weights, strict=False)):
        if weight is None:
            continue
        if not weight.ndim or weight.shape[1:] != output.shape:
            raise ShapeError(
                "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the"
                " batch dimension. The sizes of the remaining dimensions are expected to match the shape of"
                f" corresponding output, but a mismatch was detected: grad_output[{position}] has a shape of"
                f" torch.Size({list(weight.shape)}) and output[{position}] has a shape of"
                f" torch.Size({list(output.shape)}). If you only want some tensors in `grad_output` to be"
                " considered batched, consider using vmap.",
                code="E0411",
                caret=f"weights for this output have the shape ({', '.join(['n', *map(str, output.shape)])})",
                operands=(output, weight),
            )
    sizes = {weight.shape[0] for weight in weights if weight is not None}
    if len(sizes) != 1:
        raise ShapeError(
            "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes"
            f" {sorted(sizes)} for the mapped dimension",
            code="E0206",
            caret="the batches of the outputs differ in length",
        )
    (count,) = sizes
    stack, select = find_function("stack"), find_function("select")
    assert stack is not None
    assert select is not None
    rows: list[tuple[Any, ...]] = []
    for index in range(count):
        row = [None if weight is None else select(weight, 0, index) for weight in weights]
        keep = True if index < count - 1 else retain_graph
        found = core_grad(
            outputs, inputs, row, retain_graph=keep, create_graph=create_graph, allow_unused=allow_unused
        )
        rows.append(tuple(found))
    return [None if column[0] is None else stack(list(column)) for column in zip(*rows, strict=True)]


def output_weights(given: Any, outputs: list[Tensor], is_batched: bool = False) -> list[Any]:
    """Return the gradients to start from, one for each output; surplus ones are ignored."""
    if given.__class__ is Tensor:
        given = (given,)
    if not isinstance(given, (list, tuple, str)):
        raise no_weight(f"'{type_name(given)}' object is not iterable", outputs[0])
    for output, weight in zip(outputs, given, strict=False):
        if weight is None:
            continue
        if weight.__class__ is not Tensor:
            raise no_weight(f"gradients can be either Tensors or None, but got {type_name(weight)}", output)
        if not is_batched:
            check_seed(output, weight)
    if len(given) < len(outputs):
        raise GradientError(
            f"got {len(outputs)} tensors and {len(given)} gradients",
            code="E0411",
            caret="each tensor takes one gradient to start from",
        )
    return list(given[: len(outputs)])


def no_weight(message: str, output: Tensor) -> GradientError:
    return GradientError(
        message,
        code="E0411",
        caret=f"the gradient of the output is a tensor of its shape, {output.shape}",
        operands=(output,),
    )


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: Any = None,
    create_graph: Any = False,
    inputs: Any = None,
) -> None:
    """Run ``torch.autograd.backward``: one backward pass from one tensor or several."""
    only = None if inputs is None else input_tensors("backward", inputs)
    outputs = output_tensors(tensors)
    weights = [None] * len(outputs) if grad_tensors is None else output_weights(grad_tensors, outputs)
    retain = None if retain_graph is None else as_flag(retain_graph)
    create = as_flag(create_graph)
    for x in only or ():
        x.retain_grad()
    backward_from(outputs, weights, retain, create, only)


def zeros_like(x: Tensor) -> Tensor:
    return Tensor.of(as_stored(np.zeros(x.shape, dtype=x.dtype.name)))
