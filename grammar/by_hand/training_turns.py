"""The first turn of a training loop whose backward pass is written by hand, as statements at top level.

Such a script has forward and backward pass in a loop, which ends with a step of the parameters, or in a
function that it calls. Each turn is a function of its own: its gradients are those of its own loss. So the
script is cut down to what runs before, and to the first turn up to the last step.
"""

from __future__ import annotations

import re
from functools import lru_cache

from autodiff.core.base.errors import CompileError, UsageError
from autodiff.core.base.source import Source, Span
from autodiff.grammar.by_hand.formula import inner_bodies, root_name, words_of
from autodiff.grammar.by_hand.left_side import DerivativeNames, is_loose
from autodiff.grammar.by_hand.loss_of_steps import computed_loss
from autodiff.grammar.session.hand_gradients import is_loss
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.parser import parse_to_first_error
from autodiff.grammar.syntax.walk import assigned_names, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from autodiff.grammar.session.run import Execution

JUMPS = (tree.Break, tree.Continue)


class Turn:
    """A turn: ``script`` are the statements before it and its own, ``lines`` the text with these alone.

    There ``pass`` stands for the headers of loops and functions, and nothing behind the turn: offsets and
    numbers of lines are those of the source. ``body`` are the turn's statements, ``line`` is the number of
    the loop's line, 0 for a function. ``replaced`` are other texts by their places.
    """

    __slots__ = ("before", "body", "line", "lines", "loop", "script")

    def __init__(
        self,
        source: Source,
        script: tree.Script,
        found: FoundTurn,
        replaced: Iterable[tuple[int, str]] = (),
    ) -> None:
        self.body, self.loop, self.before = found.body, found.loop, found.before
        self.script = tree.Script(script.span, (*found.before, *found.body))
        self.line = 0 if found.loop is None else source.position(found.loop.span.start)[0]
        text, end = source.text, max(one.span.end for one in found.body)
        for part in found.left_out:
            without = "pass" + re.sub(r"[^\n]", " ", source.excerpt(part)[4:])
            text = text[: part.start] + without + text[part.end :]
        for start, other in replaced:
            text = text[:start] + other + text[start + len(other) :]
        text = text[:end]
        self.lines = Source(text, source.name)

    def turns(self, count: int) -> tree.Script | None:
        """Return the statements up to the turn ``count``, 2 or more; None for other than a ``for`` loop.

        That turn ends with its last step, as the first one does in ``script``.
        """
        loop = self.loop
        if not isinstance(loop, tree.For):
            return None
        place = loop.iterable.span
        rows = tree.ListDisplay(place, (tree.Starred(place, loop.iterable),))
        last = tree.Number(place, count - 1)
        whole = tree.Subscript(place, rows, tree.Slice(place, None, last, None))
        row = tree.Subscript(place, rows, last)
        before = tree.For(loop.span, loop.target, whole, loop.body, ())
        begin = tree.Assign(place, (loop.target,), row)
        return tree.Script(self.script.span, (*self.before[:-1], before, begin, *self.body))

    def loss(self, execution: Execution) -> str:
        """Return the name of the turn's loss, or of one before it; raise a UsageError if there is none."""
        for statements in (self.body, self.before):
            found = computed_loss(targets_of(*statements), execution)
            if found is not None:
                return found
        start = self.body[0].span.start if self.loop is None else self.loop.span.start
        line = self.lines.position(start)[0]
        where = "what runs before these steps" if self.loop is None else f"the loop of line {line}"
        raise NoLossError(
            f"--formula: {where} computes no single number that the steps are derivatives of",
            code="E0610",
            span=self.lines.line_span(line),
            help=(
                "assign the loss there, as in loss = ((out - y)**2).mean()",
                "or choose the output: --of NAME",
            ),
        )


class NoLossError(UsageError):
    """Raised for a turn in which nothing is computed that its steps can be derivatives of."""


class FoundTurn:
    """The parts of a turn: statements ``before`` it, its ``body`` and the ``loop``.

    ``left_out`` are the headers of loops and functions around it, and each ``break`` and ``continue`` in it.
    """

    __slots__ = ("before", "body", "left_out", "loop")

    def __init__(self, body: tree.Body, loop: tree.For | tree.While | None) -> None:
        self.before: tree.Body = ()
        self.body, self.loop = tuple(map(without_jumps, body)), loop
        self.left_out = [one.span for one in own_statements(body) if isinstance(one, JUMPS)]

    def within(self, before: tree.Body, header: Span) -> FoundTurn:
        """Return the turn with what runs before it outside of the block with a header."""
        self.before = (*before, *self.before)
        self.left_out.append(header)
        return self


@lru_cache(maxsize=4)
def find_turn(
    source: Source,
    is_sure: bool,
    by: frozenset[str] = frozenset(),
    others: frozenset[str] = frozenset(),
) -> Turn | None:
    """Return the first turn of a training loop, None without one.

    ``others`` are names of gradients that do not say by what. A function that gives them values, and what
    runs below ``if __name__ == "__main__"``, is a turn too.

    Where steps stand in a loop or a function, it is one if ``is_sure`` is False. Else the loop has to compute
    a loss, and to change a variable by its gradient or to compute values whose gradients follow. So is one
    that changes the variables ``by`` which a derivation has gradients, after it has computed a loss.
    """
    try:
        script = parse_to_first_error(source)
    except CompileError:
        return None
    found = TurnSearch(source, script, is_sure, by, others).in_body(script.body, frozenset())
    return None if found is None else Turn(source, script, found)


class TurnSearch:
    """Finds the first turn in the statements of a script and in those of the functions that it calls."""

    def __init__(
        self,
        source: Source,
        script: tree.Script,
        is_sure: bool,
        by: frozenset[str] = frozenset(),
        others: frozenset[str] = frozenset(),
    ) -> None:
        words = words_of(source)
        self.names = DerivativeNames(words, [*others, *(one for one in words if is_loose(one, words))])
        self.functions = {one.name: one for one in script.body if isinstance(one, tree.FunctionDef)}
        self.is_sure, self.by, self.others = is_sure, by, others

    def in_body(self, body: tree.Body, called: frozenset[str]) -> FoundTurn | None:
        for at, statement in enumerate(body):
            found = self.in_statement(statement, called)
            if found is not None:
                found.before = (*body[:at], *found.before)
                return found
        return None

    def in_statement(self, statement: tree.Statement, called: frozenset[str]) -> FoundTurn | None:
        """Return the turn in a loop, in a call, or below ``if __name__ == "__main__"``.

        It is recorded also where the loop is below ``with torch.no_grad()``.
        """
        if isinstance(statement, (tree.For, tree.While)):
            header = Span(statement.span.start, statement.body[0].span.start)
            start = tree.Break(header)
            begin = (
                (tree.For(header, statement.target, statement.iterable, (start,), ()),)
                if isinstance(statement, tree.For)
                else ()
            )
            own = self.turn_of(statement.body, statement) if self.is_turn(statement.body) else None
            found = own or self.in_body(statement.body, called)
            return None if found is None else found.within(begin, header)
        body: tree.Body = ()
        if isinstance(statement, tree.If) and is_main_guard(statement):
            [(_, body), *_] = statement.branches
        elif isinstance(statement, tree.With) and is_without_grad(statement):
            body = statement.body
        if body:
            found = self.in_body(body, called) or self.with_others(body)
            return None if found is None else found.within((), Span(statement.span.start, body[0].span.start))
        call = call_of(statement)
        name = "" if call is None else root_name(call.function)
        function = self.functions.get(name)
        if call is None or function is None or name in called or not isinstance(call.function, tree.Name):
            return None
        given = bound_parameters(function, call)
        if given is None:
            return None
        found = None
        if not self.is_sure and any(map(self.made_by, function.body)):  # sums begin before a loop
            found = self.turn_of(function.body, None)
        found = found or self.in_body(function.body, called | {name}) or self.with_others(function.body)
        header = Span(function.span.start, function.body[0].span.start)
        return None if found is None else found.within(given, header)

    def with_others(self, body: tree.Body) -> FoundTurn | None:
        """Return the turn that statements are which give one of the ``others`` a value."""
        return None if self.others.isdisjoint(targets_of(*body)) else self.turn_of(body, None)

    def is_turn(self, body: tree.Body) -> bool:
        """Whether the body of a loop is a turn with its forward and backward pass."""
        if not self.has_steps(body):
            loss = next((at for at, one in enumerate(body) if assigns_loss(one)), len(body))
            return not self.by.isdisjoint(targets_of(*body[loss + 1 :]))
        if not self.is_sure:
            return True
        bound: set[str] = set()
        for statement in body:
            made = self.made_by(statement)
            targets = targets_of(statement)
            read = {part.id for part in walk(statement) if isinstance(part, tree.Name)}
            others = self.others if bound else frozenset()
            if (gradients_of(bound) | others) & made or gradients_of(targets) & read:
                return any(map(is_loss, targets_of(*body)))
            bound.update(targets)
        return False

    def has_steps(self, body: tree.Body) -> bool:
        """Whether lines of the body itself, not those of a loop in it, give values to derivatives."""
        return any(self.made_by(one) for one in body if not gives_zero(one))

    def made_by(self, statement: tree.Statement) -> set[str]:
        """Return the derivatives to which an assignment gives values."""
        if isinstance(statement, tree.With):
            return set().union(*map(self.made_by, statement.body))
        call = call_of(statement)
        is_in_function = call is not None and root_name(call.function) in self.functions
        if not isinstance(statement, tree.Assign) or is_in_function:
            return set()
        return {one.id for one in bound_by(statement) if one.id in self.names}

    def turn_of(self, body: tree.Body, loop: tree.For | tree.While | None) -> FoundTurn | None:
        """Return the turn that a body is, up to its last step and with its loss."""
        places = [at for at, one in enumerate(body) if self.changes_step(one) and not gives_zero(one)]
        last = max(places or [at for at, one in enumerate(body) if assigns_loss(one)], default=-1)
        if last < 0:
            return None
        end = end_of_loss = last + 1
        if not any(map(is_loss, targets_of(*body[:end]))):
            losses = (at for at in range(end, len(body)) if any(map(is_loss, targets_of(body[at]))))
            end_of_loss = next(losses, end - 1) + 1
        turn = (*body[:end], *body[max(end, end_of_loss - 1) : end_of_loss])
        if any(isinstance(one, tree.Return) for one in own_statements(turn)):
            return None
        found = FoundTurn(turn, loop)
        found.left_out += [one.span for one in body[end : end_of_loss - 1]]
        return found

    def changes_step(self, statement: tree.Statement) -> bool:
        return any(name in self.names for name in targets_of(statement))


def assigns_loss(statement: tree.Statement) -> bool:
    """Whether a statement gives a loss a value that it does not add to an earlier one."""
    read = [part.id for part in walk(statement) if isinstance(part, tree.Name)]
    return isinstance(statement, tree.Assign) and any(
        is_loss(name) and read.count(name) == 1 for name in targets_of(statement)
    )


def gives_zero(statement: tree.Statement) -> bool:
    """Whether a statement begins a sum: ``dW = np.zeros(3)``, ``dW = np.zeros_like(W)``, ``dW = 0``."""
    value = statement.value if isinstance(statement, tree.Assign) else None
    if isinstance(value, tree.Call) and isinstance(value.function, tree.Attribute):
        return value.function.name in ("zeros", "zeros_like")
    return isinstance(value, tree.Number) and value.value == 0


def targets_of(*statements: tree.Statement) -> list[str]:
    """Return the names to which the statements give values, in order."""
    return list(dict.fromkeys(one.id for one in assigned_names(*statements)))


def bound_by(statement: tree.Assign) -> Iterator[tree.Name]:
    """Yield the names that an assignment binds."""
    for target in statement.targets:
        yield from (one for one in elements_of(target) if isinstance(one, tree.Name))


def elements_of(node: tree.Expression) -> tuple[tree.Expression, ...]:
    """Return the entries of a tuple or a list, and another expression alone."""
    return tuple(node.elements) if isinstance(node, (tree.TupleDisplay, tree.ListDisplay)) else (node,)


def own_statements(body: Iterable[tree.Statement]) -> Iterator[tree.Statement]:
    """Yield the statements and those in them, without ``break`` and ``continue`` of loops in them."""
    for one in body:
        yield one
        is_loop = isinstance(one, (tree.For, tree.While))
        for inner in inner_bodies(one):
            found = own_statements(inner)
            yield from (part for part in found if not (is_loop and isinstance(part, JUMPS)))


def without_jumps(statement: tree.Statement) -> tree.Statement:
    """Return a statement of a loop without the ``break`` and ``continue`` of that loop."""
    if isinstance(statement, JUMPS):
        return tree.Pass(statement.span)
    if isinstance(statement, tree.If):
        branches = tuple((test, tuple(map(without_jumps, body))) for test, body in statement.branches)
        return tree.If(statement.span, branches, tuple(map(without_jumps, statement.orelse)))
    if isinstance(statement, tree.With):
        return tree.With(statement.span, statement.items, tuple(map(without_jumps, statement.body)))
    return statement


def call_of(statement: tree.Statement) -> tree.Call | None:
    """Return the call that a statement is, or whose results it assigns."""
    if isinstance(statement, (tree.ExpressionStatement, tree.Assign)):
        return statement.value if isinstance(statement.value, tree.Call) else None
    return None


def bound_parameters(function: tree.FunctionDef, call: tree.Call) -> tree.Body | None:
    """Return the assignments that a call makes to the parameters; None if they are not plain."""
    is_plain = not any(one.star for one in function.parameters) and not any(
        one.star for one in call.arguments
    )
    if function.decorators or not is_plain:
        return None
    values = {one.name: one.default for one in function.parameters}
    free = [one.name for one in function.parameters]
    for one in call.arguments:
        name = one.keyword or (free[0] if free else "")
        if name not in free:
            return None
        free.remove(name)
        values[name] = one.value
    if any(value is None for value in values.values()):
        return None
    return tuple(
        tree.Assign(value.span, (tree.Name(value.span, name),), value)
        for name, value in values.items()
        if value is not None and not (isinstance(value, tree.Name) and value.id == name)
    )


def gradients_of(names: Iterable[str]) -> set[str]:
    """Return what gradients by these names are called."""
    return {f"{prefix}{name}" for name in names for prefix in ("d", "grad_")}


def is_without_grad(statement: tree.With) -> bool:
    """Whether it is ``with torch.no_grad()``."""
    calls = [item.function for item, _ in statement.items if isinstance(item, tree.Call)]
    names = {one.name if isinstance(one, tree.Attribute) else root_name(one) for one in calls}
    return bool(names) and names <= {"no_grad", "inference_mode"}


def is_main_guard(statement: tree.If) -> bool:
    """Whether it is ``if __name__ == "__main__"``."""
    return any(
        isinstance(part, tree.String) and part.value == "__main__" for part in walk(statement.branches[0][0])
    )
