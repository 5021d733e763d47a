"""Gradients that differences contradict, or that are not finite: `check` and `explain` name the cause."""

from __future__ import annotations

from cases import Case, each_of

#: What rounding does to a slope is told by every command, with the value at fault.
EVERY = "for c in grad check explain; do autodiff $c script.ad | tr -s ' \\n' ' '; done"
UNCERTAIN = "rounding of the values it is computed from can change it by its own size"

ROUNDED = [
    Case(
        "a_cosine_of_almost_zero",
        "x = 1e-9; L = (1-cos(x))/x**2\n",
        EVERY,
        says=["the gradient for x is made of rounding errors"],
        shows=[
            UNCERTAIN,
            "rounding changes cos(x) by up to 1e-16, and that changes this gradient by up to 2e+11",
        ],
        code=0,
    ),
    Case(
        "a_complex_step_has_the_same_rounding",
        "x = 1e-5\nL = (1-cos(x))/x**2\n",
        "autodiff check script.ad | tr -s ' \\n' ' '",
        shows=[UNCERTAIN, "1 cannot be decided"],
        never=["right: backward"],
    ),
    Case(
        "a_number_lost_in_a_sum",
        "x = 1e-20; L = log(1+x)/x\n",
        EVERY,
        says=["the gradient for x is made of rounding errors"],
        shows=[UNCERTAIN, "rounding changes 1+x by up to 1e-20"],
    ),
    Case(
        "one_entry",
        "x = torch.tensor([1., 1e-8], dtype=torch.float64, requires_grad=True)\n"
        "L = ((x.exp() - 1)/x).sum()\nL.backward()\n",
        "autodiff explain script.ad | tr -s ' \\n' ' '",
        shows=["line 2: rounding changes x.exp() by up to", "and that changes entry [1] of this gradient by"],
    ),
    Case(
        "exact_differences_and_small_slopes",
        "x = 3.0000001\ny = 1e8\nL = (x-3)**2 + sqrt(y+1) - sqrt(y) + (x*x - 9)/(x + 3)\n",
        EVERY,
        shows=["right: backward"],
        never=["rounding"],
    ),
    *[
        Case(
            f"the_sign_of_a_rounding_error_{at}",
            script,
            "for c in explain check; do autodiff $c script.ad | tr -s ' \\n' ' '; done",
            shows=[
                f"has a kink at 0, and {what}",
                "is a rounding error: its sign and the slope have no meaning",
                "1 cannot be decided",
            ],
            never=["No op on the way is known"],
        )
        for at, (script, what) in enumerate(
            [
                (
                    "x = torch.tensor([0.1, 0.2, 0.3], requires_grad=True)\nL = (x.sum() - 0.6).abs()\n",
                    "x.sum()",
                ),
                ("w = torch.tensor(0.1, requires_grad=True)\nh = torch.relu(w*3 - 0.3)\n", "w*3 - 0.3 = "),
                ("a = 0.1\ngap = abs(a + 0.2 - 0.3)\n", "a + 0.2 - 0.3 = "),
            ]
        )
    ],
    Case(
        "the_sign_of_a_small_input",
        "x = 1e-17; y = abs(x)\n",
        "autodiff explain script.ad",
        never=["rounding"],
    ),
]

WIDE = "x = torch.tensor([1e9, 1., 2.], dtype=torch.float64, requires_grad=True)\n"
COSINE = "x = torch.tensor({x}, dtype=torch.float64, requires_grad=True)\nL = (1 - torch.cos(x))/x**2\n"
#: The second derivative of that, with fewer rounding errors than the script has.
SLOPE, CURVATURE = (
    "sin(x)/x**2 - 4*sin(x/2)**2/x**3",
    "cos(x)/x**2 - 4*sin(x)/x**3 + 12*sin(x/2)**2/x**4",
)

CUTS = [
    Case(
        "values_outside_of_the_graph",
        "x = torch.tensor(2., requires_grad=True)\nk = x.detach() * 3\nm = math.sin(x)\n"
        "L = x*k + m*x + x.item()\nL.backward()\n",
        "autodiff check script.ad && autodiff explain script.ad",
        says=[
            "`x.detach()` in line 2 is made from x outside of the graph",
            "the derivative takes it for a constant",
            "`math.sin(x)` in line 3 is made from x",
            "`x.item()` in line 4 is made from x",
        ],
    ),
    Case(
        "functions_of_math_have_slopes_in_scripts_without_tensors",
        "import math\nx = 0.5\ny = math.exp(x)*math.log(x) + float(math.sqrt(x))\n",
        "for f in text formula equation latex; do autodiff explain script.ad --order 2 --format $f; done;"
        " autodiff explain script.ad; autodiff check script.ad --order 2",
        never=["outside of the graph"],
    ),
    Case(
        "what_left_the_graph_is_noted_beside_second_derivatives",
        "import math\nx = torch.tensor(0.5, requires_grad=True)\ny = x**2*math.exp(x)\n",
        "autodiff explain script.ad --order 2",
        says=["`math.exp(x)` in line 3 is made from x outside of the graph"],
    ),
    Case(
        "what_the_output_is_not_made_of",
        "w = torch.tensor(2., requires_grad=True)\nx = torch.tensor(3.)\nfor i in range(2):\n"
        "    L = (w * x.detach() - 1)**2\n    L.backward()\n    print(L.item())\n"
        "    with torch.no_grad():\n        w -= 0.1 * w.grad\n        w.grad = None\n"
        "L = (w * x.detach() - 1)**2\nL.backward()\n",
        "autodiff check script.ad && autodiff explain script.ad",
        never=["outside of the graph"],
    ),
    Case(
        "paths_that_are_not_finite",
        "x = torch.tensor([1000., 1.], requires_grad=True)\np = torch.exp(x)/torch.exp(x).sum()\n"
        "L = -torch.log(p[0])\nL.backward()\n",
        "autodiff explain script.ad",
        shows=["paths         nan  L <- torch.log(p[0])"],
        never=["up to inf"],
    ),
]

SIGNS = [
    Case(
        "a_minus_of_one_path_is_not_that_of_all",
        "w = 0.3\ny = 0.4\np = sigmoid(w)\nL = -(y*log(p) + (1-y)*log(1-p))\n",
        "autodiff check script.ad --wrt w --formula 'dL/dw == y - p' | tr -s ' \\n' ' '",
        shows=[
            "the sign is wrong, as if the minus of -(y*log(p) + (1-y)*log(1-p)) (line 4) had been left out"
        ],
    )
]

ROUNDED_FORMULAS = [
    Case(
        "a_small_wrong_entry_beside_a_huge_one",
        WIDE + "L = (x**2).sum()\n",
        "autodiff check script.ad --formula 'dL/dx == torch.stack([2*x[0], 3*x[1], 2*x[2]])'",
        shows=["wrong: dL/dx"],
        code=1,
    ),
    Case(
        "a_huge_entry",
        WIDE + "L = (x**2).sum()\n",
        "autodiff check script.ad --formula 'dL/dx == x + x'",
        shows=["right: dL/dx"],
    ),
    Case(
        "derivatives_that_lose_digits",
        COSINE.format(x=0.001),
        f"autodiff check script.ad --formula 'dL/dx == {SLOPE}' --formula 'd2L/dx2 == {CURVATURE}'",
        shows=["right: dL/dx", "right: d2L/dx2"],
        never=["the sign is wrong"],
    ),
    Case(
        "another_formula_where_digits_are_lost",
        COSINE.format(x=0.001),
        "autodiff check script.ad --formula 'dL/dx == -x/13'",
        shows=["wrong: dL/dx"],
        code=1,
    ),
    Case(
        "a_slope_without_a_digit",
        COSINE.format(x=1e-9),
        f"autodiff check script.ad --formula 'dL/dx == {SLOPE}' | tr -s ' \\n' ' '",
        shows=["undecided: dL/dx", "rounding can change the derivative by its own size"],
        never=["neither is finite"],
    ),
]

TWICE = [
    Case(
        "index_put",
        """\
base = torch.zeros(3)
src = torch.tensor([1., 2., 5.], requires_grad=True)
out = base.index_put((torch.tensor([0, 0, 2]),), src)
out.sum().backward()
""",
        "autodiff check script.ad",
        shows=[
            "src[0]: backward gives 1",
            "In line 3, index_put writes to a position twice",
            "entry [0] of src",
        ],
        never=["at a kink"],
        code=1,
    ),
    Case(
        "index_put_explained",
        """\
src = torch.tensor([1., 2., 5.], requires_grad=True)
out = torch.zeros(3).index_put((torch.tensor([0, 0, 2]),), src)
out.sum().backward()
""",
        "autodiff explain script.ad",
        shows=["line 2: index_put writes to a position twice", "the last value counts alone"],
    ),
    Case(
        "an_assignment_through_a_list",
        """\
w = torch.tensor([3., 4., 5.], requires_grad=True)
table = torch.zeros(4)
table[[1, 3, 1]] = w
L = (table**2).sum()
L.backward()
""",
        "autodiff check script.ad",
        shows=[
            "w[0]: backward gives 10",
            "writes to a position twice: entry [0] of w = 3",
            "index_put(..., accumulate=True) adds all values",
        ],
        code=1,
    ),
    Case(
        "an_addition_through_a_list",
        "x = torch.tensor([1., 2., 3.], requires_grad=True)\ny = torch.zeros(4)\ny[[1, 1, 3]] += x\n"
        "L = (y**2).sum()\nL.backward()\n",
        "autodiff run script.ad",
        says=["index_put in line 3 is where a position is written to twice; `autodiff explain"],
    ),
    Case(
        "scatter",
        """\
v = torch.tensor([[1., 2., 3.]], requires_grad=True)
out = torch.zeros(1, 3).scatter(1, torch.tensor([[2, 0, 2]]), v)
L = out.sum()
""",
        "autodiff check script.ad",
        shows=["v[0, 0]: backward gives 1", "scatter writes to a position twice: entry [0, 0] of v = 1"],
        code=1,
    ),
    Case(
        "accumulated",
        """\
v = torch.tensor([1., 2., 3.], requires_grad=True)
L = torch.zeros(3).index_put((torch.tensor([0, 0, 2]),), v, accumulate=True).sum()
""",
        "autodiff check script.ad",
        shows=["right: "],
        never=["twice"],
    ),
]


@each_of([*CUTS, *SIGNS, *ROUNDED, *ROUNDED_FORMULAS, *TWICE])
def test_positions_that_occur_twice_are_the_cause(case, tmp_path):
    case.check(tmp_path)


EQUAL = [
    Case(
        "singular_vectors",
        """\
A = torch.diag(torch.tensor([1., 1., 2., 3.])).requires_grad_()
U, S, Vh = torch.linalg.svd(A, full_matrices=False)
v = torch.linalg.norm((U * S) @ Vh)
v.backward()
""",
        "autodiff explain script.ad",
        shows=["the singular values 2 and 3 of A are equal: 1"],
    ),
    Case(
        "eigenvectors",
        """\
C = torch.eye(2, requires_grad=True)
w, V = torch.linalg.eigh(C)
L = (V * torch.tensor([[1., 2.], [3., 4.]])).sum()
L.backward()
""",
        "autodiff explain script.ad",
        shows=["0 and 1 of C are equal: 1 and"],
    ),
    Case(
        "one_of_two_equal_eigenvalues",
        """\
C = torch.eye(2, requires_grad=True)
L = torch.linalg.eigvalsh(C)[1]
""",
        "autodiff check script.ad",
        shows=["kink of eigenvalues", "slope along its own eigenvector"],
    ),
    *[
        Case(
            f"{what}_leaves_a_second_derivative_undecided",
            f"C = 2*torch.eye(3, dtype=torch.float64)\nC.requires_grad_()\nL = {formula}\n",
            "autodiff check script.ad --order 2 | tr -s ' \\n' ' '",
            shows=[f"the {name} 0 and 1 of C are equal", "0 of 1 are right, 1 cannot be decided"],
            never=["wrong"],
        )
        for what, name, formula in (
            ("sum_of_squares", "eigenvalues", "(torch.linalg.eigvalsh(C)**2).sum()"),
            ("largest_eigenvalue", "eigenvalues", "torch.linalg.eigvalsh(C)[2]"),
            ("nuclear_norm", "singular values", "torch.linalg.svdvals(C).sum()"),
        )
    ],
    Case(
        "the_largest_singular_value",
        """\
A = torch.tensor([[2., 0.], [0., -2.]], requires_grad=True)
L = torch.linalg.svdvals(A)[0]
""",
        "autodiff check script.ad",
        shows=["singular_values: entry [0]"],
    ),
    Case(
        "a_trace_is_smooth_all_the_same",
        """\
C = torch.eye(3, requires_grad=True)
L = (torch.linalg.eigvalsh(C)**2).sum()
""",
        "autodiff check script.ad",
        shows=["right: "],
        never=["kink"],
    ),
    *[
        Case(
            f"{name}_{what}_names_the_equal_values",
            f"C = 2*torch.eye(3, dtype=torch.float64)\nC.requires_grad_()\nL = {formula}\n",
            command,
            says=[told] if is_note else [],
            shows=[] if is_note else [told],
        )
        for name, formula, orders, told in (
            (
                "trace",
                "(torch.linalg.eigvalsh(C)**2).sum()",
                "2",
                "in line 3, the eigenvalues 0 and 1 of C are equal: 2 and 2",
            ),
            (
                "nuclear",
                "torch.linalg.svdvals(C).sum()",
                "2",
                "in line 3, the singular values 0 and 1 of C are equal: 2 and 2",
            ),
            (
                "vectors",
                "torch.linalg.eigh(C)[1][0, 1]",
                "12",
                "in line 3, the eigenvalues 0 and 1 of C are equal: 2 and 2",
            ),
        )
        for what, order, command, is_note in (
            ("hessian", "2", "autodiff hessian script.ad", True),
            ("hvp", "2", "autodiff hvp script.ad --vector C=1", True),
            ("check", "2", "autodiff check script.ad --order 2 | tr -s ' \\n' ' '", False),
            ("first_check", "1", "autodiff check script.ad | tr -s ' \\n' ' '", False),
            ("grad", "1", "autodiff grad script.ad", True),
        )
        if order in orders
    ],
    *[
        Case(
            f"explain_{name}",
            f"C = 2*torch.eye(2, dtype=torch.float64)\nC.requires_grad_()\nL = {formula}\n",
            "autodiff explain script.ad --order 2 --entry 0,0 | tr -s ' \\n' ' '",
            shows=[
                "why line 3: the eigenvalues 0 and 1 of C are equal: 2 and 2, and this derivative divides by"
            ],
            never=["0/0"],
        )
        for name, formula in (
            ("eigenvalues", "torch.linalg.eigvalsh(C).sum()"),
            ("eigenvectors", "torch.linalg.eigh(C)[1][0, 1]"),
        )
    ],
]


@each_of(EQUAL)
def test_equal_eigenvalues_are_the_cause(case, tmp_path):
    case.check(tmp_path)
