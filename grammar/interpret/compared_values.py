"""The sides of a comparison that an assertion makes, which are computed once more if it fails."""

from __future__ import annotations

from autodiff.grammar.objects.values import UNBOUND, is_true
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from autodiff.grammar.interpret.compiler import Compiler, Evaluate, Frame

    #: A side of a comparison and its value.
    Side = tuple[tree.Expression, Any]

#: What has the same value when it is evaluated again, if the calls in it have.
REPEATABLE = (
    *(tree.Name, tree.Number, tree.Constant, tree.ListDisplay, tree.TupleDisplay, tree.Unary, tree.Binary),
    *(tree.Comparison, tree.Boolean, tree.Argument, tree.Call, tree.Attribute, tree.Slice, tree.Subscript),
)
#: Parts of the names of functions that draw numbers.
RANDOM = ("rand", "normal", "dropout", "bernoulli", "multinomial", "choice", "uniform", "sample", "shuffle")
#: Methods that change their value, beside those whose names end in ``_``.
CHANGING = frozenset(
    ["append", "backward", "clear", "extend", "fill", "insert", "pop", "remove", "reverse", "sort"]
)
LITERALS = (tree.Number, tree.Constant, tree.String)


def compile_sides(c: Compiler, test: tree.Expression) -> Callable[[Frame], tuple[Side, ...]]:
    """Return the function that gives the two sides which a failed assertion compares, with their values.

    Of ``abs(a - b) < 1e-6`` they are ``a`` and ``b``, of ``torch.allclose(a, b)`` the arguments, of tests
    joined with ``and`` those of the first that fails. There are none if several comparisons are made
    otherwise, or if computing a side again might give something else.
    """
    tests = test.operands if isinstance(test, tree.Boolean) and test.op == "and" else (test,)
    if not all(is_repeatable(c, part) for one in tests[:-1] for part in walk(one)):
        return lambda frame: ()
    compiled = [(c.expression(one), compiled_sides(c, one)) for one in tests]

    def values(frame: Frame) -> tuple[Side, ...]:
        at = next((at for at, (holds, _) in enumerate(compiled[:-1]) if not is_true(holds(frame))), -1)
        return tuple((side, value(frame)) for side, value in compiled[at][1])

    return values


def compiled_sides(c: Compiler, test: tree.Expression) -> list[tuple[tree.Expression, Evaluate]]:
    sides = compared_sides(c, test)
    if not all(is_repeatable(c, part) for side in sides for part in walk(side)):
        return []
    return [(side, c.expression(side)) for side in sides]


def compared_sides(c: Compiler, test: tree.Expression) -> list[tree.Expression]:
    comparisons = [part for part in walk(test) if isinstance(part, tree.Comparison)]
    if len(comparisons) > 1:
        return []
    if not comparisons:
        given = [one.value for one in test.arguments[:2]] if isinstance(test, tree.Call) else []
        return given if len(given) == 2 else []
    sides = [comparisons[0].first, *(operand for _, operand in comparisons[0].rest)]
    computed = [side for side in sides if not isinstance(side, LITERALS)]
    return difference_in(c, computed[0]) or computed if len(computed) == 1 else computed


def difference_in(c: Compiler, part: tree.Expression) -> list[tree.Expression]:
    """Return the sides of the difference whose size a call computes, as ``((a - b)**2).sum()`` does."""
    while isinstance(part, tree.Call) or (isinstance(part, tree.Binary) and part.op == "**"):
        if isinstance(part, tree.Binary):
            part = part.left
        elif isinstance(part.function, tree.Attribute) and c.constant(part.function) is UNBOUND:
            part = part.function.object
        elif part.arguments:
            part = part.arguments[0].value
        else:
            return []
    return [part.left, part.right] if isinstance(part, tree.Binary) and part.op == "-" else []


def is_repeatable(c: Compiler, part: tree.SyntaxNode) -> bool:
    """Whether a part of an expression calls no function of the script, and none that changes a value."""
    if not isinstance(part, tree.Call):
        return isinstance(part, REPEATABLE)
    if c.constant(part.function) is not UNBOUND:
        name = part.function.name if isinstance(part.function, tree.Attribute) else ""
        return not any(word in name for word in RANDOM)
    if not isinstance(part.function, tree.Attribute):
        return False
    name = part.function.name
    return not name.endswith("_") and name not in CHANGING
