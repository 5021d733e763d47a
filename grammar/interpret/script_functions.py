"""Functions defined by the script: creating them, binding arguments to parameters, and calling them."""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError, ScriptError
from autodiff.core.base.source import Span
from autodiff.core.graph.state import mode
from autodiff.grammar.interpret.compiler import EXPRESSIONS, Compiler, compiles
from autodiff.grammar.interpret.scope import FIRST_SLOT, Scope
from autodiff.grammar.objects.matched_arguments import listing
from autodiff.grammar.objects.python_errors import PYTHON_ERRORS, convert_python_error
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.objects.values import UNBOUND, ScriptFunction
from autodiff.grammar.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from autodiff.grammar.interpret.compiler import Evaluate, Frame

FRAMES_SHOWN = 20


class FunctionCode:
    """The compiled part of a ``def`` or ``lambda``, shared by all function values it creates.

    ``template`` maps names to slots; ``rest`` fills the slots after the positional parameters. ``count`` is
    the number of positional parameters, or -1 if there are others.
    """

    __slots__ = ("count", "is_expression", "keyword_only", "name", "names", "rest", "run", "star", "template")

    def __init__(self, name: str, parameters: tuple[tree.Parameter, ...], scope: Scope) -> None:
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


def compile_function(
    c: Compiler,
    node: tree.FunctionDef | tree.Lambda,
    name: str,
    compile_body: Callable[[], Any],
    is_expression: bool,
) -> Evaluate:
    """Return the closure that creates a function value. It evaluates the defaults at each creation."""
    scope = c.names.scope_of[node]
    code = FunctionCode(name, node.parameters, scope)
    code.is_expression = is_expression
    defaults = [None if p.default is None else c.expression(p.default) for p in node.parameters]
    in_class = c.scope.kind == "class"
    code.run = c.compile_in_scope(scope, compile_body)

    def make(frame: Frame) -> ScriptFunction:
        values = tuple([UNBOUND if d is None else d(frame) for d in defaults])
        return ScriptFunction(code, frame[0] if in_class else frame, values, invoke)

    return make


@compiles(tree.Lambda, EXPRESSIONS)
def lambda_expression(c: Compiler, node: tree.Lambda) -> Evaluate:
    return compile_function(c, node, "<lambda>", lambda: c.expression(node.body), True)


def invoke(function: ScriptFunction, args: Any, kwargs: dict[str, Any]) -> Any:
    """Call a function of the script and return its result."""
    code = function.code
    if not kwargs and len(args) == code.count:
        frame = [function.parent, None, *args, *code.rest]
    else:
        frame = bind_arguments(function, args, kwargs)
    site = mode.site
    runtime.steps -= 1
    if runtime.steps < 0:
        runtime.look()
    runtime.depth += 1
    enabled = mode.enabled
    if function.mode is not None:
        mode.record(function.mode)
    try:
        if runtime.depth > runtime.depth_limit:
            raise runtime.depth_error()
        if code.is_expression:
            return code.run(frame)
        code.run(frame)
        return frame[1]
    except AutodiffError as error:
        add_location(error, code, site, frame)
        raise
    except PYTHON_ERRORS as error:
        raise add_location(convert_python_error(error), code, site, frame) from None
    finally:
        runtime.depth -= 1
        if function.mode is not None:
            mode.record(enabled)


def add_location(error: AutodiffError, code: FunctionCode, site: Span | None, frame: Frame) -> AutodiffError:
    """Add to an error its place, the call that led to it and the names of the frame; return the error."""
    if mode.site is not None:
        error.at(mode.site)
    if not error.frames:
        error.names = {name: frame[slot] for name, slot in code.template.items()}
    if site is not None:
        error.calls += 1
        if len(error.frames) < FRAMES_SHOWN:
            error.frames.append((code.name, site))
            mode.site = site
    return error


def bind_arguments(function: ScriptFunction, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Frame:
    """Return the frame of a call that needs more than one positional argument for each parameter."""
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
            raise argument_error(
                f"{name}() got an unexpected keyword argument '{keyword}'", function, keyword
            )
        if frame[slot] is not UNBOUND:
            raise argument_error(f"{name}() got multiple values for argument '{keyword}'", function, keyword)
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
            f"{name}() missing {len(missing)} required {kind} argument{'s' * (len(missing) > 1)}: {listed}",
            function,
            None,
        )
    return frame


def parameter_names(code: FunctionCode) -> list[str]:
    stars = [] if code.star is None else [next(n for n, slot in code.template.items() if slot == code.star)]
    return [*code.names, *stars, *code.keyword_only]


def too_many(function: ScriptFunction, count: int) -> ScriptError:
    names = function.code.names
    optional = sum(d is not UNBOUND for d in function.defaults[: len(names)])
    takes = f"from {len(names) - optional} to {len(names)}" if optional else str(len(names))
    plural = "s" if len(names) != 1 or optional else ""
    was = "was" if count == 1 else "were"
    return argument_error(
        f"{function.code.name}() takes {takes} positional argument{plural} but {count} {was} given",
        function,
        len(names),
    )


def argument_error(message: str, function: ScriptFunction, argument: int | str | None) -> ScriptError:
    return ScriptError(message, code="E0310", repair_context=(function, argument, None))
