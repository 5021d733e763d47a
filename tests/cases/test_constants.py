"""A constant has slope 0 by every input that was asked for, and one line says which branch made it one."""

from __future__ import annotations

from cases import Case, each_of

CONSTANT = "is a constant here, and its slope is 0: "

CASES = [
    Case(
        "branch_of_a_quotient",
        "x = 0; y = 0\nz = x / y if x > 1 else 0\n",
        "autodiff grad script.ad --wrt x,y",
        prints="x\t0\ny\t0\n",
        says=["`z` " + CONSTANT + "`x / y` was not computed, line 2"],
    ),
    Case(
        "sweep_over_a_branch",
        "x = -1.0; f = sqrt(x) if x > 0 else 0.0\n",
        "for v in -1 0 1; do autodiff grad script.ad --wrt x --set x=$v; done",
        prints="0\n0\n0.5\n",
    ),
    Case(
        "sweep_over_a_tariff",
        "y = 0 if z < 0 else 18.2*z + 4.2*min(60.3, z)**2 - 18.2*min(45.3, z)\n",
        "for z in -5 10 50 100; do autodiff grad script.ad --set z=$z; done",
        [0, 84, 438.2, 18.2],
    ),
    Case(
        "branch_of_a_vapour_pressure",
        "Ts = 1250; p = 10**(1.95 - 2505/(Ts - 1194)) if Ts > 1300 else 0\n",
        "autodiff grad script.ad --wrt Ts",
        prints="0\n",
        says=["`p` " + CONSTANT, "line 1"],
    ),
    Case(
        "return_of_a_function",
        "def fun(x):\n    if x >= 0:\n        return x\n    return 0\nx = 2\ny = fun(x)\n",
        "for v in 2 -2; do autodiff grad script.ad --wrt x --set x=$v; done",
        prints="1\n0\n",
        says=["the branch under `if x >= 0` did not run, line 3"],
    ),
    Case(
        "function_that_ignores_its_argument",
        "x = 5\ny = (lambda x: 0.0)(x)\n",
        "autodiff grad script.ad --of y --wrt x",
        prints="0\n",
        says=["`y` " + CONSTANT],
    ),
    Case(
        "number_in_a_stack",
        "c = [1, 1]; f = stack([c[0], 0])\n",
        'for i in 0 1; do autodiff grad script.ad --wrt c --of "f[$i]"; done',
        prints="1\t0\n0\t0\n",
    ),
    Case(
        "input_that_is_assigned_again",
        "a = 2.0; x = 3.0\nx = x*0 + 4\nL = x**2 + a\n",
        "autodiff grad script.ad",
        prints="1\n",
        says=["`x` is assigned more than once", "--wrt x"],
    ),
    Case(
        "literal",
        "x = 2; L = 5\n",
        "autodiff grad script.ad",
        prints="0\n",
        says=["`L` " + CONSTANT + "it is made of no input, line 1"],
    ),
    Case(
        "tensor_that_was_asked_for",
        "v = torch.tensor(0., requires_grad=True)\ny = torch.tensor(5.)\n",
        "autodiff grad script.ad --of y --wrt v",
        prints="0\n",
        says=["`y` " + CONSTANT],
    ),
    Case(
        "number_chosen_by_max",
        "x = -2.; L = max(x, 0)\n",
        "for v in -2 2; do autodiff grad script.ad --set x=$v; done",
        prints="0\n1\n",
        says=["max() chooses 0 here"],
    ),
    Case(
        "number_chosen_by_min_in_a_formula",
        "x = 9.; y = 3*min(x, 4) + 1\n",
        "autodiff grad script.ad",
        prints="0\n",
        says=["`y` " + CONSTANT + "min() chooses 4 here", "line 1"],
    ),
    Case(
        "branches_of_an_if_statement",
        "x = 1.0\nif x > 2:\n    y = x**2\nelse:\n    y = 7\n",
        "for v in 1 3; do autodiff grad script.ad --set x=$v; done",
        prints="0\n6\n",
        says=["the branch under `if x > 2` did not run, line 3"],
    ),
    Case(
        "default_before_a_branch",
        "x = 1.0; y = 0.0\nif x > 2:\n    y = x**2\n",
        "for v in 1 3; do autodiff grad script.ad --set x=$v; done",
        prints="0\n6\n",
        says=["`y` " + CONSTANT + "the branch under `if x > 2` did not run, line 3"],
    ),
    Case(
        "loop_that_does_not_run",
        "x = 5.0; L = 1.0\nwhile x < L:\n    L = L/2 - x\n",
        "autodiff grad script.ad",
        prints="0\n",
        says=["`L` " + CONSTANT + "the loop `while x < L` did not run, line 3"],
    ),
    *[
        Case(
            f"table_in_a_loop_{at}",
            script,
            "autodiff grad script.ad --wrt x",
            [0],
            says=[CONSTANT + f"the branch under `if {test}` ran, line {line}"],
        )
        for at, (script, test, line) in enumerate(
            [
                (
                    "x = 25000.\nrate = 0\nfor lim, r in [(0, 0.1), (10000, 0.2)]:\n"
                    "    if x >= lim:\n        rate = r\n",
                    "x >= lim",
                    5,
                ),
                (
                    "def tax(x):\n    r = 0\n    for i in range(2):\n        if x >= [0, 10000][i]:\n"
                    "            r = [0.1, 0.2][i]\n    return r\nx = 25000.\ny = tax(x)\n",
                    "x >= [0, 10000][i]",
                    5,
                ),
                (
                    "x = 25000.\nr = 0.1\nif x > 10000:\n    r = 0.2\nif x > 20000:\n    r = 0.3\n"
                    "if x > 30000:\n    r = 0.4\n",
                    "x > 20000",
                    6,
                ),
            ]
        )
    ],
    *[
        Case(
            f"entry_{at}",
            f"x = 2.0\nL = {entries}\n",
            f"autodiff grad script.ad --of 'L[{at}]'",
            [0],
            says=[f"`L[{at}]` " + CONSTANT + "it is made of no input, line 2"],
        )
        for at, entries in [(1, "[x**2, 5.0]"), (0, "(7.5, 3*x, x**2)"), (2, "[x, 1.0, 2.0*3]")]
    ],
    Case(
        "table_of_steps",
        "x = 15.0\nif x < 10:\n    rate = 0.1\nelif x < 20:\n    rate = 0.2\nelse:\n    rate = 0.3\n",
        "autodiff grad script.ad",
        prints="0\n",
        says=["`rate` " + CONSTANT + "the branch under `elif x < 20` ran, line 5"],
    ),
    Case(
        "place_in_a_table",
        "x = 2.0; L = [1, 4, 9, 16][int(x)]\n",
        "autodiff grad script.ad",
        prints="0\n",
        says=["`L` " + CONSTANT],
    ),
    Case(
        "comparison_as_a_number",
        "x = 3.0; L = 10*(x > 2)\n",
        "autodiff grad script.ad",
        prints="0\n",
        says=["a comparison has no gradient"],
    ),
    Case(
        "last_expression",
        "x = -2.; sqrt(x) if x > 0 else 0\n",
        "autodiff grad script.ad",
        prints="0\n",
        says=["`sqrt(x)` was not computed"],
    ),
    Case(
        "list_of_constants",
        "x = [1.0, 2.0]; y = [v if v > 5 else 0 for v in x]\n",
        "autodiff grad script.ad --grad-output ones",
        prints="0\t0\n",
        says=["`y` " + CONSTANT],
    ),
    Case(
        "explained_constant",
        "x = -2.; L = sqrt(x) if x > 0 else 0\n",
        "autodiff explain script.ad",
        shows=["dL/dx = 0", "no path leads from L to x: `sqrt(x)` was not computed"],
    ),
    Case(
        "checked_constant", "x = -2.; L = max(x, 0)\n", "autodiff check script.ad", shows=["right: backward"]
    ),
    Case(
        "formula_of_a_constant",
        "x = -2.; L = max(x, 0)\n",
        "autodiff check script.ad --formula 'dL/dx == 0'",
        shows=["right"],
    ),
    Case(
        "wrong_formula_of_a_constant",
        "x = -2.; L = max(x, 0)\n",
        "autodiff check script.ad --formula 'dL/dx == 1'",
        shows=["wrong"],
        code=1,
    ),
    *[
        Case(
            name, f"import math\nx = 2.5\nL = {text}\n", "autodiff grad script.ad", prints="0\n", says=[said]
        )
        for name, text, said in [
            ("chosen_of_a_square", "max(x**2, 10)", "max() chooses 10 here, line 3"),
            ("chosen_of_three", "min(x, 1, 5)", "min() chooses 1 here, line 3"),
            ("chosen_of_a_list", "3*max([x, 7, 5])", "max() chooses 7 here, line 3"),
            ("truth_of_an_input", "bool(x)*3", "bool() gives True or False, line 3"),
            ("whole_part", "int(x)*3", "int() gives a whole number, line 3"),
            ("floor_of_math", "math.floor(x)", "floor() gives a whole number, line 3"),
            ("length_of_a_list", "len([x, x])", "len() gives a count, line 3"),
            ("quotient_without_rest", "x//1 + divmod(x, 2)[0]", "the gradient for x is zero"),
            ("operand_of_and", "x and 0", "`0` was computed, line 3"),
            ("operand_of_or", "5 or x", "`x` was not computed, line 3"),
            ("entry_of_a_list", "[x, 10][1]", "small changes of the inputs do not change it, line 3"),
            ("function_in_a_branch", "5 if x > 0 else math.sin(x)", "`else math.sin(x)` was not computed"),
        ]
    ],
    *[
        Case(
            f"counts_by_{name}",
            f"n = 6\nL = {text}\n",
            "autodiff grad script.ad",
            prints="0\n",
            says=["its slope is 0: " + name + "() gives a number for whole arguments only, line 2"],
        )
        for name, text in (
            ("factorial", "factorial(n)/2."),
            ("comb", "math.comb(n, 2)"),
            ("perm", "perm(n, 2)"),
            ("gcd", "2*gcd(n, 4)"),
            ("lcm", "math.lcm(n, 4)"),
        )
    ],
    Case(
        "counts_beside_other_paths",
        "k = 3; lam = 2.5; n = 5\nL = exp(-lam)*lam**k/factorial(k) + math.comb(n, k)*lam\n",
        "autodiff grad script.ad",
        numbers=[0.19586907152338864, 10.0427526034499473, 0],
        says=[
            "`factorial(k)` in line 2 takes whole numbers only: the derivative by k takes it for a constant;"
            " gamma(k + 1) has a slope",
            "`math.comb(n, k)` in line 2 takes whole numbers only: the derivative by k takes it",
            "special.comb(n, k) has a slope",
        ],
    ),
    Case(
        "counts_of_what_is_no_input",
        "x = 0.3\nL = x**2\nfor k in range(3):\n    L = L + x**k/factorial(k)\n",
        "autodiff grad script.ad --wrt x",
        never=["whole numbers"],
    ),
    Case(
        "number_in_a_function",
        "x = 3.\ndef cap(u, top):\n    return min(u, top)\nL = 2*cap(x**2, 4)\n",
        "autodiff grad script.ad",
        prints="0\n",
        says=["`L` " + CONSTANT + "min() chooses top here, line 3"],
    ),
    Case(
        "entry_that_was_appended",
        "x = 3.\nL = []\nfor k in range(3):\n    L.append(max(x, 10))\n",
        "autodiff grad --of 'L[1]' script.ad",
        prints="0\n",
        says=["`L[1]` " + CONSTANT + "max() chooses 10 here, line 4"],
    ),
    Case(
        "appended_constant",
        "x = 3.\ny = x**2\nL = [y]\nL.append(5)\n",
        "autodiff grad --of 'L[1]' script.ad",
        prints="0\n",
        says=["`L[1]` " + CONSTANT, ", line 3\n"],
    ),
    *[
        Case(
            f"the_branch_that_returned_{at}",
            script,
            "autodiff grad script.ad",
            prints="0\n",
            says=[CONSTANT + f"the branch under `{branch}` ran, line {line}"],
        )
        for at, (script, branch, line) in enumerate(
            [
                (
                    "def tax(income):\n    if income <= 10:\n        return 0\n    elif income <= 40:\n"
                    "        return 0.2*(income - 10)\n    return 6 + 0.4*(income - 40)\ny = tax(income)\n",
                    "if income <= 10",
                    3,
                ),
                (
                    "def f(income):\n    if income < 0:\n        return income\n    if income < 10:\n"
                    "        return 0\n    return income**2\ny = f(income)\n",
                    "if income < 10",
                    5,
                ),
                (
                    "y = 0\nif income < 10:\n    y = 2\nelif income < 20:\n    y = income*3\n",
                    "if income < 10",
                    3,
                ),
            ]
        )
        for script in [f"income = 8.\n{script}"]
        for line in [line + 1]
    ],
    Case(
        "sum_of_numbers_without_a_name",
        "s = 0\nfor v in [1.0, 2.0]:\n    s += v**2\n",
        "autodiff grad script.ad",
        prints="",
        says=["give a number that it is made of a name"],
        never=["s0 = 0"],
        code=4,
    ),
    # what numpy turns into numbers of Python stays in the graph, as with float()
    *[
        Case(f"number_of_{name}", f"{script}\n", "autodiff grad script.ad", numbers=slopes, never=["note"])
        for name, script, slopes in (
            ("a_leaf", "x = 2.; L = x.item()*3", [3]),
            ("a_leaf_beside_its_whole_part", "x = 2.; L = int(x)*3 + x.item()", [1]),
            ("a_sum", "x = np.array([1., 2.]); L = np.sum(x**2).item()*x[0]", [7, 4]),
            ("an_entry", "x = np.array([1., 2.]); L = x.item(1)**2", [0, 4]),
            (
                "an_entry_of_a_matrix",
                "x = np.array([[1., 2.], [3., 4.]]); L = x.item((1, 0))**2",
                [0, 0, 6, 0],
            ),
            ("an_array_of_one_entry", "x = np.array([3.]); L = float(x)**2 + x.item()", [7]),
            ("a_list", "x = np.array([1., 2.]); s = (x**2).tolist(); L = s[0]*x[0] + s[1]", [3, 4]),
            ("nested_lists", "x = np.array([1., 2.]); s = np.outer(x, x).tolist(); L = s[0][1]", [2, 1]),
        )
    ],
    # errors stay what they were in scripts with tensors
    Case(
        "chosen_among_tensors",
        "x = torch.tensor(-2., requires_grad=True)\nL = max(x, 0)\n",
        "autodiff grad script.ad",
        prints="",
        says=["does not require grad", "torch.clamp(x, min=0)"],
        code=4,
    ),
    Case(
        "backward_of_a_constant",
        "x = torch.tensor(-2., requires_grad=True)\nL = x*x if x > 0 else torch.tensor(0.)\nL.backward()\n",
        "autodiff grad script.ad",
        prints="",
        says=["does not require grad"],
        code=4,
    ),
]


@each_of(CASES)
def test_case(case, tmp_path):
    case.check(tmp_path)
