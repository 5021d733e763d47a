"""The output is what the script ends in, or a refusal that names it and the way out."""

from __future__ import annotations

from pathlib import Path

from cases import Case, each_of

ROSENBROCK = """\
def f(x):
    return 100*(x[1] - x[0]**2)**2 + (1 - x[0])**2
x = [-1.2, 1.0]
"""

HOLDS = "`{}` holds {} numbers"
MATRIX = "[[1, 2], [3, 4]]"

CASES = [
    # a list without entries
    Case(
        "empty_list",
        "x = 2.5\ny = [x*k for k in range(0)]\n",
        "autodiff grad script.ad",
        prints="",
        says=[
            "computes nothing that could be differentiated",
            "`y` is an empty list: it has no entry",
            "script.ad:2:1",
        ],
        code=2,
    ),
    Case(
        "empty_list_before_a_result",
        "x = 2.5\nz = x*x\ny = []\n",
        "autodiff grad script.ad --of z",
        prints="5\n",
    ),
    # a tuple
    Case(
        "tuple",
        "b0 = 1; b1 = 2; b2 = 2; c = (b0*b0, b1*b0 + b2)\n",
        "autodiff grad script.ad",
        prints="",
        says=[HOLDS.format("c", 2), "--of 'c[0]'", "--grad-output ones"],
        code=4,
    ),
    Case(
        "entries_of_a_tuple",
        "b0 = 1; b1 = 2; b2 = 2; c = (b0*b0, b1*b0 + b2)\n",
        'for i in 0 1; do autodiff grad script.ad --of "c[$i]"; done',
        prints="b0\t2\nb1\t0\nb2\t0\nb0\t2\nb1\t1\nb2\t1\n",
    ),
    Case(
        "tuple_with_weights",
        "a = 2; b = 3; y = (a*b, a + b)\n",
        "autodiff grad script.ad --grad-output 1,10",
        prints="a\t13\nb\t12\n",
    ),
    Case(
        "tuple_as_a_last_expression",
        "a = 2; b = 3; a*b, a + b\n",
        "autodiff grad script.ad",
        prints="",
        says=["holds 2 numbers"],
        code=4,
    ),
    # a list
    Case(
        "list_of_a_comprehension",
        "x = [0.1, 0.5, 2.0]; y = [tanh(v) for v in x]\n",
        "autodiff grad script.ad --grad-output ones",
        [0.9900662908474398, 0.7864477329659274, 0.07065082485316443],
    ),
    Case(
        "list_without_weights",
        "x = [0.1, 0.5, 2.0]; y = [tanh(v) for v in x]\n",
        "autodiff grad script.ad",
        prints="",
        says=[HOLDS.format("y", 3), "--of 'y[0]'"],
        code=4,
    ),
    Case(
        "list_that_was_asked_for",
        "a = 0.0; b = 1.0; x = [0, 1, 2]\nr = [a + b*t for t in x]\nL = r[0]\n",
        "autodiff grad script.ad --of r --wrt a,b --grad-output '[1, 2, 3]'",
        prints="a\t6\nb\t8\n",
    ),
    Case(
        "list_filled_in_a_loop",
        "x = 3.0; y = []\nfor k in range(3):\n    t = k*x\n    y.append(t*t)\n",
        "autodiff grad script.ad --grad-output '[0, 1, 10]'",
        prints="246\n",
    ),
    Case(
        "list_whose_entries_are_assigned",
        "x = 3.0; y = [0, 0]\nfor k in range(2):\n    t = x**(k + 1)\n    y[k] = t\n",
        "autodiff grad script.ad --grad-output '[1, 10]'",
        prints="61\n",
    ),
    Case(
        "list_of_lists",
        "x = 2.0; y = [x*x, [x**3, 5]]\n",
        "autodiff grad script.ad --grad-output '[1, [10, 100]]'",
        prints="124\n",
    ),
    Case(
        "list_of_tensors",
        "x = torch.tensor([1., 2.], requires_grad=True)\ny = [x*x, x.sum()]\n",
        "autodiff grad script.ad --grad-output '[[1, 10], 100]'",
        prints="102\t140\n",
    ),
    Case(
        "list_with_ragged_weights",
        "x = [1.0, 2.0]; y = [x, 3]\n",
        "autodiff grad script.ad --grad-output '[[1, [2]], 2]'",
        prints="",
        says=["--grad-output has lists of several lengths for `y[0]`, which has shape (2,)"],
        code=2,
    ),
    Case(
        "list_of_texts_is_no_output",
        "x = 3.0; y = x**2; labels = ['a', 'b']\n",
        "autodiff grad script.ad",
        prints="6\n",
    ),
    Case(
        "list_with_a_text",
        "x = 3.0; y = x**2; rows = [y, 'a']\n",
        "autodiff grad script.ad",
        prints="",
        says=["--of y"],
        code=2,
    ),
    Case(
        "list_with_too_many_weights",
        "x = 2.0; y = [x, x*x]\n",
        "autodiff grad script.ad --grad-output '[1, 2, 3]'",
        prints="",
        says=["--grad-output has 3 weights, and `y` has 2 entries"],
        code=2,
    ),
    Case(
        "explained_list",
        "x = 2.0; y = [x, x*x]\n",
        "autodiff explain script.ad --grad-output 1,10",
        shows=["x gets 41", "backward() gives 41, difference 0"],
    ),
    Case(
        "checked_list",
        "x = [1.0, 2.0]; y = [v**3 for v in x]\n",
        "autodiff check script.ad --of 'y[1]'",
        shows=["right: backward"],
    ),
    # a named result
    Case(
        "named_result",
        f"x = {MATRIX}; m = max(x, dim=1)\n",
        "autodiff grad script.ad",
        prints="",
        says=["--of 'm.values", "--grad-output ones"],
        code=4,
    ),
    Case(
        "named_result_with_weights",
        f"x = {MATRIX}; m = max(x, dim=1)\n",
        "autodiff grad script.ad --grad-output 1,10",
        prints="0\t1\n0\t10\n",
    ),
    Case(
        "named_result_of_one_number",
        "x = [1.0, 3.0, 2.0]; m = max(x, dim=0)\n",
        "autodiff grad script.ad",
        prints="0\t1\t0\n",
    ),
    # a Jacobian
    Case(
        "jacobian",
        """\
x = torch.tensor([-1., -1., -1., -1.])
def f(x):
    p = torch.cat([torch.zeros(1), x, torch.zeros(1)])
    return (3 - 2*p[1:-1])*p[1:-1] - p[:-2] - 2*p[2:] + 1
J = jacobian(f, x)
""",
        "autodiff grad script.ad",
        prints="7\t-2\t0\t0\n-1\t7\t-2\t0\n0\t-1\t7\t-2\n0\t0\t-1\t7\n",
    ),
    Case(
        "jacobian_after_a_result",
        "x = [1.0, 2.0]; L = x[0]*x[1]; J = jacobian(lambda v: v**2, x)\n",
        "autodiff grad script.ad; autodiff grad script.ad --of L",
        prints="2\t0\n0\t4\n2\t1\n",
    ),
    Case(
        "jacobian_by_two_inputs",
        "x = 1.0; y = 3.0; jacobian(lambda a, b: a*b**2, (x, y))\n",
        "autodiff grad script.ad",
        prints="x\t9\ny\t6\n",
    ),
    Case(
        "hessian_by_two_inputs",
        "x = 1.0; y = 3.0; H = hessian(lambda a, b: a*b**2, (x, y))\n",
        "autodiff grad script.ad",
        prints="x,x\t0\nx,y\t6\ny,x\t6\ny,y\t2\n",
    ),
    Case(
        "jacobian_of_two_outputs",
        "x = 1.0; y = 3.0; J = jacobian(lambda a, b: (a*b**2, a), (x, y))\n",
        "autodiff grad script.ad",
        prints="",
        says=["`J` holds the derivatives of several outputs"],
        code=2,
    ),
    Case(
        "number_made_of_a_jacobian",
        "x = [1.0, 2.0]; J = jacobian(lambda v: v**2, x); d = J.sum()\n",
        "autodiff explain script.ad",
        shows=["x gets"],
        says=["the last pass inside jacobian() or a similar function"],
    ),
    *[
        Case(
            f"{command.split()[0]}_of_a_script_that_ends_in_a_hessian",
            ROSENBROCK + "H = hessian(f, x)\n",
            f"autodiff {command}",
            prints="",
            says=["the script has no other result", "--of 'f(x)'", "`autodiff grad` prints"],
            code=4,
        )
        for command in ("hessian script.ad", "jacobian script.ad", "propagate script.ad --sigma x=0.1")
    ],
    Case(
        "hessian_of_the_value_of_the_function",
        ROSENBROCK + "H = hessian(f, x)\n",
        "autodiff hessian script.ad --of 'f(x)'",
        [1330, 480, 480, 200],
    ),
    Case(
        "jacobian_of_a_script_that_ends_in_one",
        "t = 0.5\nv = jacobian(lambda s: stack([s**2, s**3]), t)\n",
        "autodiff jacobian script.ad",
        [1, 0.75],
    ),
    Case(
        "slope_of_a_number_made_of_a_jacobian",
        "x = [1.0, 2.0]; J = jacobian(lambda v: v**2, x); d = J.sum()\n",
        "autodiff grad script.ad",
        prints="",
        says=["jacobian() and similar functions differentiate graphs of their own", "create_graph=True"],
        code=4,
    ),
    Case(
        "slope_of_a_jacobian_with_a_graph",
        "x = [1.0, 2.0]; J = jacobian(lambda v: v**2, x, create_graph=True); d = J.sum()\n",
        "autodiff grad script.ad",
        prints="2\t2\n",
    ),
    # what is changed last, not what is assigned last
    Case(
        "total_of_a_loop",
        "x = 2.0; L = 0\nfor k in range(1, 4):\n    t = x**k\n    L += t\n",
        "autodiff grad script.ad",
        prints="17\n",
    ),
    Case(
        "tensor_filled_in_a_loop",
        "x = torch.tensor(3., requires_grad=True)\ny = torch.zeros(2)\n"
        "for k in range(2):\n    t = x**(k + 1)\n    y[k] = t\n",
        "autodiff grad script.ad --grad-output 1,10",
        prints="61\n",
    ),
    Case(
        "counter_of_a_loop_is_no_output",
        "x = 2.0; y = 1.0; i = 0\nwhile i < 3:\n    y = y*x\n    i += 1\n",
        "autodiff grad script.ad",
        prints="12\n",
    ),
    Case(
        "step_of_training_is_no_output",
        "w = torch.tensor(3., requires_grad=True)\nL = w**2\ng, = torch.autograd.grad(L, w)\n"
        "with torch.no_grad():\n    w -= 0.1*g\n",
        "autodiff grad script.ad",
        prints="6\n",
    ),
    # a constant beside a result
    Case(
        "number_after_a_result",
        "x = 2; y = x**2; L = 5\n",
        "autodiff grad script.ad",
        prints="",
        says=["`L` is an input, and nothing is computed from it", "--of y"],
        code=4,
    ),
    Case(
        "number_of_a_loop_after_a_result",
        "x = 2.0; y = 1.0\nfor k in range(3):\n    y = y*x\n    t = 0.1*k\n",
        "autodiff grad script.ad",
        prints="",
        says=["`t` is a plain number", "--of y"],
        code=4,
    ),
    Case(
        "number_of_a_tensor_after_a_result",
        "x = torch.tensor(2., requires_grad=True)\ny = x**2\nvalue = y.item()\n",
        "autodiff grad script.ad",
        prints="",
        says=["`value` is a plain number", "write y for y.item()", "--of y"],
        code=4,
    ),
]
WITHOUT_VALUE = [
    Case(name, script, f"autodiff grad {options}script.ad", prints="", says=says, code=code)
    for name, script, options, says, code in [
        ("branch", "x = -1.0\nif x > 0:\n    L = x**2\n", "", ["`L`", "line 3 did not run"], 2),
        (
            "branch_with_two_inputs",
            "x = -1.0\ny = 2.0\nif x > 0:\n    L = x**2*y\n",
            "",
            ["`L`", "line 4 did not run"],
            2,
        ),
        (
            "branch_after_a_result",
            "x = -1.0\nt = x**3\nif x > 0:\n    L = x**2\n",
            "",
            ["`L`", "line 4 did not run", "--of t"],
            2,
        ),
        ("loop", "x = 1.0\ny = 2.0\nfor k in range(0):\n    L = x*y\n", "", ["`L`", "line 4 did not"], 2),
        ("function_without_return", "x = 1.0\ndef f(x):\n    y = x**2\nL = f(x)\n", "", ["`L`", "None"], 2),
        ("none", "x = 1.0\nL = None\n", "", ["`L`", "None"], 2),
        ("text", 'x = 1.0\nL = "a"\n', "", ["`L`", "str"], 2),
        ("text_of_an_input", "x = 1.0\nL = str(x)\n", "", ["`L`", "str"], 2),
        ("input_alone", "x = 1.0\n", "", ["`x` is an input", "`L = x**2`", "--of x"], 2),
        ("number_alone", "5\n", "", ["`5` is a plain number", "assign one, as in `x = 2.0`"], 4),
        (
            "text_in_a_tuple",
            'x = 1.0\nL = (x, "a")\n',
            "",
            ["`L` holds a value of type str", "--of 'L[0]'"],
            2,
        ),
        ("empty_list", "x = 1.0\nL = []\n", "", ["`L` is an empty list"], 2),
    ]
]
#: The last assignment gives another name a value than the output's, or several names.
NOTED = [
    Case(
        name,
        f"x = 2.0\ny = x**2\n{end}\n",
        "autodiff grad script.ad; autodiff jacobian script.ad",
        numbers,
        says=says,
    )
    for name, end, numbers, says in [
        (
            "truth_value",
            "z = True",
            [4.0] * 2,
            ["`z` is of type bool, which is no number: the output is `y`"],
        ),
        ("label", 'z = "done"', [4.0] * 2, ["`z` is of type str, which is no number: the output is `y`"]),
        ("text_of_a_result", 'z = f"{y:.2f}"', [4.0] * 2, ["`z` is of type str"]),
        ("labels", 'z = ["a", "b"]', [4.0] * 2, ["`z` holds a str, which is no number: the output is `y`"]),
        (
            "two_names",
            "u, v = x**3, x**4",
            [32.0] * 2,
            ["line 3 gives u and v values: the output is `v`; --of u"],
        ),
        ("name_and_input", "u, v = x**3, x", [1.0] * 2, ["the output is `v`; --of u"]),
        (
            "name_and_constant",
            "u, v = x**3, 5",
            [0.0] * 2,
            ["the output is `v`; --of u", "`v` is a constant"],
        ),
    ]
]
LOOP = "k = 0.5; dt = 0.25\nt = 0.0; y = 1.0\n%s\n    y += dt*(-k*y)\n    %s\n"
NOTED += [
    Case(
        name,
        LOOP % (loop, step),
        "autodiff grad script.ad; autodiff grad --of y script.ad",
        [0.0, 4.0, -0.669921875, -1.33984375],
        says=["the loop in line 3 changes t and y: the output is `t`; --of y chooses another"],
    )
    for name, loop, step in [
        ("time_of_a_while_loop", "while t < 1:", "t += dt"),
        ("time_of_a_for_loop", "for i in range(4):", "t = t + dt"),
    ]
]
NOTED += [
    Case(
        "term_of_a_series",
        "x = 0.5; term = 1.0; s = 0.0\nfor n in range(1, 4):\n    s += term\n    term *= x/n\n",
        "autodiff grad script.ad; autodiff grad --of s script.ad",
        [0.125, 1.5],
        says=["the loop in line 2 changes term and s: the output is `term`; --of s chooses another"],
    ),
    Case(
        "comparison_with_a_limit",
        "E = 2.0; w = 12.0\nstress = E*w\nsafe = stress < 25\n",
        "autodiff grad script.ad",
        [0.0, 0.0],
        says=["`safe` is a constant here", "--of stress chooses another output"],
    ),
    Case(
        "several_expressions_last",
        "x = 3.0\ny = x**2\ny, 2*x*y\n",
        "autodiff grad script.ad; autodiff grad --of '(y, 2*x*y)[1]' script.ad",
        [54.0],
        says=["--of '(y, 2*x*y)[0]'"],
    ),
]
NOT_NOTED = [
    Case(name, f"x = 2.0\n{text}", f"autodiff grad {options}script.ad", numbers, never=["the output is"])
    for name, options, text, numbers in [
        ("asked_for", "--of u ", "u, v = x**3, x**4\n", [12.0]),
        ("unpacked_inputs", "", "a, b = 2.0, 3.0\nL = x*a*b\n", [6.0, 6.0, 4.0]),
        ("newton", "", "y = 1.5\nfor k in range(9):\n    d = (y*y - x)/(2*y)\n    y -= d\n", [2**-0.5 / 2]),
        ("text_before", "", 'name = "L"\nL = x**2\n', [4.0]),
        ("swapped", "", "u, v = x**3, x**4\nL = u\n", [12.0]),
    ]
]
ASKED = [
    Case("input_as_last_expression", "x = 3.0\nx\n", "autodiff grad script.ad", [1.0]),
    Case("input_by_of", "x = 3.0\nL = None\n", "autodiff grad --of x script.ad", [1.0]),
    Case("branch_that_ran", "x = 1.0\nif x > 0:\n    L = x**2\n", "autodiff grad script.ad", [2.0]),
]


@each_of(CASES)
def test_case(case, tmp_path):
    case.check(tmp_path)


@each_of(WITHOUT_VALUE)
def test_a_script_that_ends_without_a_number_is_refused(case, tmp_path):
    case.check(tmp_path)


@each_of(ASKED)
def test_an_input_is_the_output_where_it_is_asked_for(case, tmp_path):
    case.check(tmp_path)


@each_of(NOTED)
def test_a_note_says_which_output_it_is(case, tmp_path):
    case.check(tmp_path)


@each_of(NOT_NOTED)
def test_no_note_where_the_output_is_plain(case, tmp_path):
    case.check(tmp_path)


FALL = "dt = 0.5; g = 9.81\nv = 0.0\nt = 0.0\nn = 0\nwhile n < 40:\n    v += g*dt\n    t += dt\n    n += 1\n"
#: The last line prints one of the results that a loop carries along.
PRINTED = [
    *[
        Case(
            f"printed_{at}",
            f"{FALL}{line}\n",
            "autodiff grad script.ad 2>/dev/null | tail -n 2 | cut -f2",
            slopes,
        )
        for at, (line, slopes) in enumerate(
            [
                ("print(v)", [392.4, 20]),
                ("print(f'v = {v:.2f} m/s')", [392.4, 20]),
                ("print('v = %.2f' % v)", [392.4, 20]),
                ("print(n, 'steps:', round(v, 2))", [392.4, 20]),
                ("print(t)", [40, 0]),
                ("print(t, v)", [40, 0]),
                ("print('done')", [40, 0]),
            ]
        )
    ],
    Case(
        "printed_and_noted",
        FALL + "print(v)\n",
        "autodiff grad script.ad",
        says=["changes v and t: the output is `v`; --of t chooses another"],
    ),
]


@each_of(PRINTED)
def test_the_last_line_chooses_among_results_of_a_loop(case: Case, tmp_path: Path) -> None:
    case.check(tmp_path)
