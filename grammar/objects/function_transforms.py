"""Functions of functions, as autograd and JAX have them: ``grad(f)`` is the derivative of ``f``.

Derivatives are recorded where they depend on other inputs: for ``grad(grad(f))``, and for the slopes that the
command line asks for. Numbers are float64 here, also where JAX has float32. ``jit`` is the function itself.
"""

from __future__ import annotations

from autodiff.core.base.errors import GradientError
from autodiff.core.engine.public_functions import PublicFunction
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.node import Leaf
from autodiff.core.graph.state import mode
from autodiff.core.graph.topological_order import newest_first
from autodiff.grammar.objects import subscripts
from autodiff.grammar.objects.functional_passes import input_gradients
from autodiff.grammar.objects.numpy_functions import array_of, call
from autodiff.grammar.objects.plain_functions import as_floats, call_plain
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.objects.values import UNBOUND, Builtin, Namespace, as_index, type_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def call_function(function: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    if function.__class__ is PublicFunction:
        return call_plain(function, args, kwargs)
    if not callable(function):
        raise GradientError(f"'{type_name(function)}' object is not callable", code="E0203")
    return function(*args, **kwargs)


# -- one pass ---------------------------------------------------------------------------------------


def variable(x: Any, found: list[Tensor]) -> Any:
    """Return numbers, arrays or lists of them as new inputs, which are entered in ``found``."""
    if x.__class__ in (list, tuple):
        parts = [variable(part, found) for part in x]
        return parts if x.__class__ is list else tuple(parts)
    x = as_floats(array_of(x))
    if x.node is not None and x.node.tracked:
        made: Tensor = call("clone", x)
        made.requires_grad_flag = True  # the command line may track it without the flag
    else:
        made = Tensor.of(x.value)
        made.set_requires_grad()
    found.append(made)
    return made


def release(variables: list[Tensor]) -> None:
    """Take the new inputs out of what the command line finds as inputs, once their derivatives are there."""
    for x in variables:
        if isinstance(x.node, Leaf):
            x.node.tracked, x.node.grad_slot = False, None


def shaped_as(x: Any, made: list[Any]) -> Any:
    """Return the derivatives in the lists of the argument ``x``; ``made`` has them in order."""
    if x.__class__ in (list, tuple):
        parts = [shaped_as(part, made) for part in x]
        return parts if x.__class__ is list else tuple(parts)
    return made.pop(0)


def depends_on_others(y: Tensor, variables: list[Tensor]) -> bool:
    """Whether a result has other inputs too, or inputs that were computed: then derivatives are recorded."""
    own = {x.node for x in variables}
    return mode.enabled and any(
        isinstance(node, Leaf) and node.tracked and node not in own for node in newest_first([y.source()])
    )


def slopes_of(y: Any, weight: Any, variables: list[Tensor], is_last: bool) -> list[Any]:
    """Return the derivative of the weighted sum of ``y`` by each variable: 0 where it takes no part."""
    if y.__class__ is not Tensor or not y.requires_grad:
        return [Tensor.of(x.value) * 0.0 for x in variables]
    create = depends_on_others(y, variables)
    made = input_gradients([y], variables, [weight], create_graph=create, retain_graph=create or not is_last)
    slopes = [x.detach() * 0.0 if g is None else g for x, g in zip(variables, made, strict=True)]
    return [g if g.shape or g.requires_grad else g.item() for g in slopes]


def run_with_variables(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], places: list[int]
) -> tuple[Any, list[Tensor]]:
    """Return what a function gives with the arguments at ``places`` as new inputs, and these."""
    variables: list[Tensor] = []
    inner = list(args)
    for place in places:
        inner[place] = variable(args[place], variables)
    runtime.followed += 1
    try:
        return call_function(function, inner, kwargs), variables
    finally:
        runtime.followed -= 1


def places_of(argnum: Any) -> list[int]:
    return [as_index(n, "argnum") for n in (argnum if argnum.__class__ in (list, tuple) else (argnum,))]


def require_number(y: Any) -> Any:
    if y.__class__ is Tensor and y.entry_count != 1:
        raise GradientError(
            "Grad only applies to real scalar-output functions. Try jacobian, elementwise_grad.",
            code="E0401",
            operands=(y,),
            caret=f"the function returns {y.entry_count} numbers",
            help=("return one number, as in `np.sum(...)`",),
        )
    return y


# -- transforms -------------------------------------------------------------------------------------


def value_and_slopes(function: Any, argnum: Any, has_aux: bool, is_sum: bool) -> Callable[..., Any]:
    """Return the function that gives a value, what it has beside it, and its derivative by some arguments."""
    places = places_of(argnum)

    def at(*args: Any, **kwargs: Any) -> tuple[Any, Any, Any]:
        result, variables = run_with_variables(function, args, kwargs, places)
        y, beside = result if has_aux else (result, None)
        y = call("sum", y) if is_sum else require_number(y)
        made = slopes_of(y, None, variables, True)
        slopes = [shaped_as(args[place], made) for place in places]
        value = y.item() if y.__class__ is Tensor and not depends_on_others(y, variables) else y
        release(variables)
        return value, beside, slopes[0] if argnum.__class__ not in (list, tuple) else tuple(slopes)

    return at


def grad(fun: Any, argnum: Any = 0, argnums: Any = None, has_aux: Any = False) -> Builtin:
    """Return the derivative of a function of one number as a function."""
    both = value_and_slopes(fun, argnum if argnums is None else argnums, has_aux, False)

    def at(*args: Any, **kwargs: Any) -> Any:
        _, beside, slopes = both(*args, **kwargs)
        return (slopes, beside) if has_aux else slopes

    return Builtin("grad", at)


def value_and_grad(fun: Any, argnum: Any = 0, argnums: Any = None, has_aux: Any = False) -> Builtin:
    both = value_and_slopes(fun, argnum if argnums is None else argnums, has_aux, False)

    def at(*args: Any, **kwargs: Any) -> Any:
        value, beside, slopes = both(*args, **kwargs)
        return (((value, beside) if has_aux else value), slopes)

    return Builtin("value_and_grad", at)


def elementwise_grad(fun: Any, argnum: Any = 0) -> Builtin:
    """Return the derivative of each entry of a function that takes entries one by one."""
    both = value_and_slopes(fun, argnum, False, True)
    return Builtin("elementwise_grad", lambda *args, **kwargs: both(*args, **kwargs)[2])


def jacobian(fun: Any, argnum: Any = 0, argnums: Any = None) -> Builtin:
    """Return the function of all derivatives: the shape of the result, then that of the argument."""
    (place,) = places_of(argnum if argnums is None else argnums)

    def at(*args: Any, **kwargs: Any) -> Any:
        y, variables = run_with_variables(fun, args, kwargs, [place])
        y = array_of(y)
        entries = call("reshape", y, (-1,))
        rows = [
            array_of(slopes_of(entries[at], None, variables, at == len(entries) - 1)[0])
            for at in range(len(entries))
        ]
        release(variables)
        made = call("reshape", call("stack", rows), (*y.shape, *rows[0].shape))
        return made if made.shape or made.requires_grad else made.item()

    return Builtin("jacobian", at)


def hessian(fun: Any, argnum: Any = 0, argnums: Any = None) -> Builtin:
    return jacobian(grad(fun, argnum, argnums), argnum, argnums)


def vmap(fun: Any, in_axes: Any = 0, out_axes: Any = 0) -> Builtin:
    """Return the function that calls ``fun`` with each row of its arguments and stacks the results."""

    def at(*args: Any) -> Any:
        axes = in_axes if in_axes.__class__ in (list, tuple) else (in_axes,) * len(args)
        moved = [
            x if axis is None else call("movedim", array_of(x), axis, 0)
            for x, axis in zip(args, axes, strict=True)
        ]
        count = next(len(x) for x, axis in zip(moved, axes, strict=True) if axis is not None)
        results = [
            call_function(
                fun,
                [
                    x if axis is None else subscripts.get_item(x, row)
                    for x, axis in zip(moved, axes, strict=True)
                ],
                {},
            )
            for row in range(count)
        ]
        if results[0].__class__ is tuple:
            return tuple(stacked([one[at] for one in results], out_axes) for at in range(len(results[0])))
        return stacked(results, out_axes)

    return Builtin("vmap", at)


def stacked(results: list[Any], axis: Any) -> Any:
    return call("stack", [array_of(x) for x in results], axis)


def jit(fun: Any = None, **options: Any) -> Any:
    """Return the function itself: nothing is compiled here."""
    return Builtin("jit", lambda given: given) if fun is None else fun


TRANSFORMS = {
    name: Builtin(name, function)
    for name, function in {
        "elementwise_grad": elementwise_grad,
        "grad": grad,
        "hessian": hessian,
        "jacobian": jacobian,
        "value_and_grad": value_and_grad,
    }.items()
}
OF_JAX = {
    **{name: TRANSFORMS[name] for name in ("grad", "hessian", "value_and_grad")},
    **{name: Builtin(name, jacobian) for name in ("jacfwd", "jacrev")},
    "jit": Builtin("jit", jit),
    "vmap": Builtin("vmap", vmap),
}


def find_module(name: str, modules: dict[str, Namespace]) -> Namespace | None:
    """Return ``jax`` or ``autograd``, or a part of it; ``modules`` are those of numpy and scipy."""
    top, _, part = name.partition(".")
    members = OF_JAX if top == "jax" else TRANSFORMS
    if part:
        return modules.get(part)
    inner: dict[str, Any] = {**members, "numpy": modules["numpy"], "scipy": modules["scipy"]}
    return Namespace(name, lambda member: inner.get(member, UNBOUND), lambda: list(inner))
