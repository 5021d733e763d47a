"""The op families. Importing this package declares every op and every public function."""

from autodiff.core.ops import (
    arithmetic,
    comparison,
    products,
    reduction,
    shape,
    transcendental,
)

__all__ = ["arithmetic", "comparison", "products", "reduction", "shape", "transcendental"]
