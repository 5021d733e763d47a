"""Inputs of scripts without tensors: numbers of the text, named constants and functions of them."""

from __future__ import annotations

from pathlib import Path

from cases import Case, each_of

SIXTH = 0.8660254037844387  # the cosine of pi/6
TWO = "autodiff grad script.ad | paste -s -d,"
INPUTS = [
    *[
        Case(
            f"angle_{at}",
            f"{imports}\ntheta = {angle}\ny = {sine}(theta)\n",
            "autodiff grad script.ad",
            [SIXTH],
        )
        for at, (imports, angle, sine) in enumerate(
            [
                ("from math import pi, sin", "pi/6", "sin"),
                ("from math import *", "pi/6", "sin"),
                ("from math import pi as PI, sin", "PI/6", "sin"),
                ("import math", "math.pi/6", "math.sin"),
                ("import math as m", "m.radians(30)", "m.sin"),
                ("from math import radians, sin", "radians(30)", "sin"),
                ("from numpy import *", "pi/6", "sin"),
                ("import numpy as np", "np.radians(30)", "np.sin"),
                ("import numpy as np", "np.deg2rad(30.)", "np.sin"),
                ("import numpy", "numpy.pi/6", "numpy.sin"),
                ("", "radians(30)", "sin"),
                ("", "math.pi/6", "sin"),
            ]
        )
    ],
    Case(
        "names_that_a_star_import_has",
        "from math import *\ngamma = 1.5\ne = 0.5\ny = gamma*e**2\n",
        TWO,
        prints="gamma\t0.25,e\t1.5\n",
    ),
    *[
        Case(name, f"import numpy as np\nx = {text}\ny = x**2\n", "autodiff grad script.ad", [slope])
        for name, text, slope in [
            ("root", "sqrt(2.25)", 3.0),
            ("numpys_root", "np.sqrt(2.25)", 3.0),
            ("float", "float(3)", 6.0),
            ("int", "int(3.7)", 6.0),
            ("rounded", "round(2.567, 1)", 5.2),
            ("largest", "max(2, 3.5)", 7.0),
            ("quotient", "7 // 2", 6.0),
            ("rest", "7 % 4 + 1e-1*10", 8.0),
            ("power", "pow(2, 3)", 16.0),
        ]
    ],
    Case(
        "binomial_coefficient",
        "from math import comb\nn = comb(5, 2)\np = 0.5\ny = n*p**2\n",
        TWO,
        prints="n\t0.25,p\t10\n",
    ),
    Case(
        "zeros",
        "import numpy as np\nw = np.zeros(2)\nL = ((w - 1)**2).sum()\n",
        "autodiff grad script.ad",
        [-2, -2],
    ),
    Case(
        "ones_of_a_shape",
        "import numpy as np\nw = np.ones((1, 2))\nL = (w**2).sum()\n",
        "autodiff grad script.ad",
        [2, 2],
    ),
    Case(
        "array_of_a_tuple",
        "import numpy as np\nw = np.array((1., 2.))\nL = (w**2).sum()\n",
        "autodiff grad script.ad",
        [2, 4],
    ),
    Case(
        "a_grid_is_data",
        "import numpy as np\nt = np.linspace(0, 1, 3)\nw = 2.\nL = (w*t).sum()\n",
        "autodiff grad script.ad; autodiff grad --wrt t script.ad",
        [1.5, 2, 2, 2],
    ),
    Case(
        "a_grid_alone",
        "import numpy as np\nt = np.linspace(0, 1, 3)\nL = (t**2).sum()\n",
        "autodiff grad script.ad",
        [0, 1, 2],
    ),
    Case(
        "a_filled_array_is_no_input",
        "import numpy as np\nw = np.zeros(3)\nx = 3.\nw[0] = x**2\nL = w.sum()\n",
        "autodiff grad script.ad",
        [6],
        never=["note:"],
    ),
    Case(
        "results_of_functions_are_no_inputs",
        "def f(t):\n    return t**2\na = f(3)\nx = 2.\ny = a*x\n",
        "autodiff grad script.ad",
        [9],
    ),
]

LABELS = """import numpy as np
y = np.array([0, 2, 1])
W = np.array([[1., 2., 4.], [.5, 1., 2.], [4., 1., 1.]])
"""
SLOPES = [-1, 0, 0, 0, 0, -0.5, 0, -1, 0]
PICKS = "y picks entries in `{}`, and a position has no gradient"
#: Whole numbers that only pick entries are no inputs, whichever way they reach the index.
POSITIONS = [
    Case(
        name,
        f"{LABELS}{lines}",
        "autodiff grad --fail-on zero script.ad && autodiff check script.ad >/dev/null &&"
        " autodiff explain --wrt y script.ad | tr -s ' \\n' ' ' >&2",
        SLOPES,
        says=[PICKS.format(place)],
        never=["y\t", "the gradient for y is zero;"],
        code=0,
    )
    for name, lines, place in [
        ("labels", "L = -np.log(W[range(3), y]).sum()\n", "W[range(3), y]"),
        (
            "labels_of_a_function",
            "def f(p, at):\n    return -np.log(p[np.arange(3), at]).sum()\nL = f(W, y)\n",
            "p[np.arange(3), at]",
        ),
        ("one_by_one", "L = 0.\nfor i in range(3):\n    L -= np.log(W[i, y[i]])\n", "W[i, y[i]]"),
        ("of_the_identity", "L = -(np.eye(3)[y]*np.log(W)).sum()\n", "np.eye(3)[y]"),
        (
            "written_to",
            "Y = np.zeros((3, 3))\nY[range(3), y] = 1\nL = -(Y*np.log(W)).sum()\n",
            "Y[range(3), y]",
        ),
        (
            "a_list",
            "L = -np.log(W[0, 0])\n".join(
                ["y = [0, 2, 1]\n", "for i in [1, 2]:\n    L -= np.log(W[i, y[i]])\n"]
            ),
            "W[i, y[i]]",
        ),
    ]
] + [
    Case(
        "labels_with_a_value",
        f"{LABELS}L = (W[range(3), y]*y).sum()\n",
        "autodiff grad --wrt y script.ad",
        [1, 2, 1],
    ),
    Case(
        "no_other_input",
        "import numpy as np\ny = np.array([0, 2])\nW = np.random.normal(size=3).copy()\n"
        "L = (W[y]**2).sum()\n",
        "autodiff grad script.ad",
        prints="",
        says=["there is no input: --wrt W takes `W` of line 3 as input\n"],
        code=4,
    ),
]

A = "import numpy as np\nw = np.array([1., 2., 3.])\n"
#: Numbers that are only read as sizes, positions, numbers of turns or seeds are no inputs.
COUNTS = [
    Case(
        name,
        f"{A}{lines}",
        "autodiff grad --fail-on zero script.ad && autodiff check script.ad >/dev/null &&"
        " autodiff graph script.ad >/dev/null && autodiff trace script.ad >/dev/null &&"
        f" autodiff explain --wrt {wrt} script.ad | tr -s ' \\n' ' ' >&2",
        [2, 4, 6],
        says=[f"{wrt} is a size or a position in `{place}`, which has no gradient"],
        code=0,
    )
    for name, lines, wrt, place in [
        ("turns", "n = 3\nL = 0\nfor i in range(n):\n    L += w[i]**2\n", "n", "range(n)"),
        ("size", "n = 2\ns = np.zeros((n, 3)).shape\nL = (w**2).sum()\n", "n", "np.zeros((n, 3))"),
        ("shape", "n = 3\nL = (w.reshape(1, n)**2).sum()\n", "n", "w.reshape(1, n)"),
        ("axis", "k = 0\nL = (w**2).sum(axis=k)\n", "k", "(w**2).sum(axis=k)"),
        ("position", "k = 1\nL = w[0]**2 + w[k]**2 + w[k + 1]**2\n", "k", "w[k]"),
        ("slice", "k = 3\nL = (w[:k]**2).sum()\n", "k", "w[:k]"),
        ("seed", "s = 4\nnp.random.seed(s)\nL = (w**2).sum()\n", "s", "np.random.seed(s)"),
        ("repeats", "n = 3\nc = [1]*n\nL = sum([a*b**2 for a, b in zip(c, w)])\n", "n", "[1]*n"),
        ("end", "n = 3\nL = (w[np.arange(n)]**2).sum()\n", "n", "np.arange(n)"),
        (
            "made_of_it",
            "n = 4\nL = 0\ni = n - 2\nwhile i >= 0:\n    L += w[i]**2\n    i -= 1\n",
            "n",
            "w[i]",
        ),
    ]
] + [
    Case(
        "a_number_with_a_slope_is_an_input_too",
        "n = 2\nx = 3.0\nL = 0.0\nfor i in range(n):\n    L = L + n*x\n",
        "autodiff grad script.ad | paste -s -d,",
        prints="n\t6,x\t4\n",
    ),
    Case(
        "then_a_number_assigned_again_is_none",
        "n = 2\nx = 3.0\nfor i in range(n):\n    x = x*n\n",
        "autodiff grad script.ad",
        [12],
        says=["`x` is assigned more than once, so it is not listed"],
    ),
    Case(
        "without_other_inputs_a_number_assigned_again_is_one",
        "n = 2\nx = 3.0\nfor i in range(n):\n    x = x*5\n",
        "autodiff grad script.ad",
        [25],
    ),
    Case(
        "asked_for",
        f"{A}n = 3\nL = (w[:n]**2).sum()\n",
        "autodiff grad --wrt n script.ad; autodiff grad --set n=2 script.ad",
        [0, 2, 4, 0],
    ),
]


@each_of(COUNTS)
def test_sizes_are_no_inputs(case: Case, tmp_path: Path) -> None:
    case.check(tmp_path)


@each_of(INPUTS)
def test_numbers_of_the_text_are_inputs(case: Case, tmp_path: Path) -> None:
    case.check(tmp_path)


@each_of(POSITIONS)
def test_positions_are_no_inputs(case: Case, tmp_path: Path) -> None:
    case.check(tmp_path)


N = "import numpy as np\nnp.random.seed(0)\n"
M = "import numpy as np\nn, m = 2, 1\nX = np.array([[1., 2.], [3., 4.]])\nrng = np.random.default_rng(0)\n"
#: Arrays are inputs whatever their sizes are written as: the slope of L by W is that of the column of X.
MADE = [
    Case(
        f"sizes_{at}",
        f"{M}W = {made}\nL = (X @ W).sum()\n",
        "autodiff grad script.ad | grep ^W | cut -f2-",
        [4, 6],
    )
    for at, made in enumerate(
        [
            "np.zeros((n, m))",
            "np.ones(n)",
            "np.full((n, m), 0.5)",
            "np.random.randn(n, m)",
            "np.random.rand(X.shape[1], m)",
            "np.random.normal(0, 0.1, size=(n, m))",
            "np.random.uniform(-1, 1, (X.shape[1], m))",
            "0.01*np.random.randn(*X.shape[1:], m)",
            "np.random.randn(n, m)/np.sqrt(n)",
            "np.random.randn(X.shape[1], m)*np.sqrt(2/(X.shape[1] + m))",
            "np.random.randn(len(X), m)/np.sqrt(len(X))",
            "rng.normal(size=(n, m))",
            "rng.standard_normal((n, m))*0.1",
        ]
    )
]


@each_of(MADE)
def test_arrays_of_variable_sizes_are_inputs(case: Case, tmp_path: Path) -> None:
    case.check(tmp_path)


G = "import numpy as np\nrng = np.random.default_rng(0)\n"
INIT = "def init(n, m):\n    return np.random.randn(n, m)*0.1\n"
DRAWN = [
    Case(
        "weights_made_with_variables_are_computed",
        N + "n, s = 3, 0.1\nX = np.random.randn(4, n)\nW = np.random.randn(n, 2) * s\nb = np.full(2, s)\n"
        "L = np.sum((X @ W + b)**2)\n",
        "autodiff grad script.ad | cut -f1",
        prints="s\nX[0]\nX[1]\nX[2]\nX[3]\n",
        never=["note"],
    ),
    Case(
        "asked_for",
        N + "h = 2\nx = 2.0\nW = np.random.randn(h)\nL = np.sum(W**2)*x\n",
        "autodiff grad script.ad --wrt W,x",
        never=["note"],
    ),
    Case(
        "arrays_that_take_no_part_or_are_filled_by_a_loop",
        N + "x, n = 2.0, 3\nV = np.random.randn(n)\ny = np.zeros(n)\n"
        "for i in range(n):\n    y[i] = x*i\nL = sum(y)\n",
        "autodiff grad script.ad --wrt x && autodiff grad script.ad",
        never=["is a constant here"],
    ),
    Case(
        "weights_of_a_function_of_the_script",
        N + INIT + "s = 1\ns = len([s])\nW = init(3, 2)\nb = np.random.randn(2)*s\n"
        "X = np.array([[1., 2., 3.]])\nL = np.sum((X @ W + b)**2)\n",
        "autodiff grad script.ad | cut -f1; autodiff grad script.ad --wrt W,b | wc -l",
        says=[
            "`W` in line 7 and `b` in line 8 are constants here, made with variables or by a function of the"
            " script; for the derivative by W and b: --wrt W,b\n"
        ],
    ),
    *[
        Case(
            f"only_arrays_of_a_function_{at}",
            N + INIT + f"W = {value}\nL = np.sum(W**2)\n",
            "autodiff grad script.ad; autodiff grad script.ad --wrt W | wc -l",
            [2],
            says=["there is no input: --wrt W takes `W` of line 5 as input\n"],
        )
        for at, value in enumerate(["init(2, 3)", "init(2, 3)*0.5"])
    ],
    Case(
        "only_drawn_arrays",
        G + "h = 2\nW = rng.normal(size=h).copy()\nL = np.sum(W**2)\n",
        "autodiff grad script.ad",
        says=["a random draw has no gradient", "--wrt W takes it for an input"],
        never=["(s - p).detach()"],
        code=4,
    ),
]


@each_of(DRAWN)
def test_what_is_drawn_or_filled_with_variables_is_named(case: Case, tmp_path: Path) -> None:
    case.check(tmp_path)
