"""Operators on script values: ints checked to fit 64 bits, Python's floats, strings and sequences.

Operators on tensors are delegated to the Tensor class, or to core's function table where the class lacks
them. The size of a result, including an integer power, is checked before it is computed.
"""

from __future__ import annotations

from autodiff.core.base.errors import ScriptError
from autodiff.core.base.lazy_imports import LazyModule
from autodiff.core.engine.public_functions import find_function
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.op import OPS
from autodiff.core.graph.state import mode
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.objects.values import (
    ITERATORS,
    NAMED_RESULTS,
    NUMBER_CLASSES,
    SEQUENCE_KINDS,
    Drawing,
    check_length,
    collect,
    int_if_literal,
    is_true,
    iterate,
    type_name,
    values_equal,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

numpy_functions = LazyModule("autodiff.grammar.objects.numpy_functions")
plain_functions = LazyModule("autodiff.grammar.objects.plain_functions")
plain_text = LazyModule("autodiff.grammar.objects.plain_text")

INT_LIMIT = 1 << 63
BEYOND_FLOATS = "floats go up to 1.8e308: choose a larger unit, or compute with the logarithm of the number"


def checked_int(result: Any) -> Any:
    """Return a result unchanged; raise the overflow error for an int that does not fit in 64 bits."""
    if result.__class__ is int and not -INT_LIMIT <= result < INT_LIMIT:
        raise overflow_error()
    return result


def overflow_error() -> ScriptError:
    """Return the error for an integer that does not fit in 64 bits."""
    return ScriptError(
        "integer overflow: the result does not fit in 64 bits",
        code="E0207",
        caret="integers here go from -2**63 to 2**63 - 1",
        help=("write one of the numbers with a decimal point to compute in floats, as in 2.0**100",),
    )


def operand_error(op: str, x: Any, y: Any) -> ScriptError:
    """Return Python's error for operand types that an operator does not accept."""
    drawing = next((z for z in (x, y) if z.__class__ is Drawing), None)
    if drawing is not None:
        return ScriptError(
            f"`{drawing.name}` is skipped here, so it has no value",
            code="E0144",
            caret="what is computed with it has none",
            help=("compute it from the numbers that are drawn",),
        )
    return ScriptError(
        f"unsupported operand type(s) for {op}: '{type_name(x)}' and '{type_name(y)}'",
        code="E0203",
        caret=f"`{op}` does not take {with_article(type_name(x))} and {with_article(type_name(y))}",
        repair_context=(x, y),
    )


def beside_list(op: str, x: Any, y: Any) -> Any:
    """Return numpy's result of an operator for an array and a list; raise Python's error for other operands.

    A list of the text is an array here; beside another list it is Python's list, which ``+`` joins.
    """
    if not is_array_beside_list(x, y):
        raise operand_error(op, x, y)
    are_lists = any(z.__class__ is Tensor and plain_text.is_part_of_list(z) for z in (x, y))
    convert = collect if are_lists else numpy_functions.as_array
    made = [convert(x), convert(y)]
    if not are_lists and any(z.__class__ is not Tensor for z in made):  # a list of other things than numbers
        raise operand_error(op, x, y)
    return (BINARY | COMPARISON)[op](*made)


def is_array_beside_list(x: Any, y: Any) -> bool:
    """Whether one side is an array and the other a list or tuple, which numpy takes as an array."""
    if not runtime.prints_numbers:
        return False
    array, entries = (x, y) if x.__class__ is Tensor else (y, x)
    return array.__class__ is Tensor and array.shape != () and entries.__class__ in SEQUENCE_KINDS


def with_article(name: str) -> str:
    """Return a type name with its article: ``a list``, ``an int``."""
    name = PLAIN_NAMES.get(name, name)
    return name if name == "None" else f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


#: Plainer words for type names in sentences.
PLAIN_NAMES = {"NoneType": "None", "builtin_function_or_method": "function", "str": "string"}


def add(x: Any, y: Any) -> Any:
    if x.__class__ in NUMBER_CLASSES and y.__class__ in NUMBER_CLASSES:
        return checked_int(x + y)
    if is_tensor_operation(x, y):
        return x + y
    if x.__class__ in SEQUENCE_KINDS and SEQUENCE_KINDS.get(y.__class__) is SEQUENCE_KINDS[x.__class__]:
        check_length(len(x) + len(y), "list")
        return x + y
    if x.__class__ is str:
        if y.__class__ is not str:
            raise ScriptError(
                f'can only concatenate str (not "{type_name(y)}") to str',
                code="E0203",
                caret=f"the left side is a string, the right side {with_article(type_name(y))}",
                repair_context=(x, y),
            )
        check_length(len(x) + len(y), "string")
        return x + y
    if x.__class__ in SEQUENCE_KINDS and not is_array_beside_list(x, y):
        kind = SEQUENCE_KINDS[x.__class__].__name__
        raise ScriptError(
            f'can only concatenate {kind} (not "{type_name(y)}") to {kind}',
            code="E0203",
            caret=f"`+` joins a {kind} to another; it adds nothing to the entries",
            repair_context=(x, y),
        )
    return beside_list("+", x, y)


def sub(x: Any, y: Any) -> Any:
    if x.__class__ in NUMBER_CLASSES and y.__class__ in NUMBER_CLASSES:
        return checked_int(x - y)
    if is_tensor_operation(x, y):
        return x - y
    return beside_list("-", x, y)


def mul(x: Any, y: Any) -> Any:
    if x.__class__ in NUMBER_CLASSES and y.__class__ in NUMBER_CLASSES:
        return checked_int(x * y)
    if is_tensor_operation(x, y):
        return x * y
    if is_array_beside_list(x, y):
        return beside_list("*", x, y)
    first = x
    if y.__class__ is str or y.__class__ in SEQUENCE_KINDS:
        x, y = y, x
    if x.__class__ is str or x.__class__ in SEQUENCE_KINDS:
        if y.__class__ is Tensor:
            mode.count(y)
            y = int(y.item()) if y.entry_count == 1 and y.dtype.kind != "f" else int_if_literal(y)
        if y.__class__ is int or y.__class__ is bool:
            check_length(len(x) * max(0, y), "string" if x.__class__ is str else "list")
            return tuple(x) * y if SEQUENCE_KINDS.get(x.__class__) is tuple else x * y
        operands = (x, y) if x is first else (y, x)
        if y.__class__ is Tensor:
            message = "only integer tensors of a single element can be converted to an index"
        else:
            message = f"can't multiply sequence by non-int of type '{type_name(y)}'"
        raise ScriptError(
            message,
            code="E0203",
            caret=f"`*` repeats {with_article(type_name(x))}; it does not multiply the entries",
            repair_context=operands,
        )
    raise operand_error("*", x, y)


def truediv(x: Any, y: Any) -> Any:
    if x.__class__ in NUMBER_CLASSES and y.__class__ in NUMBER_CLASSES:
        return x / y
    if is_tensor_operation(x, y):
        return x / y
    return beside_list("/", x, y)


def floordiv(x: Any, y: Any) -> Any:
    if x.__class__ in NUMBER_CLASSES and y.__class__ in NUMBER_CLASSES:
        return checked_int(x // y)
    if runtime.without_tensors and is_tensor_operation(x, y):
        return OPS["div_floor"](x, y)  # the same numbers, and slope 0 where torch has no derivative
    return tensor_operator("//", "floor_divide", x, y)


def mod(x: Any, y: Any) -> Any:
    if x.__class__ in NUMBER_CLASSES and y.__class__ in NUMBER_CLASSES:
        return x % y
    if x.__class__ is str:
        from autodiff.grammar.objects.percent_format import format_percent

        return format_percent(x, y)
    made = tensor_operator("%", "remainder", x, y)
    if not runtime.prints_numbers or made.__class__ is not Tensor:
        return made
    from autodiff.grammar.objects.plain_arrays import with_zeros_of_divisor

    return with_zeros_of_divisor(made, y)


def power(x: Any, y: Any) -> Any:
    """Return ``x ** y``. An integer power that cannot fit in 64 bits is refused before it is computed."""
    if x.__class__ in NUMBER_CLASSES and y.__class__ in NUMBER_CLASSES:
        if x.__class__ is not float and y.__class__ is not float:
            # |x| >= 2**(bits - 1), so the result has more than (bits - 1) * y bits.
            if y > 1 and (abs(x).bit_length() - 1) * y > 64:
                raise overflow_error()
            if y > 64 and abs(x) <= 1:
                y = 64 + y % 2
            return checked_int(x**y)
        try:
            result = x**y
        except OverflowError:
            raise ScriptError(
                "(34, 'Numerical result out of range')",
                code="E0207",
                caret="the result is too large for a float",
                help=(BEYOND_FLOATS,),
            ) from None
        if result.__class__ is complex:
            raise ScriptError(
                "a negative number has no real power whose exponent is a fraction",
                code="E0206",
                caret=f"{x!r} ** {y!r} would be a complex number, and the language has none",
            )
        return result
    if is_tensor_operation(x, y):
        return x**y
    if is_array_beside_list(x, y):
        return beside_list("**", x, y)
    raise operand_error("** or pow()", x, y)


def matmul(x: Any, y: Any) -> Any:
    if x.__class__ is Tensor and y.__class__ is Tensor:
        if runtime.prints_numbers:
            x, y = plain_functions.of_one_type(x, y)
        return x @ y
    return beside_list("@", x, y)


def is_tensor_operation(x: Any, y: Any) -> bool:
    """Whether one side is a tensor and the other a tensor or a number."""
    if x.__class__ is Tensor:
        return y.__class__ is Tensor or y.__class__ in NUMBER_CLASSES
    return y.__class__ is Tensor and x.__class__ in NUMBER_CLASSES


def is_number_operation(x: Any, y: Any) -> bool:
    """Whether each side is a number or a tensor, and one of them a float."""
    kinds = [z.dtype.kind if z.__class__ is Tensor else "f" if z.__class__ is float else "i" for z in (x, y)]
    are_numbers = all(z.__class__ is Tensor or z.__class__ in NUMBER_CLASSES for z in (x, y))
    return are_numbers and "f" in kinds


def tensor_operator(op: str, name: str, x: Any, y: Any) -> Any:
    """Apply an operator that the Tensor class lacks, by the function ``name`` of core's table."""
    if is_tensor_operation(x, y):
        function = find_function(name)
        if function is not None:
            return function.implementation(x, y)
    return beside_list(op, x, y)


class CaretError(ScriptError):
    """``^`` of floats in a script without tensors, where it is meant as a power."""


def bitwise_operator(op: str, on_ints: Callable[[int, int], int], name: str) -> Callable[[Any, Any], Any]:
    """Return the function of the operator ``&``, ``|`` or ``^``."""

    def operator(x: Any, y: Any) -> Any:
        if x.__class__ in INTEGERS and y.__class__ in INTEGERS:
            return on_ints(x, y)
        if op == "^" and runtime.plain_functions and is_number_operation(x, y):
            raise CaretError(
                f"unsupported operand type(s) for ^: '{type_name(x)}' and '{type_name(y)}'",
                code="E0203",
                repair_context=(x, y),
            )
        if is_tensor_operation(x, y):
            function = find_function(f"bitwise_{name}")
            if function is not None:
                return function.implementation(x, y)
            if f"logical_{name}" in OPS:
                return OPS[f"logical_{name}"](x, y)
        return beside_list(op, x, y)

    return operator


INTEGERS: frozenset[Any] = frozenset([int, bool])


def left_shift(x: Any, y: Any) -> Any:
    if x.__class__ in INTEGERS and y.__class__ in INTEGERS:
        if y > 64 and x:
            raise overflow_error()
        return checked_int(x << min(y, 64) if y >= 0 else x << y)
    return tensor_operator("<<", "bitwise_left_shift", x, y)


def right_shift(x: Any, y: Any) -> Any:
    if x.__class__ in INTEGERS and y.__class__ in INTEGERS:
        return x >> y
    return tensor_operator(">>", "bitwise_right_shift", x, y)


#: The function of every binary operator.
BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": add,
    "-": sub,
    "*": mul,
    "/": truediv,
    "//": floordiv,
    "%": mod,
    "**": power,
    "@": matmul,
    "&": bitwise_operator("&", lambda x, y: x & y, "and"),
    "|": bitwise_operator("|", lambda x, y: x | y, "or"),
    "^": bitwise_operator("^", lambda x, y: x ^ y, "xor"),
    "<<": left_shift,
    ">>": right_shift,
}


# -- unary ------------------------------------------------------------------------------------------


def negative(x: Any) -> Any:
    if x.__class__ in NUMBER_CLASSES:
        return checked_int(-x)
    if x.__class__ is Tensor:
        return -x
    raise bad_unary("-", x)


def unary_plus(x: Any) -> Any:
    if x.__class__ in NUMBER_CLASSES:
        return +x
    if x.__class__ is Tensor:
        # torch gives the tensor itself, numpy a copy
        name = "clone" if runtime.prints_numbers and x.shape else "positive"
        return find_function(name)(x)  # type: ignore[misc] # core has both
    raise bad_unary("+", x)


def invert(x: Any) -> Any:
    if x.__class__ in INTEGERS:
        return ~int(x)
    if x.__class__ is Tensor:
        if x.dtype.is_floating_point:
            raise ScriptError(
                "~ (operator.invert) is only implemented on integer and Boolean-type tensors",
                code="E0312",
                operands=(x,),
                caret=f"this holds {x.dtype.name} numbers",
                help=("compare to get truth values, as in `~(x > 0)`",),
            )
        return OPS["bitwise_not"](x)
    raise bad_unary("~", x)


def bad_unary(op: str, x: Any) -> ScriptError:
    return ScriptError(
        f"bad operand type for unary {op}: '{type_name(x)}'",
        code="E0203",
        caret=f"`{op}` does not take {with_article(type_name(x))}",
        repair_context=(x,),
    )


UNARY: dict[str, Callable[[Any], Any]] = {
    "-": negative,
    "+": unary_plus,
    "~": invert,
    "not": lambda x: not is_true(x),
}


# -- comparison -------------------------------------------------------------------------------------


def equal(x: Any, y: Any) -> Any:
    if x.__class__ in NUMBER_CLASSES and y.__class__ in NUMBER_CLASSES:
        return x == y
    if is_array_beside_list(x, y):
        return beside_list("==", x, y)
    return x == y if is_tensor_operation(x, y) else values_equal(x, y)


def not_equal(x: Any, y: Any) -> Any:
    if is_array_beside_list(x, y):
        return beside_list("!=", x, y)
    return x != y if is_tensor_operation(x, y) else not values_equal(x, y)


def ordering_operator(op: str, compare: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return the function of ``<``, ``<=``, ``>`` or ``>=``.

    It compares numbers, tensors and strings directly, and sequences by their first differing entry.
    """

    def operator(x: Any, y: Any) -> Any:
        if x.__class__ in NUMBER_CLASSES and y.__class__ in NUMBER_CLASSES:
            return compare(x, y)
        if is_tensor_operation(x, y) or (x.__class__ is str and y.__class__ is str):
            return compare(x, y)
        if x.__class__ in SEQUENCE_KINDS and SEQUENCE_KINDS.get(y.__class__) is SEQUENCE_KINDS[x.__class__]:
            for a, b in zip(x, y, strict=False):
                if not values_equal(a, b):
                    return operator(a, b)
            return compare(len(x), len(y))
        if is_array_beside_list(x, y):
            return beside_list(op, x, y)
        raise ScriptError(
            f"'{op}' not supported between instances of '{type_name(x)}' and '{type_name(y)}'",
            code="E0203",
            caret=f"{with_article(type_name(x))} and {with_article(type_name(y))} have no order",
            repair_context=(x, y),
        )

    return operator


def contains(x: Any, y: Any) -> bool:
    """Return ``x in y``."""
    if y.__class__ is str:
        if x.__class__ is not str:
            raise ScriptError(
                f"'in <string>' requires string as left operand, not {type_name(x)}", code="E0203"
            )
        return x in y
    if y.__class__ is range:
        return x.__class__ in NUMBER_CLASSES and x in y
    if y.__class__ is Tensor:
        return is_true(any_entry(y == x))
    if y.__class__ not in ITERATORS and y.__class__ not in NAMED_RESULTS:
        raise ScriptError(
            f"argument of type '{type_name(y)}' is not iterable",
            code="E0205",
            caret="this is one value: there is nothing in it",
            repair_context=(x, y),
        )
    return any(values_equal(x, element) for element in iterate(y))


def any_entry(tensor: Any) -> Any:
    function = find_function("any")
    if function is None or tensor.__class__ is not Tensor:
        return tensor
    return function(tensor) if tensor.shape else tensor


def identical(x: Any, y: Any) -> bool:
    """Whether ``x is y``. Bools, ints and strings are compared by value."""
    return x is y or (x.__class__ is y.__class__ and x.__class__ in (bool, int, str) and x == y)


COMPARISON: dict[str, Callable[[Any, Any], Any]] = {
    "==": equal,
    "!=": not_equal,
    "<": ordering_operator("<", lambda x, y: x < y),
    "<=": ordering_operator("<=", lambda x, y: x <= y),
    ">": ordering_operator(">", lambda x, y: x > y),
    ">=": ordering_operator(">=", lambda x, y: x >= y),
    "is": identical,
    "is not": lambda x, y: not identical(x, y),
    "in": contains,
    "not in": lambda x, y: not contains(x, y),
}
