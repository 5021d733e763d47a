"""Scripts that say float32 beside the default dtype, which is float64 here and float32 in PyTorch.

``.float() @ W`` runs there, and here the types of the two differ. Where a script never says float64, float32
means the default dtype: the script runs again, with float64 for both.
"""

from __future__ import annotations

import re

from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.source import Span
from autodiff.core.engine.tensor import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from autodiff.grammar.session.run import Execution

#: What says that some floats of a script have 32 bits, and what that some have 64.
SINGLE = r"\.float\(\)|\bfloat32\b|torch\.float\b|\bFloatTensor\b"
DOUBLE = r"\b(?:float64|double|DoubleTensor|set_default_dtype|set_default_tensor_type)\b|dtype ?= ?float\b"


class MixedFloats:
    """Finds that both types met in a run. Of a second run it passes on only what the first has not said."""

    __slots__ = ("place", "print", "said", "skipped", "tell")

    def __init__(self, write: Callable[[str], None], warn: Callable[[str, Span], None]) -> None:
        self.print, self.tell = write, warn
        self.said = self.skipped = 0
        self.place = Span(0, 0)

    def write(self, text: str) -> None:
        if self.is_new():
            self.print(text)

    def warn(self, text: str, span: Span) -> None:
        if self.is_new():
            self.tell(text, span)

    def is_new(self) -> bool:
        """Whether a print or a warning is none of those that a second run begins with."""
        if self.skipped:
            self.skipped -= 1
            return False
        self.said += 1
        return True

    def is_in(self, error: AutodiffError) -> bool:
        """Whether both types met; then a second run follows."""
        self.place, self.skipped = error.span or self.place, self.said
        return mixes_floats(error)

    def noted(self, execution: Execution) -> Execution:
        """Return the second run with the note on it."""
        text = "float32 means the default dtype here, which is float64: --dtype float32 makes both float32"
        execution.skipped["float32"] = (text, self.place)
        return execution


def may_mix_floats(text: str) -> bool:
    """Whether a script says float32 and never float64: in PyTorch that is the type of all its floats."""
    return re.search(SINGLE, text) is not None and re.search(DOUBLE, text) is None


def mixes_floats(error: AutodiffError) -> bool:
    """Whether the error is that tensors of both types met."""
    met = {operand.dtype.name for operand in error.operands if operand.__class__ is Tensor}
    return error.code == "E0312" and met >= {"float32", "float64"}
