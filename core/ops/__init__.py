"""The op families. Importing this package declares every op and every public function."""

from autodiff.core.ops import (
    arithmetic,
    comparison,
    creation,
    einsum,
    gathering,
    indexing,
    joining,
    linalg,
    nn,
    picking,
    products,
    random,
    reduction,
    selection,
    shape,
    transcendental,
)

__all__ = [
    "arithmetic",
    "comparison",
    "creation",
    "einsum",
    "gathering",
    "indexing",
    "joining",
    "linalg",
    "nn",
    "picking",
    "products",
    "random",
    "reduction",
    "selection",
    "shape",
    "transcendental",
]
