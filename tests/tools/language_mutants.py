"""Mistakes planted in the interpreter, one at a time: each has to be found by the generated scripts.

A mutant is a function that takes pytest's monkeypatch and breaks one rule of the language.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

import pytest
from autodiff.core.base.errors import AutodiffError
from autodiff.core.engine import printing
from autodiff.core.engine.custom_function import Context
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.state import mode
from autodiff.grammar.interpret import (
    assignment,
    calls,
    compiler,
    comprehensions,
    definitions,
    expressions,
    operators,
    script_functions,
    statements,
)
from autodiff.grammar.objects import operators as arithmetic
from autodiff.grammar.objects import percent_format, sequence_methods, subscripts, value_text
from autodiff.grammar.objects.builtins import functions
from autodiff.grammar.objects.values import Builtin
from autodiff.grammar.syntax import tree
from exception_names import PYTHON_NAMES

Patch = pytest.MonkeyPatch
Mutant = Callable[[Patch], None]
MUTANTS: dict[str, Mutant] = {}
METHODS = sequence_methods.METHODS


def mutant(name: str) -> Callable[[Mutant], Mutant]:
    def enter(plant: Mutant) -> Mutant:
        MUTANTS[name] = plant
        return plant

    return enter


def construct(kind: type, table: dict[type, Any], wrap: Callable[[Any, Any, Any], Any]) -> Mutant:
    """Another closure for a construct: ``wrap(compile, compiler, node)`` makes it."""

    def plant(patch: Patch) -> None:
        right = table[kind]
        patch.setitem(table, kind, lambda c, node: wrap(right, c, node))

    return plant


def entry(table: dict[Any, Any], key: Any, wrong: Callable[[Any], Any]) -> Mutant:
    """Another function in a table: ``wrong(right)``."""

    def plant(patch: Patch) -> None:
        patch.setitem(table, key, wrong(table[key]))
        if table is arithmetic.BINARY:
            patch.delitem(operators.FAST_PATHS, key, raising=False)

    return plant


def attribute(owner: Any, name: str, wrong: Callable[[Any], Any]) -> Mutant:
    """Another function in a module or class: ``wrong(right)``."""

    def plant(patch: Patch) -> None:
        patch.setattr(owner, name, wrong(getattr(owner, name)))

    return plant


def builtin(name: str, wrong: Callable[[Any], Any]) -> Mutant:
    def plant(patch: Patch) -> None:
        made: Builtin = functions.BUILTINS[name]
        patch.setattr(made, "function", wrong(made.function))

    return plant


def without(field: str, value: Any) -> Callable[[Any, Any, Any], Any]:
    """The construct as if the script had not written a part of it."""

    def compile_without(right: Any, c: Any, node: Any) -> Any:
        changed = copy.copy(node)
        setattr(changed, field, value)
        return right(c, changed)

    return compile_without


# -- scopes and functions ---------------------------------------------------------------------------


@mutant("closures keep the values of their making")
def early_binding(patch: Patch) -> None:
    right = script_functions.compile_function
    for module in (script_functions, definitions):
        patch.setattr(
            module,
            "compile_function",
            lambda *given: (lambda make: lambda frame: make(frame[:]))(right(*given)),
        )


@mutant("defaults are made anew by every call")
def fresh_defaults(patch: Patch) -> None:
    right = script_functions.bind_arguments

    def bind(function: Any, args: Any, kwargs: Any) -> Any:
        frame = right(function, args, kwargs)
        return [x[:] if x.__class__ is list and any(x is d for d in function.defaults) else x for x in frame]

    patch.setattr(script_functions, "bind_arguments", bind)


@mutant("keyword arguments are lost")
def no_keywords(patch: Patch) -> None:
    right = script_functions.bind_arguments
    patch.setattr(
        script_functions, "bind_arguments", lambda function, args, kwargs: right(function, args, {})
    )


@mutant("a return inside a loop goes on")
def return_continues(patch: Patch) -> None:
    right = compiler.STATEMENTS[tree.Return]

    def compile_return(c: Any, node: Any) -> Any:
        run = right(c, node)
        return lambda frame: run(frame) and compiler.CONTINUE

    patch.setitem(compiler.STATEMENTS, tree.Return, compile_return)


@mutant("a comprehension's variable is the one around it")
def leaking_comprehension(patch: Patch) -> None:
    right = compiler.EXPRESSIONS[tree.Comprehension]

    def compile_leaking(c: Any, node: Any) -> Any:
        run = right(c, node)
        target = node.clauses[0].target
        slot = c.scope.slots.get(target.id) if isinstance(target, tree.Name) else None

        def leak(frame: Any) -> Any:
            found = run(frame)
            if slot is not None and found:
                frame[slot] = len(found) - 1
            return found

        return leak

    patch.setitem(compiler.EXPRESSIONS, tree.Comprehension, compile_leaking)


# -- statements -------------------------------------------------------------------------------------

MUTANTS |= {
    "for never comes to its else": construct(tree.For, compiler.STATEMENTS, without("orelse", ())),
    "while never comes to its else": construct(tree.While, compiler.STATEMENTS, without("orelse", ())),
    "continue leaves the loop": entry(
        compiler.STATEMENTS, tree.Continue, lambda right: lambda c, node: lambda frame: compiler.BREAK
    ),
    "break goes on": entry(
        compiler.STATEMENTS, tree.Break, lambda right: lambda c, node: lambda frame: compiler.CONTINUE
    ),
    "elif is not tried": construct(
        tree.If,
        compiler.STATEMENTS,
        lambda right, c, node: without("branches", node.branches[:1])(right, c, node),
    ),
    "del leaves the value": attribute(
        assignment, "compile_deletion", lambda right: lambda c, target: lambda frame: None
    ),
    "assert is skipped": entry(
        compiler.STATEMENTS, tree.Assert, lambda right: lambda c, node: lambda frame: None
    ),
    "an empty list is true": attribute(statements, "is_true", lambda right: lambda x: x == [] or right(x)),
    "the star takes all that is there": attribute(
        assignment,
        "unpack",
        lambda right: (
            lambda value, wanted, star: (
                right(value, wanted, star) if star is None else [*right(value, wanted, star)[:-1], [0]]
            )
        ),
    ),
    "the second target of a chain is left out": construct(
        tree.Assign,
        compiler.STATEMENTS,
        lambda right, c, node: without("targets", node.targets[:1])(right, c, node),
    ),
}


@mutant("+= makes a new list")
def new_list(patch: Patch) -> None:
    right = assignment.in_place_operator

    def changing(operate: Any, op: str) -> Any:
        change = right(operate, op)
        return lambda old, other: change(old[:] if old.__class__ is list else old, other)

    patch.setattr(assignment, "in_place_operator", changing)


@mutant("+= makes a new tensor")
def new_tensor(patch: Patch) -> None:
    right = assignment.in_place_operator

    def changing(operate: Any, op: str) -> Any:
        change = right(operate, op)
        return lambda old, other: (operate if old.__class__ is Tensor else change)(old, other)

    patch.setattr(assignment, "in_place_operator", changing)


@mutant("no_grad() outlives a return or break")
def stays_off(patch: Patch) -> None:
    right = compiler.STATEMENTS[tree.With]

    def compile_with(c: Any, node: Any) -> Any:
        run = right(c, node)

        def stay(frame: Any) -> Any:
            signal = run(frame)
            if signal is not None:
                mode.enabled = False
            return signal

        return stay

    patch.setitem(compiler.STATEMENTS, tree.With, compile_with)


@mutant("a decorated function records")
def decorator_without_effect(patch: Patch) -> None:
    patch.setattr(definitions, "decorate", lambda switch, function: function)


# -- expressions ------------------------------------------------------------------------------------


def last_link(right: Any, c: Any, node: Any) -> Any:
    return without("rest", node.rest[-1:])(right, c, node)


def without_precedence(right: Any, c: Any, node: Any) -> Any:
    """Comparison of the whole chain, evaluated to its end."""
    run = right(c, node)
    return lambda frame: bool(run(frame))


MUTANTS |= {
    "only the last comparison of a chain counts": construct(tree.Comparison, compiler.EXPRESSIONS, last_link),
    "and gives true or false": construct(tree.Boolean, compiler.EXPRESSIONS, without_precedence),
    "the branches of a conditional change places": construct(
        tree.Conditional,
        compiler.EXPRESSIONS,
        lambda right, c, node: right(c, swapped(node)),
    ),
    "// cuts towards zero": entry(arithmetic.BINARY, "//", lambda right: truncated(right)),
    "% has the sign of the dividend": entry(
        arithmetic.BINARY,
        "%",
        lambda right: (
            lambda x, y: int(math.fmod(x, y)) if x.__class__ is y.__class__ is int and y else right(x, y)
        ),
    ),
    "a difference adds": entry(arithmetic.BINARY, "-", lambda right: arithmetic.BINARY["+"]),
    "^ is |": entry(arithmetic.BINARY, "^", lambda right: arithmetic.BINARY["|"]),
    ">> is <<": entry(arithmetic.BINARY, ">>", lambda right: arithmetic.BINARY["<<"]),
    "~ is minus": entry(arithmetic.UNARY, "~", lambda right: arithmetic.UNARY["-"]),
    "is compares values": entry(arithmetic.COMPARISON, "is", lambda right: arithmetic.COMPARISON["=="]),
    "in is not in": entry(arithmetic.COMPARISON, "in", lambda right: lambda x, y: not right(x, y)),
    "<= is <": entry(arithmetic.COMPARISON, "<=", lambda right: arithmetic.COMPARISON["<"]),
    "the step of a slice is forgotten": attribute(
        subscripts, "int_slice", lambda right: lambda index: slice(right(index).start, right(index).stop)
    ),
    "conditions of a comprehension are not asked": attribute(
        comprehensions, "is_true", lambda right: lambda x: True
    ),
    "stars are not unpacked": attribute(expressions, "collect", lambda right: lambda x: [x]),
    "a starred argument is one argument": attribute(calls, "collect", lambda right: lambda x: [x]),
}


def swapped(node: Any) -> Any:
    changed = copy.copy(node)
    changed.body, changed.orelse = node.orelse, node.body
    return changed


def truncated(right: Any) -> Any:
    return lambda x, y: int(x / y) if x.__class__ is y.__class__ is int and y else right(x, y)


# -- builtins, methods, text, errors ----------------------------------------------------------------

MUTANTS |= {
    "sorted() forgets its key": builtin(
        "sorted", lambda right: lambda x, key=None, reverse=False: right(x, reverse=reverse)
    ),
    "enumerate() starts at 0": builtin("enumerate", lambda right: lambda x, start=0: right(x)),
    "round() rounds halves up": builtin(
        "round",
        lambda right: (
            lambda x, n=None: math.floor(x + 0.5) if n is None and x.__class__ is float else right(x, n)
        ),
    ),
    "max() gives the last of equals": builtin(
        "max",
        lambda right: lambda *x, **more: right(*x[:-1]) if len(x) > 2 and not more else right(*x, **more),
    ),
    "is_grad_enabled() is always true": builtin("is_grad_enabled", lambda right: lambda: True),
    "pop() takes the first": entry(METHODS, (list, "pop"), lambda right: lambda x, at=0: right(x, at)),
    "copy() gives the list itself": entry(METHODS, (list, "copy"), lambda right: lambda x: x),
    "sort() sorts a copy": entry(
        METHODS, (list, "sort"), lambda right: lambda x, **more: right(x[:], **more)
    ),
    "insert() puts it behind": entry(
        METHODS, (list, "insert"), lambda right: lambda x, at, v: right(x, at + 1, v)
    ),
    "detach() copies": entry(
        METHODS, (Tensor, "detach"), lambda right: lambda x: Tensor.of(copy.copy(right(x).value))
    ),
    "backward() keeps the graph": entry(
        METHODS,
        (Tensor, "backward"),
        lambda right: lambda x, g=None, *rest, **more: right(x, more.get("gradient", g), True),
    ),
    "zero_() gives a new tensor": entry(METHODS, (Tensor, "zero_"), lambda right: lambda x: x * 0),
    "a sign in a format spec is dropped": attribute(
        value_text, "format_with_spec", lambda right: lambda value, spec: right(value, spec.replace("+", ""))
    ),
    "!r is forgotten": attribute(
        expressions.text_format,
        "format_value",
        lambda right: lambda value, conversion, spec: right(value, "", spec),
    ),
    "%-formats forget their precision": attribute(
        percent_format,
        "format_by_spec",
        lambda right: lambda value, spec: right(value, spec[-1]),
    ),
    "lines of tensors may be longer": attribute(
        printing,
        "lay_out_row",
        lambda right: lambda cells, cut, width, column: right(cells, cut, width, column - 8),
    ),
    "more entries are shown": attribute(
        type(printing.print_options),
        "start",
        lambda right: lambda options: [right(options), setattr(options, "threshold", 1500)],
    ),
    "0.5 needs five digits": attribute(printing, "spell_fixed", lambda right: lambda value: f"{value:.5f}"),
    "an IndexError is called ValueError": entry(PYTHON_NAMES, "E0208", lambda right: "ValueError"),
    "errors have no place": attribute(AutodiffError, "at", lambda right: lambda error, span: error),
    "every input needs a gradient": attribute(
        Context, "__init__", lambda right: lambda self, needs: right(self, tuple(True for _ in needs))
    ),
}
