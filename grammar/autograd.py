"""``torch.autograd.grad`` and ``torch.autograd.functional``: jacobian, hessian, jvp, vjp, hvp, vhp."""

from __future__ import annotations

from autodiff.core.backward import backward_from
from autodiff.core.backward import grad as core_grad
from autodiff.core.errors import GradientError, ScriptError
from autodiff.core.functions import find
from autodiff.core.lazy import np
from autodiff.core.mode import enable_grad
from autodiff.core.tensors import Tensor, settle
from autodiff.grammar.values import Builtin, iterate, type_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def tensors(value: Any, what: str) -> list[Tensor]:
    """One tensor or several, as a list."""
    values = [value] if value.__class__ is Tensor else list(iterate(value))
    for entry in values:
        if entry.__class__ is not Tensor:
            raise GradientError(
                f"all {what} have to be Tensors or GradientEdges, but got {type_name(entry)}",
                code="E0408",
                caret=f"{type_name(entry)} is no tensor",
            )
    return values


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
    weights = None
    if grad_outputs is not None:
        weights = [grad_outputs] if grad_outputs.__class__ is Tensor else list(iterate(grad_outputs))
    wanted = tensors(inputs, "inputs")
    found = core_grad(
        tensors(outputs, "outputs"),
        wanted,
        weights,
        retain_graph=None if retain_graph is None else bool(retain_graph),
        create_graph=bool(create_graph),
        allow_unused=bool(allow_unused) or bool(materialize_grads),
    )
    if materialize_grads:
        return tuple(zeros_like(x) if g is None else g for x, g in zip(wanted, found, strict=True))
    return tuple(found)


listed = tensors


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: Any = None,
    create_graph: Any = False,
    inputs: Any = None,
) -> None:
    """``torch.autograd.backward``: one pass from one tensor or from several."""
    outputs = listed(tensors, "tensors")
    weights: list[Any] = [None] * len(outputs)
    if grad_tensors is not None:
        weights = [grad_tensors] if grad_tensors.__class__ is Tensor else list(iterate(grad_tensors))
    if len(weights) != len(outputs):
        raise GradientError(
            f"got {len(outputs)} tensors and {len(weights)} gradients",
            code="E0411",
            caret="each tensor takes one gradient to start from",
        )
    retain = None if retain_graph is None else bool(retain_graph)
    only = None if inputs is None else listed(inputs, "inputs")
    backward_from(outputs, weights, retain, bool(create_graph), only)


def zeros_like(x: Tensor) -> Tensor:
    return Tensor(settle(np.zeros(x.shape, dtype=x.dtype.name)))


# -- torch.autograd.functional ----------------------------------------------------------------------


def run(func: Any, inputs: Any, create_graph: bool) -> tuple[bool, list[Tensor], bool, list[Tensor]]:
    """Call ``func`` on inputs of its own graph: (one input?, inputs, one output?, outputs)."""
    single = inputs.__class__ is Tensor
    given = tensors(inputs, "inputs")
    fresh = []
    for x in given:
        if create_graph and x.requires_grad:
            view_as = find("clone")
            fresh.append(view_as(x) if view_as is not None else x * 1)
        else:
            copy = Tensor(x.value)
            copy.set_requires_grad()
            fresh.append(copy)
    result = func(*fresh)
    one = result.__class__ is Tensor
    return single, fresh, one, tensors(result, "outputs")


def rows(output: Tensor, inputs: list[Tensor], create_graph: bool) -> list[list[Any]]:
    """The gradient of every entry of ``output``: one list of rows per input."""
    columns: list[list[Any]] = [[] for _ in inputs]
    count = output.size
    for index in range(count):
        weight = np.zeros(output.shape, dtype=output.dtype.name)
        weight.reshape(-1)[index] = 1
        if output.requires_grad:
            found = core_grad(
                output,
                inputs,
                Tensor(settle(weight)),
                retain_graph=True,
                create_graph=create_graph,
                allow_unused=True,
            )
        else:
            found = (None,) * len(inputs)
        for column, x, g in zip(columns, inputs, found, strict=True):
            column.append(zeros_like(x) if g is None else g)
    return columns


def stacked(parts: list[Any], shape: tuple[int, ...], create_graph: bool) -> Tensor:
    """Equal tensors put together into one of a given shape."""
    stack, reshape = find("stack"), find("reshape")
    if create_graph and stack is not None and reshape is not None:
        return reshape(stack(parts), shape)  # type: ignore[no-any-return]
    return Tensor(settle(np.stack([part.data for part in parts]).reshape(shape)))


def jacobian_rows(func: Any, inputs: Any, create_graph: bool) -> Any:
    with enable_grad():
        single_in, xs, single_out, ys = run(func, inputs, create_graph)
        table = []
        for y in ys:
            columns = rows(y, xs, create_graph)
            blocks = [
                stacked(column, (*y.shape, *x.shape), create_graph)
                for x, column in zip(xs, columns, strict=True)
            ]
            table.append(blocks[0] if single_in else tuple(blocks))
    return table[0] if single_out else tuple(table)


def jacobian(
    func: Any,
    inputs: Any,
    create_graph: Any = False,
    strict: Any = False,
    vectorize: Any = False,
    strategy: Any = "reverse-mode",
) -> Any:
    return jacobian_rows(func, inputs, bool(create_graph))


def hessian(
    func: Any,
    inputs: Any,
    create_graph: Any = False,
    strict: Any = False,
    vectorize: Any = False,
    outer_jacobian_strategy: Any = "reverse-mode",
) -> Any:
    single = inputs.__class__ is Tensor

    def slope(*xs: Any) -> Any:
        y = one_number(func(*xs), "hessian")
        found = core_grad(y, list(xs), create_graph=True, allow_unused=True) if y.requires_grad else None
        made = tuple(
            zeros_like(x) if found is None or found[i] is None else found[i] for i, x in enumerate(xs)
        )
        return made[0] if single else made

    return jacobian_rows(slope, inputs, bool(create_graph))


def one_number(y: Any, name: str) -> Tensor:
    if y.__class__ is not Tensor:
        raise ScriptError(
            f"The outputs of the user-provided function given to {name} must be Tensors, not {type_name(y)}",
            code="E0310",
        )
    if y.size != 1:
        raise GradientError(
            f"The Tensor returned by the function given to {name} should contain a single element",
            code="E0401",
            operands=(y,),
            help=("add the entries up: `.sum()`",),
        )
    return y


def weights_for(v: Any, like: list[Tensor], name: str) -> list[Tensor]:
    """The vector of a product, with ones for a single number."""
    if v is None:
        if len(like) == 1 and like[0].size == 1:
            return [Tensor(settle(np.ones(like[0].shape, dtype=like[0].dtype.name)))]
        raise GradientError(
            "The vector v can only be None if the user-provided function returns a single Tensor with a"
            " single element.",
            code="E0401",
            caret=f"{name} needs a vector here",
        )
    given = tensors(v, "vectors")
    for vector, x in zip(given, like, strict=False):
        if vector.shape != x.shape:
            raise GradientError(
                f"v has invalid size: should be torch.Size({list(x.shape)}) but got"
                f" torch.Size({list(vector.shape)}).",
                code="E0411",
                operands=(vector,),
            )
    return given


def packed(values: list[Any], single: bool) -> Any:
    return values[0] if single else tuple(values)


def vjp(func: Any, inputs: Any, v: Any = None, create_graph: Any = False, strict: Any = False) -> Any:
    with enable_grad():
        single_in, xs, single_out, ys = run(func, inputs, bool(create_graph))
        weights = weights_for(v, ys, "vjp")
        found = core_grad(ys, xs, weights, create_graph=bool(create_graph), allow_unused=True)
    products = [zeros_like(x) if g is None else g for x, g in zip(xs, found, strict=True)]
    shown = ys if create_graph else [y.detach() for y in ys]
    return packed(shown, single_out), packed(products, single_in)


def jvp(func: Any, inputs: Any, v: Any = None, create_graph: Any = False, strict: Any = False) -> Any:
    """J v by differentiating v -> (v J) twice, the trick torch uses too."""
    with enable_grad():
        _, xs, single_out, ys = run(func, inputs, bool(create_graph))
        vectors = weights_for(v, xs, "jvp")
        dummies = []
        for y in ys:
            dummy = zeros_like(y)
            dummy.set_requires_grad()
            dummies.append(dummy)
        pulled = core_grad(ys, xs, dummies, create_graph=True, allow_unused=True)
        kept = [(g, w) for g, w in zip(pulled, vectors, strict=True) if g is not None and g.requires_grad]
        if kept:
            found = core_grad(
                [g for g, _ in kept],
                dummies,
                [w for _, w in kept],
                create_graph=bool(create_graph),
                allow_unused=True,
            )
        else:
            found = (None,) * len(ys)
    products = [zeros_like(y) if g is None else g for y, g in zip(ys, found, strict=True)]
    shown = ys if create_graph else [y.detach() for y in ys]
    return packed(shown, single_out), packed(products, single_out)


def hvp(func: Any, inputs: Any, v: Any = None, create_graph: Any = False, strict: Any = False) -> Any:
    """H v as the gradient of (gradient . v)."""
    with enable_grad():
        single_in, xs, _, ys = run(func, inputs, bool(create_graph))
        y = one_number(ys[0], "hvp")
        vectors = weights_for(v, xs, "hvp")
        slopes = core_grad(y, xs, create_graph=True, allow_unused=True)
        kept = [(g, w) for g, w in zip(slopes, vectors, strict=True) if g is not None and g.requires_grad]
        if kept:
            found = core_grad(
                [g for g, _ in kept],
                xs,
                [w for _, w in kept],
                create_graph=bool(create_graph),
                allow_unused=True,
            )
        else:
            found = (None,) * len(xs)
    products = [zeros_like(x) if g is None else g for x, g in zip(xs, found, strict=True)]
    return (y if create_graph else y.detach()), packed(products, single_in)


FUNCTIONAL = {
    name: Builtin(name, function)
    for name, function in (
        ("jacobian", jacobian),
        ("hessian", hessian),
        ("jvp", jvp),
        ("vjp", vjp),
        ("hvp", hvp),
        ("vhp", hvp),
    )
}
