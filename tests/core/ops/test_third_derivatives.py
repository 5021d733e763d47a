"""Third derivatives, which go through the rule of a rule of a rule, against numbers worked out elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
from autodiff.core import Tensor, grad
from autodiff.core.graph.state import mode
from ops.engines import flat, leaf_of
from script_runner import run_script

#: What is computed, at which a, and its third derivative there: mpmath's difference quotient with 60 digits.
ROWS = [
    ("torch.exp(a)", 0.7, 2.0137527074704764),
    ("torch.log(a)", 0.7, 5.8309037900874647),
    ("torch.sqrt(a)", 0.7, 0.9147157724497912),
    ("torch.sin(a)", 0.7, -0.76484218728448845),
    ("torch.cos(a)", 0.7, 0.64421768723769102),
    ("torch.tan(a)", 0.7, 10.695511122934483),
    ("torch.tanh(a)", 0.7, 0.12159227738323637),
    ("torch.sinh(a)", 0.7, 1.255169005630943),
    ("torch.cosh(a)", 0.7, 0.75858370183953345),
    ("torch.asin(a)", 0.4, 2.0411537352006092),
    ("torch.acos(a)", 0.4, -2.0411537352006092),
    ("torch.atan(a)", 0.7, 0.28416399406399547),
    ("torch.asinh(a)", 0.7, -7.3801353138961817e-3),
    ("torch.acosh(a)", 1.7, 1.3806232522419385),
    ("torch.atanh(a)", 0.4, 4.9940611165100966),
    ("torch.sigmoid(a)", 0.7, -0.073226715810208326),
    ("torch.rsqrt(a)", 0.7, -6.5336840889270804),
    ("torch.exp2(a)", 0.7, 0.54100014324741868),
    ("torch.expm1(a)", 0.7, 2.0137527074704764),
    ("torch.log1p(a)", 0.7, 0.40708324852432326),
    ("torch.log2(a)", 0.7, 8.4122159818598465),
    ("torch.log10(a)", 0.7, 2.5323293405437429),
    ("torch.sinc(a)", 0.7, 7.1310384171339147),
    ("torch.erf(a)", 0.7, -0.027650994416421717),
    ("torch.erfc(a)", 0.7, 0.027650994416421717),
    ("torch.erfinv(a)", 0.4, 3.2594026810227997),
    ("torch.special.erfcx(a)", 0.7, -0.86417215646708517),
    ("torch.lgamma(a)", 1.7, -0.60408908410345903),
    ("torch.digamma(a)", 1.7, 0.88956200662431641),
    ("torch.polygamma(1, a)", 1.7, -1.9106098041479516),
    ("torch.i0(a)", 0.7, 0.28075160173466347),
    ("torch.special.i1(a)", 0.7, 0.45433855055397801),
    ("torch.special.i0e(a)", 0.7, -0.75235225503378156),
    ("torch.special.i1e(a)", 0.7, 0.50917030232853835),
    ("torch.special.ndtr(a)", 0.7, -0.15924950601704827),
    ("torch.special.ndtri(a)", 0.7, 36.875931813901346),
    ("torch.special.log_ndtr(a)", 0.7, 0.28604300831082978),
    ("torch.special.entr(a)", 0.7, 2.0408163265306125),
    ("torch.logit(a)", 0.7, 79.904977864161506),
    ("torch.reciprocal(a)", 0.7, -24.989587671803422),
    ("torch.square(a) * a", 0.7, 6.0),
    ("a ** 2.5", 0.7, 2.2410536425019881),
    ("2 ** a", 0.7, 0.54100014324741868),
    ("a ** a", 0.7, 0.7654552712144109),
    ("F.softplus(a)", 0.7, -0.074578788440341806),
    ("F.logsigmoid(a)", 0.7, 0.074578788440341806),
    ("F.silu(a)", 0.7, -0.27499506638817124),
    ("F.mish(a)", 0.7, -0.58816051244061832),
    ("F.gelu(a)", 0.7, -0.7672079142821324),
    ("F.gelu(a, approximate='tanh')", 0.7, -0.76626233550873409),
    ("F.elu(a)", -0.7, 0.49658530379140954),
    ("F.softsign(a)", 0.7, 0.71838220327821753),
    ("F.tanhshrink(a)", 0.7, -0.12159227738323637),
    ("torch.atan2(a, a + 1)", 0.7, 0.84320717890432384),
    ("torch.hypot(a, a + 1)", 0.7, -0.34279994670941432),
    ("torch.logaddexp(a, 2 * a)", 0.7, -0.074578788440341806),
    ("torch.xlogy(a, a + 1)", 0.7, -0.75310400976999801),
    ("torch.special.xlog1py(a, a)", 0.7, -0.75310400976999801),
    ("a / (a * a + 1)", 0.7, 2.0693290311697245),
    ("torch.softmax(torch.stack([a, 2 * a]), 0)[0]", 0.7, 0.073226715810208326),
    ("torch.logsumexp(torch.stack([a, 2 * a]), 0)", 0.7, -0.074578788440341806),
    ("torch.norm(torch.stack([a, a * a]))", 0.7, 1.1070202970844204),
    ("torch.std(torch.stack([a, a * a, a ** 3]))", 0.7, -3.0154402975117173),
    ("torch.prod(torch.stack([a, a.sin(), a.exp()]))", 0.7, 9.5812892315697943),
    (
        "torch.linalg.det(torch.stack([torch.stack([a, a.exp()]), torch.stack([a.sin(), a * a])]))",
        0.7,
        5.5141841728869781,
    ),
    (
        "torch.linalg.inv(torch.stack([torch.stack([a, a.exp()]), torch.stack([a.sin(), a * a + 3])]))[0, 0]",
        0.7,
        -38.24507744119609,
    ),
]


def thrice(text: str, array: np.ndarray) -> Tensor:
    """The third derivative of the expression in a, entry by entry."""
    outcome = run_script(f"def f(a):\n    return {text}\n")
    assert outcome.error is None
    a = leaf_of(array, True)
    slope = flat(outcome.names["f"](a))[0]
    mode.site = None
    for order in (1, 2, 3):
        ones = leaf_of(np.ones(slope.shape), False)
        (slope,) = grad(slope, a, ones, create_graph=order < 3)
    return slope


@pytest.mark.parametrize(("text", "place", "wanted"), ROWS, ids=[text for text, _, _ in ROWS])
def test_third_derivative(text: str, place: float, wanted: float) -> None:
    assert thrice(text, np.array(place)).item() == pytest.approx(wanted, rel=1e-9)
    if "stack" not in text:
        np.testing.assert_allclose(thrice(text, np.full((2, 1), place)).data, wanted, rtol=1e-9)


def test_there_are_enough() -> None:
    assert len({text for text, _, _ in ROWS}) >= 40
