"""Formulas of derivatives, higher derivatives, and complex numbers, which the language lacks."""

from __future__ import annotations

from pathlib import Path

from cases import Case, each_of

FORMULA = "autodiff explain --format formula --wrt %s script.ad"
COMPLEX = """\
x = torch.tensor(0.1, requires_grad=True)
z = torch.exp(1j * torch.linspace(0, 3, 10))
p = torch.exp(1j * x - 0.1)
L = torch.mean(torch.abs((z + 1) / ((z - p) * (z - torch.conj(p)))))
"""
REAL = """\
x = torch.tensor(0.1, requires_grad=True)
t = torch.linspace(0, 3, 10)
re, im = torch.cos(t), torch.sin(t)
u, v = torch.exp(torch.tensor(-0.1)) * torch.cos(x), torch.exp(torch.tensor(-0.1)) * torch.sin(x)
L = torch.mean(torch.hypot(re + 1, im) / (torch.hypot(re - u, im - v) * torch.hypot(re - u, im + v)))
"""
CASES = [
    Case("saturation", "x = 2; K = 3; v = x/(K + x)\n", FORMULA % "K", prints="-x/(K + x)**2\n"),
    Case("power_written_with_a_caret", "x = 2; f = x^4\n", FORMULA % "x", prints="4*x**3\n"),
    Case("logarithm_to_base_10", "x = 5.0; y = ln(x)\n", FORMULA % "x", prints="1/x\n"),
    Case(
        "plain_function", "x = 5.0; y = sqrt(2)*sin(x)\n", FORMULA % "x", prints="1.4142135623730951*cos(x)\n"
    ),
    Case(
        "fractions_collected",
        "x = 5; y = (x + 2)/(x - 3)\n",
        "autodiff explain --format formula script.ad",
        prints="-5/(x - 3)**2\n",
    ),
    Case(
        "results_written_out",
        "R1 = 3; R2 = 4; U = 12; R = 1/(1/R1 + 1/R2); I = U/R\n",
        FORMULA % "R1",
        prints="-U/R1**2\n",
    ),
    Case(
        "a_network_of_numbers",
        "x = 0.3; w = 2; v = 3; h = tanh(w*x); L = (v*h - 1)**2\n",
        FORMULA % "w",
        prints="2*(v*tanh(w*x) - 1)*v*(1 - tanh(w*x)**2)*x\n",
    ),
    Case(
        "third_derivative_in_a_loop",
        "x = 2; d = x**4\nfor k in range(3):\n    d, = grad(d, x, create_graph=True)\nprint(d.item())\n",
        "autodiff run -q script.ad | head -n 1",
        [48.0],
    ),
    Case(
        "order3",
        "x = 2; f = x**4\n",
        "autodiff explain --order 3 --format formula script.ad",
        prints="24*x\n",
    ),
    Case(
        "third_derivative_explained",
        "x = 2; f = x**4\n",
        "autodiff explain --order 3 script.ad",
        shows=["d3f/dx3 = 48", "3 simplified  24*x"],
    ),
    Case(
        "every_order_of_a_logarithm",
        "x = 0.5; f = log(1 + x)\n",
        "for n in 1 2 3 4 5 6; do autodiff grad --order $n script.ad; done",
        [2 / 3, -4 / 9, 16 / 27, -32 / 27, 256 / 81, -120 * (2 / 3) ** 6],
    ),
    Case(
        "every_third_derivative_of_two_inputs",
        "x = 2; y = 3; f = x**4*y**2\n",
        "autodiff grad --order 3 script.ad",
        prints="d3f/dx3\t432\nd3f/dx2 dy\t288\nd3f/dx dy2\t64\nd3f/dy3\t0\n",
    ),
    Case(
        "third_derivatives_of_the_entries_of_a_vector",
        "x = [1, 2]; f = sum(x**4)\n",
        "autodiff grad --order 3 --grad-output ones script.ad",
        [24, 48],
    ),
    Case(
        "third_derivatives_of_a_vector_have_to_be_weighed",
        "x = [1, 2]; f = sum(x**4)\n",
        "autodiff grad --order 3 script.ad",
        prints="",
        says=["df/dx has 2 entries, of shape (2,): which is to be derived?", "--grad-output ones"],
        code=2,
    ),
    Case(
        "beyond_the_last_derivative",
        "x = 2; f = x**2\n",
        "autodiff grad --order 5 script.ad && autodiff explain --order 4 --format formula script.ad",
        prints="0\n0\n",
        never=["note:"],
    ),
    Case(
        "second_derivative_under_a_key_that_people_guess",
        "x = 2; f = x**3\n",
        "autodiff explain script.ad --order 2 --wrt x --format json"
        ' | of_json \'[r["derivations"][0][key] for key in ("value", "backward")]\'',
        [12, 12],
    ),
    Case(  # what was asked for is the first `value` of the document: that is the output's own, and stays so
        "qalc766o2",
        "x = 0.5; L = log(1 + x)\n",
        "autodiff explain script.ad --order 2 --format json"
        ' | of_json \'[r["output"]["value"], r["derivations"][0]["value"]]\'',
        [0.4054651081081644, -0.4444444444444444],
    ),
    Case(  # dtypes are real: the refusal says how to write it, and the next case is written so
        "hips77",
        COMPLEX,
        "autodiff grad script.ad",
        prints="",
        says=[
            "complex numbers are not in the language",
            "keep the real and the imaginary part in two variables",
        ],
        code=3,
    ),
    Case("hips77_in_real_numbers", REAL, "autodiff grad script.ad", [-107.22571311244317]),
    Case(
        "complex_numbers_in_two_variables",
        """\
t = linspace(0, 3, 10)
x = tensor(0.1, requires_grad=True)
L = mean(sqrt((cos(t) - x)**2 + sin(t)**2))
""",
        "autodiff check script.ad",
        shows=["right: "],
    ),
]


@each_of(CASES)
def test_formulas(case: Case, tmp_path: Path) -> None:
    case.check(tmp_path)
