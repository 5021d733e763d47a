"""What can be said about one entry of a gradient, as plain data: a part of ``report``."""

from __future__ import annotations

from autodiff.core.report.records import NOTHING_WRITTEN, Complete

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.core.symbolic.expr import Expr


class EntryStep:
    """One entry ``name`` of a tensor that an entry of the input goes into: ``name = expansion``.

    ``local`` is its derivative by the entry of the input, ``rate`` the same as a number, ``received`` the
    gradient that it has itself. ``expansion`` is empty where the op has no spelling entry by entry.
    """

    __slots__ = ("expansion", "local", "name", "rate", "received")

    def __init__(self, name: str, expansion: str, local: str, rate: float, received: float) -> None:
        self.name = name
        self.expansion = expansion
        self.local = local
        self.rate = rate
        self.received = received


class Entry:
    """One entry of a tensor gradient with its index sums written out: ``given`` = ``formula``.

    ``given`` is the quotient of ``above`` and ``below``, as in ``dL/dW[0,1]``, ``numbers`` the terms of the
    formula with values for names, ``where`` the meanings of its invented names, ``complete`` the formula
    without those and unrounded, for programs.
    ``value`` is what that gives, ``difference`` its distance from backward; ``formula`` is empty and
    ``difference`` None where it is too long. ``steps`` are the chain rule, empty where it has no spelling.
    ``unspelled`` maps names that stand for values to the op that has no spelling. ``expr`` is the formula as
    an expression, ``values`` has the numbers behind its names, ``meanings`` are those of ``where`` as trees.
    """

    __slots__ = (
        *("above", "backward", "below", "complete", "difference", "expr", "formula", "given", "meanings"),
        *("numbers", "place", "steps", "unspelled", "value", "values", "where"),
    )

    def __init__(
        self,
        place: tuple[int, ...],
        above: str,
        below: str,
        *,
        value: float,
        backward: float,
        difference: float | None = None,
        formula: str = "",
        numbers: tuple[str, ...] = (),
        complete: Complete = NOTHING_WRITTEN,
        expr: Expr | None = None,
        steps: tuple[EntryStep, ...] = (),
        where: tuple[tuple[str, str], ...] = (),
        unspelled: tuple[tuple[str, str], ...] = (),
        values: dict[str, float] | None = None,
        meanings: tuple[tuple[str, Expr | str], ...] = (),
    ) -> None:
        self.meanings = meanings
        self.place = place
        self.above = above
        self.below = below
        self.given = f"d{above}/d{below}"
        self.value = value
        self.backward = backward
        self.difference = difference
        self.formula = formula
        self.numbers = numbers
        self.complete = complete
        self.expr = expr
        self.steps = steps
        self.where = where
        self.unspelled = unspelled
        self.values = values or {}

    @property
    def is_gap(self) -> bool:
        """Whether the formula has no value where backward has one, as 0/0 in the product of the others."""
        return self.value != self.value and self.backward == self.backward
