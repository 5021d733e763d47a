"""Finds where a name of the program is used, also in functions that it is passed to.

Rewrites of optimizers and loaders follow their names with it.
"""

from __future__ import annotations

from autodiff.core.base.errors import Edit
from autodiff.core.base.source import Span
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import walk
from autodiff.grammar.translate.pasted_program import PastedProgram

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class PassedName:
    """A name passed to a function of the program: the argument of a call, and its parameter."""

    __slots__ = ("argument", "call", "function", "parameter")

    def __init__(
        self, call: tree.Call, argument: Any, function: tree.FunctionDef, parameter: tree.Parameter
    ) -> None:
        self.call = call
        self.argument = argument
        self.function = function
        self.parameter = parameter


def uses_of_name(pasted: PastedProgram, name: str) -> tuple[list[Any], list[PassedName]]:
    """Return the places that refer to the value of ``name``, and how it is passed to functions.

    Places where it is passed to a function of the program are among the passings only.
    """
    functions = {node.name: node for node in walk(pasted.script) if isinstance(node, tree.FunctionDef)}
    places: list[Any] = []
    passings: list[PassedName] = []
    known: set[tuple[int, str]] = set()
    pending: list[tuple[Any, str]] = [(pasted.script, name)]
    while pending:
        scope, called = pending.pop()
        if (id(scope), called) in known:
            continue
        known.add((id(scope), called))
        for node in walk(scope):
            if not isinstance(node, tree.Name) or node.id != called or is_shadowed(pasted, node, scope):
                continue
            passing = passed_name(pasted, node, functions)
            if passing is None:
                places.append(node)
            else:
                passings.append(passing)
                pending.append((passing.function, passing.parameter.name))
    return places, passings


def is_shadowed(pasted: PastedProgram, node: Any, scope: Any) -> bool:
    """Whether a function between a name and ``scope`` has a parameter of that name."""
    around = pasted.inside(node, tree.FunctionDef)
    while around is not None and around is not scope:
        if any(parameter.name == node.id for parameter in around.parameters):
            return True
        around = pasted.inside(around, tree.FunctionDef)
    return False


def passed_name(
    pasted: PastedProgram, node: Any, functions: dict[str, tree.FunctionDef]
) -> PassedName | None:
    """Return how a name is passed to a function of the program; None if it is not."""
    argument = pasted.parent(node)
    call = pasted.parent(argument)
    if not isinstance(argument, tree.Argument) or not isinstance(call, tree.Call) or argument.star:
        return None
    function = functions.get(call.function.id) if isinstance(call.function, tree.Name) else None
    if function is None or any(one.star for one in function.parameters):
        return None
    if any(one.star for one in call.arguments):
        return None
    position = next(index for index, one in enumerate(call.arguments) if one is argument)
    for index, parameter in enumerate(function.parameters):
        if argument.keyword == parameter.name or (argument.keyword is None and index == position):
            return PassedName(call, argument, function, parameter)
    return None


def element_removal(elements: tuple[Any, ...], element: Any) -> Edit:
    """Return the edit that removes one of several arguments or parameters, with its comma."""
    index = next(number for number, one in enumerate(elements) if one is element)
    if index:
        return Edit(Span(elements[index - 1].span.end, element.span.end), "")
    if len(elements) > 1:
        return Edit(Span(element.span.start, elements[1].span.start), "")
    return Edit(element.span, "")
