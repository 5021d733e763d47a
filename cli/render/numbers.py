"""Values as text: rounded for people, exact for programs, matrices as blocks between bars.

A value is a Python float, an ndarray or None. numpy is not imported here; only methods of arrays are used.
"""

from __future__ import annotations

from math import frexp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LARGEST_BLOCK = 8  # the most rows and columns of a matrix shown in full
LARGEST_INLINE = 3
MOST_WHOLE = 16  # the most entries of a tensor that is shown whole beside others
EXACT_INTEGERS = 1e9  # whole numbers below this are shown in full, whatever the number of digits


def short(value: float, digits: int = 6) -> str:
    """A rounded number for people; -0 is shown as 0.

    >>> short(-8.0), short(2.718281828), short(1.2e-5), short(784000.0), short(float("nan")), short(-0.0)
    ('-8', '2.71828', '1.2e-05', '784000', 'nan', '0')
    """
    if -EXACT_INTEGERS < value < EXACT_INTEGERS and value == int(value):
        if value.__class__ is bool:
            return str(value)
        return str(int(value))
    return f"{value:.{digits}g}"


def exact(value: float) -> str:
    """The shortest text that reads back as the same float64, without a trailing ``.0``.

    >>> exact(-8.0), exact(0.1 + 0.2), exact(1e300), exact(-0.0)
    ('-8', '0.30000000000000004', '1e+300', '-0')
    """
    return str(value).removesuffix(".0")


def exact_entries(value: Any) -> list[str]:
    """Every entry of a value, exactly; float32 entries with only the digits that float32 needs."""
    if value is None:
        return ["None"]
    if not is_array(value):
        return [exact(value)]
    flat = value.ravel()
    # tolist() widens float32 to float64, where 0.1 reads 0.10000000149011612.
    texts = map(str, flat if value.dtype.name == "float32" else flat.tolist())
    return [text.removesuffix(".0") for text in texts]  # as ``exact`` does, a fifth faster


def is_array(value: Any) -> bool:
    """Whether a value is an array of at least one dimension; 0-d arrays count as numbers."""
    return not isinstance(value, (float, int, str)) and value is not None and bool(value.shape)


def number(value: Any) -> float:
    """The number in a Python number or a 0-d array."""
    return value if isinstance(value, (float, int)) else value.item()


def spell_shape(shape: tuple[int, ...]) -> str:
    """A shape as text: ``2x3``, and ``number`` for a scalar.

    >>> spell_shape((2, 3)), spell_shape((4,)), spell_shape(())
    ('2x3', '4', 'number')
    """
    return "x".join(map(str, shape)) or "number"


def spell_size(shape: tuple[int, ...]) -> str:
    """A shape that stands in no column of shapes: of a vector the number of its entries.

    >>> spell_size((2, 3)), spell_size((4,)), spell_size((1,)), spell_size(())
    ('2x3', '4 entries', '1 entry', 'number')
    """
    return spell_shape(shape) if len(shape) != 1 else several(shape[0], "entry")


def several(count: int, noun: str) -> str:
    """A count of things.

    >>> several(1, "entry"), several(2, "entry"), several(2000, "path")
    ('1 entry', '2 entries', '2,000 paths')
    """
    plural = noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
    return f"{spell_count(count)} {noun if count == 1 else plural}"


def spell_count(count: int) -> str:
    """A count of any size as text.

    >>> spell_count(9811), spell_count(2**100), spell_count(10**5000)
    ('9,811', '1.27e30', '1.00e5000')
    """
    if count < 10**12:
        return f"{count:,}"
    from math import log10

    exponent = int(log10(count))
    while count < 10**exponent:  # the logarithm was rounded up
        exponent -= 1
    leading = (count // 10 ** (exponent - 3) + 5) // 10
    if leading == 1000:
        exponent, leading = exponent + 1, 100
    return f"{leading // 100}.{leading % 100:02d}e{exponent}"


def block(
    value: Any,
    digits: int = 6,
    with_shape: bool = True,
    tallest: int = LARGEST_BLOCK,
    is_gradient: bool = True,
) -> list[str]:
    """A value as lines: a number, the rows of a matrix, or a summary of a large array.

    A vector is a column, as in a product; one entry is in brackets, for between bars it would be an absolute
    value. ``with_shape`` makes a summary begin with the shape. An array of
    more rows than ``tallest`` is shown by its smallest and largest entry.
    """
    if value is None:
        return ["None"]
    if not is_array(value):
        return [short(number(value), digits)]
    if value.ndim > 2 or max(value.shape) > LARGEST_BLOCK or value.size == 0:
        return [summary(value, digits) if with_shape else figures(value, digits, is_gradient)]
    if value.shape[0] > tallest:
        return [spell_range(value)]
    if value.size == 1:
        return [f"[{short(value.item(), digits)}]"]
    rows = value.tolist() if value.ndim == 2 else [[entry] for entry in value.tolist()]
    texts = [[short(entry, digits) for entry in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    return [
        "| " + "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)) + " |"
        for row in texts
    ]


def inline(value: Any, digits: int = 6) -> str:
    """A value on one line."""
    if value.__class__ is float:
        return short(value, digits)
    if value is None:
        return "None"
    if not is_array(value):
        return short(number(value), digits)
    if value.size == 0 or value.ndim > 2 or max(value.shape) > LARGEST_INLINE:
        return summary(value, min(digits, 3))
    return listed(value, digits)


def listed(value: Any, digits: int) -> str:
    """The entries of a vector or matrix on one line: ``[1 2; 3 4]``."""
    rows = value.tolist() if value.ndim == 2 else [value.tolist()]
    return "[" + "; ".join(" ".join(short(entry, digits) for entry in row) for row in rows) + "]"


def is_small(value: Any) -> bool:
    """Whether a value is a vector or matrix of so few entries that it is shown whole."""
    return (
        is_array(value)
        and value.ndim <= 2
        and 0 < value.size <= MOST_WHOLE
        and max(value.shape) <= LARGEST_BLOCK
    )


def value_in_sentence(value: Any, digits: int) -> str:
    """A value in a sentence: every entry of a small tensor.

    >>> import numpy
    >>> value_in_sentence(numpy.arange(8.0).reshape(2, 4), 6), value_in_sentence(2.5, 6)
    ('[0 1 2 3; 4 5 6 7]', '2.5')
    """
    return listed(value, digits) if is_small(value) else inline(value, digits)


def whole_lines(value: Any, room: int, digits: int) -> list[str]:
    """A small vector on one line if there is room for it, a matrix as its rows.

    They have fewer digits if necessary. Empty if ``room`` columns are too few even for two digits.
    """
    for precision in (digits, min(digits, 3), min(digits, 2)):
        lines = [listed(value, precision)] if value.ndim == 1 else block(value, precision)
        if len(lines[0]) <= room:
            return lines
    column = block(value, digits) if value.ndim == 1 else []
    return column if column and len(column[0]) <= room else []


def fitted(
    value: Any,
    room: int,
    digits: int = 6,
    with_shape: bool = True,
    tallest: int = LARGEST_BLOCK,
    is_gradient: bool = True,
) -> list[str]:
    """A value as lines of at most ``room`` columns, if necessary with fewer digits or as statistics."""
    for precision in (digits, min(digits, 3)):
        lines = block(value, precision, with_shape, tallest, is_gradient)
        if len(lines[0]) <= room or not is_array(value):
            return lines
    from autodiff.cli.render.prose import fold

    return fold(figures(value, digits, is_gradient), room)


def summary(value: Any, digits: int = 6) -> str:
    """A summary of a large tensor: shape, range, mean and Euclidean norm."""
    return f"{spell_size(value.shape)}   {figures(value, digits)}"


def figures(value: Any, digits: int = 6, is_gradient: bool = True) -> str:
    """Range and mean of a large tensor, and the Euclidean norm ``|g|`` of a gradient."""
    if value.size == 0:
        return "empty"
    if value.dtype.name == "bool":
        return f"{int(value.sum())} of {value.size} are True"
    wide = value.astype("float64")
    digits = min(digits, 3)
    low, high = float(wide.min()), float(wide.max())
    # Scaled by a power of two, so that neither the sum nor the squares leave the range of the numbers.
    scale = 2.0 ** min(max(frexp(max(-low, high))[1], -1000), 1000)
    scaled = wide * (1 / scale)
    mean, norm = float(scaled.mean()) * scale, float((scaled * scaled).sum()) ** 0.5 * scale
    parts = {"min": low, "mean": mean, "max": high} | ({"|g|": norm} if is_gradient else {})
    return "  ".join(f"{name} {short(number, digits)}" for name, number in parts.items())


def spell_range(value: Any) -> str:
    """The shortest summary of a large tensor: its smallest and largest entry, ``all 1`` if they are equal."""
    if value.size == 0:
        return "empty"
    if value.min() == value.max():
        return f"all {short(float(value.max()), 3)}"
    return f"{short(float(value.min()), 3)} .. {short(float(value.max()), 3)}"
