"""Compiles calls and the evaluation of their arguments.

Builtins that the script does not shadow are known at compile time. A call of such a builtin with a single
tensor calls the op directly.
"""

from __future__ import annotations

from autodiff.core.base.errors import CompileError, ScriptError
from autodiff.core.base.lazy import Later
from autodiff.core.engine.public_functions import Function
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.state import mode
from autodiff.grammar.interpret.compiler import EXPRESSIONS, Compiler, compiles
from autodiff.grammar.objects.argument_types import check, key_of
from autodiff.grammar.objects.values import (
    ITERATION,
    NAMED_RESULTS,
    UNBOUND,
    BoundMethod,
    Builtin,
    FunctionClass,
    GradMode,
    Module,
    Namespace,
    ScriptFunction,
    check_length,
    collect,
    type_name,
)
from autodiff.grammar.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from autodiff.grammar.interpret.compiler import Evaluate, Frame

attributes = Later("autodiff.grammar.objects.attributes")
script_functions = Later("autodiff.grammar.interpret.script_functions")

NOTHING: dict[str, Any] = {}


# -- calling ----------------------------------------------------------------------------------------


def call(function: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """Call a value with these arguments; raise a ScriptError if it is not callable."""
    kind = function.__class__
    if kind is ScriptFunction:
        return script_functions.invoke(function, args, kwargs)
    if kind is Function:
        check(key_of(function, function.name), function, args, kwargs)
        return function(*args, **kwargs)
    if kind in CALLABLE:
        return function(*args, **kwargs)
    if kind is GradMode:
        return decorate(function, *args)
    raise not_callable(function)


#: torch's error for ``Square()(x)``. torch accepts ``Square(x)``; here it raises the same error.
CALLED_FUNCTION = (
    "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd"
    " function with static forward method. (Example: https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
)
CALLABLE = frozenset([Builtin, BoundMethod, Module])


def decorate(switch: GradMode, *args: Any) -> ScriptFunction:
    """Return the function that ``no_grad()(f)`` makes."""
    if len(args) != 1 or args[0].__class__ is not ScriptFunction:
        raise ScriptError(f"{switch.name}() can only be put on a function", code="E0310")
    function: ScriptFunction = args[0]
    made = ScriptFunction(function.code, function.parent, function.defaults, function.invoke)
    made.mode = switch.switch
    return made


def not_callable(value: Any) -> ScriptError:
    """Return the error for calling a value that is not callable."""
    if value.__class__ is Namespace:
        from autodiff.grammar.objects.absent_table import absence

        missing = absence(value.name)
        if missing is not None:
            return missing
    if value.__class__ is FunctionClass:
        return ScriptError(
            CALLED_FUNCTION,
            code="E0412",
            caret="a Function is applied, not called",
            help=(f"write `{value.name}.apply(...)`",),
            about=(value,),
        )
    return ScriptError(
        f"'{type_name(value)}' object is not callable",
        code="E0209",
        caret="this is no function",
        about=(value,),
    )


@compiles(tree.Call, EXPRESSIONS)
def call_expression(c: Compiler, node: tree.Call) -> Evaluate:
    plain = all(a.keyword is None and not a.star for a in node.arguments)
    constant = c.constant(node.function)
    if constant is not UNBOUND:
        if constant.__class__ is Function:
            return call_of_function(c, node, constant, plain)
        return call_of(c, node, lambda frame: constant, plain)
    if node.function.__class__ is tree.Attribute:
        return call_of_method(c, node, node.function, plain)
    return call_of(c, node, c.expression(node.function), plain)


def positional(c: Compiler, node: tree.Call) -> list[Evaluate]:
    return [c.expression(argument.value) for argument in node.arguments]


def call_of_function(c: Compiler, node: tree.Call, function: Function, plain: bool) -> Evaluate:
    """Compile a call of a function of core that the script does not shadow."""
    span, key = node.span, key_at(c, node.function, function)
    if not plain:
        gather = gathering(c, node)

        def run_general(frame: Frame) -> Any:
            values, named = gather(frame)
            mode.site = span
            check(key, function, values, named)
            return function(*values, **named)

        return run_general
    arguments = positional(c, node)
    of_one = function.of_one if len(arguments) == 1 else None
    if of_one is not None:
        (argument,) = arguments

        # As with operators: a name of the running frame is read from its slot; the closure of an unbound one
        # raises the error.
        slot = c.local_slot(node.arguments[0].value)

        def run_direct(frame: Frame) -> Any:
            x = frame[slot] if slot else argument(frame)
            mode.site = span
            if x.__class__ is Tensor:
                return of_one(x)
            if x is UNBOUND:
                argument(frame)
            check(key, function, (x,), NOTHING)
            return function(x)

        return run_direct

    def run(frame: Frame) -> Any:
        values = [argument(frame) for argument in arguments]
        mode.site = span
        check(key, function, values, NOTHING)
        return function(*values)

    return run


def key_at(c: Compiler, node: tree.Expression, function: Function) -> str:
    """Return the key of the function that ``node`` names, for the check of its arguments."""
    if isinstance(node, tree.Name):
        return key_of(function, node.id)
    assert isinstance(node, tree.Attribute)  # Compiler.constant knows names and attributes only
    owner = c.constant(node.object).name.rpartition(".")[2]
    return key_of(function, node.name, {"functional": "F"}.get(owner, owner))


def call_of(c: Compiler, node: tree.Call, function: Evaluate, plain: bool) -> Evaluate:
    """Compile a call of the value of an expression."""
    span = node.span
    if plain:
        arguments = positional(c, node)
        if len(arguments) == 1:
            (argument,) = arguments

            def run_one(frame: Frame) -> Any:
                callee = function(frame)
                x = argument(frame)
                mode.site = span
                if callee.__class__ is ScriptFunction:
                    return script_functions.invoke(callee, (x,), NOTHING)
                return call(callee, (x,), NOTHING)

            return run_one

        def run(frame: Frame) -> Any:
            callee = function(frame)
            values = [argument(frame) for argument in arguments]
            mode.site = span
            return call(callee, values, NOTHING)

        return run
    gather = gathering(c, node)

    def run_general(frame: Frame) -> Any:
        callee = function(frame)
        values, named = gather(frame)
        mode.site = span
        return call(callee, values, named)

    return run_general


def call_of_method(c: Compiler, node: tree.Call, target: tree.Attribute, plain: bool) -> Evaluate:
    """Compile ``owner.name(...)`` without making a bound method; ``name`` may also be another attribute."""
    owner, name, span, name_span = c.expression(target.object), target.name, node.span, target.name_span
    key = f"Tensor.{name}"
    direct: dict[type, tuple[Callable[..., Any], bool]] = {}

    def method_of(value: Any) -> tuple[Callable[..., Any], bool]:
        """Return the function for a call without arguments, and whether its arguments need no check."""
        found = attributes.find_method(value, name)
        if found is None:
            function = attributes.get_attribute(value, name, name_span)
            return (lambda _, *args, **kwargs: call(function, args, kwargs)), False
        of_one = found.of_one if isinstance(found, Function) else None
        entry = direct[value.__class__] = of_one or found, of_one is not None
        return entry

    if plain and not node.arguments:

        def run_none(frame: Frame) -> Any:
            value = owner(frame)
            entry = direct.get(value.__class__)
            mode.site = span
            if entry is None:
                entry = method_of(value)
                if not entry[1] and value.__class__ is Tensor:
                    check(key, attributes.find_method(value, name), (value,), NOTHING)
            return entry[0](value)

        return run_none
    gather = gathering(c, node)

    def run(frame: Frame) -> Any:
        value = owner(frame)
        function = attributes.find_method(value, name)
        if function is None:  # as in Python, the attribute is read before the arguments are evaluated
            mode.site = span
            member = attributes.get_attribute(value, name, name_span)
            values, named = gather(frame)
            mode.site = span
            return call(member, values, named)
        values, named = gather(frame)
        mode.site = span
        if value.__class__ is Tensor:
            check(key, function, (value, *values), named)
        return function(value, *values, **named)

    return run


def gathering(c: Compiler, node: tree.Call) -> Callable[[Frame], tuple[list[Any], dict[str, Any]]]:
    """Return the closure that evaluates the arguments of a call, positional and named."""
    if all(a.keyword is None and not a.star for a in node.arguments):
        arguments = positional(c, node)
        return lambda frame: ([argument(frame) for argument in arguments], NOTHING)
    seen = set()
    for argument in node.arguments:
        if argument.keyword is not None:
            if argument.keyword in seen:
                raise CompileError(
                    f"keyword argument repeated: {argument.keyword}",
                    code="E0102",
                    caret="this is given twice",
                    span=argument.span,
                )
            seen.add(argument.keyword)
    called = ""
    if isinstance(node.function, tree.Name):
        of_script = c.scope.find(node.function.id) is not None
        called = f"{'__main__.' if of_script else ''}{node.function.id}() "
    parts = [(a.keyword, a.span if a.star else None, c.expression(a.value)) for a in node.arguments]

    def run(frame: Frame) -> tuple[list[Any], dict[str, Any]]:
        values: list[Any] = []
        named: dict[str, Any] = {}
        for keyword, starred, part in parts:
            if starred is not None:
                value = part(frame)
                mode.site = starred
                if value.__class__ not in ITERATION and value.__class__ not in NAMED_RESULTS:
                    raise ScriptError(
                        f"{called}argument after * must be an iterable, not {type_name(value)}",
                        code="E0205",
                        caret="this is one value, not a sequence of values",
                    )
                added = collect(value)
                check_length(len(values) + len(added), "list")
                values.extend(added)
            elif keyword is None:
                values.append(part(frame))
            else:
                named[keyword] = part(frame)
        return values, named

    return run
