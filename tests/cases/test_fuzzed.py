"""Command lines that random scripts and options found to end in an internal error or without a word."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from cases import Case, each_of

INTERNAL = "this is a mistake in autodiff"


def answered(
    name: str, script: str, command: str, code: int, *says: str, shows: tuple[str, ...] = ()
) -> Case:
    return Case(name, script, command, says=says, shows=shows, never=(INTERNAL,), code=code)


CASES = [
    answered("lint_says_why_it_fails", "backward", "autodiff lint script.ad", 3, shows=("E0201", "backward")),
    answered(
        "lint_of_a_number_too_large", "([(1e400!=ctx)for j in(lambda:n)])", "autodiff lint script.ad", 3
    ),
    answered("lint_of_infinity", "x = 2.0\nprint(x * 3 == -1e999)\n", "autodiff lint script.ad", 0),
    answered(
        "entry_beyond_the_end",
        "p = tensor([.53], requires_grad=True)\n",
        "autodiff explain script.ad --entry 9 --order 2",
        2,
        "--entry 9: `p` has shape (1,)",
    ),
    answered(
        "entry_of_too_many_dimensions",
        "p = tensor([1., 2.], requires_grad=True)\nL = (p ** 3)[0]\n",
        "autodiff explain script.ad --entry 0,0 --order 2",
        2,
    ),
    answered(
        "remainder_in_a_formula",
        "z = (2,)\nq = torch.ones(1,)\np = torch.randn(1, requires_grad=True)\n"
        "L = torch.reciprocal(((q / p) % 9).min())\n",
        "autodiff explain script.ad --entry 0 --format latex",
        0,
    ),
    answered(
        "remainder_of_an_input",
        "x = torch.tensor([7.5, 2.0], requires_grad=True)\nL = ((x % 2) ** 2).sum()\n",
        "autodiff explain script.ad --entry 1",
        0,
    ),
    answered(
        "condition_in_a_product",
        "a = zeros(1, requires_grad=True)\nc = (torch.where(a > 0, a, a) * 1e9).prod()\n",
        "autodiff run script.ad",
        0,
    ),
]


#: A loop whose derivatives repeat the same names thousands of times.
REPEATED = """\
a = torch.tensor(0.7, requires_grad=True)
b = torch.tensor(-0.4, requires_grad=True)
c = torch.tensor(0.2)
p, q, r = a * 1.0, a * b, b + 0.5
k, n = 0.25, 3
i, x, y = 2, 0.5, 1.5
t = 2
u = torch.tensor(0.5); v = 2 * u
for j in range(3):
    for i in range(3, 60):
        p = (p ** 2 - 2).cos()
        u += a
        p = sin(a / 2 + a)
z = torch.tensor(1.0)
L = (p + q * 0.5 + r * 0.25) * z
L = L + u * 0.125
"""
#: A loop of sums of fractions.
FRACTIONS = """\
a = torch.tensor(0.7, requires_grad=True)
b = torch.tensor(-0.4, requires_grad=True)
c = torch.tensor(0.2)
p, q, r = a * 1.0, a * b, b + 0.5
k, n = 0.25, 3
i, x, y = 2, 0.5, 1.5
p = a
s = p
u = a + 1
for j in range(3):
    for i in range(40):
        r = -sin(q * y) * 0.5 + 0.1
        u += -sin(r - q) * 0.5 + 0.1
        q = torch.tanh(a - q)
z = torch.tensor(1.0)
L = (p + q * 0.5 + r * 0.25) * z
L = L + u * 0.125
"""

ENDS = [
    answered(
        "a_derivative_of_fourth_order", REPEATED, "autodiff explain script.ad --order 4 --format markdown", 0
    ),
    answered("a_formula_of_fractions", FRACTIONS, "autodiff run script.ad --format json", 0),
    answered(
        "a_hundred_thousand_entries",
        "x = torch.zeros(10**5, requires_grad=True)\nL = (torch.sin(x) + x**2).sum()\n",
        "autodiff check script.ad | tr -s ' \\n' ' '",
        0,
        shows=("of 100,000 entries were moved in groups only", "agree"),
    ),
]


VECTOR = "x = torch.tensor([1., 2.], requires_grad=True)\nL = (x * x).sum()\n"
POWER = "n = torch.tensor(2)\nx = torch.tensor(3., requires_grad=True)\nL = x ** n\n"
VALUES = [
    answered("set_rows", VECTOR, "autodiff grad script.ad --set x='[[1, 2], [3]]'", 2, "differ in length"),
    answered("set_levels", VECTOR, "autodiff grad script.ad --set x='[1, [2]]'", 2, "length or depth"),
    answered("set_none", VECTOR, "autodiff grad script.ad --set x=None", 2, "no number"),
    answered("set_none_in_a_list", VECTOR, "autodiff grad script.ad --set x='[1, None]'", 2, "no number"),
    answered("set_fraction", POWER, "autodiff grad script.ad --set n=2.5", 2, "2.5 is none of them", "2.0"),
    answered("set_nan", POWER, "autodiff grad script.ad --set n=nan", 2, "nan is none of them"),
    answered("set_infinity", POWER, "autodiff grad script.ad --set n=1e400", 2, "inf is none of them"),
    answered("set_bool", POWER.replace("2", "True"), "autodiff grad script.ad --set n=2", 2, "none of them"),
    answered("set_whole", POWER, "autodiff grad script.ad --set n=3.0", 0, shows=("27\n",)),
    answered(
        "set_deep",
        VECTOR,
        "autodiff grad script.ad --set \"x=$(printf '[%.0s' {1..99})1$(printf ']%.0s' {1..99})\"",
        2,
        "length or depth",
    ),
    answered(
        "weight_rows", VECTOR, "autodiff grad script.ad --of x --grad-output '[[1], [2, 3]]'", 2, "length"
    ),
    answered(
        "weight_rows_of_second_derivatives",
        VECTOR,
        "autodiff explain script.ad --order 2 --grad-output '[[1], [2, 3]]'",
        2,
        "--grad-output: the lists",
    ),
    answered(
        "weight_none_in_a_list",
        VECTOR,
        "autodiff grad script.ad --of x --grad-output '[1, None]'",
        2,
        "no number",
    ),
    answered("output_not_utf_8", VECTOR, "autodiff grad script.ad --of $'\\xff'", 2, "cannot read <--of>"),
    answered(
        "many_brackets",
        VECTOR,
        "autodiff grad script.ad --wrt \"$(printf '[%.0s' {1..50000})\"",
        2,
        "there is no variable `[[[",
    ),
]


SQUARE = "x = 2\nL = x**2\n"
DERIVATIVES = [
    answered("vector_none", SQUARE, "autodiff hvp script.ad --vector x=None", 2, "--vector x", "no number"),
    answered(
        "vector_rows", SQUARE, "autodiff jvp script.ad --vector 'x=[[1], [2, 3]]'", 2, "differ in length"
    ),
    answered("sigma_none", SQUARE, "autodiff propagate script.ad --sigma x=None", 2, "no number"),
    answered("sigma_infinite", SQUARE, "autodiff propagate script.ad --sigma x=1e400", 2, "and finite"),
    answered(
        "draws_without_end",
        SQUARE,
        "autodiff propagate script.ad --sigma x=1 --monte-carlo 4611686018427387903",
        5,
        "E0502",
    ),
    answered("no_output_file", SQUARE, "autodiff grad script.ad -o ''", 2, "--output: no file is named"),
]
#: Sums and squares of these entries are larger than any number, which numpy warns of.
HUGE = "x = torch.full((9, 9), 1e200, requires_grad=True)\ny = x * 1\nL = (y * 1e-200).sum()\n"
WARNINGS = [
    replace(answered("graph_of_huge", HUGE, "autodiff graph script.ad", 0), never=("Warning", "numpy")),
    replace(
        answered("table_of_huge", HUGE, "autodiff run script.ad", 0, shows=("mean 1e+200", "max 1e+200")),
        never=("Warning", "numpy"),
    ),
]


@each_of([*CASES, *ENDS, *VALUES, *DERIVATIVES, *WARNINGS])
def test_a_command_line_is_answered(case: Case, tmp_path: Path) -> None:
    case.check(tmp_path)
