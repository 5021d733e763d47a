"""What a script can inspect of its tensors, as plain data: torch's attributes, why a ``.grad`` is None."""

from __future__ import annotations

from autodiff.core.report import Named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class WhyNone:
    """Why ``.grad`` is None after a pass."""

    NOT_REQUIRED = "requires_grad=False"
    NO_FLOATS = "no floats"
    NO_PASS = "no backward()"
    NO_LEAF = "not a leaf"
    NOT_USED = "not used"
    NOT_ASKED = "not asked for"
    TOO_LATE = "retain_grad() came later"


class TensorState(Named):
    """A tensor as a script can inspect it: torch's attributes, and ``.grad`` before and after a pass.

    ``name`` is the expression that gives it, ``grad_fn`` the name of the node that made it, None for a leaf.
    ``why_none`` is one of ``WhyNone``, empty where there is a gradient after the pass.
    """

    __slots__ = ("after", "before", "grad_fn", "is_leaf", "requires_grad", "why_none")

    def __init__(
        self,
        name: str,
        line: int | None,
        shape: tuple[int, ...],
        dtype: str,
        is_leaf: bool,
        requires_grad: bool,
        grad_fn: str | None,
        before: Any,
        after: Any,
        why_none: str,
    ) -> None:
        super().__init__(name, line, shape, dtype)
        self.is_leaf = is_leaf
        self.requires_grad = requires_grad
        self.grad_fn = grad_fn
        self.before = before
        self.after = after
        self.why_none = why_none


class TensorStates:
    """The tensors of a script, and the pass their gradients are shown around.

    ``output`` is what the pass started from, None where there was none; ``is_own`` says that the script
    called it, so that it was not added for the report.
    """

    __slots__ = ("entries", "is_own", "output")

    def __init__(self, entries: tuple[TensorState, ...], output: str | None, is_own: bool) -> None:
        self.entries = entries
        self.output = output
        self.is_own = is_own
