"""Calls: which closure a call becomes, how arguments meet parameters, what a function's run is.

Builtins that a script does not shadow are known when it is compiled; a call of one with a single tensor
goes straight to the op.
"""

from __future__ import annotations

from autodiff.core.errors import AutodiffError, CompileError, ScriptError
from autodiff.core.functions import MISSING, Function
from autodiff.core.mode import mode
from autodiff.core.span import Span
from autodiff.core.tensors import Tensor
from autodiff.grammar import syntax
from autodiff.grammar.attributes import find_method, get_attribute
from autodiff.grammar.interpreter import EXPRESSIONS, Compiler, compiles
from autodiff.grammar.runtime import runtime
from autodiff.grammar.scope import FIRST_SLOT, Scope
from autodiff.grammar.script_errors import PYTHON_ERRORS, translate
from autodiff.grammar.values import (
    UNBOUND,
    BoundMethod,
    Builtin,
    FunctionClass,
    GradMode,
    ScriptFunction,
    collect,
    type_name,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from autodiff.grammar.interpreter import Evaluate, Frame

FRAMES_SHOWN = 20
NOTHING: dict[str, Any] = {}


# -- calling ----------------------------------------------------------------------------------------


def call(function: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """Call whatever can be called."""
    kind = function.__class__
    if kind is ScriptFunction:
        return invoke(function, args, kwargs)
    if kind in CALLABLE:
        return function(*args, **kwargs)
    if kind is GradMode:
        return decorate(function, *args)
    raise not_callable(function)


CALLABLE = frozenset([Builtin, Function, BoundMethod])


def decorate(switch: GradMode, *args: Any) -> ScriptFunction:
    """``no_grad()(f)``"""
    if len(args) != 1 or args[0].__class__ is not ScriptFunction:
        raise ScriptError(f"{switch.name}() can only be put on a function", code="E0310")
    function: ScriptFunction = args[0]
    made = ScriptFunction(function.code, function.parent, function.defaults, function.invoke)
    made.mode = switch.switch
    return made


def not_callable(value: Any) -> ScriptError:
    """The error for calling what is no function."""
    help: tuple[str, ...] = ()
    if value.__class__ is FunctionClass:
        help = (f"write `{value.name}.apply(...)`",)
    elif value.__class__ is Tensor:
        help = ("write `*` to multiply",)
    return ScriptError(
        f"'{type_name(value)}' object is not callable", code="E0209", caret="this is no function", help=help
    )


@compiles(syntax.Call, EXPRESSIONS)
def call_expression(c: Compiler, node: syntax.Call) -> Evaluate:
    plain = all(a.keyword is None and not a.star for a in node.arguments)
    constant = c.constant(node.function)
    if constant is not UNBOUND:
        if plain and constant.__class__ is Function:
            return call_of_function(c, node, constant)
        return call_of(c, node, lambda frame: constant, plain)
    if node.function.__class__ is syntax.Attribute:
        return call_of_method(c, node, node.function, plain)
    return call_of(c, node, c.expression(node.function), plain)


def positional(c: Compiler, node: syntax.Call) -> list[Evaluate]:
    return [c.expression(argument.value) for argument in node.arguments]


def call_of_function(c: Compiler, node: syntax.Call, function: Function) -> Evaluate:
    """A call of a function of core, whose name nothing shadows."""
    arguments, span = positional(c, node), node.span
    defaults = defaults_after(function, 1) if len(arguments) == 1 else None
    if defaults is not None:
        implementation = function.implementation
        (argument,) = arguments

        def run_direct(frame: Frame) -> Any:
            x = argument(frame)
            mode.site = span
            return implementation(x, *defaults) if x.__class__ is Tensor else function(x)

        return run_direct

    def run(frame: Frame) -> Any:
        values = [argument(frame) for argument in arguments]
        mode.site = span
        return function(*values)

    return run


def defaults_after(function: Function, given: int) -> tuple[Any, ...] | None:
    """The defaults that complete a call with one tensor; None when it needs binding after all."""
    parameters = function.parameters
    if len(parameters) < given or any(p.variadic for p in parameters):
        return None
    if parameters[0].kind not in ("value", "tensor") or parameters[0].keyword_only:
        return None
    defaults = tuple(p.default for p in parameters[given:])
    return None if any(d is MISSING for d in defaults) else defaults


def call_of(c: Compiler, node: syntax.Call, function: Evaluate, plain: bool) -> Evaluate:
    """A call of what an expression gives."""
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
                    return invoke(callee, (x,), NOTHING)
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


def call_of_method(c: Compiler, node: syntax.Call, target: syntax.Attribute, plain: bool) -> Evaluate:
    """``owner.name(...)`` without making the bound method; ``names`` of other kinds are looked up."""
    owner, name, span, name_span = c.expression(target.object), target.name, node.span, target.name_span
    direct: dict[type, tuple[Callable[..., Any], tuple[Any, ...] | None]] = {}

    def method_of(value: Any) -> tuple[Callable[..., Any], tuple[Any, ...] | None]:
        found = find_method(value, name)
        if found is None:
            function = get_attribute(value, name, name_span)
            return (lambda _, *args, **kwargs: call(function, args, kwargs)), None
        defaults = defaults_after(found, 1) if found.__class__ is Function else None
        entry = (found if defaults is None else found.implementation), defaults  # type: ignore[attr-defined]
        direct[value.__class__] = entry
        return entry

    if plain and not node.arguments:

        def run_none(frame: Frame) -> Any:
            value = owner(frame)
            entry = direct.get(value.__class__)
            mode.site = span
            function, defaults = entry if entry is not None else method_of(value)
            return function(value) if defaults is None else function(value, *defaults)

        return run_none
    gather = gathering(c, node)

    def run(frame: Frame) -> Any:
        value = owner(frame)
        values, named = gather(frame)
        mode.site = span
        function = find_method(value, name)
        if function is None:
            return call(get_attribute(value, name, name_span), values, named)
        return function(value, *values, **named)

    return run


def gathering(c: Compiler, node: syntax.Call) -> Callable[[Frame], tuple[list[Any], dict[str, Any]]]:
    """The closure that works out the arguments of a call."""
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
    parts = [(a.keyword, bool(a.star), c.expression(a.value)) for a in node.arguments]

    def run(frame: Frame) -> tuple[list[Any], dict[str, Any]]:
        values: list[Any] = []
        named: dict[str, Any] = {}
        for keyword, is_starred, part in parts:
            if is_starred:
                values.extend(collect(part(frame)))
            elif keyword is None:
                values.append(part(frame))
            else:
                named[keyword] = part(frame)
        return values, named

    return run


# -- functions of the script ------------------------------------------------------------------------


class Code:
    """What all makings of one ``def`` or ``lambda`` share. ``rest`` fills the slots after the parameters."""

    __slots__ = ("count", "is_expression", "keyword_only", "name", "names", "rest", "run", "star", "template")

    def __init__(self, name: str, parameters: tuple[syntax.Parameter, ...], scope: Scope) -> None:
        self.name = name
        self.names: list[str] = []
        self.keyword_only: list[str] = []
        self.star: int | None = None
        for parameter in parameters:
            if self.star is None and parameter.star:
                self.star = scope.slots[parameter.name]
            elif self.star is not None:
                self.keyword_only.append(parameter.name)
            else:
                self.names.append(parameter.name)
        is_plain = self.star is None
        self.count = len(self.names) if is_plain else -1
        self.rest = [UNBOUND] * (len(scope.slots) - len(self.names))
        self.template = scope.slots
        self.is_expression = False
        self.run: Callable[[Frame], Any]


def check_parameters(parameters: tuple[syntax.Parameter, ...], name: str) -> None:
    """Refuse two parameters of one name, and a required one after one with a default."""
    seen: set[str] = set()
    optional = starred = False
    for parameter in parameters:
        if parameter.name in seen:
            raise CompileError(
                f"duplicate argument '{parameter.name}' in function definition",
                code="E0102",
                caret="this name is taken",
                span=parameter.span,
            )
        seen.add(parameter.name)
        starred = starred or bool(parameter.star)
        if parameter.default is not None:
            optional = True
        elif optional and not starred:
            raise CompileError(
                "non-default argument follows default argument",
                code="E0102",
                caret="give this a default too, or put it first",
                span=parameter.span,
            )


def making(
    c: Compiler,
    node: syntax.FunctionDef | syntax.Lambda,
    name: str,
    compile_body: Callable[[], Any],
    is_expression: bool,
) -> Evaluate:
    """The closure that makes the function value, its defaults worked out anew each time."""
    scope = c.names.of[node]
    check_parameters(node.parameters, name)
    code = Code(name, node.parameters, scope)
    code.is_expression = is_expression
    defaults = [None if p.default is None else c.expression(p.default) for p in node.parameters]
    in_class = c.scope.kind == "class"
    code.run = c.inside(scope, compile_body)

    def make(frame: Frame) -> ScriptFunction:
        values = tuple([UNBOUND if d is None else d(frame) for d in defaults])
        return ScriptFunction(code, frame[0] if in_class else frame, values, invoke)

    return make


@compiles(syntax.Lambda, EXPRESSIONS)
def lambda_expression(c: Compiler, node: syntax.Lambda) -> Evaluate:
    return making(c, node, "<lambda>", lambda: c.expression(node.body), True)


def invoke(function: ScriptFunction, args: Any, kwargs: dict[str, Any]) -> Any:
    """Run a function of the script."""
    code = function.code
    if not kwargs and len(args) == code.count:
        frame = [function.parent, None, *args, *code.rest]
    else:
        frame = bind(function, args, kwargs)
    site = mode.site
    runtime.steps -= 1
    if runtime.steps < 0:
        raise runtime.out_of_steps()
    runtime.depth += 1
    enabled = mode.enabled
    if function.mode is not None:
        mode.enabled = function.mode
    try:
        if runtime.depth > runtime.deepest:
            raise runtime.too_deep()
        if code.is_expression:
            return code.run(frame)
        code.run(frame)
        return frame[1]
    except AutodiffError as error:
        place(error, code.name, site)
        raise
    except PYTHON_ERRORS as error:
        raise place(translate(error), code.name, site) from None
    finally:
        runtime.depth -= 1
        if function.mode is not None:
            mode.enabled = enabled


def place(error: AutodiffError, name: str, site: Span | None) -> AutodiffError:
    """Say where an error stands and which call led there."""
    if mode.site is not None:
        error.at(mode.site)
    if site is not None and len(error.frames) < FRAMES_SHOWN:
        error.frames.append((name, site))
        mode.site = site
    return error


def bind(function: ScriptFunction, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Frame:
    """The frame of a call whose arguments do not simply match the parameters."""
    code = function.code
    name = code.name
    names = code.names
    frame: Frame = [function.parent, None] + [UNBOUND] * len(code.template)
    for slot, value in enumerate(args[: len(names)], FIRST_SLOT):
        frame[slot] = value
    if len(args) > len(names) and (code.star is None or "*" in code.template):
        raise too_many(function, len(args))
    if code.star is not None:
        frame[code.star] = tuple(args[len(names) :])
    for keyword, value in kwargs.items():
        slot = code.template.get(keyword)
        if slot is None or (keyword not in names and keyword not in code.keyword_only):
            raise argument_error(f"{name}() got an unexpected keyword argument '{keyword}'")
        if frame[slot] is not UNBOUND:
            raise argument_error(f"{name}() got multiple values for argument '{keyword}'")
        frame[slot] = value
    # Parameters own the first slots in order, so defaults line up with them.
    missing = []
    for slot, (default, parameter) in enumerate(
        zip(function.defaults, parameter_names(code), strict=True), FIRST_SLOT
    ):
        if frame[slot] is UNBOUND:
            if default is UNBOUND:
                missing.append(parameter)
            else:
                frame[slot] = default
    if missing:
        kind = "keyword-only" if missing[0] in code.keyword_only else "positional"
        listed = listing([f"'{n}'" for n in missing])
        raise argument_error(
            f"{name}() missing {len(missing)} required {kind} argument{'s' * (len(missing) > 1)}: {listed}"
        )
    return frame


def parameter_names(code: Code) -> list[str]:
    stars = [] if code.star is None else [next(n for n, slot in code.template.items() if slot == code.star)]
    return [*code.names, *stars, *code.keyword_only]


def listing(names: list[str]) -> str:
    if len(names) < 3:
        return " and ".join(names)
    return ", ".join(names[:-1]) + ", and " + names[-1]


def too_many(function: ScriptFunction, given: int) -> ScriptError:
    names = function.code.names
    optional = sum(d is not UNBOUND for d in function.defaults[: len(names)])
    takes = f"from {len(names) - optional} to {len(names)}" if optional else str(len(names))
    plural = "s" if len(names) != 1 or optional else ""
    was = "was" if given == 1 else "were"
    return argument_error(
        f"{function.code.name}() takes {takes} positional argument{plural} but {given} {was} given"
    )


def argument_error(message: str) -> ScriptError:
    return ScriptError(message, code="E0310")
