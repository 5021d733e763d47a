"""Custom functions: classes with their own ``forward`` and ``backward``, as ``torch.autograd.Function``.

``custom_call.py`` records what ``forward`` returns, with the user's ``backward`` as the rule.
"""

from __future__ import annotations

from autodiff.core.base.errors import GradientError
from autodiff.core.base.lazy_imports import LazyModule
from autodiff.core.engine.named_results import NamedResult
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.state import mode, no_grad

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from autodiff.core.base.source import Span

custom_calls = LazyModule("autodiff.core.engine.custom_call")

NOT_AN_INPUT = (
    "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated"
    " should be passed to ctx.mark_dirty()."
)
NOT_RETURNED = (
    "Some elements marked as dirty during the forward method were not returned as output. The inputs that are"
    " modified inplace must all be outputs of the Function."
)


class Context:
    """The ``ctx`` object, in which ``forward`` stores data for ``backward``.

    ``names`` holds attributes set by the script. ``changed`` and ``constant`` are the tensors passed to
    ``mark_dirty`` and ``mark_non_differentiable``. If ``materialize_grads``, ``backward`` is passed zeros for
    an output that no gradient reached, else None. ``saved_at`` is the place of ``save_for_backward``.
    """

    __slots__ = (
        *("changed", "constant", "materialize_grads", "names", "needs_input_grad", "saved_at"),
        "saved_tensors",
    )

    def __init__(self, needs_input_grad: tuple[bool, ...]) -> None:
        self.saved_tensors: tuple[Tensor, ...] = ()
        self.saved_at: Span | None = None
        self.names: dict[str, Any] = {}
        self.needs_input_grad = needs_input_grad
        self.changed: tuple[Tensor, ...] = ()
        self.constant: tuple[Tensor, ...] = ()
        self.materialize_grads = True

    def save_for_backward(self, *tensors: Tensor) -> None:
        """Save tensors for ``backward``, which reads them from ``saved_tensors``."""
        self.saved_tensors = tensors
        self.saved_at = mode.site

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Declare the inputs that ``forward`` changed in place; ``forward`` must return them too."""
        self.changed = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Declare the outputs through which no gradient flows."""
        self.constant = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Set whether ``backward`` is passed zeros (or None) for outputs that no gradient reached."""
        self.materialize_grads = value


def apply_custom_function(
    name: str,
    forward: Callable[..., Any],
    backward: Callable[..., Any],
    operands: tuple[Any, ...],
    setup_context: Callable[..., Any] | None = None,
) -> Any:
    """Run ``forward(ctx, *operands)`` and record it as one node named ``<name>Backward``.

    ``backward(ctx, *grad_outputs)`` takes one gradient per output and returns one per operand, None for no
    gradient. With ``setup_context(ctx, operands, output)``, that function fills the context and ``forward``
    takes only the operands. Floating-point tensors that ``forward`` returns, alone or in a tuple, are
    recorded; other results are returned unchanged.
    """
    site = mode.site  # the span of the call; running `forward` changes mode.site
    needs = tuple(isinstance(x, Tensor) and x.requires_grad_flag for x in operands)
    context = Context(needs)
    is_tracked = any(isinstance(x, Tensor) and x.node is not None and x.node.tracked for x in operands)
    # CustomCall is made before `forward` runs, which may change its operands: the graph needs the old ones.
    compute = forward if setup_context is None else combine_with_setup(forward, setup_context)
    call = (
        custom_calls.CustomCall(name, compute, backward, context, operands)
        if mode.enabled and is_tracked
        else None
    )
    with no_grad():
        result = compute(context, *operands)
    mode.site = site
    is_several = isinstance(result, (tuple, NamedResult))
    outputs = list(result) if is_several else [result]
    check_dirty_tensors(context, operands, outputs)
    if call is not None:
        outputs = call.record(outputs, any(needs))
    else:
        outputs = [custom_calls.unrecorded_output(output, context) for output in outputs]
    return tuple(outputs) if is_several else outputs[0]


def combine_with_setup(forward: Callable[..., Any], setup_context: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``forward`` and ``setup_context`` combined into one function that takes the context first."""

    def compute(context: Context, *operands: Any) -> Any:
        result = forward(*operands)
        setup_context(context, operands, result)
        return result

    return compute


def check_dirty_tensors(context: Context, operands: tuple[Any, ...], outputs: list[Any]) -> None:
    """Check the tensors passed to ``mark_dirty``.

    Raises GradientError for one that is not returned or is a leaf; warns about one that is no input.
    """
    for tensor in context.changed:
        if not any(output is tensor for output in outputs):
            raise GradientError(
                NOT_RETURNED,
                code="E0412",
                caret="`forward` marks a tensor as changed and does not return it",
                operands=(tensor,),
                help=("return it from `forward` as well",),
            )
        if not any(operand is tensor for operand in operands):
            mode.warn(NOT_AN_INPUT)
        elif mode.enabled and tensor.requires_grad_flag and tensor.is_leaf:
            raise GradientError(
                "a leaf Variable that requires grad has been used in an in-place operation.",
                code="E0407",
                caret="`forward` changes this leaf, which would lose the value its gradient belongs to",
                operands=(tensor,),
                help=("give it a copy, as in `x.clone()`",),
            )


class Function:
    """Base class of custom functions for Python users.

    Define static methods ``forward(ctx, ...)`` and ``backward(ctx, g)`` in a subclass and call ``apply``.

    >>> from autodiff.core.engine.tensor import tensor
    >>> class Cube(Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x * x * x
    ...     @staticmethod
    ...     def backward(ctx, g):
    ...         (x,) = ctx.saved_tensors
    ...         return g * 3 * x * x
    >>> x = tensor(2.0, requires_grad=True)
    >>> Cube.apply(x).backward()
    >>> x.grad.item()
    12.0
    """

    @staticmethod
    def forward(ctx: Context, *operands: Any) -> Any:
        raise NotImplementedError("define forward(ctx, ...)")

    @staticmethod
    def backward(ctx: Context, *grad_outputs: Tensor) -> Any:
        raise NotImplementedError("define backward(ctx, grad_output)")

    @classmethod
    def apply(cls, *operands: Any) -> Any:
        """Run ``forward`` and record it as one node."""
        return apply_custom_function(cls.__name__, cls.forward, cls.backward, operands)
