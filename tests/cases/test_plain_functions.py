"""Scripts without tensors have plain functions: of numbers, as ``math``, numpy and scipy have them."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from cases import Case, answer, each_of

CALL = """\
S = 100; K = 100; T = 1; r = 0.05; sigma = 0.2
%s
d1 = (log(S/K) + (r + sigma**2/2)*T)/(sigma*sqrt(T))
d2 = d1 - sigma*sqrt(T)
C = S*N(d1) - K*exp(-r*T)*N(d2)
"""
GREEKS = [
    *(0.6368306511756191, -0.5323248154537634, 6.414027546438197, 53.23248154537634, 37.52403469169379),
]
#: The density of the normal distribution at 0.
PHI = 1 / math.sqrt(2 * math.pi)

NUMBERS = [
    Case(
        "black_scholes_with_erf_and_sqrt_of_2",
        CALL % "def N(x):\n    return 0.5*(1 + erf(x/sqrt(2)))",
        "autodiff grad script.ad | cut -f2",
        GREEKS,
    ),
    Case(
        "black_scholes_with_scipys_norm",
        CALL % "from scipy.stats import norm\nN = norm.cdf",
        "autodiff grad script.ad | cut -f2",
        GREEKS,
    ),
    Case(
        "black_scholes_with_numpy_in_a_function",
        """\
import numpy as np
import scipy.stats as stats
def price(S, K, T, r, sigma):
    d1 = (np.log(S/K) + (r + 0.5*sigma**2)*T)/(sigma*np.sqrt(T))
    return S*stats.norm.cdf(d1) - K*np.exp(-r*T)*stats.norm.cdf(d1 - sigma*np.sqrt(T))
S = 100; K = 100; T = 1; r = 0.05; sigma = 0.2
C = price(S, K, T, r, sigma)
""",
        "autodiff grad script.ad | cut -f2",
        GREEKS,
    ),
    Case(
        "norm_needs_no_import", "d = 0; y = norm.cdf(d) + norm.pdf(0)*d", "autodiff grad script.ad", [2 * PHI]
    ),
    Case(
        "norm_adds_no_ops_for_its_defaults",
        "x = 0.5; y = norm.cdf(x) + norm.ppf(x)",
        'autodiff graph --format json script.ad | grep -o \'"op": "[a-z]*\'',
        prints='"op": "leaf\n"op": "ndtr\n"op": "ndtri\n"op": "add\n',
    ),
    Case(
        "norm_with_mean_and_deviation",
        "m = 1.0; s = 2.0; L = norm.logpdf(4, m, s)",
        "autodiff grad script.ad | cut -f2",
        [3 / 4, -1 / 2 + 9 / 8],
    ),
    Case(
        "sine_of_a_time_counted_up",
        """\
w = 2; y0 = 0; v0 = 1; h = 0.01
y, v, t = y0, v0, 0.0
for k in range(100):
    a = sin(t) - w**2*y
    y, v = y + h*v, v + h*a
    t += h
""",
        "autodiff grad script.ad --of y --wrt w",
        [-0.45946503337500527],
    ),
    Case(
        "function_of_a_loops_number",
        "x = 0.5; s = 0\nfor k in range(1, 5):\n    s = s + exp(-k)*x**k/sqrt(k)\n",
        "autodiff grad script.ad --wrt x",
        [sum(math.exp(-k) * k * 0.5 ** (k - 1) / math.sqrt(k) for k in range(1, 5))],
    ),
    Case(
        "exp_of_60",
        "b = 61.0; y = exp(60.)*(1 + 2*(b - 60))/(1 + b - 60)\n",
        "autodiff grad script.ad",
        [2.8550184745392106e25],
    ),
    Case(
        "numbers_beside_an_input",
        "x = 3.0; y = hypot(x, 4) + atan2(2, x) + maximum(x, 2)",
        "autodiff grad script.ad",
        [3 / 5 - 2 / 13 + 1],
    ),
    Case(
        "a_number_beside_a_tensor_in_a_list",
        "c = [1, 1]; f = stack([c[0], 0])\n",
        'for i in 0 1; do autodiff grad script.ad --wrt c --of "f[$i]"; done',
        [1.0, 0.0, 0.0, 0.0],
    ),
    Case(
        "a_list_in_place_of_an_array",
        "a = 2.0; b = 5.0; y = mean([a, 3, b*b]) + norm([a, 0.])",
        "autodiff grad script.ad | cut -f2",
        [1 / 3 + 1, 10 / 3],
    ),
    *[
        Case(f"counts_of_scipy_{name}", f"x = 5.; y = {text}\n", "autodiff grad script.ad", numbers=[slope])
        for name, text, slope in (  # digamma of whole numbers: sums of 1/k less Euler's constant
            ("factorial", "special.factorial(x)", 120 * (137 / 60 - 0.5772156649015329)),
            ("comb", "special.comb(x, 2)", 4.5),
            ("binom", "special.binom(8, x)", 56 * (1 + 1 / 2 + 1 / 3 - 137 / 60)),
            ("beta", "special.beta(x, 2)", -11 / 900),
            ("betaln", "special.betaln(2, x)", -11 / 30),
        )
    ],
    Case(
        "entry_of_an_array_that_changes",
        "import numpy as np\nx = np.array([2., 3.]); t, (a, b) = x[0], x\nx[0] = 5.; x[1] += 1\n"
        "x[0] *= 2\nL = t**2*x[0]*b\n",
        "autodiff grad script.ad",
        numbers=[120.0, 40.0],
    ),
    Case(
        "weights_of_numpy_that_change_in_a_loop",
        "import numpy as np\nx = np.array([1., 2.]); w = np.array([0.5, -1.])\nfor i in range(2):\n"
        "    s = w.copy(); s[0] = w[0]\n    w -= 0.1*2*(s - x)\nL = np.sum(w**2)\n",
        "autodiff grad --wrt x script.ad",
        numbers=[0.4896, 0.0576],  # w is 0.64 w0 + 0.36 x in the end
    ),
    Case(
        "a_list_of_weights_beside_the_loss_of_a_loop",
        "import numpy as np\nx = np.array([1., 2.]); W = [np.zeros(2), np.ones(2)]; L = 0.\n"
        "for i in range(2):\n    W[1] = W[1] - 0.25*(W[0] + W[1] - x)\n    L = np.sum((W[1] - x)**2)\n",
        "autodiff grad --wrt x script.ad",
        numbers=[0.0, 0.6328125],
    ),
    Case(
        "random_weights_are_inputs",
        "import numpy as np\nW = np.random.randn(2); x = np.float64(3); L = np.sum(W*x)*2\n",
        "autodiff grad script.ad --wrt W",
        numbers=[6.0, 6.0],
    ),
    Case(
        "functions_print_numbers",
        "print(sqrt(2), gcd(4, 6), math.comb(5, 2), comb(5, 2), lcm(4, 6), log(8, 2), floor(2.5))",
        "autodiff run -q script.ad",
        prints="1.4142135623730951 2 10 10 12 3.0 2\n",
    ),
    Case(
        "whole_inputs_of_whole_functions",
        "n = 5; k = 2; x = 0.5; y = math.comb(n, k)*x**k*gcd(n, 10)",
        "autodiff grad script.ad --wrt x",
        [10 * 2 * 0.5 * 5],
    ),
]


@each_of(NUMBERS)
def test_functions_take_numbers(case: Case, tmp_path: Path) -> None:
    case.check(tmp_path)


NAMES = [
    Case("ln", "x = 0.5; y = ln(1 + x)\n", "autodiff grad script.ad", [2 / 3]),
    Case("log_with_a_base", "x = 5; y = log(x, 10)\n", "autodiff grad script.ad", [0.08685889638065035]),
    Case(
        "log_by_its_base",
        "b = 5; y = log(2, b)\n",
        "autodiff grad script.ad",
        [-math.log(2) / math.log(5) ** 2 / 5],
    ),
    Case(
        "log10_and_log2",
        "x = 5; y = log10(x) + log2(x)\n",
        "autodiff grad script.ad",
        [0.2 / math.log(10) + 0.2 / math.log(2)],
    ),
    Case(
        "math_log_with_a_base",
        "import math\nx = 5; y = math.log(x, 10)\n",
        "autodiff grad script.ad",
        [0.08685889638065035],
    ),
    Case(
        "np_array",
        "import numpy as np\nx = np.array([5., 3.])\ncost = x[0]**2/x[1] - np.log(x[1])\n",
        "autodiff grad script.ad",
        [3.3333333333333335, -3.111111111111111],
    ),
    Case(
        "np_array_of_whole_numbers",
        "x = np.array([1, 2, 3]); y = np.sum(np.sin(x)*np.arange(3))\n",
        "autodiff grad script.ad",
        [0.0, math.cos(2), 2 * math.cos(3)],
    ),
    Case(
        "numpy_along_an_axis",
        "import numpy as np\nX = np.array([[1., 2.], [3., 5.]])\nv = np.var(X, axis=0)\n",
        "autodiff grad script.ad --grad-output ones",
        [-1.0, -1.5, 1.0, 1.5],
    ),
    Case(
        "np_arctan2",
        "y = 1.0; x = 2.0; t = np.arctan2(y, x)\n",
        "autodiff grad script.ad | cut -f2",
        [0.4, -0.2],
    ),
    Case(
        "names_imported_from_numpy",
        "from numpy import array, dot, exp\na = array([1., 2.]); L = exp(dot(a, a)/5)\n",
        "autodiff grad script.ad",
        [0.4 * math.e, 0.8 * math.e],
    ),
    Case(
        "scipy_special",
        "from scipy.special import erf, ndtr\nx = 0.0; y = erf(x) + ndtr(x) + erf(0.5)*x\n",
        "autodiff grad script.ad",
        [2 / math.sqrt(math.pi) + PHI + math.erf(0.5)],
    ),
    Case(
        "own_names_win",
        "ln = 3.0; comb = 2.0; power = ln*comb\n",
        "autodiff grad script.ad | cut -f2",
        [2.0, 3.0],
    ),
]


@each_of(NAMES)
def test_names_of_plain_mathematics(case: Case, tmp_path: Path) -> None:
    case.check(tmp_path)


TORCHS = [
    Case(
        "torch_sqrt_of_a_number",
        "x = 3; y = torch.sqrt(2)*x",
        "autodiff grad script.ad",
        prints="",
        says=["sqrt(): argument 'input' (position 1) must be Tensor, not int"],
        code=4,
    ),
    Case(
        "relu_of_a_number",
        "x = 3; y = F.relu(-1.0)*x",
        "autodiff grad script.ad",
        prints="",
        says=["relu(): argument 'input' (position 1) must be Tensor, not float"],
        code=4,
    ),
    Case(
        "torch_is_imported",
        "from torch import *\nx = 3; y = sqrt(2)*x",
        "autodiff grad script.ad",
        prints="",
        says=["sqrt(): argument 'input' (position 1) must be Tensor, not int"],
        code=4,
    ),
    Case(
        "script_with_tensors",
        "x = tensor(3., requires_grad=True); y = log(x, 10)",
        "autodiff grad script.ad",
        prints="",
        says=["log() takes 1 positional argument but 2 were given"],
        code=4,
    ),
    Case(
        "np_array_beside_torch",
        "import torch\nimport numpy as np\nx = np.array([5., 3.])\ny = torch.tensor(x)\n",
        "autodiff grad script.ad",
        prints="",
        says=["`np.array` is not in the language"],
        code=4,
    ),
    Case(
        "ln_beside_torch",
        "import torch\nx = 3; y = ln(x)",
        "autodiff grad script.ad",
        prints="",
        says=["name 'ln' is not defined", "did you mean `log`?"],
        code=3,
    ),
]


@each_of(TORCHS)
def test_scripts_written_as_torch_keep_its_refusals(case: Case, tmp_path: Path) -> None:
    case.check(tmp_path)


#: Python's numbers are never changed in place, and what takes a number takes an input.
AS_PYTHON = [
    Case(name, f"import math\n{script}", f"autodiff grad {options}script.ad", numbers, never=["warning"])
    for name, options, script, numbers in [
        ("another_name_keeps_its_number", "", "a = 2.0\nb = a**2\nc = b\nb *= 3\nL = c\n", [4.0]),
        ("an_input_keeps_its_number", "", "a = 2.0\nc = a\nc *= 3\nL = a*c\n", [12.0]),
        ("entry_of_a_list", "", "a = 2.0\nc = [a, a]\nc[0] **= 3\nL = c[0]*c[1]\n", [32.0]),
        (
            "parameter_of_a_function",
            "",
            "a = 2.0\nb = a**2\ndef f(u):\n    u += 3*a\n    return u\nL = b*f(b)\n",
            [68.0],
        ),
        ("float_of_an_input", "", "x = 2.5\nL = float(x)**2\n", [5.0]),
        ("float_of_a_count", "", "x = 2.5; N = 5\nL = x/float(N)\n", [0.2, -0.1]),
        ("float_of_a_result", "", "x = 2.0\ny = [float(k*x) for k in range(3)]\nL = y[1]*y[2]\n", [8.0]),
        ("math_of_a_reassigned_input", "", "x = 3.0\nx = x + 1\nL = math.log(x)\n", [0.25]),
        ("math_by_wrt", "--wrt x ", "x = 3.0; y = 2.0\nx = x + 1\nL = y*math.log(x)\n", [0.5]),
        ("float_of_a_reassigned_input", "", "x = 3.0\nx += 1\nL = float(x)**2\n", [8.0]),
        ("rest_of_a_division", "", "x = 2.5\nL = x - x//1\n", [1.0]),
        (
            "quotient_as_a_count",
            "",
            "n = 7; x = 2.0\nL = 0\nfor k in range(n//2):\n    L += x**k\n",
            [5.0],
        ),
        ("class_of_a_number", "", "x = 2.5\nL = x**2 if isinstance(x, float) else 0\n", [5.0]),
        ("class_of_a_whole_number", "", "x = 2\nL = x**2 if isinstance(x, (int, float)) else 0\n", [4.0]),
        (
            "class_of_a_list",
            "",
            "v = [2.5, 1]\ndef f(u):\n    return f(u[0]) + f(u[1]) if isinstance(u, list) else u**2\n"
            "L = f(v)\n",
            [5.0, 2.0],
        ),
    ]
]
PRINTED = Case(
    "float_prints_a_number",
    "x = 2.5\nL = x**2\nlosses = [float(L)]\n"
    "print(float(L), losses, str(float(L)), f'{float(L)} {float(L)!r}')\nL\n",
    "autodiff grad script.ad",
    prints="5\n",
    says=["6.25 [6.25] 6.25 6.25 6.25\n"],
)
LINTED = [
    Case("log_with_a_base", "x = 5; y = log(x, 10)\n", "autodiff lint script.ad", prints=""),
    Case("ln_of_a_sum", "x = 0.5; y = ln(1 + x)\n", "autodiff lint script.ad", never=["did you mean"]),
    Case(
        "numpy_and_scipy",
        "import numpy as np\nfrom scipy.stats import norm\n"
        "x = np.array([5., 3.])\ny = norm.cdf(x[0])*np.sqrt(2) + comb(5, 2)*np.arctan2(1, x[1])\n",
        "autodiff lint script.ad",
        prints="",
    ),
    Case(
        "a_loop_with_numbers",
        "w = 2; y = 0.0; t = 0.0\nfor k in range(100):\n    y = y + 0.01*(sin(t) - w**2*y)\n    t += 0.01\n",
        "autodiff lint script.ad",
        prints="",
    ),
    Case(
        "a_name_that_is_nothing",
        "x = 5; y = lnn(x)\n",
        "autodiff lint script.ad",
        shows=["there is no function `lnn`"],
        never=["torch", "tensor"],
        code=3,
    ),
]


@each_of(LINTED)
def test_lint_gives_plain_scripts_no_advice_on_torch(case: Case, tmp_path: Path) -> None:
    case.check(tmp_path)


#: Arithmetic of lists is of their entries; where Python gives something else, a note says so.
LISTS = [
    Case(
        f"list_arithmetic_{at}",
        script,
        "autodiff grad script.ad",
        says=[says] if says else (),
        never=never,
    )
    for at, (script, says, never) in enumerate(
        [
            (
                "v = [1., 2.]\nw = [3., 4.]\nu = v + w\nL = sum(u)**2\n",
                "note: `v + w` in line 3 adds the entries; Python would join the lists",
                (),
            ),
            (
                "v = [1., 2.]\nk = 2\nL = sum(k*v)\n",
                "note: `k*v` in line 3 multiplies the entries; Python would repeat the list",
                (),
            ),
            ("v = [1., 2.]\nL = sum(v*2.0) + sum(v - v) + v[0]*2\n", "", ["Python would"]),
            ("import numpy as np\nv = np.array([1., 2.])\nL = sum(v*2 + v)\n", "", ["Python would"]),
        ]
    )
]
STARRED = Case(
    "names_of_from_numpy_import_star_are_numpys",
    "from numpy import *\nx = array([1., 2., 4.])\ns = std(x) + max(x)*0\n",
    "autodiff grad script.ad",
    [-4 / 3 / math.sqrt(14), -1 / 3 / math.sqrt(14), 5 / 3 / math.sqrt(14)],
)


@each_of([*LISTS, STARRED])
def test_lists_and_stars_are_pythons_or_noted(case: Case, tmp_path: Path) -> None:
    case.check(tmp_path)


@each_of([*AS_PYTHON, PRINTED])
def test_numbers_are_pythons(case: Case, tmp_path: Path) -> None:
    case.check(tmp_path)


#: Formulas as books and calculators write them, what is said, and the derivative once that is written.
SPELLINGS = {
    "secant": ("y = 2**sec(x)", "`sec(x)` is written `1/cos(x)`", "y = 2**(1/cos(x))"),
    "cosecant_and_cotangent": (
        "y = csc(x)*cot(x)",
        "`cot(x)` is written `1/tan(x)`",
        "y = (1/sin(x))*(1/tan(x))",
    ),
    "common_logarithm": ("y = lg(3*x)", "`lg(x)` is written `log10(x)`", "y = log10(3*x)"),
    "base_as_a_keyword": ("y = log(x, base=2)", "write log2(x)", "y = log2(x)"),
    "another_base_as_a_keyword": (
        "y = log(2*x, base=3)",
        "write (log(2*x) / log(3))",
        "y = log(2*x) / log(3)",
    ),
    "degrees": ("y = x*sin(45°)", "write `*pi/180`", "y = x*sin(45*pi/180)"),
    "factorial": ("y = x**3/3!", "write `factorial(3)`", "y = x**3/factorial(3)"),
    "products_without_a_sign": (
        "y = 5(x + 1)(x - 1)",
        "write `*` to multiply: 5 * (x + 1) * (x - 1)",
        "y = 5*(x + 1)*(x - 1)",
    ),
    "brackets_side_by_side": (
        "y = (x + 1)(x - 1)",
        "write `*` to multiply: (x + 1) * (x - 1)",
        "y = (x + 1)*(x - 1)",
    ),
    "power_of_a_sine": ("y = sin^2(x)", "the power stands after the call: sin(x)**2", "y = sin(x)**2"),
    "derivative_by_name": (
        "f = lambda x: x**3\ny = derivative(f, x)",
        "`derivative(f, x)` is written `grad(f(x), x)[0]`",
        "f = lambda x: x**3\ny = grad(f(x), x)[0]",
    ),
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_the_spelling_of_a_book_is_translated(name: str, tmp_path: Path) -> None:
    written, says, right = SPELLINGS[name]
    got = answer(f"x = 0.7\n{written}\n", "autodiff grad script.ad", tmp_path)
    assert says in got.err
    assert got.code in (3, 4)
    repaired = answer(f"x = 0.7\n{right}\n", "autodiff check script.ad", tmp_path)
    assert repaired.code == 0, repaired.out + repaired.err
