"""The output that is meant where a script ends in steps of training by hand: the loss that they make smaller.

After ``w -= rate*dw`` at the end of a loop, the gradients that people mean are those of the loss of the last
turn, by the parameters as they were in that turn. That is certain where the turn ends in steps, each a
product with a constant rate, and where one number is called a loss, is computed before the steps and by all
of the parameters, and no step is made of it. Other scripts have the output that they end in.
"""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.node import OpNode
from autodiff.core.graph.topological_order import newest_first
from autodiff.core.paths.node_names import NodeNames
from autodiff.grammar.objects.runtime import discard_text, discard_warning
from autodiff.grammar.session.assignment_plan import pair_targets
from autodiff.grammar.session.hand_gradients import is_loss, is_loss_list
from autodiff.grammar.session.leaf_names import join_words
from autodiff.grammar.session.outputs import is_output
from autodiff.grammar.session.run import WITHOUT_ASSIGNMENT, run_once
from autodiff.grammar.session.versions import first_leaf
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import assigned_names, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from autodiff.core.graph.node import Node
    from autodiff.grammar.session.run import Execution, Settings

    #: A term of a sum, and whether it is added (1) or subtracted (-1).
    Term = tuple[int, tree.Expression]

#: In runs that recorded more operations the output is what the script ends in.
MOST_NODES = 100_000


def with_loss_of_steps(execution: Execution, settings: Settings) -> Execution:
    """Enter the loss and the parameters of the last turn into the settings, if they are certain.

    Return the run, or another one in which the parameters are tracked.
    """
    if settings.of is not None or settings.grad_output is not None or execution.last_passes.backwards:
        return execution
    if execution.script is None or is_output(execution.last_value) or execution.recorded > MOST_NODES:
        return execution
    turn = find_steps(execution.script)
    if turn is None:
        return execution
    found = turn.loss_and_versions(execution)
    if found is None:
        asked = settings.copy(wrt=[*turn.steps])
        try:
            again = run_once(execution.source, asked, discard_text, discard_warning, execution.script)
        except AutodiffError:
            return execution
        found = turn.loss_and_versions(again)
        execution = execution if found is None else again
    if found is not None:
        loss, versions = found
        execution.chosen = turn.note(loss, versions, execution, bool(settings.wrt))
        settings.of, settings.wrt = loss, settings.wrt or versions
    return execution


def find_steps(script: tree.Script) -> Steps | None:
    """Return the steps that a script ends in, in a loop or after other statements; None if there are none."""
    body = [one for one in script.body if not isinstance(one, WITHOUT_ASSIGNMENT)]
    loop = body[-1] if body and isinstance(body[-1], (tree.For, tree.While)) else None
    inner: tree.Statement | None = loop
    while isinstance(inner, (tree.For, tree.While)):  # a pass over the data has a turn for each row
        if inner.orelse:
            return None
        body = list(inner.body)
        inner = next((one for one in reversed(body) if not isinstance(one, WITHOUT_ASSIGNMENT)), None)
    before = () if loop is None else script.body[: script.body.index(loop)]
    found = Steps(tuple(body), loop, {one.id for one in assigned_names(*before)})
    return found if found.steps and found.ends_in_steps() else None


class Steps:
    """The statements ``body`` of a turn of a ``loop``, or of a script without one.

    ``steps`` are the parameters: the names with values from before that a statement changes by a step. Each
    has the place in the body where it does.
    """

    def __init__(
        self, body: tuple[tree.Statement, ...], loop: tree.For | tree.While | None, before: set[str]
    ) -> None:
        self.body = body
        self.loop = loop
        self.values = dict(pairs_of(body))
        numbers = {name for name, value in self.values.items() if isinstance(value, tree.Number)}
        results = {one.id for part in body if not scales(part) for one in assigned_names(part)}
        self.changed = results - numbers
        self.steps: dict[str, int] = {}
        known = set(before)
        for at, one in enumerate(body):
            for name, terms in changes_of(one):
                if name in known and self.is_descent(name, terms):
                    self.steps[name] = at
            if loop is None:
                known.update(name.id for name in assigned_names(one))

    def ends_in_steps(self) -> bool:
        """Whether nothing follows the last step but prints, counters, and other names for known values."""
        after = self.body[max(self.steps.values()) + 1 :]
        return all(map(is_aside, after))

    def is_descent(self, name: str, terms: list[Term]) -> bool:
        """Whether terms are a name and what a step subtracts from it."""
        own = [sign for sign, term in terms if is_name(term, name)]
        signs = [self.sign_of(term) * sign for sign, term in terms if not is_name(term, name)]
        return own == [1] and bool(signs) and all(sign < 0 for sign in signs)

    def sign_of(self, term: tree.Expression) -> int:
        """Return 1 for what is a product with a rate, -1 for the same with a minus sign, else 0.

        A name stands for what it is made of in the turn, without its own earlier value, as momentum has it.
        """
        if isinstance(term, tree.Name):
            value = self.values.get(term.id)
            others = [] if value is None else terms_of(value)
            signs = {
                sign * self.sign_of_product(part) for sign, part in others if term.id not in names_in(part)
            }
            return signs.pop() if len(signs) == 1 else 0
        return self.sign_of_product(term)

    def sign_of_product(self, term: tree.Expression) -> int:
        sign, factors = factors_of(term)
        rates = [one for one in factors if self.changed.isdisjoint(names_in(one)) and is_rate(one)]
        return sign if rates and len(rates) < len(factors) else 0

    def loss_and_versions(self, execution: Execution) -> tuple[str, list[str]] | None:
        """Return the name of the loss, and what reports call the parameters that it was computed by."""
        losses = dict(self.named_losses(execution)) or dict(self.listed_losses(execution))
        stepped = [node for name in self.steps if (node := result_node(execution.names.get(name)))]
        used = set(newest_first(stepped)) if stepped else set()
        below: set[Node] = set()
        for node in losses.values():
            below.update(newest_first([node])[1:])
        found = [name for name, node in losses.items() if node not in used and node not in below]
        if len(found) != 1 or len(stepped) < len(self.steps):
            return None
        order = newest_first([losses[found[0]]])
        names_of = NodeNames(order, execution.source, numbers_first=execution.first_numbers)
        versions = []
        for name in self.steps:
            known = list(names_of.versions(name))
            if not known and first_leaf(name, execution, order) not in order:
                return None
            versions.append(known[-1] if known else name)
        return found[0], versions

    def named_losses(self, execution: Execution) -> Iterator[tuple[str, Node]]:
        """Yield the names of losses that stand before the steps and have one number, with its node."""
        for name, _ in pairs_of(self.body[: min(self.steps.values())]):
            node = number_node(execution.names.get(name))
            if is_loss(name) and node is not None:
                yield name, node

    def listed_losses(self, execution: Execution) -> Iterator[tuple[str, Node]]:
        """Yield the places of losses that the turn appends to a list of them: ``losses[9]``."""
        for statement in self.body:
            call = statement.value if isinstance(statement, tree.ExpressionStatement) else None
            function = call.function if isinstance(call, tree.Call) else None
            if not isinstance(function, tree.Attribute) or function.name != "append":
                continue
            name = function.object.id if isinstance(function.object, tree.Name) else ""
            found = execution.names.get(name)
            if is_loss_list(name) and found.__class__ is list and found:
                node = number_node(found[-1])
                if node is not None:
                    yield f"{name}[{len(found) - 1}]", node

    def note(self, loss: str, versions: list[str], execution: Execution, is_asked: bool) -> str:
        """Return the note that says what the output is, and how to ask for what the script ends in."""
        last = [*self.steps][-1]
        where = "before the step" if len(versions) == 1 else "before the steps"
        if self.loop is not None:
            line, _ = execution.source.position(self.loop.span.start)
            where = f"in the last turn of the loop in line {line}"
        by = "" if is_asked else f" by {join_words(versions)}"
        return f"the output is `{loss}`{by}, {where}; --of {last} takes `{last}` after that"


def result_node(value: Any) -> Node | None:
    """Return the node of a result; None for other values."""
    node = value.node if isinstance(value, Tensor) else None
    return node if isinstance(node, OpNode) else None


def number_node(value: Any) -> Node | None:
    """Return the node of a result that is a single number; None for other values."""
    return result_node(value) if isinstance(value, Tensor) and value.entry_count == 1 else None


def changes_of(statement: tree.Statement) -> Iterator[tuple[str, list[Term]]]:
    """Yield the names that a statement gives values, each with the terms of the new value."""
    if isinstance(statement, tree.AugmentedAssign):
        target, sign = statement.target, {"+": 1, "-": -1}.get(statement.op)
        if isinstance(target, tree.Name) and sign is not None:
            yield target.id, [(1, target), *terms_of(statement.value, sign)]
    for name, value in pairs_of([statement]):
        if value is not None:
            yield name, terms_of(value)


def pairs_of(statements: Iterable[tree.Statement]) -> Iterator[tuple[str, tree.Expression | None]]:
    """Yield the names that assignments bind, each with its expression, if it has one of its own."""
    for statement in statements:
        if isinstance(statement, tree.Assign):
            for target in statement.targets:
                yield from ((name.id, value) for name, value in pair_targets(target, statement.value))


def terms_of(value: tree.Expression, sign: int = 1) -> list[Term]:
    """Return the terms of a sum, with their signs."""
    if isinstance(value, tree.Binary) and value.op in ("+", "-"):
        return [*terms_of(value.left, sign), *terms_of(value.right, sign if value.op == "+" else -sign)]
    if isinstance(value, tree.Unary) and value.op == "-":
        return terms_of(value.operand, -sign)
    return [(sign, value)]


def factors_of(value: tree.Expression) -> tuple[int, list[tree.Expression]]:
    """Return the factors and divisors of a product, and its sign."""
    if isinstance(value, tree.Unary) and value.op == "-":
        sign, factors = factors_of(value.operand)
        return -sign, factors
    if isinstance(value, tree.Binary) and value.op in ("*", "/"):
        sign, factors = factors_of(value.left)
        other, divisors = factors_of(value.right)
        return sign * other, factors + divisors
    return 1, [value]


def is_rate(factor: tree.Expression) -> bool:
    return isinstance(factor, (tree.Name, tree.Number))


def is_name(node: tree.Expression, name: str) -> bool:
    return isinstance(node, tree.Name) and node.id == name


def names_in(node: tree.Expression) -> set[str]:
    return {part.id for part in walk(node) if isinstance(part, tree.Name)}


def is_aside(statement: tree.Statement) -> bool:
    """Whether a statement after the steps makes no other result: a print, a counter, a second name."""
    if isinstance(statement, tree.If):
        bodies = [*(body for _, body in statement.branches), statement.orelse]
        return all(is_aside(one) for body in bodies for one in body)
    if isinstance(statement, tree.Assign) and isinstance(statement.value, tree.Name):
        return True
    return scales(statement) or isinstance(
        statement, (tree.ExpressionStatement, tree.Pass, tree.Break, tree.Continue)
    )


def scales(statement: tree.Statement) -> bool:
    """Whether it changes a name by a number: ``i += 1``, ``rate = rate*0.9``."""
    if isinstance(statement, tree.AugmentedAssign):
        return isinstance(statement.value, tree.Number)
    value = statement.value if isinstance(statement, tree.Assign) else None
    return (
        isinstance(statement, tree.Assign)
        and isinstance(value, tree.Binary)
        and isinstance(value.left, tree.Name)
        and isinstance(value.right, tree.Number)
        and all(is_name(target, value.left.id) for target in statement.targets)
    )
