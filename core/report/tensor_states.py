"""The records of a script's tensors: torch's attributes, ``.grad``, and why a ``.grad`` is None."""

from __future__ import annotations

from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class NoGradReason:
    """The reasons why ``.grad`` is None after a pass."""

    NOT_REQUIRED = "requires_grad=False"
    NO_FLOATS = "no floats"
    NO_PASS = "no backward()"
    NO_LEAF = "not a leaf"
    NOT_USED = "not used"
    NOT_ASKED = "not asked for"
    CHANGED = "changed after retain_grad()"
    TOO_LATE = "retain_grad() came later"


class TensorState(NamedTuple):
    """The attributes of a tensor that a script can inspect, and its ``.grad`` before and after a pass.

    ``name`` is an expression for the tensor, ``grad_fn`` the name of the node that made it, None for a leaf.
    ``no_grad_reason`` is one of ``NoGradReason``, empty if there is a gradient after the pass.
    """

    name: str
    line: int | None
    shape: tuple[int, ...]
    dtype: str
    is_leaf: bool
    requires_grad: bool
    grad_fn: str | None
    before: Any
    after: Any
    no_grad_reason: str


class TensorStates(NamedTuple):
    """The tensors of a script before and after one backward pass.

    ``output`` is the name of the tensor the pass started from, None without a pass. ``is_own`` says that the
    script made the pass itself; otherwise it was added for the report.
    """

    entries: tuple[TensorState, ...]
    output: str | None
    is_own: bool
