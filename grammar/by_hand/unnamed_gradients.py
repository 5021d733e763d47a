"""Training by hand that names no gradient: ``delta = (y - out)*out*(1 - out)`` and ``W += x.T.dot(delta)``.

Without a loss, what is added to the parameters is minus the gradient of half the sum of the squares of
``y - out``. No line of the script says so: the repair writes that loss, and names the gradients.
"""

from __future__ import annotations

from autodiff.core.base.errors import Edit, Fix, UsageError
from autodiff.core.base.source import Source, Span
from autodiff.grammar.by_hand.formula import inner_bodies, words_of
from autodiff.grammar.by_hand.read_derivation import read_derivation
from autodiff.grammar.session.hand_gradients import is_loss
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.parser import parse
from autodiff.grammar.syntax.walk import assigned_names, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

#: What the loss may be called.
LOSSES = ("L", "loss", "half_squared_error")
#: What makes one number of many.
REDUCING = frozenset(["sum", "mean", "average"])
LOSS_AND_NAMES = "write the loss that these steps go down, and name its gradients"
NAMES = "name the gradients that the parameters move by"


class Update:
    """A statement that moves the parameter ``name`` by ``value``, up or down."""

    __slots__ = ("goes_up", "name", "node", "value")

    def __init__(self, node: Any, name: str, goes_up: bool, value: tree.Expression) -> None:
        self.node = node
        self.name = name
        self.goes_up = goes_up
        self.value = value

    def is_computed_in(self, body: tree.Body, parameters: set[str]) -> bool:
        """Whether it moves by what the body computes from the parameters."""
        made: set[str] = set()
        for node in body:
            if node is self.node:
                return bool(names_in(self.value) & made)
            if names_in(node) & (made | parameters):
                made |= {name.id for name in assigned_names(node)} - parameters
        return False


def fixes_without_names(script: Source) -> tuple[Fix, ...]:
    """Return the repair with which the steps of such a script can be judged; none if they are other steps."""
    parsed = parse(script)
    rates = {name for node in walk(parsed) for name in named_number(node)}
    words = words_of(script)
    for body in bodies(parsed.body):
        every = [found for node in body for found in updates_in(node)]
        moves = [one for one in every if one.is_computed_in(body, {one.name for one in every})]
        difference = find_difference(body, {one.name for one in moves})
        loss = next((name for name in LOSSES if name not in words), None)
        edits = list(named(moves, rates, script))
        if not edits or loss is None:
            continue
        if any(map(is_line_of_loss, body)):
            made = Fix(NAMES, *edits)
        elif difference is not None:
            made = Fix(LOSS_AND_NAMES, written_loss(loss, *difference, script), *edits)
        else:
            continue
        return (made,) * has_steps(made, script)
    return ()


def bodies(body: tree.Body) -> Iterator[tree.Body]:
    """Yield a body and those of the loops, branches and functions in it."""
    yield body
    for node in body:
        inner = [node.body] if isinstance(node, tree.FunctionDef) else inner_bodies(node)
        for part in inner:
            yield from bodies(part)


def named_number(node: Any) -> Iterator[str]:
    """Yield the name to which a statement gives a written number, such as a rate."""
    if isinstance(node, tree.Assign) and isinstance(node.value, tree.Number):
        yield from (target.id for target in node.targets if isinstance(target, tree.Name))


def updates_in(node: Any) -> Iterator[Update]:
    """Yield the update that a statement is: ``W += value``, ``W -= rate*value`` or ``W = W + value``."""
    if isinstance(node, tree.AugmentedAssign):
        target, op, value = node.target, node.op, node.value
    elif isinstance(node, tree.Assign) and isinstance(node.value, tree.Binary) and len(node.targets) == 1:
        (target,), op, value = node.targets, node.value.op, node.value.right
        start = node.value.left
        if not (isinstance(target, tree.Name) and isinstance(start, tree.Name) and start.id == target.id):
            return
    else:
        return
    if not isinstance(target, tree.Name) or op not in ("+", "-"):
        return
    yield Update(node, target.id, op == "+", value)


def without_rate(value: tree.Expression, rates: set[str], script: Source) -> tuple[str, str]:
    """Return the text of a product without its rate, the first or the last factor, and that factor."""

    def is_rate(node: Any) -> bool:
        small = isinstance(node, tree.Number) and node.value.__class__ is float and abs(node.value) < 1
        return small or (isinstance(node, tree.Name) and node.id in rates)

    text, start = script.text, value.span.start
    if isinstance(value, tree.Binary) and value.op == "*" and is_rate(value.right):
        return text[start : text.rindex("*", start, value.right.span.start)].strip(), script.excerpt(
            value.right.span
        )
    first: Any = value
    op = ""
    while isinstance(first, tree.Binary) and first.op in ("*", "/", "@"):
        first, op = first.left, first.op
    if op != "*" or not is_rate(first):
        return script.excerpt(value.span), ""
    return text[text.index("*", first.span.end) + 1 : value.span.end].strip(), script.excerpt(first.span)


def is_line_of_loss(node: Any) -> bool:
    """Whether a statement computes a loss; ``error = y - out`` does not."""
    called = {
        one.function.name
        for one in walk(node)
        if isinstance(one, tree.Call) and isinstance(one.function, tree.Attribute)
    }
    is_reduced = called & REDUCING or any(
        isinstance(one, tree.Binary) and one.op == "**" for one in walk(node)
    )
    return bool(is_reduced) and any(is_loss(name.id) for name in assigned_names(node))


def find_difference(body: tree.Body, parameters: set[str]) -> tuple[Any, tree.Binary] | None:
    """Return the first difference of data and what is computed from the parameters, with its statement."""
    computed = set(parameters)
    for statement in body:
        for node in walk(statement):
            if isinstance(node, tree.Binary) and node.op == "-":
                sides = [bool(names_in(side) & computed) for side in (node.left, node.right)]
                are_values = all(
                    isinstance(one, (tree.Name, tree.Number, tree.Subscript))
                    for one in (node.left, node.right)
                )
                if are_values and sides[0] != sides[1] and isinstance(statement, tree.Assign):
                    return statement, node
        if names_in(statement) & computed:
            computed |= {name.id for name in assigned_names(statement)}
    return None


def names_in(*nodes: Any) -> set[str]:
    return {part.id for part in walk(*nodes) if isinstance(part, tree.Name)}


def written_loss(loss: str, statement: Any, difference: tree.Binary, script: Source) -> Edit:
    """Return the edit that writes half the sum of the squares of the difference, beside its statement.

    It comes before the statement, but after ``error = y - out``, which would be taken for the loss.
    """
    text = f"({script.excerpt(difference.span)})**2"
    line = f"{loss} = " + (f"np.sum({text})/2" if "np" in words_of(script) else f"{text}/2")
    start, end = statement.span.start, statement.span.end
    if any(is_loss(name.id) for name in assigned_names(statement)):
        return Edit(Span(end, end), f"\n{indentation(start, script)}{line}")
    return Edit(Span(start, start), f"{line}\n{indentation(start, script)}")


def named(updates: list[Update], rates: set[str], script: Source) -> Iterator[Edit]:
    """Yield the edits that give each gradient the name of what it is by."""
    words = words_of(script)
    for one in updates:
        name = f"d{one.name}"
        if name not in words:
            value, rate = without_rate(one.value, rates, script)
            lines = (
                f"{name} = {f'-({value})' if one.goes_up else value}",
                f"{one.name} -= {rate}{'*' * bool(rate)}{name}",
            )
            yield Edit(one.node.span, f"\n{indentation(one.node.span.start, script)}".join(lines))


def indentation(place: int, script: Source) -> str:
    line = script.line(script.position(place)[0])
    return line[: len(line) - len(line.lstrip())]


def has_steps(fix: Fix, script: Source) -> bool:
    """Whether the steps of the repaired script can be read."""
    repaired = Source(fix.apply(script.text), script.name)
    try:
        read_derivation(repaired.text, repaired.name, repaired)
    except UsageError:
        return False
    return True
