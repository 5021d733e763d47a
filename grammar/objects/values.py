"""Classes of script values that core does not define, and the operations of every value.

The operations are truth, iteration, equality and the type name. The set of classes is closed: Tensor,
number, string, None, list, tuple, slice, range and similar iterables, shape, dtype, function, namespace,
grad mode. Code that dispatches on a value looks its class up in a table.
"""

from __future__ import annotations

from autodiff.core.base.errors import TYPE_NAMES, LimitError, ScriptError
from autodiff.core.base.errors import type_name as name_of_class
from autodiff.core.base.lazy_imports import LazyModule
from autodiff.core.base.limits import format_bytes, limits
from autodiff.core.engine.custom_function import Context
from autodiff.core.engine.hooks import HookHandle
from autodiff.core.engine.named_results import NamedResult
from autodiff.core.engine.public_functions import PublicFunction
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.device import Device
from autodiff.core.graph.dtypes import DType
from autodiff.core.graph.node import ArrayNode, Leaf, ScalarNode
from autodiff.core.graph.state import mode
from autodiff.grammar.objects.runtime import runtime

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from autodiff.grammar.objects.nn_modules import ModuleKind

side_modules = LazyModule("autodiff.grammar.objects.side_modules")
value_checks = LazyModule("autodiff.core.engine.value_checks")

NUMBER_CLASSES: frozenset[Any] = frozenset([int, float, bool])


class Unbound:
    """The class of ``UNBOUND``, the content of a slot before its name is assigned."""

    __slots__ = ()


UNBOUND = Unbound()


class Size(tuple[int, ...]):
    """A shape: a tuple that prints as ``torch.Size([2, 3])``."""

    __slots__ = ()


class Builtin:
    """A function of the script language that is implemented in this package.

    ``classes`` are the Python classes it stands for as the second argument of ``isinstance``.
    """

    __slots__ = ("classes", "function", "name")

    def __init__(
        self, name: str, function: Callable[..., Any], classes: tuple[type, ...] | None = None
    ) -> None:
        self.name = name
        self.function = function
        self.classes = classes
        function.__qualname__ = name  # the name in Python's error for wrong arguments

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)


class BracketFunction:
    """A function that numpy calls with brackets, as ``np.r_[0:3]``; it gets what stands between them."""

    __slots__ = ("function", "name")

    def __init__(self, name: str, function: Callable[[Any], Any]) -> None:
        self.name = name
        self.function = function


class Drawing:
    """A part of a module that draws, as ``plt.plot``, or what a call of one gives: neither is drawn here.

    ``shape`` counts the drawings in each dimension, as the axes of ``plt.subplots(2, 3)``; () for one.
    """

    __slots__ = ("name", "shape")

    def __init__(self, name: str, shape: tuple[int, ...] = ()) -> None:
        self.name = name
        self.shape = shape


class ProgressBar:
    """What ``tqdm(iterable)`` gives: the iterable, whose progress is not shown; None without one."""

    __slots__ = ("iterable",)

    def __init__(self, iterable: Any) -> None:
        self.iterable = iterable


class Generator:
    """A ``torch.Generator``: random numbers of its own; ``state`` is that of a ``RandomSource``."""

    __slots__ = ("state",)

    def __init__(self, state: tuple[int, Any, Any]) -> None:
        self.state = state


class BoundMethod:
    """A method together with its owner: the value of ``x.sum`` without a call."""

    __slots__ = ("function", "name", "owner")

    def __init__(self, owner: object, name: str, function: Callable[..., Any]) -> None:
        self.owner = owner
        self.name = name
        self.function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(self.owner, *args, **kwargs)


class Namespace:
    """A module of the script: ``torch``, ``F``, ``math``. ``find(name)`` returns the member or UNBOUND."""

    __slots__ = ("find", "name", "names")

    def __init__(self, name: str, find: Callable[[str], object], names: Callable[[], Iterable[str]]) -> None:
        self.name = name
        self.find = find
        self.names = names


class Module:
    """A ``torch.nn`` module without weights: its kind and the settings it was constructed with."""

    __slots__ = ("kind", "settings")

    def __init__(self, kind: ModuleKind, settings: dict[str, Any]) -> None:
        self.kind = kind
        self.settings = settings

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.kind.run(self.settings, args, kwargs)


class FunctionClass:
    """A class ``class Name(Function)`` defined by the script, with its static methods."""

    __slots__ = ("methods", "name")

    def __init__(self, name: str, methods: dict[str, Any]) -> None:
        self.name = name
        self.methods = methods


class FunctionBase:
    """``torch.autograd.Function`` itself, which scripts can only use as a base class."""

    __slots__ = ()


class GradMode:
    """A grad mode such as ``no_grad()`` for ``with`` or a decorator; ``switch`` is whether it records."""

    __slots__ = ("name", "switch")

    def __init__(self, name: str, switch: bool) -> None:
        self.name = name
        self.switch = switch


class Math:
    """LaTeX to display, as in a notebook's ``Math(r"...")``."""

    __slots__ = ("data",)

    def __init__(self, data: str) -> None:
        self.data = data


class ScriptFunction:
    """The value of a ``def`` or ``lambda``, with the frame it was evaluated in.

    Each evaluation makes a new value; all of them share ``code``. ``mode`` is the grad mode that a decorator
    such as ``@torch.no_grad()`` set for its calls.
    """

    __slots__ = ("code", "defaults", "invoke", "mode", "parent")

    def __init__(
        self,
        code: Any,
        parent: list[Any],
        defaults: tuple[Any, ...],
        invoke: Callable[[ScriptFunction, tuple[Any, ...], dict[str, Any]], Any],
    ) -> None:
        self.code = code
        self.parent = parent
        self.defaults = defaults
        self.invoke = invoke
        self.mode: bool | None = None

    @property
    def name(self) -> str:
        name: str = self.code.name
        return name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        # A call from Python code uses Python's own stack, which is far smaller than the depth limit allows.
        runtime.depth += STACK_COST
        try:
            return self.invoke(self, args, kwargs)
        finally:
            runtime.depth -= STACK_COST


STACK_COST = 200
NAMED_RESULTS = frozenset([NamedResult])

TYPE_NAMES.update(
    {
        Size: "torch.Size",
        DType: "torch.dtype",
        Device: "torch.device",
        HookHandle: "torch.utils.hooks.RemovableHandle",
        PublicFunction: "builtin_function_or_method",
        Builtin: "builtin_function_or_method",
        BracketFunction: "AxisConcatenator",
        Generator: "torch._C.Generator",
        ProgressBar: "tqdm",
        BoundMethod: "builtin_function_or_method",
        ScriptFunction: "function",
        FunctionClass: "FunctionMeta",
        FunctionBase: "FunctionMeta",
        Context: "FunctionCtx",
        Namespace: "module",
        GradMode: "no_grad",
        Leaf: "AccumulateGrad",
    }
)


def type_name(value: object) -> str:
    """Return the name of a value's type as Python's and torch's messages spell it."""
    if value.__class__ is ScalarNode or value.__class__ is ArrayNode:
        return value.grad_fn_name
    if value.__class__ is GradMode:
        return value.name
    if value.__class__ is NamedResult:
        return value.type_name
    if value.__class__ is Module:
        return value.kind.name
    if value.__class__ is Builtin and value.classes:
        return "type"
    return name_of_class(value)


def is_true(value: Any) -> bool:
    """Whether a value is true in ``if``, ``while``, ``and``, ``or``, ``not``."""
    if value.__class__ is bool:
        return value
    if value.__class__ is Tensor:
        runtime.made_choice = True
        return value_checks.is_true(value)  # type: ignore[no-any-return] # a bool
    if value.__class__ in NUMBER_CLASSES or value.__class__ in SIZED:
        return bool(value)
    return value is not None


#: Classes with a length; their values are true unless empty.
SIZED = frozenset([str, list, tuple, Size, range])


def iterate(value: Any) -> Iterable[Any]:
    """Return a Python iterable over the elements of a value, for ``for``, ``*`` and unpacking."""
    rows = ITERATORS.get(value.__class__)
    if rows is not None:
        return rows(value)
    if value.__class__ in NAMED_RESULTS:
        return value.entries
    raise ScriptError(
        f"'{type_name(value)}' object is not iterable",
        code="E0205",
        caret="this is one value, not a sequence of values",
        repair_context=(value,),
    )


def tensor_rows(tensor: Tensor) -> Iterator[Any]:
    """Return an iterator over the slices of a tensor along its first dimension."""
    from autodiff.core.methods.bookkeeping import rows

    if tensor.ndim == 1 and runtime.prints_numbers:  # numpy's numbers, not views of the array
        from autodiff.core.engine.aliasing import separate

        return map(separate, rows(tensor))
    if runtime.prints_numbers and tensor.ndim:  # numpy's rows may be changed one by one
        return map(tensor.__getitem__, range(len(tensor)))
    return rows(tensor)


def unchanged_iterable(value: Iterable[Any]) -> Iterable[Any]:
    """Return the value unchanged: Python can already iterate over it."""
    return value


def collect(value: Any) -> list[Any]:
    """Return the elements of a value as a new list, within the script's limits."""
    return list_within_limits(iterate(value))


def list_within_limits(rows: Iterable[Any]) -> list[Any]:
    """Return the elements of a result of ``iterate`` as a new list, within the script's limits."""
    if rows.__class__ is range:
        check_length(len(rows), "list")
        runtime.spend(len(rows))
    elif rows.__class__ in LAZY_CLASSES:
        found = []
        for row in rows:
            runtime.spend(1)
            found.append(row)
        return found
    return list(rows)


LAZY_CLASSES = frozenset([zip, enumerate, type(reversed([]))])
# Bytes for a list entry including the value it refers to, and for the widest character.
ENTRY_SIZES = {"list": 32, "string": 4}
MAX_STRING_LENGTH = 100_000_000  # a longer string is not text, and takes seconds to iterate over


def check_length(length: int, kind: str) -> None:
    """Raise LimitError for a list or string of this length if it is too long or exceeds the memory limit."""
    if kind == "string" and length > MAX_STRING_LENGTH:
        raise LimitError(
            f"a string of length {length:,} is longer than {MAX_STRING_LENGTH:,} characters",
            code="E0502",
            help=("make it shorter",),
        )
    size = length * ENTRY_SIZES[kind]
    if limits.memory and size > limits.memory:
        raise LimitError(
            f"a {kind} of length {length:,} needs {format_bytes(size)}, the limit is"
            f" {format_bytes(limits.memory)}",
            code="E0502",
            help=("make it shorter, or raise the limit with --max-memory",),
        )


ITERATORS: dict[type, Callable[[Any], Iterable[Any]]] = {
    list: unchanged_iterable,
    tuple: unchanged_iterable,
    Size: unchanged_iterable,
    range: unchanged_iterable,
    str: unchanged_iterable,
    Drawing: lambda drawing: side_modules.rows_of_drawing(drawing),
    ProgressBar: lambda bar: iterate(bar.iterable),
    zip: unchanged_iterable,
    enumerate: unchanged_iterable,
    type(reversed([])): unchanged_iterable,
    Tensor: tensor_rows,
}


def int_if_literal(x: Tensor) -> Any:
    """Return the int of a tensor that may stand for a whole-number literal; any other tensor unchanged."""
    if x.shape or not runtime.numbers_are_leaves:
        return x
    number = x.item()
    return int(number) if number.__class__ is float and number.is_integer() else x


def as_index(value: Any, what: str) -> int:
    """Return a size, a position or the like as an int; ``what`` names its use in the error."""
    if value.__class__ is int:
        return value
    if value.__class__ is Tensor:
        mode.count(value)
    return whole_number(value, what)


def whole_number(value: Any, what: str) -> int:
    """Return a value as an int where Python requires one; ``what`` names its use in the error.

    A tensor that stands for a number literal of the script is accepted if it is integral.
    """
    if value.__class__ is int:
        return value
    if value.__class__ is bool:
        return int(value)
    if value.__class__ is Tensor and value.entry_count == 1:
        number = value.item()
        if number.__class__ is not float or (runtime.numbers_are_leaves and number.is_integer()):
            return int(number)
    raise ScriptError(
        "only integer tensors of a single element can be converted to an index"
        if value.__class__ is Tensor
        else f"'{type_name(value)}' object cannot be interpreted as an integer",
        code="E0203",
        caret=f"{what} needs a whole number",
        help=("write `int(...)` around it",) if value.__class__ in (float, Tensor) else (),
    )


def values_equal(x: Any, y: Any) -> bool:
    """Whether ``x == y``, comparing lists and tuples entry by entry. Tensors must have one entry."""
    pairs = [(x, y)]
    while pairs:
        a, b = pairs.pop()
        if a is b:
            continue
        if a.__class__ in SEQUENCE_KINDS and SEQUENCE_KINDS.get(b.__class__) is SEQUENCE_KINDS[a.__class__]:
            if len(a) != len(b):
                return False
            runtime.spend(len(a))
            pairs.extend(zip(reversed(a), reversed(b), strict=True))
        elif a.__class__ is Tensor or b.__class__ is Tensor:
            if not (a.__class__ in NUMBER_CLASSES or a.__class__ is Tensor):
                return False
            if not (b.__class__ in NUMBER_CLASSES or b.__class__ is Tensor):
                return False
            if not is_true(a == b):
                return False
        elif a.__class__ in NUMBER_CLASSES:
            if b.__class__ not in NUMBER_CLASSES or a != b:
                return False
        elif a.__class__ is not b.__class__ or a.__class__ not in COMPARABLE or a != b:
            return False
    return True


SEQUENCE_KINDS: dict[Any, type] = {list: list, tuple: tuple, Size: tuple}
COMPARABLE = frozenset([str, range, DType, Device])
