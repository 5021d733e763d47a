"""Bessel functions of any real order, under scipy's names; torch has those of order 0 and 1, without slopes.

The values are scipy's, good to about 13 digits for orders and arguments up to 50. Derivatives by z are
recurrences, so there are derivatives of any order (DLMF 10.6.1 and 10.29.1). By the order v there is none.
"""

from __future__ import annotations

from autodiff.core.engine.public_functions import expose
from autodiff.core.graph.op import Op, elementwise
from autodiff.core.ops.elementwise.arithmetic import missing_derivative_rule
from autodiff.core.ops.elementwise.transcendental import from_scipy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def bessel(name: str, slope: Callable[[Any, Any], Any], doc: str) -> Op:
    """Declare a Bessel function; ``slope(v, z)`` is its derivative by the argument ``z``."""
    op = elementwise(
        name,
        lambda v, z: from_scipy(name)(v, z),
        missing_derivative_rule(
            f"the derivative for '{name}' by its order is not implemented.",
            "differentiate by the argument, with --wrt on the command line",
        ),
        lambda out, v, z: slope(v, z),
        real=True,
        grad_fn=f"Special{name.capitalize()}Backward0",
        doc=doc,
    )
    expose(f"special.{name}(v: value, z)", op, method=False, example=f"special.{name}(2, x)")
    return op


jv: Op = bessel(
    "jv", lambda v, z: (jv(v - 1, z) - jv(v + 1, z)) / 2, "The Bessel function of the first kind, J_v(z)."
)
yv: Op = bessel(
    "yv", lambda v, z: (yv(v - 1, z) - yv(v + 1, z)) / 2, "The Bessel function of the second kind, Y_v(z)."
)
iv: Op = bessel(
    "iv",
    lambda v, z: (iv(v - 1, z) + iv(v + 1, z)) / 2,
    "The modified Bessel function of the first kind, I_v(z).",
)
kv: Op = bessel(
    "kv",
    lambda v, z: -(kv(v - 1, z) + kv(v + 1, z)) / 2,
    "The modified Bessel function of the second kind, K_v(z).",
)
