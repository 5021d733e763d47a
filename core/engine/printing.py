"""Print tensors and numbers exactly as PyTorch does, byte for byte.

All elements of a tensor share one notation and one column width, both chosen from the elements that are
shown; the rest is laying out brackets and lines. Nothing here calls a numpy function, only array methods, so
that plain numbers print without importing numpy.
"""

from __future__ import annotations

from math import isfinite

from autodiff.core.base.errors import LimitError, ScriptError
from autodiff.core.base.lazy_imports import np

TYPE_CHECKING = False  # type checkers know the name; importing it from typing would slow every start
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

TENSOR_PREFIX = "tensor("
PYTHON_DTYPES = {"float": "float64", "int": "int64", "bool": "bool"}
FORMAT_LIMIT = 10_000  # the largest width and precision allowed in a format spec


class PrintOptions:
    """The settings of ``torch.set_printoptions``.

    Tensors of more than ``threshold`` elements are summarised: each axis shows ``edgeitems`` elements at
    either end. If ``sci_mode`` is None, the elements decide about scientific notation.
    """

    __slots__ = ("edgeitems", "linewidth", "precision", "sci_mode", "threshold")

    def __init__(self) -> None:
        self.start()

    def start(self) -> None:
        """Reset to the defaults for a new script."""
        self.precision = 4
        self.threshold: float = 1000
        self.edgeitems = 3
        self.linewidth = 80
        self.sci_mode: bool | None = None


print_options = PrintOptions()


def format_tensor(
    array: np.ndarray | float,
    *,
    default_dtype: str = "float64",
    requires_grad: bool = False,
    grad_fn: str | None = None,
) -> str:
    """Return the text of a tensor; a Python number is a 0-d tensor.

    >>> format_tensor(8.0, grad_fn="MulBackward0")
    'tensor(8., grad_fn=<MulBackward0>)'
    """
    if isinstance(array, (float, int)):
        dtype, shape = PYTHON_DTYPES[python_type(array)], ()
        body = format_element(array)
    else:
        dtype, shape = array.dtype.name, array.shape
        body = format_elements(array)
    suffixes = []
    if 0 in shape:
        # An empty tensor shows no element that reveals its dtype, so int64 and bool are printed too.
        if len(shape) > 1:
            suffixes.append(f"size={shape}")
        shown_without_saying: tuple[str, ...] = (default_dtype,)
    else:
        shown_without_saying = (default_dtype, "int64", "bool")
    if dtype not in shown_without_saying:
        suffixes.append(f"dtype=torch.{dtype}")
    if grad_fn is not None:
        suffixes.append(f"grad_fn=<{grad_fn}>")
    elif requires_grad:
        suffixes.append("requires_grad=True")
    return append_suffixes(TENSOR_PREFIX + body, suffixes)


def format_element(value: float) -> str:
    """Return the text of one element as in a tensor with only this element.

    >>> format_element(1 / 3), format_element(2.0), format_element(1e-8), format_element(True)
    ('0.3333', '2.', '1.0000e-08', 'True')
    """
    if not isinstance(value, float):
        return str(value)
    return choose_notation([abs(value)] if value and isfinite(value) else [])(value)


def format_number(value: float) -> str:
    """Return the text of a Python number as Python prints it.

    >>> format_number(0.1 + 0.2), format_number(3), format_number(True)
    ('0.30000000000000004', '3', 'True')
    """
    try:
        return str(value)
    except ValueError as error:  # an int with more digits than Python converts to text
        raise ScriptError(python_message(error)) from None


def format_size(shape: tuple[int, ...]) -> str:
    """Return the text of a shape.

    >>> format_size((2, 3))
    'torch.Size([2, 3])'
    """
    return f"torch.Size({list(shape)})"


def format_named_result(type_name: str, fields: Iterable[tuple[str, str]]) -> str:
    """Return the text of a tuple with named fields; ``fields`` holds each name and its value as text.

    >>> fields = [("values", "tensor(8.)"), ("indices", "tensor(0)")]
    >>> print(format_named_result("torch.return_types.max", fields))
    torch.return_types.max(
    values=tensor(8.),
    indices=tensor(0))
    """
    # torch does not indent the further lines of a field.
    return f"{type_name}(\n" + ",\n".join(f"{name}={text}" for name, text in fields) + ")"


# -- spelling one element ---------------------------------------------------------------------------------


def spell_whole(value: float) -> str:
    return f"{value:.0f}." if isfinite(value) else str(value)


def spell_fixed(value: float) -> str:
    return f"{value:.{print_options.precision}f}"


def spell_scientific(value: float) -> str:
    return f"{value:.{print_options.precision}e}"


def choose_notation(magnitudes: Sequence[float]) -> Callable[[float], str]:
    """Return the notation for floats, chosen from their finite, non-zero absolute values.

    Zeros, infinities and nans do not count because they print the same in every notation.
    """
    if not magnitudes:
        return spell_whole
    smallest, largest = min(magnitudes), max(magnitudes)
    whole = all(value.is_integer() for value in magnitudes)
    scientific = print_options.sci_mode
    if scientific is None:
        scientific = largest / smallest > 1000 or largest > 1e8 or (smallest < 1e-4 and not whole)
    if scientific:
        return spell_scientific
    return spell_whole if whole else spell_fixed


def choose_column(values: Sequence[float]) -> tuple[Callable[[float], str], int]:
    """Return the notation that all elements share and the width of their column."""
    if not isinstance(values[0], float):
        return str, max(len(str(value)) for value in values)
    # Only finite, non-zero elements determine the width. torch prints zeros(30) as if "0." took one
    # character, so 24 of them fit on a line, but only 18 of ones(30).
    counted = [value for value in values if value and isfinite(value)]
    spell = choose_notation([abs(value) for value in counted])
    return spell, max((len(spell(value)) for value in counted), default=1)


# -- laying out the elements ------------------------------------------------------------------------------


def format_elements(array: np.ndarray) -> str:
    """Return the elements of an array with their brackets, as printed after ``tensor(``."""
    if array.size == 0:
        return "[]"
    edge = print_options.edgeitems
    cut = tuple(array.size > print_options.threshold and length > 2 * edge for length in array.shape)
    for axis, is_cut in enumerate(cut):
        if is_cut:
            array = array.take([*range(edge), *range(-edge, 0)], axis=axis)
    spell, width = choose_column(array.ravel().tolist())
    return lay_out(array.tolist(), cut, lambda value: spell(value).rjust(width), width, len(TENSOR_PREFIX))


def lay_out(
    items: Any, cut: tuple[bool, ...], format_cell: Callable[[float], str], width: int, column: int
) -> str:
    """Return the text of nested lists whose opening bracket is at ``column``.

    ``cut`` says for each level whether items were omitted, ``format_cell`` formats one element.
    """
    if not cut:
        return format_cell(items)
    if len(cut) == 1:
        return lay_out_row([format_cell(value) for value in items], cut[0], width, column)
    blocks = [lay_out(item, cut[1:], format_cell, width, column + 1) for item in items]
    if cut[0]:
        blocks.insert(print_options.edgeitems, "...")
    # One line break between rows, one more per further dimension: a blank line between matrices.
    separator = "," + "\n" * (len(cut) - 1) + " " * (column + 1)
    return "[" + separator.join(blocks) + "]"


def lay_out_row(cells: list[str], cut: bool, width: int, column: int) -> str:
    if cut:
        cells.insert(print_options.edgeitems, " ...")
    per_line = max(1, (print_options.linewidth - column) // (width + len(", ")))
    lines = [", ".join(cells[start : start + per_line]) for start in range(0, len(cells), per_line)]
    return "[" + (",\n" + " " * (column + 1)).join(lines) + "]"


def append_suffixes(text: str, suffixes: list[str]) -> str:
    """Append the suffixes and the closing bracket; a suffix that does not fit goes on a new line."""
    used = len(text) - text.rfind("\n") + 1  # torch counts the next ", " in advance
    for suffix in suffixes:
        if used + len(suffix) + len(", ") > print_options.linewidth:
            text += ",\n" + " " * len(TENSOR_PREFIX) + suffix
            used = len(TENSOR_PREFIX) + len(suffix)
        else:
            text += ", " + suffix
            used += len(suffix) + len(", ")
    return text + ")"


def python_type(value: float | str) -> str:
    """Return the name of a value's Python type; numpy's float64 counts as float, its base class."""
    if isinstance(value, float):
        return "float"
    if isinstance(value, str):
        return "str"
    return "bool" if isinstance(value, bool) else "int"


# -- format specs: the part after the colon in f"{x:.3f}" -------------------------------------------------

# Matches every text: whatever is not part of a spec ends up in `code`, where the checks below reject it.
SPEC_GRAMMAR = r"""(?xs)
    (?: (?P<fill> .)? (?P<align> [<>=^]) )?
    (?P<sign> [-+\ ]?)
    (?P<no_negative_zero> z?)
    (?P<alternate> \#?)
    (?P<zeros> 0?)
    (?P<width> [0-9]*)
    (?P<grouping> ,_ | _, | , | _ | )
    (?: (?P<point> \.) (?P<precision> [0-9]*) )?
    (?P<code> .*)
"""
SPEC_FIELDS = (
    "fill",
    "align",
    "sign",
    "no_negative_zero",
    "alternate",
    "zeros",
    "width",
    "grouping",
    "point",
    "precision",
    "code",
)
FORMAT_CODES = {"float": "eEfFgGn%", "int": "bcdoxXeEfFgGn%", "bool": "bcdoxXeEfFgGn%", "str": "s"}
GROUPING_CODES = {",": "deEfFgG%", "_": "deEfFgG%boxX"}


def format_with_spec(value: float | str, spec: str) -> str:
    """Return a Python value formatted with a format spec.

    The spec is parsed and checked first, and only checked parts are passed to Python: a width of a billion
    raises LimitError instead of allocating a gigabyte of spaces.

    >>> format_with_spec(3.14159, ">8.2f"), format_with_spec(1234567, ","), format_with_spec("w", "^5")
    ('    3.14', '1,234,567', '  w  ')
    """
    if not spec:
        return value if isinstance(value, str) else format_number(value)
    checked = "".join(parse_spec(spec, python_type(value)))
    try:
        return format(value, checked)
    except (ValueError, OverflowError) as error:  # parts that are valid alone but not together
        raise ScriptError(python_message(error)) from None


def python_message(error: Exception) -> str:
    """Return Python's message up to a semicolon; the rest advises to use ``sys``, which scripts cannot."""
    return str(error).partition(";")[0]


def parse_spec(spec: str, type_name: str) -> list[str]:
    """Return the parts of a spec in order; ScriptError in Python's wording if it does not fit the type."""
    import re  # imported here because re loads enum, and few scripts use format specs

    match = re.match(SPEC_GRAMMAR, spec)
    assert match is not None, "the grammar matches every text"
    field = match.groupdict(default="")
    grouping, code = field["grouping"], field["code"]
    if len(grouping) == 2:
        raise ScriptError("Cannot specify both ',' and '_'.")
    if field["point"] and not field["precision"]:
        raise ScriptError("Format specifier missing precision")
    if len(code) > 1:
        raise ScriptError(f"Invalid format specifier '{spec}' for object of type '{type_name}'")
    printable = code if " " < code < "\x80" else f"\\x{ord(code):x}" if code else ""
    if grouping and code not in GROUPING_CODES[grouping]:
        raise ScriptError(f"Cannot specify '{grouping}' with '{printable}'.")
    if code not in FORMAT_CODES[type_name]:
        raise ScriptError(f"Unknown format code '{printable}' for object of type '{type_name}'")
    check_format_limit("width", field["width"])
    check_format_limit("precision", field["precision"])
    return [field[name] for name in SPEC_FIELDS]


def check_format_limit(name: str, digits: str) -> None:
    digits = digits.lstrip("0")
    # The length is checked first because Python refuses to parse an int with thousands of digits.
    if len(digits) > len(str(FORMAT_LIMIT)) or int(digits or "0") > FORMAT_LIMIT:
        shown = digits if len(digits) <= 20 else f"{digits[:20]}..."
        raise LimitError(f"a format {name} of {shown} exceeds the limit of {FORMAT_LIMIT}", code="E0502")
