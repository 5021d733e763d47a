"""Custom functions: a class with its own ``forward`` and ``backward``, as ``torch.autograd.Function``.

The call is recorded as one node whose rule is the user's ``backward``.
"""

from __future__ import annotations

from autodiff.core.errors import GradientError, ShapeError
from autodiff.core.lazy import np
from autodiff.core.mode import mode, no_grad
from autodiff.core.node import ArrayNode, Node
from autodiff.core.op import OPS, Op
from autodiff.core.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class Context:
    """``ctx``: what ``forward`` leaves for ``backward``. ``names`` holds the script's own attributes."""

    __slots__ = ("_saved", "names", "needs_input_grad")

    def __init__(self, needs_input_grad: tuple[bool, ...]) -> None:
        self._saved: tuple[Tensor, ...] = ()
        self.names: dict[str, Any] = {}
        self.needs_input_grad = needs_input_grad

    def save_for_backward(self, *tensors: Tensor) -> None:
        """Keep tensors for ``backward``."""
        self._saved = tensors

    @property
    def saved_tensors(self) -> tuple[Tensor, ...]:
        """The tensors kept by ``save_for_backward``, in order."""
        return self._saved


def apply_function(
    name: str,
    forward: Callable[..., Tensor],
    backward: Callable[..., Any],
    operands: tuple[Any, ...],
) -> Tensor:
    """Run ``forward(ctx, *operands)`` and record it as one node named ``<name>Backward``.

    ``backward(ctx, grad_output)`` returns one gradient per operand, None where there is none.
    """
    site = mode.site  # the call, not the line of forward that runs last
    needs = tuple(isinstance(x, Tensor) and x.requires_grad for x in operands)
    context = Context(needs)
    with no_grad():
        result = forward(context, *operands)
    if not isinstance(result, Tensor):
        returned = "nothing" if result is None else f"a {type(result).__name__}"
        raise GradientError(
            f"{name}.forward: expected to return a Tensor, got {type(result).__name__}",
            code="E0412",
            caret=f"`forward` of `{name}` returned {returned}",
            help=("end forward with `return` and a tensor",),
        )
    tracked = [isinstance(x, Tensor) and x.node is not None and x.node.tracked for x in operands]
    if not mode.enabled or not any(tracked):
        return Tensor(result.value)

    calls: dict[int, tuple[Any, tuple[Any, ...]]] = {}

    def rule(index: int) -> Callable[..., Any]:
        def vjp(g: Any, out: Any, *values: Any, **params: Any) -> Any:
            # One backward call serves all operands of one pass: its answers wait for the next index.
            if calls.get(0, (None, ()))[0] is not g:
                calls[0] = (g, _call_backward(name, backward, context, g, values))
            answer = calls[0][1][index]
            lifted = isinstance(g, Tensor)
            if answer is None:
                return g * 0 if lifted else g * 0.0
            return answer if lifted else answer.data

        return vjp

    op = Op(
        name,
        forward,
        vjps=tuple(rule(index) for index in range(len(operands))),
        grad_fn=f"{name}Backward",
        doc="a function defined in the script",
    )
    inputs: tuple[Node | None, ...] = tuple(x.source() if isinstance(x, Tensor) else None for x in operands)
    values = tuple(x.data if isinstance(x, Tensor) else x for x in operands)
    node = ArrayNode(op, inputs, values, {}, result.value, site)
    return Tensor(result.value, node, any(needs))


def _call_backward(
    name: str, backward: Callable[..., Any], context: Context, g: Any, values: tuple[Any, ...]
) -> tuple[Any, ...]:
    site = mode.site  # a script's backward moves it from line to line
    try:
        answers = backward(context, g if isinstance(g, Tensor) else Tensor(g))
    finally:
        mode.site = site
    if not isinstance(answers, tuple):
        answers = (answers,)
    if len(answers) < len(values) or any(a is not None for a in answers[len(values) :]):
        raise GradientError(
            f"function {name}Backward returned an incorrect number of gradients (expected {len(values)},"
            f" got {len(answers)})",
            code="E0412",
            caret=f"`forward` of `{name}` takes {len(values)}, its `backward` returned {len(answers)}",
            help=("return one gradient for each argument of forward, None where there is none",),
        )
    for index, (answer, value) in enumerate(zip(answers, values, strict=False)):
        if answer is not None and not isinstance(answer, Tensor):
            raise GradientError(
                f"expected Variable or None (got {type(answer).__name__})",
                code="E0412",
                caret=f"`{name}.backward` returned a {type(answer).__name__}",
                help=("gradients are tensors, or None where there is none",),
            )
        if answer is not None and not fits(answer.shape, np.shape(value)):
            raise ShapeError(
                f"Function {name}Backward returned an invalid gradient at index {index} - got"
                f" {list(answer.shape)} but expected shape compatible with {list(np.shape(value))}",
                code="E0413",
                caret=f"{ordinal(index)} argument of `forward` has shape {np.shape(value)},"
                f" its gradient {answer.shape}",
                help=("a gradient has the shape of its input; `grad_output` has that of the output",),
            )
    return tuple(
        None if answer is None else made_like(answer, value)
        for answer, value in zip(answers, values, strict=False)
    )


def made_like(answer: Tensor, value: Any) -> Tensor:
    """A gradient in the shape and the number type of its operand."""
    if answer.shape != np.shape(value):
        answer = OPS["sum_to"](answer, shape=np.shape(value))
    if isinstance(value, np.ndarray) and answer.dtype.name != value.dtype.name:
        answer = OPS["to"](answer, dtype=value.dtype.name)
    return answer


def fits(answer: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    """Whether a gradient of the shape ``answer`` can be added up to ``shape``, as torch does then."""
    return len(answer) >= len(shape) and all(
        n in (1, m) for m, n in zip(reversed(answer), reversed(shape), strict=False)
    )


def ordinal(index: int) -> str:
    """How a sentence calls an argument: ``the first``."""
    names = ("the first", "the second", "the third")
    return names[index] if index < len(names) else f"the {index + 1}th"


class Function:
    """For Python users: subclass with static ``forward(ctx, ...)`` and ``backward(ctx, g)``, call ``apply``.

    >>> from autodiff.core.tensors import tensor
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
    def forward(ctx: Context, *operands: Any) -> Tensor:
        raise NotImplementedError("define forward(ctx, ...)")

    @staticmethod
    def backward(ctx: Context, *grad_outputs: Tensor) -> Any:
        raise NotImplementedError("define backward(ctx, grad_output)")

    @classmethod
    def apply(cls, *operands: Any) -> Tensor:
        """Run ``forward`` and record it as one node."""
        return apply_function(cls.__name__, cls.forward, cls.backward, operands)
