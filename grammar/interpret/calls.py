"""Compiles calls and the evaluation of their arguments.

Builtins that the script does not shadow are known at compile time. A call of such a builtin with a single
tensor calls the op directly.
"""

from __future__ import annotations

from autodiff.core.base.errors import ScriptError
from autodiff.core.base.lazy_imports import LazyModule
from autodiff.core.engine.public_functions import PublicFunction
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.dtypes import DType
from autodiff.core.graph.state import mode
from autodiff.grammar.interpret.compiler import EXPRESSIONS, Compiler, compiles
from autodiff.grammar.objects.argument_check import check_call, function_key
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.objects.values import (
    ITERATORS,
    NAMED_RESULTS,
    UNBOUND,
    BoundMethod,
    Builtin,
    Drawing,
    FunctionClass,
    Generator,
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

attributes = LazyModule("autodiff.grammar.objects.attributes")
plain_arrays = LazyModule("autodiff.grammar.objects.plain_arrays")
plain_functions = LazyModule("autodiff.grammar.objects.plain_functions")
side_modules = LazyModule("autodiff.grammar.objects.side_modules")
methods = LazyModule("autodiff.grammar.objects.methods")
script_functions = LazyModule("autodiff.grammar.interpret.script_functions")

NO_KWARGS: dict[str, Any] = {}


# -- calling ----------------------------------------------------------------------------------------


def call_value(function: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """Call a value with these arguments; raise a ScriptError if it is not callable."""
    kind = function.__class__
    if kind is ScriptFunction:
        return script_functions.invoke(function, args, kwargs)
    if kind is PublicFunction:
        return call_public(function_key(function, function.name), function, args, kwargs)
    if kind in CALLABLE_KINDS:
        if "out" in kwargs and runtime.prints_numbers:
            return plain_arrays.write_result(function, args, kwargs)
        return function(*args, **kwargs)
    if kind is GradMode:
        return decorate(function, *args)
    if kind is Drawing:
        return side_modules.draw(function, args, kwargs)
    if kind is DType and runtime.plain_functions:
        from autodiff.grammar.objects.numpy_functions import convert

        return convert(function, *args, **kwargs)
    raise not_callable(function)


def call_public(key: str, function: PublicFunction, args: Any, kwargs: dict[str, Any]) -> Any:
    """Call a function of core after torch's check of the arguments; a plain script passes numbers too."""
    if runtime.plain_functions:
        if "out" in kwargs and runtime.prints_numbers:
            return plain_arrays.write_result(function, args, kwargs)
        return plain_functions.call_plain(function, args, kwargs)
    if "generator" in kwargs and function.name in methods.DRAWING_FUNCTIONS:
        others = {name: value for name, value in kwargs.items() if name != "generator"}
        source = kwargs["generator"]
        if source is None:
            return call_public(key, function, args, others)
        if source.__class__ is Generator:
            return methods.draw_with(source, lambda: call_public(key, function, args, others))
    check_call(key, function, args, kwargs)
    return function(*args, **kwargs)


#: torch's error for ``Square()(x)``. torch accepts ``Square(x)``; here it raises the same error.
LEGACY_FUNCTION_ERROR = (
    "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd"
    " function with static forward method. (Example: https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
)
CALLABLE_KINDS = frozenset([Builtin, BoundMethod, Module])


def decorate(switch: GradMode, *args: Any) -> ScriptFunction:
    """Return the function that ``no_grad()(f)`` makes."""
    if len(args) != 1 or args[0].__class__ is not ScriptFunction:
        raise ScriptError(f"{switch.name}() can only decorate a function", code="E0310")
    function: ScriptFunction = args[0]
    made = ScriptFunction(function.code, function.parent, function.defaults, function.invoke)
    made.mode = switch.switch
    return made


def not_callable(value: Any) -> ScriptError:
    """Return the error for calling a value that is not callable."""
    if value.__class__ is Namespace:
        from autodiff.grammar.objects.absent_table import absence_error

        missing = absence_error(value.name)
        if missing is not None:
            return missing
    if value.__class__ is FunctionClass:
        return ScriptError(
            LEGACY_FUNCTION_ERROR,
            code="E0412",
            caret="a Function is applied, not called",
            help=(f"write `{value.name}.apply(...)`",),
            repair_context=(value,),
        )
    return ScriptError(
        f"'{type_name(value)}' object is not callable",
        code="E0209",
        caret="this is no function",
        repair_context=(value,),
    )


@compiles(tree.Call, EXPRESSIONS)
def compile_call(c: Compiler, node: tree.Call) -> Evaluate:
    is_positional = all(a.keyword is None and not a.star for a in node.arguments)
    constant = c.constant(node.function)
    if constant is not UNBOUND:
        if constant.__class__ is PublicFunction:
            return compile_builtin_call(c, node, constant, is_positional)
        return compile_general_call(c, node, lambda frame: constant, is_positional)
    if node.function.__class__ is tree.Attribute:
        return compile_method_call(c, node, node.function, is_positional)
    return compile_general_call(c, node, c.expression(node.function), is_positional)


def compile_positional(c: Compiler, node: tree.Call) -> list[Evaluate]:
    return [c.expression(argument.value) for argument in node.arguments]


def compile_builtin_call(
    c: Compiler, node: tree.Call, function: PublicFunction, is_positional: bool
) -> Evaluate:
    """Compile a call of a function of core that the script does not shadow."""
    span, key = node.span, signature_key(c, node.function, function)
    if not is_positional:
        gather = compile_arguments(c, node)

        def run_general(frame: Frame) -> Any:
            values, named = gather(frame)
            mode.site = span
            return call_public(key, function, values, named)

        return run_general
    arguments = compile_positional(c, node)
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
            return call_public(key, function, (x,), NO_KWARGS)

        return run_direct

    def run(frame: Frame) -> Any:
        values = [argument(frame) for argument in arguments]
        mode.site = span
        return call_public(key, function, values, NO_KWARGS)

    return run


def signature_key(c: Compiler, node: tree.Expression, function: PublicFunction) -> str:
    """Return the key of the function that ``node`` names, for the check of its arguments."""
    if isinstance(node, tree.Name):
        return function_key(function, node.id)
    assert isinstance(node, tree.Attribute)  # Compiler.constant knows names and attributes only
    owner = c.constant(node.object).name.rpartition(".")[2]
    return function_key(function, node.name, {"functional": "F"}.get(owner, owner))


def compile_general_call(c: Compiler, node: tree.Call, function: Evaluate, is_positional: bool) -> Evaluate:
    """Compile a call of the value of an expression."""
    span = node.span
    if is_positional:
        arguments = compile_positional(c, node)
        if len(arguments) == 1:
            (argument,) = arguments

            def run_one(frame: Frame) -> Any:
                callee = function(frame)
                x = argument(frame)
                mode.site = span
                if callee.__class__ is ScriptFunction:
                    return script_functions.invoke(callee, (x,), NO_KWARGS)
                return call_value(callee, (x,), NO_KWARGS)

            return run_one

        def run(frame: Frame) -> Any:
            callee = function(frame)
            values = [argument(frame) for argument in arguments]
            mode.site = span
            return call_value(callee, values, NO_KWARGS)

        return run
    gather = compile_arguments(c, node)

    def run_general(frame: Frame) -> Any:
        callee = function(frame)
        values, named = gather(frame)
        mode.site = span
        return call_value(callee, values, named)

    return run_general


def compile_method_call(
    c: Compiler, node: tree.Call, target: tree.Attribute, is_positional: bool
) -> Evaluate:
    """Compile ``owner.name(...)`` without making a bound method; ``name`` may also be another attribute."""
    owner, name, span, name_span = c.expression(target.object), target.name, node.span, target.name_span
    key = f"Tensor.{name}"
    direct: dict[type, tuple[Callable[..., Any], bool]] = {}

    def method_of(value: Any) -> tuple[Callable[..., Any], bool]:
        """Return the function for a call without arguments, and whether its arguments need no check."""
        found = attributes.find_method(value, name)
        if found is None:
            function = attributes.get_attribute(value, name, name_span)
            return (lambda _, *args, **kwargs: call_value(function, args, kwargs)), False
        of_one = found.of_one if isinstance(found, PublicFunction) else None
        entry = direct[value.__class__] = of_one or found, of_one is not None
        return entry

    if is_positional and not node.arguments:

        def run_none(frame: Frame) -> Any:
            value = owner(frame)
            entry = direct.get(value.__class__)
            mode.site = span
            if entry is None:
                entry = method_of(value)
                if not entry[1] and value.__class__ is Tensor and entry[0].__class__ is not Builtin:
                    check_call(key, attributes.find_method(value, name), (value,), NO_KWARGS)
            return entry[0](value)

        return run_none
    gather = compile_arguments(c, node)

    def run(frame: Frame) -> Any:
        value = owner(frame)
        function = attributes.find_method(value, name)
        if function is None:  # as in Python, the attribute is read before the arguments are evaluated
            mode.site = span
            member = attributes.get_attribute(value, name, name_span)
            values, named = gather(frame)
            mode.site = span
            return call_value(member, values, named)
        values, named = gather(frame)
        mode.site = span
        is_tensor = value.__class__ is Tensor
        out = named.pop("out", None) if is_tensor and runtime.prints_numbers else None
        if is_tensor and function.__class__ is not Builtin:  # numpy's methods
            check_call(key, function, (value, *values), named)
        made = function(value, *values, **named)
        return made if out is None else plain_arrays.write_to(out, made)

    return run


def compile_arguments(c: Compiler, node: tree.Call) -> Callable[[Frame], tuple[list[Any], dict[str, Any]]]:
    """Return the closure that evaluates the arguments of a call, positional and named."""
    if all(a.keyword is None and not a.star for a in node.arguments):
        arguments = compile_positional(c, node)
        return lambda frame: ([argument(frame) for argument in arguments], NO_KWARGS)
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
                if value.__class__ not in ITERATORS and value.__class__ not in NAMED_RESULTS:
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
