"""Formulas of large arrays as lists of instructions, run on one tile after the other.

The rules of ops are written in ops, so a rule applied to TileCells, not arrays, records its instructions.
Equal instructions are recorded once, unneeded ones are not run, and the temporary results of a tile stay in a
few buffers that fit into the cache.
"""

from __future__ import annotations

from autodiff.core.base.lazy_imports import np
from autodiff.core.fast.tiles import run_in_tiles
from autodiff.core.graph.op import APPLIERS, PLAIN_NUMBERS, Op
from autodiff.core.symbolic.symbol import Operators

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    #: numpy's function, the places of its operands (the second may be None) and of its result, and the dict
    #: for the sums of the result by tile, if those are needed.
    Step = tuple[Callable[..., Any], int, int | None, int, dict[int, float] | None]

#: The ops that can be deferred, with numpy's functions for them, all of which take ``out``.
UFUNCS: dict[str, Callable[..., Any]] = {
    **{"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.true_divide, "neg": np.negative},
    **{"exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "log": np.log, "log2": np.log2},
    **{"log10": np.log10, "log1p": np.log1p, "sqrt": np.sqrt, "square": np.square, "pow": np.power},
    **{"reciprocal": np.reciprocal, "sin": np.sin, "cos": np.cos, "tan": np.tan, "sinh": np.sinh},
    **{"cosh": np.cosh, "tanh": np.tanh, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan},
}


class NotTileableError(Exception):
    """A rule uses an op that has no instruction."""


class TileCell(Operators):
    """What rules compute with: the result of an instruction, an input array or a number of a program."""

    __slots__ = ("at", "program", "shape")

    def __init__(self, program: TileProgram, at: int) -> None:
        self.program = program
        self.at = at
        self.shape = program.shape


class TileProgram:
    """Instructions on arrays of one ``shape`` and ``dtype``. An entry is identified by its number ``at``.

    ``functions[at]`` is the name of an op and ``arguments[at]`` are the entries it reads. The function is
    None for a number or an input array, which is in ``constants`` or ``arrays``.
    """

    __slots__ = (
        *(
            "arguments",
            "arrays",
            "requested",
            "constants",
            "dtype",
            "functions",
            "kept_alive",
            "numbers",
            "shape",
        ),
    )

    def __init__(self, shape: tuple[int, ...], dtype: Any) -> None:
        self.shape = shape
        self.dtype = dtype
        self.functions: list[str | None] = []
        self.arguments: list[tuple[int, ...]] = []
        self.constants: dict[int, float] = {}
        self.arrays: dict[int, Any] = {}
        #: The input arrays as passed in, kept alive so that their ids stay unique.
        self.kept_alive: list[Any] = []
        #: The number of an entry by its content: op and arguments, constant, or id of an array.
        self.numbers: dict[Any, int] = {}
        #: What ``run`` returns: entries, and whether to return the sum of the entry instead.
        self.requested: list[tuple[int, bool]] = []

    # -- recording ----------------------------------------------------------------------------------

    def constant(self, value: float) -> TileCell:
        at = self._enter(repr(value), None, ())
        self.constants[at] = value
        return TileCell(self, at)

    def array(self, value: Any) -> TileCell:
        """The cell of an input array, or of a constant if its strides are 0, so that it is one number."""
        if not any(value.strides):
            return self.constant(float(value.flat[0]))
        at = self._enter(id(value), None, ())
        if at not in self.arrays:
            self.kept_alive.append(value)
            self.arrays[at] = np.ascontiguousarray(value).reshape(-1)
        return TileCell(self, at)

    def apply(self, name: str, *cells: TileCell) -> TileCell:
        """The cell for an op applied to cells; an equal earlier entry is reused."""
        if name == "pow":
            return self._power(*cells)
        at = []
        is_signed, is_constant = False, True
        for cell in cells:
            at.append(cell.at)
            is_signed = is_signed or self.functions[cell.at] == "neg"
            is_constant = is_constant and cell.at in self.constants
        if is_signed:
            made = self._without_negations(name, cells)
            if made is not None:
                return made
        if name == "mul":
            if self.constants.get(at[0]) == 1:
                return cells[1]
            if self.constants.get(at[1]) == 1:
                return cells[0]
            at.sort()
        if is_constant:
            numbers = [np.float64(self.constants[number]) for number in at]
            with np.errstate(all="ignore"):
                return self.constant(float(UFUNCS[name](*numbers)))
        return TileCell(self, self._enter((name, *at), name, tuple(at)))

    def _without_negations(self, name: str, cells: tuple[TileCell, ...]) -> TileCell | None:
        """The op with negations of its operands removed or moved outwards; None where that is not possible.

        A negation costs a loop over the tile like any other op, and the rules of exp(-x) and a/b have many.
        All bits of the results are the same, except for the sign of a nan, which has no meaning (IEEE 754,
        6.3).
        """
        opposites = [
            TileCell(self, self.arguments[cell.at][0]) if self.functions[cell.at] == "neg" else None
            for cell in cells
        ]
        x, y = cells[0], cells[-1]
        minus_x, minus_y = opposites[0], opposites[-1]
        if name == "neg":
            return minus_x
        if name == "square" and minus_x is not None:
            return self.apply("square", minus_x)
        if name == "add" and minus_y is not None:
            return self.apply("sub", x, minus_y)
        if name == "add" and minus_x is not None:
            return self.apply("sub", y, minus_x)
        if name == "sub" and minus_y is not None:
            return self.apply("add", x, minus_y)
        if name in ("mul", "div"):
            made = self.apply(name, minus_x or x, minus_y or y)
            return made if minus_x and minus_y else self.apply("neg", made)
        return None

    def _power(self, x: TileCell, y: TileCell) -> TileCell:
        """The cell of a power; exponents 1 to 3 become products: numpy's power takes as long as eighty."""
        exponent = self.constants.get(y.at)
        if exponent == 1:
            return x
        if exponent == 2:
            return self.apply("square", x)
        if exponent == 3:
            return self.apply("mul", self.apply("square", x), x)
        return TileCell(self, self._enter(("pow", x.at, y.at), "pow", (x.at, y.at)))

    def _enter(self, key: Any, function: str | None, arguments: tuple[int, ...]) -> int:
        at = self.numbers.setdefault(key, len(self.functions))
        if at == len(self.functions):
            self.functions.append(function)
            self.arguments.append(arguments)
        return at

    def request(self, cell: TileCell, is_sum: bool = False) -> int:
        """Make ``run`` return an entry, or its sum; returns the index in the list that ``run`` returns."""
        self.requested.append((cell.at, is_sum))
        return len(self.requested) - 1

    # -- running ------------------------------------------------------------------------------------

    def run(self) -> list[Any]:
        """Run the program; return the arrays and sums that ``request`` requested."""
        whole: dict[int, Any] = {}
        for at, is_sum in self.requested:
            if not is_sum and at not in whole and self.functions[at] is not None:
                whole[at] = np.empty(self.shape, self.dtype)
        added = sorted({at for at, is_sum in self.requested if is_sum and at not in self.constants})
        order = self.needed()
        sums: dict[int, dict[int, float]] = {at: {} for at in added}
        if order or added:
            steps, count = self.registers(order, whole, sums)
            flat = {at: array.reshape(-1) for at, array in whole.items()}

            parts = [*self.arrays.items(), *flat.items()]

            def work(start: int, stop: int, step: int) -> None:
                # Outside numpy's loops a thread holds Python's lock and the other one waits. So the code per
                # instruction and tile is hardly more than the call. Buffers have places counted from the end.
                here: list[Any] = [None] * (len(self.functions) + count)
                for at, value in self.constants.items():
                    here[at] = np.asarray(value, self.dtype)
                buffers = [np.empty(min(step, stop - start), self.dtype) for _ in range(count)]
                for low in range(start, stop, step):
                    high = min(low + step, stop)
                    for at, array in parts:
                        here[at] = array[low:high]
                    for number, buffer in enumerate(buffers):
                        here[-1 - number] = buffer[: high - low]
                    for function, x, y, out, sums_there in steps:
                        if y is None:
                            function(here[x], here[out])
                        else:
                            function(here[x], here[y], here[out])
                        if sums_there is not None:
                            sums_there[low] = float(np.add.reduce(here[out]))
                    for at in added:
                        if at in self.arrays:
                            sums[at][low] = float(np.add.reduce(here[at]))

            # The code that reads a deferred value is not the code that computed it: no warnings of numpy
            # here.
            with np.errstate(all="ignore"):
                run_in_tiles(work, int(np.prod(self.shape)))
        return [self._answer(at, is_sum, whole, sums) for at, is_sum in self.requested]

    def _answer(self, at: int, is_sum: bool, whole: dict[int, Any], sums: dict[int, dict[int, float]]) -> Any:
        if is_sum:
            if at in self.constants:
                return self.constants[at] * int(np.prod(self.shape))
            # In the order of the tiles, so that threads do not change the rounding.
            return sum(sums[at][low] for low in sorted(sums[at]))
        if at in self.constants:
            return np.broadcast_to(np.asarray(self.constants[at], self.dtype), self.shape)
        return self.arrays[at].reshape(self.shape) if at in self.arrays else whole[at]

    def needed(self) -> list[int]:
        """The instructions that the requested entries depend on, in order."""
        wanted = {at for at, _ in self.requested}
        order = []
        for at in range(len(self.functions) - 1, -1, -1):
            if at in wanted and self.functions[at] is not None:
                order.append(at)
                wanted.update(self.arguments[at])
        order.reverse()
        return order

    def registers(
        self, order: list[int], whole: dict[int, Any], sums: dict[int, dict[int, float]]
    ) -> tuple[list[Step], int]:
        """The steps of a run and the number of buffers, which have places from -1 down and are reused."""
        last = {argument: at for at in order for argument in self.arguments[at]}
        place: dict[int, int] = {}
        free: list[int] = []
        count = 0
        steps: list[Step] = []
        for at in order:
            x, *rest = [place.get(argument, argument) for argument in self.arguments[at]]
            for argument in set(self.arguments[at]):
                if argument in place and last[argument] == at:
                    free.append(place[argument])
            out = at
            if at not in whole:
                if not free:
                    count += 1
                    free.append(-count)
                out = place[at] = free.pop()
                if at not in last:
                    free.append(out)
            steps.append((UFUNCS[self.functions[at] or ""], x, rest[0] if rest else None, out, sums.get(at)))
        return steps, count


def record_op(op: Op, operands: tuple[Any, ...], params: dict[str, Any]) -> TileCell:
    """Record an op that a rule applies to cells."""
    if op.name not in UFUNCS or params:
        raise NotTileableError(op.name)
    [program, *_] = [x.program for x in operands if x.__class__ is TileCell]
    return program.apply(op.name, *[x if x.__class__ is TileCell else as_cell(program, x) for x in operands])


def as_cell(program: TileProgram, value: Any) -> TileCell:
    """A value as a cell of the program: a cell, a plain number or a 0-d array."""
    if value.__class__ is TileCell:
        return value
    if value.__class__ not in PLAIN_NUMBERS and value.shape:
        raise NotTileableError("an array")
    return program.constant(float(value))


APPLIERS[TileCell] = record_op
