"""Errors of scripts without tensors speak of arrays, and have numpy's messages if the script names numpy.

Core's messages are torch's; here they are replaced once an error has its labels and repairs.
"""

from __future__ import annotations

import re

from autodiff.core.base.errors import AutodiffError, Edit, Fix, Label
from autodiff.core.engine.tensor import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def listed(sizes: str) -> str:
    """Return sizes as numpy writes a shape: ``(2,3)``, ``(4,)``."""
    parts = sizes.replace(" ", "").split(",")
    return f"({parts[0]},)" if len(parts) == 1 and parts[0] else f"({','.join(parts)})"


def of_shapes(found: re.Match[str], error: AutodiffError) -> str:
    shapes = [listed(", ".join(map(str, x.shape))) for x in error.operands if x.__class__ is Tensor]
    return f"operands could not be broadcast together with shapes {' '.join(shapes)}"


def of_product(found: re.Match[str], error: AutodiffError) -> str:
    shapes = [listed(", ".join(map(str, x.shape))) for x in error.operands if x.__class__ is Tensor]
    return f"shapes {' and '.join(shapes)} not aligned"


def of_axis(found: re.Match[str], error: AutodiffError) -> str:
    return f"axis {found[2]} is out of bounds for array of dimension {int(found[1]) + 1}"


def of_reshape(found: re.Match[str], error: AutodiffError) -> str:
    return f"cannot reshape array of size {found[2]} into shape {listed(found[1])}"


def of_assignment(found: re.Match[str], error: AutodiffError) -> str:
    return f"could not broadcast input array from shape {listed(found[2])} into shape {listed(found[1])}"


#: Patterns of torch's messages, each with numpy's message in its place.
MESSAGES: list[tuple[str, str | Callable[[re.Match[str], AutodiffError], str]]] = [
    (r"The size of tensor a \(.*", of_shapes),
    (r"The expanded size of .*Target sizes: \[(.*?)\]\. +Tensor sizes: \[(.*?)\]", of_assignment),
    (r"expand\(torch\..*", "setting an array element with a sequence."),
    (r"(inconsistent tensor size, expected|mat1 and mat2 shapes|size mismatch, got) .*", of_product),
    (
        r"Boolean value of Tensor with more than one value is ambiguous",
        "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()",
    ),
    (
        r"only one element tensors can be converted to Python scalars",
        "only 0-dimensional arrays can be converted to Python scalars",
    ),
    (
        r"only integers, slices \(`:`\), ellipsis .*",
        "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays"
        " are valid indices",
    ),
    (r"Dimension out of range \(expected to be in range of \[.*?, (-?\d+)\], but got (-?\d+)\)", of_axis),
    (r"shape '\[(.*)\]' is invalid for input of size (\d+)", of_reshape),
    (r"(index -?\d+ is out of bounds for) dimension (\d+ with size \d+)", r"\1 axis \2"),
    (r"linalg\.\w+: .*singular.*", "Singular matrix"),
    (r"unsupported format string passed to Tensor", "unsupported format string passed to numpy.ndarray"),
    (r"'Tensor'", "'numpy.ndarray'"),
]
NUMPY = re.compile(r"\b(np|numpy)\b")
#: torch's words in code.
CODE = [(r"torch\.tensor\(", "np.array("), (r"\.clone\(\)", ".copy()"), (r"\.double\(\)", ".astype(float)")]
#: torch's words, in any sentence of an error.
WORDS = [
    *CODE,
    (r"a leaf that requires a gradient", "an input"),
    (r"\b([Aa]) tensor\b", r"\1n array"),
    (r"\b([Aa]) Tensor\b", r"\1n array"),
    (r"\b[tT]ensor(s?)\b(?!\()", r"array\1"),
]


def replaced(text: str, words: list[tuple[str, str]] = WORDS) -> str:
    for pattern, plain in words:
        text = re.sub(pattern, plain, text)
    return text


def speak_of_arrays(error: AutodiffError, script: str) -> None:
    """Replace torch's words in an error of a script without tensors, which has arrays.

    numpy's messages are for those who know them: for a ``script`` that names numpy.
    """
    for pattern, plain in MESSAGES if NUMPY.search(script) else ():
        found = re.search(pattern, error.message)
        if found is not None:
            made = found.expand(plain) if isinstance(plain, str) else plain(found, error)
            error.message = error.message.replace(found[0], made)
            break
    error.message, error.caret = replaced(error.message), replaced(error.caret)
    error.help = tuple(map(replaced, error.help))
    error.labels = [Label(label.span, replaced(label.text)) for label in error.labels]
    error.fixes = tuple(map(with_words_of_numpy, error.fixes))


def with_words_of_numpy(fix: Fix) -> Fix:
    return Fix(replaced(fix.text), *(Edit(edit.span, replaced(edit.text, CODE)) for edit in fix.edits))
