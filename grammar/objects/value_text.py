"""The text of script values for ``print``, ``str``, ``repr``, f-strings and ``.format``.

Format strings of a script are parsed here, and specs are checked by ``core.engine.printing``. A replacement
field may name a position or a keyword, but no attribute.
"""

from __future__ import annotations

from autodiff.core.base.errors import LimitError, ScriptError
from autodiff.core.base.lazy_imports import LazyModule
from autodiff.core.engine.custom_function import Context
from autodiff.core.engine.hooks import HookHandle
from autodiff.core.engine.printing import format_named_result, format_number, format_size, format_with_spec
from autodiff.core.engine.public_functions import PublicFunction
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.device import Device
from autodiff.core.graph.dtypes import DType
from autodiff.core.graph.node import ArrayNode, Leaf, ScalarNode
from autodiff.core.graph.op import CUSTOM_OP_DOC
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.objects.values import (
    NAMED_RESULTS,
    NUMBER_CLASSES,
    BoundMethod,
    Builtin,
    FunctionBase,
    FunctionClass,
    GradMode,
    Math,
    Namespace,
    ScriptFunction,
    Size,
    check_length,
    int_if_literal,
    type_name,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

plain_text = LazyModule("autodiff.grammar.objects.plain_text")

MAX_LIST_DEPTH = 100_000  # levels of nested lists; the text is joined once per level
MAX_TEXT_LENGTH = 10_000_000  # characters; the text of lists that share elements can be exponentially long


def as_str(value: Any) -> str:
    """Return ``str(value)``."""
    if value.__class__ is Device:
        return str(value)
    if value.__class__ is Tensor and runtime.prints_numbers:
        return str(plain_text.shown_value(value))
    if value.__class__ is DType and runtime.prints_numbers:
        return value.name
    return value if value.__class__ is str else as_repr(value)


def as_repr(value: Any) -> str:
    """Return ``repr(value)``."""
    simple = REPRS.get(value.__class__)
    if simple is not None:
        return simple(value)
    if value.__class__ in BRACKETS or value.__class__ in NAMED_RESULTS:
        return SequenceWriter().write(value)
    return f"<{type_name(value)} object>"


class SequenceWriter:
    """Writes nested lists, tuples and named results.

    ``inside`` holds the ids of the sequences that contain the current one; ``length`` is the text's so far.
    """

    __slots__ = ("inside", "length")

    def __init__(self) -> None:
        self.inside: set[int] = set()
        self.length = 0

    def write(self, value: Any) -> str:
        if value.__class__ in NAMED_RESULTS:
            fields = zip(value.fields, value.entries, strict=True)
            return format_named_result(value.type_name, [(name, self.write(part)) for name, part in fields])
        brackets = BRACKETS.get(value.__class__)
        if brackets is None:
            return self.count(as_repr(value))
        if id(value) in self.inside:
            return brackets[0] + "..." + brackets[1]
        if len(self.inside) > MAX_LIST_DEPTH:
            raise LimitError(
                "maximum recursion depth exceeded while getting the repr of an object",
                code="E0501",
                caret=f"lists are nested more than {MAX_LIST_DEPTH:,} deep here",
                help=("print a part of it",),
            )
        self.inside.add(id(value))
        runtime.spend(len(value))
        parts = [self.write(part) for part in value]
        self.inside.discard(id(value))
        tail = "," if value.__class__ is tuple and len(parts) == 1 else ""
        return self.count(brackets[0]) + ", ".join(parts) + tail + brackets[1]

    def count(self, text: str) -> str:
        self.length += len(text) + 2
        if self.length > MAX_TEXT_LENGTH:
            raise LimitError(
                f"the text of this value is longer than {MAX_TEXT_LENGTH:,} characters",
                code="E0502",
                help=("print a part of it",),
            )
        return text


def write_tensor(value: Tensor) -> str:
    if runtime.prints_numbers:
        return repr(plain_text.shown_value(value))
    for displayed in (runtime.parameters, runtime.floats):
        entry = displayed.get(id(value))
        if entry is not None and entry() is value:
            is_float = displayed is runtime.floats
            return format_number(value.item()) if is_float else f"Parameter containing:\n{value!r}"
    return value.__repr__()


def write_slice(value: slice) -> str:
    return f"slice({as_repr(value.start)}, {as_repr(value.stop)}, {as_repr(value.step)})"


def write_range(value: range) -> str:
    return f"range({value.start}, {value.stop}" + (f", {value.step})" if value.step != 1 else ")")


def write_node(value: Any) -> str:
    module = "torch.autograd.function." if value.op is not None and value.op.doc == CUSTOM_OP_DOC else ""
    return f"<{module}{value.grad_fn_name} object at 0x{value.number:012x}>"


#: Stands for every memory address, so that the same script always prints the same bytes.
ADDRESS = "0x000000000000"
BRACKETS: dict[type, tuple[str, str]] = {list: ("[", "]"), tuple: ("(", ")")}
REPRS: dict[type, Callable[[Any], str]] = {
    str: repr,
    int: format_number,
    float: format_number,
    bool: str,
    type(None): str,
    type(...): str,
    Tensor: write_tensor,
    Size: lambda value: str(tuple(value)) if runtime.prints_numbers else format_size(value),
    DType: lambda value: f"dtype('{value.name}')" if runtime.prints_numbers else value.__repr__(),
    Device: lambda value: value.__repr__(),
    HookHandle: lambda value: f"<torch.utils.hooks.RemovableHandle object at {ADDRESS}>",
    slice: write_slice,
    range: write_range,
    Leaf: write_node,
    ScalarNode: write_node,
    ArrayNode: write_node,
    PublicFunction: lambda value: (
        "<class 'torch.Tensor'>"
        if value.name == "Tensor"
        else f"<built-in method {value.name} of type object at {ADDRESS}>"
    ),
    Builtin: lambda value: (
        f"<class '{value.name}'>" if value.classes else f"<built-in function {value.name}>"
    ),
    BoundMethod: lambda value: (
        f"<built-in method {value.name} of {type_name(value.owner)} object at {ADDRESS}>"
    ),
    ScriptFunction: lambda value: f"<function {value.name} at {ADDRESS}>",
    FunctionClass: lambda value: f"<class '__main__.{value.name}'>",
    FunctionBase: lambda value: "<class 'torch.autograd.function.Function'>",
    Namespace: lambda value: f"<module '{value.name}'>",
    Math: lambda value: "<IPython.core.display.Math object>",
    GradMode: lambda value: f"<torch.autograd.grad_mode.{value.name} object at {ADDRESS}>",
    Context: lambda value: "<torch.autograd.function.FunctionCtx object>",
    zip: lambda value: f"<zip object at {ADDRESS}>",
    enumerate: lambda value: f"<enumerate object at {ADDRESS}>",
}


#: The presentation types of format specs that accept integers only.
INTEGER_FORMATS = frozenset("bcdoxX")


def format_value(value: Any, conversion: str, spec: str) -> str:
    """Return the text of a value in a replacement field with this conversion (or ``""``) and this spec."""
    if conversion:
        value = as_str(value) if conversion == "s" else as_repr(value)
        if conversion == "a":
            value = value.encode("ascii", "backslashreplace").decode("ascii")
    if value.__class__ is Tensor and not value.shape:
        whole = int_if_literal(value) if spec[-1:] in INTEGER_FORMATS else value
        if whole is value:  # as torch does
            whole = plain_text.python_value(value) if runtime.prints_numbers else value.item()
        value = whole
    if value.__class__ is str or (
        value.__class__ in NUMBER_CLASSES and (spec or value.__class__ is not bool)
    ):
        return format_by_spec(value, spec)
    if not spec:
        return as_str(value)
    name = type_name(value).rpartition(".")[2]
    raise ScriptError(
        f"unsupported format string passed to {name}.__format__",
        code="E0203",
        caret=f"`{spec}` formats one number or string",
        help=(("take one number out first, as in `x[0].item()`",) if value.__class__ is Tensor else ()),
    )


def format_by_spec(value: Any, spec: str) -> str:
    """Return a number or string formatted by a spec; raise ScriptError E0206 for an invalid spec."""
    try:
        return format_with_spec(value, spec)
    except ScriptError as error:
        error.code = "E0206"
        raise


# -- "...".format(...) ------------------------------------------------------------------------------


def format_error(message: str, caret: str = "") -> ScriptError:
    return ScriptError(message, code="E0206", caret=caret)


def format_string(template: str, *args: Any, **kwargs: Any) -> str:
    """Return ``template.format(...)``; fields are ``{}``, ``{0}``, ``{name}``, with ``!r`` and ``:spec``."""
    return FormatCall(args, kwargs).fill(template, 2)


class FormatCall:
    """The arguments of one ``.format`` call.

    ``next`` is the index of the next field without a name, or None once a field has given its index.
    """

    __slots__ = ("args", "kwargs", "next")

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.args = args
        self.kwargs = kwargs
        self.next: int | None = 0

    def fill(self, template: str, levels: int) -> str:
        if levels == 0:
            raise format_error("Max string recursion exceeded")
        out = []
        position = 0
        while position < len(template):
            brace = min(
                (p for p in (template.find("{", position), template.find("}", position)) if p >= 0),
                default=-1,
            )
            if brace < 0:
                break
            out.append(template[position:brace])
            if template[brace + 1 : brace + 2] == template[brace]:
                out.append(template[brace])
                position = brace + 2
                continue
            if template[brace] == "}":
                raise format_error("Single '}' encountered in format string", "write `}}` for a brace")
            end = closing_brace(template, brace)
            out.append(self.field(template[brace + 1 : end], levels))
            position = end + 1
        out.append(template[position:])
        check_length(sum(map(len, out)), "string")
        return "".join(out)

    def field(self, inside: str, levels: int) -> str:
        head, colon, spec = inside.partition(":")
        name, mark, conversion = head.partition("!")
        if mark and conversion not in ("r", "s", "a"):
            raise format_error(f"Unknown conversion specifier '{conversion[:20]}'")
        value = self.argument(name)
        return format_value(value, conversion, self.fill(spec, levels - 1) if colon else "")

    def argument(self, name: str) -> Any:
        if "." in name or "[" in name:
            raise format_error(
                "fields of .format() cannot look inside a value",
                "a field is a position or a keyword here; use an f-string for anything else",
            )
        if name == "" or name.isdecimal():
            if name == "":
                if self.next is None:
                    raise format_error(
                        "cannot switch from manual field specification to automatic field numbering"
                    )
                index = self.next
                self.next += 1
            else:
                if self.next:
                    raise format_error(
                        "cannot switch from automatic field numbering to manual field specification"
                    )
                self.next = None
                index = int(name) if len(name) < 10 else len(self.args)
            if index >= len(self.args):
                raise ScriptError(
                    f"Replacement index {index} out of range for positional args tuple", code="E0208"
                )
            return self.args[index]
        if name not in self.kwargs:
            raise format_error(repr(name), f"there is no argument `{name[:40]}`")
        return self.kwargs[name]


def closing_brace(template: str, start: int) -> int:
    depth = 0
    for at in range(start, len(template)):
        if template[at] == "{":
            depth += 1
        elif template[at] == "}":
            depth -= 1
            if depth == 0:
                return at
    what = (
        "expected '}' before end of string"
        if template[start + 1 :]
        else "Single '{' encountered in format string"
    )
    raise format_error(what, "a brace is not closed")
