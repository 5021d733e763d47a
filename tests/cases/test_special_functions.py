"""Special functions of numbers and by their shapes, as people who fit distributions type them."""

from __future__ import annotations

import math
from pathlib import Path

from cases import Case, each_of

GRAD = "autodiff grad script.ad"
CASES = [
    Case("bessel_of_any_order", "x = 1.5; y = special.jv(2, x)\n", GRAD, [0.24848627838447995]),
    Case(
        "bessel_as_scipy_names_it",
        "x = 1.5; y = special.jn(2, x) + special.k0(x)\n",
        GRAD,
        [0.24848627838447995 - 0.277387800456844],
    ),
    Case(
        "bessel_imported",
        "from scipy.special import jv, iv\nx = 1.5; y = jv(0.5, x)*iv(1, x)\n",
        "autodiff check script.ad",
        shows=["right: backward"],
    ),
    Case(
        "bessel_by_argument_alone",
        "n = 2.5; x = 1.5; y = special.kv(n, x)\n",
        GRAD + " --wrt x",
        [-2.029644908695693],
    ),
    Case(
        "explained_by_the_operand_that_has_a_rule",
        "x = 3.0; q = 1.5; y = special.zeta(x, q)\n",
        "autodiff explain --wrt q script.ad",
        shows=["3 simplified  -x*zeta(x + 1, q)"],
    ),
    Case(
        "checked_by_the_operand_that_has_a_rule",
        "x = 3.0; q = 1.5; y = special.zeta(x, q)\n",
        "autodiff check --wrt q script.ad && autodiff check --order 2 --wrt q script.ad",
        shows=["q       ok"],
        never=["E0414"],
    ),
    Case(
        "bessel_explained_by_argument_alone",
        "n = 2.0; x = 1.5; y = special.jv(n, x)\n",
        "autodiff explain --wrt x --format formula script.ad",
        prints="0.5*(jv(n - 1, x) - jv(n + 1, x))\n",
    ),
    Case(
        "gammainc_by_both",
        "a = 2.5; x = 1.3; y = special.gammainc(a, x)\n",
        "autodiff grad script.ad | cut -f2",
        [-0.22962689833555938, 0.30387572096683024],
    ),
    Case(
        "gammainc_by_x",
        "a = 2.5; x = 1.3; y = special.gammainc(a, x)\n",
        "autodiff grad --wrt x script.ad",
        [0.30387572096683024],
    ),
    Case("betainc_by_x", "x = 0.3; y = special.betainc(2.0, 3.0, x)\n", "autodiff grad script.ad", [1.764]),
    Case(
        "betainc_by_its_shapes",
        "a = 2; b = 3; y = special.betainc(a, b, 0.3)\n",
        "autodiff grad script.ad | cut -f2",
        [-0.24609372774672350387, 0.1295450609648718869],
    ),
    Case(
        "tail_of_the_chi_square_distribution",
        "k = 5; q = special.gammaincc(k/2, 9.0)\n",
        "autodiff grad script.ad",
        [0.0047416795481938814446 / 2],
    ),
    Case(
        "scipy_has_the_same_names",
        "from scipy.special import betainc\nfrom scipy import special as sc\n"
        "x = 0.3; y = betainc(2, 3, x) + sc.gammainc(2.5, 1.3 + 0*x)\n",
        "autodiff grad script.ad",
        [1.764],
    ),
    Case(
        "second_derivative_by_the_shape",
        "a = 2.5; y = special.gammainc(a, 1.3)\n",
        "autodiff grad --of 'grad(y, a, create_graph=True)[0]' --wrt a script.ad",
        [0.15826392630864443408],
    ),
    Case(
        "checked",
        "a = 2.5; x = 4.0; y = special.gammaincc(a, x)\n",
        "autodiff check script.ad",
        shows=["right: "],
    ),
    Case(
        "an_input_without_a_rule_is_not_asked",
        "x = 3.0; q = 1.5; y = special.zeta(x, q)\n",
        "autodiff grad --wrt q script.ad",
        [-0.7045455170012184],
    ),
    Case(
        "of_numbers_alone",
        "x = 3.0; y = x*special.erf(0.5) + x*special.ndtr(0)\n",
        "autodiff grad script.ad",
        [math.erf(0.5) + 0.5],
    ),
]


@each_of(CASES)
def test_special_functions(case: Case, tmp_path: Path) -> None:
    case.check(tmp_path)
