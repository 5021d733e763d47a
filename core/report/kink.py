"""The record of a node that lies on a kink, a jump or a singular point. ``core/why`` finds these nodes."""

from __future__ import annotations

from autodiff.core.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.core.base.source import Span

#: The slopes of the two sides differ.
KINK = "kink"
#: The values of the two sides differ.
JUMP = "jump"
#: There is no slope. The engine answers with a number or nan.
SINGULAR = "singular"
#: There is a slope, but the formula of the op divides by zero to find it.
FORMULA_GAP = "gap"
#: The slopes of the two sides agree, but their own slopes do not: a kink of the first derivative.
SLOPE_KINK = "bend"

#: A position is written to twice: the last value counts, and each receives a gradient.
REPEATED = "repeated"

#: The operands are 0 but for rounding errors, and the slope has no bound at 0.
ROUNDING = "rounding"

KIND_WORDS = {
    KINK: "a kink of",
    JUMP: "a jump of",
    SINGULAR: "a singular point of",
    FORMULA_GAP: "a gap in the formula of",
    SLOPE_KINK: "a kink in the slope of",
}


class Kink(Record):
    """One node on a kink, a jump, a singular point, a gap of its formula or a kink of its slope (``kind``).

    ``function`` is the function that the script called, ``name`` the name of the result, made at ``line``.
    ``where`` says which entries are affected; ``entry`` is the first of ``count`` among ``size``.
    ``convention`` is the derivative used here, ``elsewhere`` what other engines answer. ``formula`` is the
    value of the printed formula, if that is not the answer.
    A comparison of equal numbers by the script has no ``op``: ``name`` and ``function`` are its text.
    """

    kind: str
    op: str
    function: str
    name: str
    line: int | None
    span: Span | None
    where: str
    entry: tuple[int, ...]
    count: int
    size: int
    convention: str
    elsewhere: str
    formula: str

    @property
    def is_without_slope(self) -> bool:
        """Whether the output has no slope there, so that its change per unit of the input is no number."""
        return self.kind in (KINK, JUMP, SINGULAR)

    @property
    def text(self) -> str:
        """The kink as a sentence."""
        aside = f" ({self.elsewhere})" if self.elsewhere else ""
        if not self.op:
            return f"{self.name} compares equal numbers: {self.where}, {self.convention}{aside}"
        if self.kind == REPEATED:
            return (
                f"{self.function} writes to a position twice: {self.where} is overwritten; {self.convention}"
            )
        if self.kind == ROUNDING:
            return f"{self.function} {self.where}: {self.convention}"
        place = f"{self.name} is at {KIND_WORDS[self.kind]} {self.function}"
        return f"{place}: {self.where}; {self.convention}{aside}"
