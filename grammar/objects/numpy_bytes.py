"""Arrays of ``uint8`` in scripts of numpy: their results go round above 255, as torch's do.

What numpy computes in another way than torch is refused here: numbers that no ``uint8`` is, whole numbers
that are inputs and so are floats here, and functions that numpy computes with three digits.
"""

from __future__ import annotations

from autodiff.core.base.errors import ScriptError
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.dtypes import uint8
from autodiff.grammar.objects import plain_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.graph.op import Op

AS_INT = "write `.astype(int)` behind the array: whole numbers of that type do not go round"
AS_FLOAT = "write `.astype(float)` behind the array"
#: Operators that numpy has for whole numbers of any size.
EXACT = frozenset(["compared", "div", "eq", "ne", "lt", "le", "gt", "ge"])


def check_operands(op: Op, operands: tuple[Any, ...]) -> None:
    """Raise ScriptError if numpy computes an elementwise op of ``uint8`` arrays and others differently."""
    if op.name in EXACT:
        return
    others = [x for x in operands if not (x.__class__ is Tensor and x.dtype is uint8)]
    for x in others:
        if x.__class__ is int:
            check_entries(x)
        elif x.__class__ is Tensor and not x.shape and plain_text.is_whole(x):
            raise ScriptError(
                "an array of uint8 and a whole number in a variable have no result here",
                code="E0207",
                caret="whether it goes round above 255 depends on the number's type in numpy",
                help=(AS_INT,),
            )
    if op.real and not any(x.__class__ is float or x.__class__ is Tensor for x in others):
        raise ScriptError(
            "numpy computes this function of uint8 in float16",
            code="E0146",
            caret="these numbers have three digits, and the language has no such type",
            help=(AS_FLOAT,),
        )


def check_entries(value: Any) -> None:
    """Raise numpy's error if a whole number, or one in a list, is none of 0 to 255."""
    if value.__class__ in (list, tuple):
        for entry in value:
            check_entries(entry)
    elif value.__class__ is int and not 0 <= value <= 255:
        raise ScriptError(
            f"Python integer {value} out of bounds for uint8",
            code="E0207",
            caret="these numbers go from 0 to 255",
            help=(AS_INT,),
        )
