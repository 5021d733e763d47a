"""Inputs that a script without tensors assigns again: found by their first value, or named in a note."""

from __future__ import annotations

from pathlib import Path

import pytest
from autodiff.core.base.source import Source
from autodiff.grammar.execution import execute
from autodiff.grammar.repair import reassigned_inputs
from autodiff.grammar.session import run
from autodiff.grammar.session.run import Settings, differentiate
from cases import Case, each_of

GROWTH = "w = 2; h = 3\nfor k in range(3):\n    w = w*h\n"
NEWTON = "x = 1.5; a = 2\nfor k in range(30):\n    x = x - (x*x - a)/(2*x)\n"

FOUND = [
    Case("raised_by_1", "x = 3\nx = x + 1\nL = x**2\n", "autodiff grad script.ad", [8.0]),
    Case("raised_by_1_and_named", "x = 3\nx = x + 1\nL = x**2\n", "autodiff grad --wrt x script.ad", [8.0]),
    Case(
        "doubled",
        "x = 3\nx = 2*x\nL = x**2\n",
        "autodiff grad script.ad; autodiff grad --wrt x script.ad; autodiff grad --set x=5 script.ad",
        [24.0, 24.0, 40.0],
    ),
    Case("whole_number_raised_in_place", "n = 3\nn += 2\nL = n**2\n", "autodiff grad script.ad", [10.0]),
    Case("in_a_loop_by_name", GROWTH, "autodiff grad --wrt w,h script.ad | cut -f2", [27.0, 54.0]),
    Case(
        "in_a_loop_alone",
        "s = 0.5\nfor k in range(3):\n    s = s*s + 0.1\n",
        "autodiff grad script.ad",
        [0.3115],
    ),
    Case(
        "beside_a_counter",
        "k = 0; s = 0.5\nwhile k < 3:\n    s = s*s + 0.1\n    k = k + 1\n",
        "autodiff grad script.ad",
        [0.3115],
    ),
    Case(
        "beside_an_input_of_something_else",
        "a = 2; x = 3.0\nx = x + 1\nother = 5*a\nL = x**2\n",
        "autodiff grad script.ad",
        [8.0],
    ),
    Case(
        "whole_numbers_beside_an_input_of_something_else",
        "a = 2; x = 3\nx = x + 1\nother = 5*a\nL = x**2\n",
        "autodiff grad script.ad",
        [8.0],
    ),
    Case("beside_a_sum", "x = 3; s = 0\nx = x + 1\ns = s + x*x\n", "autodiff grad script.ad", [8.0]),
    Case(
        "entry_of_a_list",
        "v = [1, 2]\nv[0] = v[0]*2\nL = v[0] + v[1]\n",
        "autodiff grad script.ad; autodiff grad --wrt v script.ad",
        [2.0, 1.0, 2.0, 1.0],
    ),
    Case(
        "given_another_number",
        "x = 2\nL = x**2\nx = 5\nM = L*x\n",
        "autodiff grad script.ad",
        [20.0],
        says=["`x` is assigned more than once: the slope is that by its value of line 1"],
    ),
    Case(
        "the_first_value_is_not_used",
        "x = 2\nx = 5\nM = x*x\n",
        "autodiff grad script.ad",
        [10.0],
        says=["the slope is that by its value of line 2"],
    ),
    Case(
        "another_name_keeps_the_first_value",
        "a = 3.0\nt = a\na = a*2\nL = a**2*t\n",
        "autodiff grad script.ad; autodiff grad --wrt a script.ad",
        [108.0, 108.0],
        says=["the slope is that by its value of line 1"],
    ),
    Case(
        "a_branch_keeps_the_first_value",
        "a = -3.0\nt = exp(a) if a > 0 else a\nfor k in range(2):\n    a = 0.5*a + t\nout = a**2\n",
        "autodiff grad script.ad",
        [-18.375],
    ),
    Case(
        "a_function_keeps_the_first_value",
        "def first(u):\n    return u\na = 3.0\nt = first(a)\na = a + t\nL = a*t\n",
        "autodiff grad script.ad",
        [12.0],
    ),
    Case("checked", "x = 3\nx = 2*x + 1\nL = x**2\n", "autodiff check script.ad", shows=["right: "]),
    Case(
        "explained",
        "x = 3\nx = 2*x + 1\nL = x**2\n",
        "autodiff explain script.ad",
        shows=["dL/dx = 28 ", "4*7"],
    ),
]
NAMED = [
    Case(
        "a_loop_with_another_input",
        GROWTH,
        "autodiff grad script.ad",
        [54.0],
        says=[
            "`w` is assigned more than once, so it is not listed: --wrt w gives the slope by its first value"
        ],
    ),
    Case(
        "an_input_that_a_function_reads",
        "a = 3.0; b = 2.0\ndef f(x):\n    return a**2 - x\nt = f(b)\nfor k in range(2):\n    b = 0.5*b + t\n"
        "out = b**2\n",
        "autodiff grad script.ad",
        [198.0],
        says=["`b` is assigned more than once, so it is not listed"],
    ),
    Case("newton_steps", NEWTON, "autodiff grad script.ad", [2**-0.5 / 2], says=["--wrt x gives the slope"]),
    Case("newton_steps_by_name", NEWTON, "autodiff grad --wrt a script.ad", [2**-0.5 / 2], never=["note:"]),
    Case(
        "sums_and_products_are_no_inputs",
        "r = 0.05; pv = 0; d = 1\nfor t in range(1, 4):\n    d = d/(1 + r)\n    pv = pv + 100*d\n",
        "autodiff grad script.ad",
        [-510.2812099896647],
        never=["note:"],
    ),
    Case(
        "what_a_run_prints_stays",
        "x = 3\nx *= 2\nL = x**2\nprint(x)\n",
        "autodiff grad script.ad 2>&1 >/dev/null | head -n 1",
        prints="6\n",
    ),
    Case(
        "a_number_of_turns",
        "n = 3\nn += 2\nL = sum([0.5*k for k in range(n)])\n",
        "autodiff grad script.ad",
        prints="",
        says=["`n` is assigned more than once"],
        code=4,
    ),
]
REVERSED = "data = [1., 2., 3.]\ndata.reverse()\nw = 2.\nL = data[0]*w\n"
SORTED = "v = [3.0, 1.0, 2.0]\nv.sort()\nL = v[0]**2 + 10*v[-1]\n"
#: Lists that methods change stay Python's lists; their first entries are the inputs.
LISTS = [
    *[
        Case(
            name,
            f"v = [3.0, 1.0, 2.0]\n{change}\nL = v[0]**2 + 10*v[-1]\n",
            "autodiff grad script.ad | cut -f2; autodiff grad --wrt v script.ad | cut -f2",
            slopes * 2,
            says=["`v` is changed: the slopes are those by its entries of line 1"],
            never=["so it is not listed"],
        )
        for name, change, slopes in [
            ("sorted_in_place", "v.sort()", [10.0, 2.0, 0.0]),
            ("reversed", "v.reverse()", [10.0, 0.0, 4.0]),
            ("appended_a_number", "v.append(4.0)", [6.0, 0.0, 0.0]),
            ("appended_a_result", "v.append(v[1]*v[2])", [6.0, 20.0, 10.0]),
            ("extended", "v.extend([v[1], 2*v[1]])", [6.0, 20.0, 0.0]),
            ("inserted", "v.insert(0, v[2])", [0.0, 0.0, 14.0]),
            ("popped", "v.pop()", [6.0, 10.0, 0.0]),
            ("removed", "v.remove(3.0)", [0.0, 2.0, 10.0]),
        ]
    ],
    Case(
        "names_are_the_first_places",
        SORTED,
        "autodiff grad script.ad; autodiff grad --wrt 'v[1]' script.ad;"
        " autodiff grad --set 'v=[2.,5.,4.]' script.ad",
        prints="v[0]\t10\nv[1]\t2\nv[2]\t0\n2\nv[0]\t4\nv[1]\t10\nv[2]\t0\n",
    ),
    Case("checked_entries", SORTED, "autodiff check script.ad", shows=["v[2]", "right: "]),
    Case("explained_entry", SORTED, "autodiff explain --wrt 'v[1]' script.ad", shows=["2*v[1]", "2*1"]),
    Case(
        "lists_of_lists",
        "v = [[1., 2.], [3.]]\nv.append([4.])\nL = v[0][0]*v[1][0] + v[2][0]\n",
        "autodiff grad script.ad",
        prints="v[0][0]\t3\nv[0][1]\t0\nv[1][0]\t1\n",
    ),
    Case(
        "beside_another_input",
        REVERSED,
        "autodiff grad script.ad; autodiff grad --wrt data script.ad",
        prints="3\ndata[0]\t0\ndata[1]\t0\ndata[2]\t2\n",
        says=["`data` is changed, so it is not listed: --wrt data gives the slopes by its first entries"],
    ),
    Case(
        "repeated",
        "v = [3.0, 1.0, 2.0]\nv = v*2\nL = v[0]**2 + 10*v[-1]\n",
        "autodiff grad script.ad",
        prints="",
        says=["`v` is changed, and a list"],
        code=4,
    ),
    Case(
        "sorted_by_its_own_name",
        "v0 = [3.0, 1.0, 2.0]\nv = list(v0)\nv.sort()\nL = v[0]**2 + 10*v[-1]\n",
        "autodiff grad script.ad",
        [10.0, 2.0, 0.0],
    ),
    Case(
        "sorted_by_a_function",
        "v = [3.0, 1.0, 2.0]\nv = sorted(v)\nL = v[0]**2 + 10*v[-1]\n",
        "autodiff grad script.ad; autodiff grad --wrt v script.ad",
        [10.0, 2.0, 0.0] * 2,
    ),
]
INTEREST = "balance = 1000.\nfor year in range(3):\n    balance %s\nprint(balance)\n"
#: A number that only constants multiply is an input, also of itself.
GROWTHS = [
    Case(
        f"growth_{at}",
        INTEREST % step,
        "autodiff grad script.ad | tail -n 1",
        [1.05**3],
        says=["`balance` is assigned more than once: the slope is that by its value of line 1"],
    )
    for at, step in enumerate(["*= 1.05", "= balance*1.05", "= 1.05*balance", "/= 1/1.05"])
]
SWAP = "x = 3.; y = -2.\nx, y = y, x\n"
ANEW = "a = 3.\nb = 2.\nb = 4*a\n"
#: A first value that the output is not made of has slope 0, also where the output has its name.
UNUSED = [
    Case("swapped", SWAP, "autodiff grad script.ad", [1.0, 0.0]),
    Case("swapped_by_name", SWAP, "autodiff grad --of y --wrt y script.ad", [0.0]),
    Case("swapped_by_names", SWAP, "autodiff grad --of y --wrt x,y script.ad", [1.0, 0.0]),
    Case(
        "swapped_three_times",
        "x = 3.; y = 2.\nfor k in range(3):\n    x, y = y, x\n",
        "autodiff grad --of y --wrt y script.ad",
        [0.0],
    ),
    Case(
        "made_anew",
        ANEW,
        "autodiff grad --of b --wrt a,b script.ad; autodiff grad --of b --wrt b script.ad",
        [4.0, 0.0, 0.0],
    ),
    Case(
        "replaced_before_the_output",
        "F = 100.\nm = 5.\na = F/m\nF = 200.\na2 = F/m\n",
        "autodiff grad script.ad; autodiff grad --wrt F script.ad",
        [-8.0, 0.2],
        says=["--wrt F gives the slope by the first of its values that the output is made of"],
    ),
]
BRANCHES = "L = 0\nif x > 0.2:\n    L += 1\nif x > 0.4:\n    L += 1\n"
NO_INPUTS = [
    Case(
        "counter_after_the_result",
        "count = 0\nx = 2.0\nw = 3.0\nloss = (w*x - 1)**2\ncount += 1\n",
        "autodiff grad script.ad",
        prints="",
        says=["--of loss"],
        code=4,
    ),
    Case(
        "counted_loop_after_the_result",
        "x = 2.0\ny = x**2\ni = 0\nwhile i < 3:\n    i += 1\n",
        "autodiff grad script.ad",
        prints="",
        says=["--of y"],
        code=4,
    ),
    *[
        Case(f"steps_at_{at}", f"x = {at}\n{BRANCHES}", "autodiff grad script.ad", [0.0], says=["slope is 0"])
        for at in ("0.1", "0.3", "0.5")
    ],
    Case(
        "steps_below_a_factor",
        f"x = 0.3\n{BRANCHES}out = 2.0*L\n",
        "autodiff grad script.ad",
        [0.0],
        says=["slope is 0"],
    ),
    Case(
        "sum_of_constants",
        "L = 0\nfor k in range(3):\n    L = L + 1\n",
        "autodiff grad script.ad",
        prints="",
        says=["`L` is a plain number", "give a number that it is made of a name"],
        never=["L0 = 0"],
        code=4,
    ),
    Case(
        "sum_of_constants_from_5",
        "L = 5.0\nL -= 2\n",
        "autodiff grad script.ad",
        prints="",
        says=["`L` is assigned more than once"],
        code=4,
    ),
    Case(
        "assigned_after_the_result",
        "x = 2.0\nL = x**2\nx = 5.0\n",
        "autodiff grad script.ad; autodiff grad --wrt x script.ad",
        prints="",
        says=["--of L"],
        code=4,
    ),
]
POWER = "V = 12.\nP = 0\nfor k in range(3):\n    P += V**2/10\n    V = V/2\nprint(P)\n"
DECAY = "s = 0.\nw = 2.\nfor x in [1.,2.,3.]:\n    s = s + w*x\n    w = 0.5*w\nloss = (s - 1)**2\n"
FALL = "v = 10.; x = 0\nfor i in range(10):\n    v = v - 9.81*0.1\n    x = x + v*0.1\nprint(x)\n"
#: Inputs that only constants change, beside a sum; and sums, which are no inputs of themselves.
SUMS = [
    Case(
        "halved_after_each_turn",
        POWER,
        "for wrt in '' '--wrt V'; do autodiff grad $wrt script.ad 2>/dev/null | tail -n 1; done",
        [3.15, 3.15],
    ),
    Case(
        "set_and_halved",
        POWER.replace("print(P)\n", ""),
        "autodiff grad --set V=24 script.ad; autodiff grad --set V=24 --wrt V script.ad",
        [6.3, 6.3],
    ),
    Case("decayed", DECAY, "autodiff grad script.ad", [24.75]),
    Case("slowed_by_constants", FALL, "autodiff grad script.ad 2>/dev/null | tail -n 1", [1.0]),
    *[
        Case(
            f"tax_of_{income}",
            f"income = {income}\ntax = 0\nif income > 40000:\n    tax += (income-40000)*0.4\n"
            "    income = 40000\nif income > 10000:\n    tax += (income-10000)*0.2\n",
            "autodiff grad script.ad",
            [slope],
        )
        for income, slope in (("50000.", 0.4), ("50000", 0.4), ("20000.", 0.2))
    ],
    Case(
        "whole_number_doubled",
        "s = 0\nw = 2\nfor x in [1., 2.]:\n    s = s + w*x\n    w = 2*w\nloss = s**2\n",
        "autodiff grad script.ad; autodiff grad --wrt w script.ad",
        [100.0],
        says=["--wrt w"],
    ),
    *[
        Case(
            f"means_from_{a}",
            f"a = {a}; b = 2.\nfor i in range(5):\n    a, b = (a+b)/2, sqrt(a*b)\nL = a\n",
            "autodiff grad script.ad | cut -f1 | paste -s -d,",
            prints="a,b\n",
        )
        for a in ("1.", "1.5", "0.")
    ],
]

DESCENT = """import numpy as np
x = np.array([1., 2.])
y = np.array([2., 4.])
n = 2
rng = np.random.default_rng(0)
w = {}
for t in range(3):
    pred = w*x
    loss = np.square(pred - y).sum()
    grad_w = (2*(pred - y)*x).sum()
    w {}
print(w)
"""
#: A weight is changed by the factor 0.9 less the data's part in each turn, so slopes fall by it.
FIRST_VALUES = [
    ("0.5", "-= 0.01*grad_w"),
    ("np.array(0.5)", "-= 0.01*grad_w"),
    ("np.zeros(1)", "-= 0.01*grad_w"),
    ("np.ones(1)", "= w - 0.01*grad_w"),
    ("np.random.randn()", "= w - 0.01*grad_w"),
    ("np.random.randn(1)", "-= 0.01*grad_w"),
    ("rng.normal()", "-= 0.01*grad_w"),
    ("rng.normal(size=1)*np.sqrt(2/n)", "-= 0.01*grad_w"),
]
TWICE = (
    "a = torch.tensor(2.0, requires_grad=True)\nw = torch.tensor(3.0, requires_grad=True)\n"
    "a = w*a\na = w*a + 1\nL = a**2\n"
)
VALUES_OF_A = "a_0\t342\na_1\t114\na_2\t38\n"
#: However a weight is made first, its name means that value to grad; w_2 is the one that the last turn uses,
#: and formulas are by that.
TRAINED = [
    Case(
        f"weight_{at}",
        DESCENT.format(first, step),
        "for wrt in w w_0 w_1 w_2; do autodiff grad --of loss --wrt $wrt script.ad; done >out;"
        " awk '{g[NR] = $1} END {print g[1]/g[4], g[2]/g[4], g[3]/g[4], g[4]/g[4]}' out;"
        " (autodiff run script.ad; autodiff run --of loss script.ad) 2>&1 | grep '^note:' >&2;"
        " autodiff check --of loss --formula 'dloss/dw == grad_w' script.ad | grep '^right' >&2",
        [0.81, 0.81, 0.9, 1],
        says=[
            "the slope is that by its value of line 6; --wrt w_2 gives that by the last one, of line 11",
            "note: the output is `loss` by w_2, in the last turn of the loop in line 7; --of w takes",
            "note: --wrt w_2 gives the slope of `loss` in the last turn of the loop",
            "right: dloss/dw_2 == grad_w",
        ],
    )
    for at, (first, step) in enumerate(FIRST_VALUES)
] + [
    Case(
        "two_weights",
        "import numpy as np\nx = np.array([1, 2])\na = np.random.randn()\nb = np.random.randn()\nlr = 0.01\n"
        "for t in range(3):\n    e = a + b*x - 2*x\n    loss = (e**2).sum()\n    a -= lr*2*e.sum()\n"
        "    b -= np.clip(lr*2*(e*x).sum(), -1, 1)\n",
        "autodiff run script.ad",
        says=[
            "`a` and `b` are assigned more than once, so they are not listed: --wrt a,b gives the slopes by"
            " their first values",
            "--of loss --wrt a_2,b_2 gives the slopes of `loss` in the last turn of the loop",
        ],
    ),
    Case(
        "a_computed_first_value",
        "import numpy as np\nx = 2.\nh = x**2\nfor t in range(2):\n    h = np.sin(h)*x\nL = h**2\n",
        "autodiff grad --wrt h script.ad",
        says=["`h` is assigned more than once: the slope is that by its last value, of line 5"],
    ),
    Case(
        "the_last_value_is_the_output",
        "w = 0.5\nh = 0.9\nfor t in range(3):\n    h = sin(w*h)\nL = h\n",
        "for wrt in h h_2 h_3; do autodiff grad --wrt $wrt script.ad; done",
        [0.10926549400360772, 0.4970929640172689, 1],
        says=["by its value of line 2; --wrt h_2 gives that by the last one before the output, of line 4\n"],
    ),
    Case(
        "the_last_value_has_another_name_as_the_output",
        "a = 2.0\na = a**2\na = a**3\ny = a\n",
        "autodiff grad --wrt a script.ad",
        [192],
        says=["--wrt a_1 gives that by the last one before the output, of line 2\n"],
    ),
    *[
        Case(
            f"a_tensor_{name}",
            TWICE,
            f"autodiff {command} --wrt a script.ad && autodiff grad --wrt a_0 script.ad",
            prints=f"{shown}\n342\n",
            says=[
                "note: `a` is assigned more than once: the slope is that by its last value, of line 4;"
                " --wrt a_0 gives that by its first, of line 1\n"
            ],
        )
        for name, command, shown in [("grad", "grad", 38), ("jacobian", "jacobian", 38)]
    ],
    Case("a_tensor_whose_leaf_is_listed", TWICE, "autodiff grad script.ad", never=["note"]),
    Case("every_value_of_a_tensor", TWICE, "autodiff grad --wrt 'a_*' script.ad", prints=VALUES_OF_A),
    Case(
        "a_tensor_that_is_the_output",
        TWICE[: TWICE.index("L =")],
        "autodiff grad --wrt a script.ad",
        [9],
        says=["by its value of line 1; --wrt a_1 gives that by the last one before the output, of line 3\n"],
    ),
]


@each_of(FOUND)
def test_the_slope_is_by_the_first_value(case: Case, tmp_path: Path) -> None:
    case.check(tmp_path)


@each_of(NAMED)
def test_what_is_not_listed_is_named(case: Case, tmp_path: Path) -> None:
    case.check(tmp_path)


@each_of(NO_INPUTS)
def test_counters_and_constants_are_no_inputs(case: Case, tmp_path: Path) -> None:
    case.check(tmp_path)


@each_of(LISTS)
def test_lists_are_never_another_number_as_arrays(case: Case, tmp_path: Path) -> None:
    case.check(tmp_path)


@each_of(SUMS)
def test_a_sum_is_never_differentiated_by_itself(case: Case, tmp_path: Path) -> None:
    case.check(tmp_path)


@each_of(UNUSED)
def test_a_first_value_that_is_not_used_has_slope_0(case: Case, tmp_path: Path) -> None:
    case.check(tmp_path)


@each_of(GROWTHS)
def test_a_growing_number_is_an_input(case: Case, tmp_path: Path) -> None:
    case.check(tmp_path)


@each_of(TRAINED)
def test_a_trained_weight_is_meant_by_its_first_value(case: Case, tmp_path: Path) -> None:
    case.check(tmp_path)


@pytest.mark.parametrize(("longest_kept", "times"), [(1_000_000, 0), (10, 1)])
def test_a_script_is_read_again_only_once_and_only_if_its_tree_is_not_kept(
    longest_kept, times, monkeypatch
) -> None:
    parsed = []
    parse = reassigned_inputs.parse_to_first_error
    monkeypatch.setattr(run, "LONGEST_KEPT", longest_kept)
    monkeypatch.setattr(
        reassigned_inputs, "parse_to_first_error", lambda source: parsed.append(source) or parse(source)
    )
    source, settings = Source("w = 2.0\nx = 3.0\nx = x*w\nL = 0.0\nL = L + w*x\n"), Settings()
    execution = reassigned_inputs.with_reassigned_inputs(execute(source, settings), settings)
    subject = differentiate(execution, settings)
    notes = reassigned_inputs.reassigned_notes(execution, settings, subject, is_asked=False)
    assert [note.partition(",")[0] for note in notes] == ["`x` is assigned more than once"]
    assert len(parsed) == times
