"""The language of formulas is that of scripts: their functions and modules, and those of numpy and scipy."""

from __future__ import annotations

import pytest
from autodiff.core.base.errors import UsageError
from hand_checks import check

CALL_PRICE = (
    "S = 100.; K = 95.; r = 0.03; s = 0.2; T = 1.\n"
    "d1 = (log(S/K) + (r + s**2/2)*T)/(s*sqrt(T)); d2 = d1 - s*sqrt(T)\n"
    "C = S*norm.cdf(d1) - K*exp(-r*T)*norm.cdf(d2)"
)
IMPORTED = "from scipy.stats import norm\nimport numpy as np\n" + CALL_PRICE.replace("log(", "np.log(")
POWER = "x = 2.\nL = 2**x"
ANGLE = "x = 30.\nL = sin(radians(x))"
LOGISTIC = "def s(x):\n    return 1/(1 + exp(-x))\nz = 0.3\nL = s(z)"
TORCH = (
    "import torch\nimport torch.nn.functional as FF\nscale = 3.\ndef f(x):\n    return scale*torch.tanh(x)\n"
    "z = torch.tensor([0.3, 1.], requires_grad=True)\nL = f(z).sum()\nL.backward()"
)


@pytest.mark.parametrize(
    ("script", "formula"),
    [
        (CALL_PRICE, "dC/dS == norm.cdf(d1)"),
        (CALL_PRICE, "dC/ds == S*norm.pdf(d1)*sqrt(T)"),
        (IMPORTED, "dC/dS == norm.cdf(d1)"),
        (IMPORTED, "dC/dr == K*T*np.exp(-r*T)*norm.cdf(d2)"),
        (POWER, "dL/dx == 2**x*ln(2)"),
        (POWER, "dL/dx == 2**x*log(2)"),
        (POWER, "dL/dx == 2^x*np.log(2)*math.cos(0)"),
        (ANGLE, "dL/dx == cos(radians(x))*radians(1)"),
        (ANGLE, "dL/dx == cos(np.deg2rad(x))*pi/180 + degrees(0)"),
        (LOGISTIC, "dL/dz == s(z)*(1 - s(z))"),
        (TORCH, "dL/dz == scale - f(z)**2/scale"),
        (TORCH, "dL/dz == 3*(1 - FF.tanh(z)**2)"),
        (TORCH, "dL/dz == 3/np.cosh(z)**2*np.ones(2)"),
    ],
)
def test_right(script: str, formula: str) -> None:
    found = check(script, formula)
    assert found.is_right
    assert found.points > 3
    assert not check(script, f"{formula} + 1e-3").is_right


@pytest.mark.parametrize(
    ("script", "formula", "marked", "says"),
    [
        (ANGLE, "dL/dx == cos(radian(x))", "radian", "did you mean `radians`?"),
        (LOGISTIC, "dL/dz == s(z)*(1 - sigmod(z))", "sigmod", "did you mean `sigmoid`?"),
        (TORCH, "dL/dz == scal - f(z)**2/scale", "scal", "did you mean `scale`?"),
        (TORCH, "dL/dz == f(z)*dL/dq", "dL", "a derivative is written dL/d"),
        (LOGISTIC, "dL/dz == 1 + s(z, 3)*(1 - s(z))", "3", "takes 1 positional argument but 2"),
        (POWER, "dL/dx == dL/dx*", "", "a value is missing after `*`"),
        (TORCH, "dL/dz == dL/dL*f(z).summ()", "summ", "did you mean `sum`?"),
        (POWER, "dL/dx == [x", "[", "this `[` is never closed"),
    ],
)
def test_an_error_points_into_the_formula(script: str, formula: str, marked: str, says: str) -> None:
    with pytest.raises(UsageError) as raised:
        check(script, formula)
    error = raised.value
    assert says in " ".join([error.message, error.caret, *error.advice])
    assert error.source is not None
    assert error.span is not None
    assert error.source.text == formula
    assert error.source.excerpt(error.span) == marked
