"""Functions of functions of ``torch.func``: what is offered in their place has the same values."""

from __future__ import annotations

import numpy as np
import pytest
from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.source import Source
from autodiff.grammar.execution import execute
from autodiff.grammar.objects.runtime import discard_text, discard_warning
from autodiff.grammar.session.run import Settings

SETUP = """\
import torch
from torch.func import grad, hessian, jacfwd, jacrev, vmap
from torch.func import grad as slope
f = lambda x: torch.sin(x) * x**2
g = lambda w, x: torch.sin(w * x).sum()
xs = torch.linspace(-2, 2, 5)
w = torch.tensor([1.0, 2.0])
one = torch.tensor(1.0)
"""
XS = np.linspace(-2, 2, 5)
W = np.array([1.0, 2.0])


def first(x: np.ndarray) -> np.ndarray:
    return x**2 * np.cos(x) + 2 * x * np.sin(x)


def second(x: np.ndarray) -> np.ndarray:
    return (2 - x**2) * np.sin(x) + 4 * x * np.cos(x)


def third(x: np.ndarray) -> np.ndarray:
    return (6 - x**2) * np.cos(x) - 6 * x * np.sin(x)


ONE = np.array(1.0)
BY_W = np.array([x * np.cos(W * x) for x in XS])
TRANSFORMS: list[tuple[str, np.ndarray]] = [
    ("y = grad(f)(one)", first(ONE)),
    ("y = slope(f)(one)", first(ONE)),
    ("y = grad(grad(f))(one)", second(ONE)),
    ("y = grad(grad(grad(f)))(one)", third(ONE)),
    ("y = grad(hessian(f))(one)", third(ONE)),
    ("y = vmap(grad(f))(xs)", first(XS)),
    ("y = vmap(grad(grad(f)))(xs)", second(XS)),
    ("y = torch.vmap(torch.func.grad(torch.func.grad(f)))(xs)", second(XS)),
    ("y = vmap(vmap(grad(f)))(torch.stack([xs, 2*xs]))", first(np.stack([XS, 2 * XS]))),
    ("y = vmap(grad(lambda x: x**3))(xs)", 3 * XS**2),
    ("y = hessian(f)(one)", second(ONE)),
    ("y = vmap(hessian(f))(xs)", second(XS)),
    ("y = jacfwd(jacrev(f))(one)", second(ONE)),
    ("y = jacrev(f)(xs)", np.diag(first(XS))),
    ("y = grad(g)(w, one)", np.cos(W)),
    ("y = grad(g, argnums=1)(w, one)", (W * np.cos(W)).sum()),
    ("y = jacrev(g, 1)(w, one)", (W * np.cos(W)).sum()),
    ("y = hessian(g)(w, one)", -np.diag(np.sin(W))),
    ("y = jacrev(grad(g))(w, one)", -np.diag(np.sin(W))),
    ("y = vmap(grad(g), in_dims=(None, 0))(w, xs)", BY_W),
    ("y = vmap(grad(g), (None, 0))(w, xs)", BY_W),
    ("y = vmap(lambda a, b: a*b)(xs, xs)", XS**2),
    ("df = grad(f)\ny = df(one)", first(ONE)),
    ("df = grad(f)\nddf = grad(df)\ny = ddf(one)", second(ONE)),
    ("d2 = vmap(grad(grad(f)))\ny = d2(xs)", second(XS)),
    ("dg = grad(g)\ny = dg(w, one)", np.cos(W)),
    ("t = 3.0\ny = grad(g)(t * w, one) + t", 3 + np.cos(3 * W)),
]


def repaired(script: str) -> str:
    """Return a script in which what is offered takes the place of each error."""
    for _ in range(4):
        try:
            execute(Source(script), Settings(), discard_text, discard_warning)
        except AutodiffError as error:
            [fix] = error.fixes
            script = fix.apply(script)
        else:
            return script
    raise AssertionError(script)


@pytest.mark.parametrize(("text", "value"), TRANSFORMS)
def test_the_derivative_that_is_offered_is_the_one_that_was_asked_for(text: str, value: np.ndarray) -> None:
    script = repaired(SETUP + text)
    y = execute(Source(script), Settings(), discard_text, discard_warning).names["y"]
    np.testing.assert_allclose(y.data, value, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    "text",
    [
        "grad(f, has_aux=True)(one)",
        "grad(g, argnums=(0, 1))(w, one)",
        "vmap(f, in_dims=1)(xs)",
        "vmap(g, (None, 0), chunk_size=2)(w, xs)",
        "grad(f)(x=one)",
        "grad(g, argnums=2)(w, one)",
    ],
)
def test_nothing_is_offered_for_what_is_not_known(text: str) -> None:
    with pytest.raises(AutodiffError) as told:
        execute(Source(SETUP + text), Settings(), discard_text, discard_warning)
    assert (told.value.code, told.value.fixes) == ("E0147", ())
