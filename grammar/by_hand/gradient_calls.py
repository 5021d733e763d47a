"""Gradients that a script computes by a function: ``gradient(theta, X, y)`` beside ``cost(theta, X, y)``.

Their names do not say by what they are gradients. Where it is certain, they are steps all the same. Such a
function stands beside one of a loss: both are called with the same values, are given to the same optimizer,
or one has a name made from that of the other. The gradient is by the argument of its shape, the first if
several have it, but another one by which it is right.

A line that computes the loss, and one that gives the gradient a name, are put into the text where the script
has none. So the text that is judged may be longer than the script, and it ends where an optimizer is called.
"""

from __future__ import annotations

import re

from autodiff.core.base.source import Source
from autodiff.grammar.by_hand.differences import is_difference, makes_differences
from autodiff.grammar.by_hand.formula import inner_bodies, root_name, words_of
from autodiff.grammar.by_hand.left_side import parse_left_side
from autodiff.grammar.by_hand.training_turns import call_of, elements_of
from autodiff.grammar.by_hand.unclear_names import is_gradient_of_something
from autodiff.grammar.session.hand_gradients import is_loss
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import assigned_names, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

#: The keywords by which optimizers take the function of a gradient.
KEYWORDS = frozenset(["Dfun", "fprime", "grad", "gradient", "jac"])
#: And those of the function itself, of what it is by and of its other arguments.
OF_LOSS, OF_START, OF_OTHERS = ("fun", "func", "f"), "x0", "args"
#: What the function of a gradient is called, where `@` is the name of that of the loss.
NAMED_AFTER = "d_?@|d@_?d\\w+|(?:grad|gradient|nabla|jac)_@|@_?prime|@_(?:der|derivative|grad|gradient|jac)"
#: What a function is called that no layer of a network is.
PLAIN_FUNCTIONS = ("F", "f", "fun", "func", "objective", "energy")
#: What a starting value is called, after the parameter that it is for.
STARTING_VALUES = ("{}", "{}0", "{}_0", "{}_init", "init_{}", "initial_{}")


class GradientCall:
    """A gradient that the function ``gradient`` gives, before a ``statement``, or behind the script if None.

    ``arguments`` are the texts of its arguments, and of those of the function ``loss``. One function may give
    both, the gradient as its second result, if the two are the same. ``target`` is the name that the gradient
    has there, ``output`` that of the loss, or "". ``is_last`` says that the statement is not to run.
    """

    __slots__ = ("arguments", "gradient", "is_last", "loss", "output", "statement", "target")

    def __init__(
        self,
        statement: tree.Statement | None,
        loss: str,
        gradient: str,
        arguments: list[str],
        target: str = "",
        output: str = "",
        is_last: bool = False,
    ) -> None:
        self.statement, self.loss, self.gradient, self.arguments = statement, loss, gradient, arguments
        self.target, self.output, self.is_last = target, output, is_last

    def texts(self, arguments: list[str]) -> tuple[str, str]:
        """Return the calls that give the loss and the gradient at these arguments."""
        inside = f"({', '.join(arguments)})"
        return self.loss + inside, self.gradient + inside


class CallSearch:
    """Finds these gradients in the statements of a script, of the functions that it calls too."""

    def __init__(self, source: Source, script: tree.Script) -> None:
        self.source = source
        self.script = script
        self.words = words_of(source)
        self.functions = {one.name: one for one in script.body if isinstance(one, tree.FunctionDef)}
        #: The functions whose results have names that say by what they are gradients.
        self.named: set[str] = set()
        self.calls = [part for part in walk(script) if isinstance(part, tree.Call)]

    def found(self) -> list[GradientCall]:
        """Return the first call of each function of a gradient."""
        made: dict[str, GradientCall] = {}
        for statement in self.statements(self.script.body, frozenset()):
            for one in (*self.optimized(statement), *self.called(statement)):
                made.setdefault(one.gradient, one)
        for name in self.functions:
            if name not in (*made, *self.named) and (uncalled := self.uncalled(name)):
                made[name] = uncalled
        return [*made.values()]

    def statements(self, body: tree.Body, called: frozenset[str]) -> Iterator[tree.Statement]:
        """Yield the simple statements of a body, and those of functions that such a statement calls."""
        for one in body:
            inner = inner_bodies(one)
            for part in inner:
                yield from self.statements(part, called)
            if inner or isinstance(one, (tree.FunctionDef, tree.ClassDef, tree.Return)):
                continue
            yield one
            call = call_of(one)
            name = "" if call is None else self.function(call.function)
            if name and name not in called:
                yield from self.statements(self.functions[name].body, called | {name})

    def text(self, node: tree.SyntaxNode) -> str:
        return self.source.excerpt(node.span)

    # -- optimizers -----------------------------------------------------------------------------------

    def optimized(self, statement: tree.Statement) -> Iterator[GradientCall]:
        """Yield what an optimizer gets: ``minimize(cost, theta, args=(X, y), jac=gradient)``."""
        for call in walk(statement):
            if not isinstance(call, tree.Call) or root_name(call.function) in self.functions:
                continue
            given = [one.value for one in call.arguments if one.keyword is None]
            by_name = {one.keyword: one.value for one in call.arguments if one.keyword is not None}
            functions = [*map(self.function, given), *(self.function(by_name.get(key)) for key in OF_LOSS)]
            loss, *others = [*filter(None, functions), ""]
            slopes = [one for key, one in by_name.items() if key in KEYWORDS]
            slope = next(filter(None, [*map(self.function, slopes), *others]), "")
            if not slope and any(isinstance(one, tree.Constant) and one.value is True for one in slopes):
                slope = loss
            values = [one for one in given if not self.function(one)]
            start = values.pop(0) if values else by_name.get(OF_START)
            more = by_name.get(OF_OTHERS) or next((one for one in values if elements_of(one) != (one,)), None)
            rest = values if more is None else elements_of(more)
            if loss and slope and start is not None:
                arguments = list(map(self.text, (start, *rest)))
                yield GradientCall(statement, loss, slope, arguments, is_last=True)

    def function(self, node: tree.SyntaxNode | None) -> str:
        """Return the name of the script's function that an expression is, "" for others."""
        name = node.id if isinstance(node, tree.Name) else ""
        return name if name in self.functions else ""

    # -- calls ----------------------------------------------------------------------------------------

    def called(self, statement: tree.Statement) -> Iterator[GradientCall]:
        """Yield the gradients that a statement computes by a function."""
        for call in walk(statement):
            name = self.function(call.function) if isinstance(call, tree.Call) else ""
            if not name or any(one.star for one in call.arguments):
                continue
            arguments = list(map(self.text, call.arguments))
            target, output = self.targets(statement, call)
            if output:
                yield GradientCall(statement, name, name, arguments, target, output)
                continue
            if self.is_derivative(target) and self.has_loss:
                self.named.add(name)
            elif self.is_gradient(name) and (loss := self.loss_beside(name, call)):
                output = self.named_before(statement, f"{loss}({', '.join(arguments)})")
                yield GradientCall(statement, loss, name, arguments, target, output)

    def targets(self, statement: tree.Statement, call: tree.Call) -> tuple[str, str]:
        """Return the name that a statement gives a gradient, and that of the loss beside it, or ""."""
        if (
            not isinstance(statement, tree.Assign)
            or statement.value is not call
            or len(statement.targets) > 1
        ):
            return "", ""
        [target] = statement.targets
        if isinstance(target, tree.Name):
            return target.id, ""
        names = [one.id for one in getattr(target, "elements", ()) if isinstance(one, tree.Name)]
        slopes = [one for one in names if is_gradient_of_something(one) and not self.is_derivative(one)]
        losses = [one for one in names if is_loss(one)]
        return (slopes[0], losses[0]) if len(slopes) == len(losses) == 1 else ("", "")

    def is_derivative(self, name: str) -> bool:
        """Whether a name says by what it is a derivative."""
        return parse_left_side(name, self.words) is not None

    @property
    def has_loss(self) -> bool:
        """Whether a statement gives what is called a loss a value."""
        return any(is_loss(name.id) for name in assigned_names(*self.script.body))

    def is_gradient(self, name: str) -> bool:
        function = self.functions[name]
        if makes_differences(function) or any(map(is_difference, function.body)):
            return False
        return is_gradient_of_something(name) or any(self.is_named_after(name, one) for one in self.functions)

    def named_before(self, statement: tree.Statement, loss: str) -> str:
        """Return the name that the statement right before one gives the loss of the same values, or ""."""
        body = next(one for one in self.bodies(self.script.body) if statement in one)
        for before in reversed(body[: body.index(statement)]):
            if isinstance(before, tree.Assign) and self.text(before.value) == loss:
                [target, *others] = before.targets
                return target.id if isinstance(target, tree.Name) and not others else ""
            if any(re.search(rf"\b{re.escape(name.id)}\b", loss) for name in assigned_names(before)):
                return ""
        return ""

    def bodies(self, body: tree.Body) -> Iterator[tree.Body]:
        yield body
        for one in body:
            for inner in [*inner_bodies(one), *([one.body] if isinstance(one, tree.FunctionDef) else [])]:
                yield from self.bodies(inner)

    # -- the loss of a gradient -----------------------------------------------------------------------

    def loss_beside(self, name: str, call: tree.Call | None) -> str:
        """Return the function whose gradient a function gives, "" if that is not certain.

        It is called with the same values. Without such a call, its name or its parameters tell, if it is no
        layer of a network: the gradient of that may be by its own value.
        """
        others = [one for one in self.functions if one != name and not self.is_gradient(one)]
        named = [one for one in others if self.is_named_after(name, one)]
        if call is not None:
            given = list(map(self.text, call.arguments))
            alike = {
                self.function(one.function) for one in self.calls if given == [*map(self.text, one.arguments)]
            }
            if same := [one for one in others if one in alike]:
                return self.only(same, named)
        called = {self.function(one.function) for one in self.calls}
        parameters = self.parameters(name)
        free = [one for one in others if self.parameters(one) == parameters]
        return self.only([one for one in free if one not in called or is_plain(one)], named)

    def only(self, functions: list[str], named: list[str]) -> str:
        """Return the only one of the functions; of several the one that is named, or called a loss."""
        for kind in (functions, [one for one in functions if one in named], list(filter(is_loss, functions))):
            if len(kind) == 1:
                return kind[0]
        return ""

    def is_named_after(self, name: str, loss: str) -> bool:
        return re.fullmatch(NAMED_AFTER.replace("@", re.escape(loss)), name) is not None

    def parameters(self, name: str) -> list[str]:
        return [one.name for one in self.functions[name].parameters]

    def uncalled(self, name: str) -> GradientCall | None:
        """Return the gradient of a function at the values that the script has for it."""
        loss = self.loss_beside(name, None) if self.is_gradient(name) else ""
        if not loss:
            return None
        own = [one for one in self.script.body if not isinstance(one, (tree.FunctionDef, tree.ClassDef))]
        bound = {one.id for one in assigned_names(*own)}
        arguments = []
        for one in self.functions[name].parameters:
            known = [form.format(one.name) for form in STARTING_VALUES if form.format(one.name) in bound]
            if not known and one.default is None:
                return None
            arguments += known[:1]
        return GradientCall(None, loss, name, arguments) if arguments else None


def is_plain(name: str) -> bool:
    """Whether a function is that of a loss, or another that is no layer of a network."""
    return is_loss(name) or name in PLAIN_FUNCTIONS
