"""Walks a script in execution order: joins branches, runs loops twice, follows calls of its functions.

Where two branches give different values, or a value was passed to code that may have changed it, the value is
unknown. So what the lints report holds on every execution path that they name.
"""

from __future__ import annotations

from autodiff.grammar.lints.calls import is_constant
from autodiff.grammar.lints.evaluate import MOST_STEPS, Evaluator, Event, positions
from autodiff.grammar.lints.statements import STATEMENTS
from autodiff.grammar.lints.values import (
    FUNCTION,
    GRAPH,
    LEAF,
    LIST,
    PLAIN,
    UNKNOWN,
    Value,
    ancestors,
)
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import statements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

DEEPEST_CALL = 6
__all__ = ["Event", "Flow", "surely_before"]


def surely_before(first: tuple[tuple[int, int, bool], ...], then: tuple[tuple[int, int, bool], ...]) -> bool:
    """Whether every execution that reaches the second place has passed the first, which comes earlier."""
    for at, (node, way, is_loop) in enumerate(first):
        if at >= len(then) or then[at][0] != node:
            return False
        if then[at][1] != way:
            return is_loop and way < then[at][1] and at == len(first) - 1
    return True


class Flow(Evaluator):
    """The events of a script, in the order of execution."""

    def __init__(
        self, script: tree.Script, is_function: Callable[[str], bool], bound: frozenset[str]
    ) -> None:
        super().__init__(is_function, bound)
        self.returned: list[Value] = []
        self.lost: set[str] = set()
        self.run(script.body)
        for node in statements(script):
            if isinstance(node, tree.FunctionDef) and id(node) not in self.called:
                self.run_uncalled(node)

    # -- statements --------------------------------------------------------------------------------

    def run(self, body: Iterable[tree.Statement]) -> bool:
        """Walk statements. Return whether the end is never reached."""
        for statement in body:
            self.steps += 1
            if self.steps > MOST_STEPS:
                return False
            self.statement = statement
            does = STATEMENTS.get(statement.__class__)
            if does is not None and does(self, statement):
                return True
        return False

    def branch(self, node: Any, way: int, body: Iterable[tree.Statement], is_loop: bool = False) -> Any:
        """Walk a block that may not run. Return its names, or None where its end is not reached."""
        before = self.env
        self.env = dict(before)
        self.place.append((id(node), way, is_loop))
        ended = self.run(body)
        self.place.pop()
        after, self.env = self.env, before
        if ended:
            self.lost.update(name for name, value in after.items() if before.get(name) is not value)
        return None if ended else after

    def forget_lost(self) -> None:
        """Make the names unknown that were assigned on a path that leaves the loop early."""
        for name in self.lost:
            self.env[name] = Value(UNKNOWN)
        self.lost.clear()

    def join(self, ways: list[dict[str, Value]]) -> None:
        """Continue with the values that are the same in all the given environments."""
        if not ways:
            return
        first, *others = ways
        for other in others:
            for name, value in other.items():
                if first.get(name, value) is not value:
                    first[name] = merged(first[name], value)
                else:
                    first[name] = value
        self.env = first

    def bind(self, target: Any, value: Value) -> None:
        """Bind a value to an assignment target."""
        if isinstance(target, tree.Name):
            self.note("bind", target, value, self.look_up(target.id))
            value.names.append((target.id, self.statement))
            self.env[target.id] = value
        elif isinstance(target, (tree.TupleDisplay, tree.ListDisplay)):
            parts = target.elements
            known = value.inputs if value.kind == LIST and len(value.inputs) == len(parts) else None
            for at, part in enumerate(parts):
                if known is not None and not isinstance(part, tree.Starred):
                    self.bind(part, known[at])
                elif value.is_tensor:
                    self.bind(part, self.operation(part, "unbind", (value,)))
                else:
                    self.bind(part, Value(UNKNOWN, part, (value,)))
        elif isinstance(target, tree.Starred):
            self.bind(target.value, Value(UNKNOWN, target, (value,)))
        elif isinstance(target, tree.Attribute):
            self.bind_attribute(target, value)
        elif isinstance(target, tree.Subscript):
            owner = self.value(target.object)
            index = self.value(target.index)
            if owner.is_tensor:
                self.note("in-place", target, owner, (value,))
                self.change(owner, (value,))
                if owner.kind == PLAIN:
                    owner.inputs += positions((index,))
            elif owner.kind == LIST:
                owner.kind = UNKNOWN

    def bind_attribute(self, target: tree.Attribute, value: Value) -> None:
        owner = self.value(target.object)
        if target.name == "grad":
            self.note("reset", target, owner)
        elif target.name == "requires_grad":
            self.set_requires_grad(target, owner, is_constant(value.node, True))
        elif owner.kind != UNKNOWN:
            self.note("set-attribute", target, owner)

    def set_requires_grad(self, node: Any, owner: Value, on: bool | None) -> None:
        """Handle ``requires_grad_()`` and ``requires_grad = True``; ``on`` is None without argument."""
        if on is False:
            owner.kind = UNKNOWN
            return
        self.note("require", node, owner)
        if owner.kind == PLAIN:
            owner.kind = UNKNOWN if self.conditional else LEAF

    def change(self, owner: Value, inputs: tuple[Value, ...]) -> None:
        """Handle an operation that changes ``owner`` in place."""
        for one in ancestors(owner):
            if one.grad_of is not None:
                self.note("reset", self.statement, one.grad_of)
        if owner.kind == LEAF or (self.recording is False and owner.kind == GRAPH):
            return
        asks = any(one.requires_grad for one in inputs)
        if asks or any(one.kind == UNKNOWN for one in inputs):
            for one in ancestors(owner):  # it may be a view, and its base changes with it
                if one is not owner and one.kind == PLAIN:
                    one.kind = UNKNOWN
        if asks:
            owner.inputs += inputs
            owner.kind = (
                GRAPH if self.recording and not self.conditional and owner.kind != UNKNOWN else UNKNOWN
            )
            if self.recording is False:
                owner.kind, owner.cut = UNKNOWN, "no_grad"
        elif any(one.kind == UNKNOWN for one in inputs) and owner.kind == PLAIN:
            owner.kind = UNKNOWN

    def escape(self, values: Iterable[Value]) -> None:
        """Record that values were passed to code that may do anything with them."""
        for value in values:
            if value.kind == LIST:
                self.escape(value.inputs)
            if value.kind in (LEAF, GRAPH, PLAIN):
                value.retained = True
                self.note("escape", self.statement, value)

    # -- calls -------------------------------------------------------------------------------------

    def call_script(self, node: tree.Call, called: Value, inputs: tuple[Value, ...]) -> Value:
        """Walk a function of the script with the given arguments. Return its value."""
        function = called.node
        decorated = isinstance(function, tree.FunctionDef) and bool(function.decorators)
        env = None if decorated or self.depth >= DEEPEST_CALL else arguments_of(function, node, inputs)
        if env is None:
            self.note("opaque", node, called)
            self.escape(inputs)
            return Value(UNKNOWN, node, inputs)
        self.called.add(id(function))
        return self.enter(called, env, node)

    def enter(self, called: Value, env: dict[str, Value], node: Any) -> Value:
        """Walk the body of a function. Return its result, unknown unless it is a single value."""
        function = called.node
        kept = (self.env, self.outer, self.statement, self.returned, self.place, self.lost)
        self.outer = [self.outer[0] if self.outer else self.env, *called.scope[1:]]
        self.lost = set()
        self.env, self.returned = env, []
        self.place = [*self.place, (id(node), 0, True)]
        self.depth += 1
        if isinstance(function, tree.Lambda):
            self.returned.append(self.value(function.body))
            ended = True
        else:
            ended = self.run(function.body)
        self.depth -= 1
        made = self.returned
        self.env, self.outer, self.statement, self.returned, self.place, self.lost = kept
        if ended and len(made) == 1:
            return made[0]
        return Value(UNKNOWN, node, tuple(made))

    def run_uncalled(self, function: tree.FunctionDef) -> None:
        """Walk a function that is never called, with unknown arguments."""
        recording, self.recording = self.recording, None
        env = {parameter.name: Value(UNKNOWN) for parameter in function.parameters}
        self.enter(Value(FUNCTION, function), env, function)
        self.recording = recording


def arguments_of(function: Any, node: tree.Call, inputs: tuple[Value, ...]) -> dict[str, Value] | None:
    """The values of a function's parameters in a call; None where stars or a wrong call leave them open."""
    names = [parameter.name for parameter in function.parameters]
    if any(parameter.star for parameter in function.parameters) or len(inputs) > len(names):
        return None
    env: dict[str, Value] = {}
    for at, (argument, value) in enumerate(zip(node.arguments, inputs, strict=True)):
        name = argument.keyword or names[at]
        if argument.star or name not in names or name in env:
            return None
        env[name] = value
    for parameter in function.parameters:
        if parameter.name not in env and parameter.default is None:
            return None
        env.setdefault(parameter.name, Value(UNKNOWN, parameter.default))
    return env


def merged(first: Value, second: Value) -> Value:
    """A value that may be either of two: unknown, computed from both."""
    return Value(UNKNOWN, None, (first, second))
