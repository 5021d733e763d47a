"""Functions with a trailing underscore: ``torch.relu_(x)`` overwrites ``x`` with ``torch.relu(x)``."""

from __future__ import annotations

from autodiff.core.engine.in_place_checks import check_same_shape
from autodiff.core.engine.public_functions import FUNCTIONS, PublicFunction, expose, public
from autodiff.core.ops.create import random as _random  # noqa: F401 - declares functions, like the rest
from autodiff.core.ops.elementwise import arithmetic as _arithmetic  # noqa: F401
from autodiff.core.ops.elementwise import selection as _selection  # noqa: F401
from autodiff.core.ops.elementwise import transcendental as _transcendental  # noqa: F401
from autodiff.core.ops.nn import activations
from autodiff.core.ops.select import index_writes as _index_writes  # noqa: F401
from autodiff.core.ops.shape.in_place_call_checks import RESULT_CHECKS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from autodiff.core.engine.tensor import Tensor

#: The in-place functions of ``torch``; other functions have only the in-place method.
TORCH_FUNCTIONS = """
    abs acos acosh arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh ceil clamp clamp_max
    clamp_min clip cos cosh deg2rad erf erfc exp exp2 expm1 fix floor frac i0 log log10 log1p log2 logit
    nan_to_num neg negative rad2deg reciprocal relu round rsqrt sigmoid sin sinc sinh sqrt square tan tanh
    trunc xlogy
""".split()
F_FUNCTIONS = "celu hardtanh leaky_relu relu selu threshold".split()
#: Implementations without the checks that torch makes in Python, which its underscore functions skip.
UNCHECKED_IMPLEMENTATIONS: dict[str, Callable[..., Tensor]] = {"hardtanh": activations.hardtanh_unchecked}
INPLACE_PARAMETER = ", inplace: bool = False"


def make_overwriting(function: PublicFunction) -> Callable[..., Tensor]:
    """Return the variant of ``function`` that writes its result to its first argument and returns that."""

    after = RESULT_CHECKS.get(function.name)

    def change(x: Tensor, *args: object) -> Tensor:
        result: Tensor = function.implementation(x, *args)
        check_same_shape(x, result.shape)
        if after is not None:
            after(x, result, (x, *args))
        return result if result is x else x.assign_in_place(result)

    change.__doc__ = f"As ``{function.name}``, written over ``input``, which it answers."
    return change


def bind_inplace(function: PublicFunction) -> Callable[..., Tensor]:
    """Return ``function`` with its last argument ``inplace`` fixed to True."""
    implementation: Callable[..., Tensor] = UNCHECKED_IMPLEMENTATIONS.get(
        function.name, function.implementation
    )

    def change(x: Tensor, *args: object) -> Tensor:
        return implementation(x, *args, True)

    change.__doc__ = f"As ``{function.name}`` with ``inplace=True``."
    return change


@public(
    "F.elu_(input: tensor, alpha: float = 1.0, scale: float = 1.0, input_scale: float = 1.0)", method=False
)
def elu_(x: Tensor, alpha: float, scale: float, input_scale: float) -> Tensor:
    """As ``elu`` with ``inplace=True``."""
    op = activations.elu.named("EluBackward1", saved=activations.SAVED_RESULT)
    made: Tensor = op(
        activations.require_floating(x, "elu_cpu"), alpha=alpha, scale=scale, input_scale=input_scale
    )
    return x.assign_in_place(made)


for name in TORCH_FUNCTIONS:
    function = FUNCTIONS[f"torch.{name}"]
    parameter_list = function.signature[function.signature.index("(") :].replace(
        "input: value", "input: tensor"
    )
    expose(
        f"{name}_{parameter_list.replace('input,', 'input: tensor,')}",
        make_overwriting(function),
        method=False,
    )
for name in F_FUNCTIONS:
    function = FUNCTIONS[f"F.{name}"]
    parameter_list = function.signature[function.signature.index("(") :]
    torch_names = (f"{name}_",) if name in ("celu", "selu", "threshold") else ()
    also = torch_names if INPLACE_PARAMETER in parameter_list else ()
    expose(
        f"F.{name}_{parameter_list.replace(INPLACE_PARAMETER, '')}",
        bind_inplace(function),
        also=also,
        method=False,
    )
