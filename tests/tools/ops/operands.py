"""Operands as they stand in a sample: ``{2,3 + T}`` is a positive 2 by 3 leaf that lies transposed in memory.

In braces come the shape (``()`` for a single number) and, in any order, words that say more:

- which numbers: none for both signs with a distance from 0, ``+`` for positive ones, ``-0.9..0.9`` for those
  of an interval, ``pd`` and ``sym`` for definite and symmetric matrices, ``reg`` for well-conditioned ones,
  ``low`` and ``up`` for triangles, ``prob`` for rows that sum to 1, ``sorted`` for rows in ascending order;
- which type: ``int 0..5``, ``bool``, ``f4`` for single precision, ``held`` for floats that are no leaf;
- how they lie: ``T`` transposed, ``R`` backwards (negative strides), ``S`` every second entry of something
  larger, ``E`` one row repeated without memory of its own.

``{=[[1.0, 2.0], [2.0, 3.0]]}`` spells the numbers out. Entries are distinct and no two operands share any, so
that ties and kinks happen only where they are written.
"""

from __future__ import annotations

import re
import zlib
from typing import NamedTuple

import numpy as np

INTERVAL = re.compile(r"(-?[\d.]+?)\.\.(-?[\d.]+)")
NAMES = "abcdefgh"


class Operand(NamedTuple):
    array: np.ndarray
    is_leaf: bool
    is_generic: bool  # made of distinct numbers drawn at random, so that no kink is near


class Call(NamedTuple):
    """A sample with its operands taken out: ``torch.add(a, b)`` and what a and b are."""

    expression: str
    operands: tuple[Operand, ...]

    @property
    def names(self) -> str:
        return ", ".join(NAMES[: len(self.operands)])


def read(text: str) -> Call:
    """A sample's expression and its operands, which depend on nothing but the text."""
    operands: list[Operand] = []

    def take(found: re.Match[str]) -> str:
        operands.append(operand(found[1], zlib.crc32(f"{len(operands)}:{text}".encode())))
        return NAMES[len(operands) - 1]

    return Call(re.sub(r"\{([^{}]*)\}", take, text), tuple(operands))


def operand(spec: str, seed: int) -> Operand:
    """The operand that a pair of braces stands for."""
    if spec.startswith("="):
        return spelled_out(spec[1:])
    sizes, *words = spec.split(" ")
    shape = tuple(int(n) for n in sizes.split(",") if n not in ("", "()"))
    rng = np.random.default_rng(seed)
    layout = "".join(word for word in words if word in "TRSE")
    interval = next((INTERVAL.fullmatch(word) for word in words if ".." in word), None)
    if "bool" in words:
        array: np.ndarray = rng.random(shape) < 0.5
    elif "int" in words:
        low, high = (int(n) for n in interval.groups()) if interval else (-4, 9)
        array = rng.integers(low, high, shape)
    else:
        ends = (
            tuple(float(n) for n in interval.groups()) if interval else (0.3, 2.5) if "+" in words else None
        )
        array = special(spread(rng, shape, ends), words)
    if "f4" in words:
        array = array.astype(np.float32)
    is_leaf = array.dtype.kind == "f" and "held" not in words
    return Operand(arrange(np.asarray(array), layout), is_leaf, "E" not in layout)


def spelled_out(text: str) -> Operand:
    """``=[1.0, nan]``, with ``f4`` or ``held`` behind it where wanted."""
    literal, *words = text.split("; ")
    array = np.asarray(eval(literal, {"nan": np.nan, "inf": np.inf, "__builtins__": {}}))
    if "f4" in words:
        array = array.astype(np.float32)
    if "empty" in words:
        array = array.astype(np.int64)
    return Operand(array, array.dtype.kind == "f" and "held" not in words, False)


def spread(rng: np.random.Generator, shape: tuple[int, ...], ends: tuple[float, float] | None) -> np.ndarray:
    """Distinct numbers all over an interval, in no order; without one, between 0.1 and 2 of either sign."""
    count = int(np.prod(shape))
    places = (np.arange(count) + rng.uniform(0.25, 0.75, count)) / max(count, 1)
    rng.shuffle(places)
    if ends is None:
        signed = 4 * places - 2
        return (np.sign(signed) * (0.1 + 0.95 * np.abs(signed))).reshape(shape)
    return (ends[0] + (ends[1] - ends[0]) * places).reshape(shape)


def special(array: np.ndarray, words: list[str]) -> np.ndarray:
    """The numbers made into the kind of matrix that the words ask for."""
    if "prob" in words:
        array = np.exp(array)
        return array / array.sum(-1, keepdims=True)
    if "sorted" in words:
        return np.sort(array, -1)
    if not {"pd", "sym", "reg", "low", "up"} & set(words):
        return array
    eye = np.eye(*array.shape[-2:])
    if "pd" in words:
        return array @ np.swapaxes(array, -1, -2) / 3 + eye
    if "sym" in words:
        return array + np.swapaxes(array, -1, -2) + eye * np.arange(array.shape[-1]) * 2
    array = array / 2 + 3 * eye
    return np.tril(array) if "low" in words else np.triu(array) if "up" in words else array


def arrange(array: np.ndarray, layout: str) -> np.ndarray:
    """The same numbers, lying in memory as asked; ``E`` repeats the first row."""
    if "T" in layout:
        array = np.ascontiguousarray(array.T).T
    if "R" in layout:
        array = np.ascontiguousarray(np.flip(array))[(slice(None, None, -1),) * array.ndim]
    if "S" in layout:
        larger = np.repeat(array, 2, axis=-1) if array.ndim else array
        array = larger[..., ::2] if array.ndim else array
    if "E" in layout and array.ndim:
        array = np.broadcast_to(array[:1], array.shape)
    return array


def words_of(text: str) -> list[str]:
    """What stands in each pair of braces."""
    return re.findall(r"\{([^{}]*)\}", text)


def with_word(text: str, word: str, least_dimensions: int = 0) -> str | None:
    """The sample with ``word`` said of every operand of floats, or None where that means nothing."""
    changed = False

    def add(found: re.Match[str]) -> str:
        nonlocal changed
        spec = found[1]
        if spec.startswith("="):
            if word != "f4" or not is_of_floats(spec):
                return found[0]
            changed = True
            return "{" + spec + "; f4}"
        shape, *words = spec.split(" ")
        is_deep = shape.count(",") + (shape not in ("", "()")) >= least_dimensions
        if (
            "int" in words
            or "bool" in words
            or not is_deep
            or set(words) & set("TRSE" if word in "TRSE" else [word])
        ):
            return found[0]
        changed = True
        return "{" + spec + " " + word + "}"

    made = re.sub(r"\{([^{}]*)\}", add, text)
    return made if changed else None


def is_of_floats(spec: str) -> bool:
    literal, *words = spec[1:].split("; ")
    return "empty" not in words and spelled_out(literal).array.dtype == np.float64
