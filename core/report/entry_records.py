"""The records of a derivation of a single entry of a gradient."""

from __future__ import annotations

from autodiff.core.base.record import Record
from autodiff.core.report.records import NO_FORMULA, StandaloneFormula

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.core.symbolic.expr import Expr


class EntryStep(Record):
    """One chain rule step: a tensor entry ``name = expansion`` that uses an entry of the input.

    ``local`` is its derivative with respect to the input's entry, ``rate`` that derivative as a number,
    ``received`` the gradient of the entry ``name``. ``expansion`` is empty if the op has no entry-by-entry
    spelling.
    """

    name: str
    expansion: str
    local: str
    rate: float
    received: float


class EntryDerivation(Record):
    """One entry of a tensor gradient with its index sums written out: ``given`` = ``formula``.

    ``given`` is the quotient of ``above`` and ``below``, as in ``dL/dW[0,1]``; ``place`` is the index.
    ``numbers`` are the terms of the formula with values instead of names, ``contributions`` what each of them
    adds to the value, ``where`` the meanings of the invented names. ``complete`` is the formula unrounded and
    without invented names, for programs. ``value`` is the value of the formula, ``backward`` the entry that
    backward computed, ``difference`` their distance. If the formula is too long, ``formula`` is empty and
    ``difference`` None. ``steps`` are the steps of the chain rule, empty if they have no spelling.
    ``unspelled`` maps names that stand for values to the op that has no spelling. ``expr`` is the formula as
    an expression, ``values`` the numbers for its names, ``meanings`` the meanings in ``where`` as
    expressions.
    """

    place: tuple[int, ...]
    above: str
    below: str
    value: float
    backward: float
    values: dict[str, float]
    difference: float | None = None
    formula: str = ""
    numbers: tuple[str, ...] = ()
    contributions: tuple[float, ...] = ()
    complete: StandaloneFormula = NO_FORMULA
    expr: Expr | None = None
    steps: tuple[EntryStep, ...] = ()
    where: tuple[tuple[str, str], ...] = ()
    unspelled: tuple[tuple[str, str], ...] = ()
    meanings: tuple[tuple[str, Expr | str], ...] = ()

    @property
    def given(self) -> str:
        return f"d{self.above}/d{self.below}"

    @property
    def only_formula_is_nan(self) -> bool:
        """Whether the formula is nan but backward's value is not, as 0/0 in a product of other factors."""
        return self.value != self.value and self.backward == self.backward
