"""Functions with a trailing underscore: ``torch.relu_(x)`` overwrites ``x`` with ``torch.relu(x)``."""

from __future__ import annotations

from autodiff.core.engine.in_place_checks import refuse_shape
from autodiff.core.engine.public_functions import FUNCTIONS, Function, expose, public
from autodiff.core.ops.create import random as _random  # noqa: F401 - declares functions, like the rest
from autodiff.core.ops.elementwise import arithmetic as _arithmetic  # noqa: F401
from autodiff.core.ops.elementwise import selection as _selection  # noqa: F401
from autodiff.core.ops.elementwise import transcendental as _transcendental  # noqa: F401
from autodiff.core.ops.nn import activations
from autodiff.core.ops.select import index_writes as _index_writes  # noqa: F401
from autodiff.core.ops.shape.in_place_checks import AFTER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from autodiff.core.engine.tensor import Tensor

#: The in-place functions of ``torch``; other functions have only the in-place method.
IN_TORCH = """
    abs acos acosh arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh ceil clamp clamp_max
    clamp_min clip cos cosh deg2rad erf erfc exp exp2 expm1 fix floor frac i0 log log10 log1p log2 logit
    nan_to_num neg negative rad2deg reciprocal relu round rsqrt sigmoid sin sinc sinh sqrt square tan tanh
    trunc xlogy
""".split()
IN_F = "celu hardtanh leaky_relu relu selu threshold".split()
#: Implementations without the checks that torch makes in Python, which its underscore functions skip.
WITHOUT_CHECKS: dict[str, Callable[..., Tensor]] = {"hardtanh": activations.between}
INPLACE = ", inplace: bool = False"


def overwriting(function: Function) -> Callable[..., Tensor]:
    """Return the variant of ``function`` that writes its result to its first argument and returns that."""

    after = AFTER.get(function.name)

    def change(x: Tensor, *args: object) -> Tensor:
        result: Tensor = function.implementation(x, *args)
        refuse_shape(x, result.shape)
        if after is not None:
            after(x, result, (x, *args))
        return result if result is x else x.assign_in_place(result)

    change.__doc__ = f"As ``{function.name}``, written over ``input``, which it answers."
    return change


def keeping_inplace(function: Function) -> Callable[..., Tensor]:
    """Return ``function`` with its last argument ``inplace`` fixed to True."""
    implementation: Callable[..., Tensor] = WITHOUT_CHECKS.get(function.name, function.implementation)

    def change(x: Tensor, *args: object) -> Tensor:
        return implementation(x, *args, True)

    change.__doc__ = f"As ``{function.name}`` with ``inplace=True``."
    return change


@public(
    "F.elu_(input: tensor, alpha: float = 1.0, scale: float = 1.0, input_scale: float = 1.0)", method=False
)
def elu_(x: Tensor, alpha: float, scale: float, input_scale: float) -> Tensor:
    """As ``elu`` with ``inplace=True``."""
    op = activations.elu.named("EluBackward1", saved=activations.RESULT)
    made: Tensor = op(
        activations.floats_only(x, "elu_cpu"), alpha=alpha, scale=scale, input_scale=input_scale
    )
    return x.assign_in_place(made)


for name in IN_TORCH:
    function = FUNCTIONS[f"torch.{name}"]
    inside = function.signature[function.signature.index("(") :].replace("input: value", "input: tensor")
    expose(f"{name}_{inside.replace('input,', 'input: tensor,')}", overwriting(function), method=False)
for name in IN_F:
    function = FUNCTIONS[f"F.{name}"]
    inside = function.signature[function.signature.index("(") :]
    torchs = (f"{name}_",) if name in ("celu", "selu", "threshold") else ()
    also = torchs if INPLACE in inside else ()
    expose(f"F.{name}_{inside.replace(INPLACE, '')}", keeping_inplace(function), also=also, method=False)
