"""References for what torch lacks: functions written in torch's ops, by other means than autodiff has them.

A sample's text is run with ``torch`` as ``with_stand_ins()`` has it: ``torch.special.betainc``, which torch
has not, and ``gammainc`` by its shape, which torch does not differentiate. Both are integrals here, by
Gauss' rule, which torch differentiates as often as one likes. ``names_of`` says what their nodes are called
in autodiff.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
from ops.operands import Call

#: What the node of a stand-in's result is called in autodiff, by what the sample calls.
NODE_NAMES = {
    "torch.special.betainc(": "SpecialBetaincBackward0",
    **{f"torch.special.{name}(": f"Special{name.capitalize()}Backward0" for name in ("jv", "yv", "iv", "kv")},
    "torch.special.gammainc(": "IgammaBackward0",
    "torch.special.gammaincc(": "IgammacBackward0",
}
NODES = 600
#: The variable of integration is s**POWER, so that the integrand is smooth at 0 for shapes of 0.3 and more.
POWER = 12


def names_of(text: str, call: Call) -> list[str] | None:
    """The names of the nodes where a stand-in answers; None where torch does."""
    for called, name in NODE_NAMES.items():
        if text.startswith(called) and ("igamma" not in name.lower() or call.operands[0].is_leaf):
            return [name]
    return None


@cache
def rule() -> tuple[Any, Any]:
    """The points s and weights of Gauss' rule on (0, 1), as double tensors."""
    import torch

    points, weights = np.polynomial.legendre.leggauss(NODES)
    return torch.from_numpy((points + 1) / 2), torch.from_numpy(weights / 2)


def integral(log_integrand: Any, shape: Any) -> Any:
    """The integral of u^(shape - 1) exp(log_integrand(u)) over u from 0 to 1."""
    import torch

    s, weights = rule()
    exponent = (POWER * shape.double() - 1)[..., None]
    return (weights * POWER * torch.exp(exponent * torch.log(s) + log_integrand(s**POWER))).sum(-1)


def gammainc(input: Any, other: Any) -> Any:
    """P(a, x) = x^a / Γ(a) times the integral of u^(a - 1) exp(-x u) over u from 0 to 1."""
    import torch

    if not input.requires_grad:
        return torch.special.gammainc(input, other)
    kind = torch.promote_types(input.dtype, other.dtype)
    a, x = torch.broadcast_tensors(input.double(), other.double())
    value = torch.exp(a * torch.log(x) - torch.lgamma(a)) * integral(lambda u: -x[..., None] * u, a)
    return value.to(kind)


def gammaincc(input: Any, other: Any) -> Any:
    import torch

    return 1 - gammainc(input, other) if input.requires_grad else torch.special.gammaincc(input, other)


def betainc(a: Any, b: Any, x: Any) -> Any:
    """I_x(a, b) = x^a / B(a, b) times the integral of u^(a - 1) (1 - x u)^(b - 1) over u from 0 to 1."""
    import torch

    kind = torch.promote_types(torch.promote_types(a.dtype, b.dtype), x.dtype)
    a, b, x = torch.broadcast_tensors(a.double(), b.double(), x.double())
    factor = torch.exp(a * torch.log(x) - torch.lgamma(a) - torch.lgamma(b) + torch.lgamma(a + b))
    value = factor * integral(lambda u: (b[..., None] - 1) * torch.log1p(-x[..., None] * u), a)
    return value.to(kind)


# -- Bessel functions: integrals of DLMF 10.9 and 10.32, for arguments of 0.3 and more -----------------------


def over(top: float, integrand: Any) -> Any:
    """The integral of ``integrand(t)`` over t from 0 to ``top``."""
    s, weights = rule()
    return (weights * top * integrand(top * s)).sum(-1)


def bessel(value: Any) -> Any:
    """A Bessel function of an order that is held; ``value(v, z)`` has operands with an axis for t."""

    def function(v: Any, z: Any) -> Any:
        import torch

        v = torch.as_tensor(v).detach()
        kind = torch.promote_types(v.dtype, z.dtype) if v.ndim else z.dtype
        kind = kind if kind.is_floating_point else torch.get_default_dtype()
        v, z = torch.broadcast_tensors(v.double(), z.double())
        return value(v[..., None], z[..., None]).to(kind)

    return function


#: Beyond it the integrands with exp(-z sinh t) and exp(-z cosh t) are 0.
FAR = 7.0


def first_kind(v: Any, z: Any) -> Any:
    import torch

    wave = over(math.pi, lambda t: torch.cos(v * t - z * torch.sin(t)))
    tail = over(FAR, lambda t: torch.exp(-z * torch.sinh(t) - v * t))
    return (wave - torch.sin(v[..., 0] * math.pi) * tail) / math.pi


def second_kind(v: Any, z: Any) -> Any:
    import torch

    wave = over(math.pi, lambda t: torch.sin(z * torch.sin(t) - v * t))
    both = lambda t: torch.exp(v * t) + torch.exp(-v * t) * torch.cos(v * math.pi)  # noqa: E731
    return (wave - over(FAR, lambda t: both(t) * torch.exp(-z * torch.sinh(t)))) / math.pi


def modified_first_kind(v: Any, z: Any) -> Any:
    import torch

    wave = over(math.pi, lambda t: torch.exp(z * torch.cos(t)) * torch.cos(v * t))
    tail = over(FAR, lambda t: torch.exp(-z * torch.cosh(t) - v * t))
    return (wave - torch.sin(v[..., 0] * math.pi) * tail) / math.pi


def modified_second_kind(v: Any, z: Any) -> Any:
    import torch

    return over(FAR, lambda t: torch.exp(-z * torch.cosh(t)) * torch.cosh(v * t))


BESSEL = {
    "jv": bessel(first_kind),
    "yv": bessel(second_kind),
    "iv": bessel(modified_first_kind),
    "kv": bessel(modified_second_kind),
}


class Overlay:
    """A module with some members replaced."""

    def __init__(self, module: Any, **members: Any) -> None:
        self.__dict__.update(members)
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


def with_stand_ins() -> Any:
    import torch

    special = Overlay(torch.special, gammainc=gammainc, gammaincc=gammaincc, betainc=betainc, **BESSEL)
    return Overlay(torch, special=special)
