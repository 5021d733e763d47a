"""What a script can inspect of its tensors, as plain data: torch's attributes, why a ``.grad`` is None."""

from __future__ import annotations

from typing import NamedTuple

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


class TensorState(NamedTuple):
    """A tensor as a script can inspect it: torch's attributes, and ``.grad`` before and after a pass.

    ``name`` is the expression that gives it, ``grad_fn`` the name of the node that made it, None for a leaf.
    ``why_none`` is one of ``WhyNone``, empty where there is a gradient after the pass.
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
    why_none: str


class TensorStates(NamedTuple):
    """The tensors of a script, and the pass their gradients are shown around.

    ``output`` is what the pass started from, None where there was none; ``is_own`` says that the script
    called it, so that it was not added for the report.
    """

    entries: tuple[TensorState, ...]
    output: str | None
    is_own: bool
