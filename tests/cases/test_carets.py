"""`^` is a power where a script without tensors has it beside floats, and binds as one."""

from __future__ import annotations

import math
from pathlib import Path

from cases import Case, each_of

READ = ["`^` is read as a power, which Python writes `**`"]
CASES = [
    Case("inverse", "x = 2; y = x^-1\n", "autodiff grad script.ad", [-0.25], says=READ),
    Case("it_binds_as_a_power", "x = 3; y = 2*x^2 + 1\n", "autodiff grad script.ad", [12.0], says=READ),
    Case("a_minus_before_it", "x = 3; y = -x^2\n", "autodiff grad script.ad", [-6.0], says=READ),
    Case(
        "powers_of_powers", "x = 2; y = 2^x^2\n", "autodiff grad script.ad", [16 * math.log(2) * 4], says=READ
    ),
    Case(
        "values_from_the_command",
        "y = a*x^2\n",
        "autodiff grad --set a=2 --set x=3 script.ad | cut -f2",
        [9.0, 12.0],
    ),
    Case(
        "in_a_function",
        "def f(t):\n    return t^3 - t\nx = 2.0\ny = f(x)\n",
        "autodiff grad script.ad",
        [11.0],
    ),
    Case("an_output_by_expression", "x = 3; y = 2*x\n", "autodiff grad --of 'y^2' script.ad", [24.0]),
    Case("checked", "x = 3; y = 2*x^2 + 1\n", "autodiff check script.ad", shows=["right: "]),
    Case(
        "in_a_formula",
        "x = 3; y = 2*x^2 + 1\n",
        "autodiff explain --format formula script.ad",
        prints="4*x\n",
    ),
    Case(
        "what_it_prints_is_printed_once",
        "x = 3\nprint(7)\ny = x^2\n",
        "autodiff run -q script.ad | grep -cx 7",
        prints="1\n",
    ),
    Case(
        "whole_numbers_keep_pythons",
        "x = 3.; y = (5 ^ 3)*x\n",
        "autodiff grad script.ad",
        [6.0],
        never=["power"],
    ),
    Case(
        "torch_keeps_its_refusal",
        "x = torch.tensor(3., requires_grad=True); y = x^2\n",
        "autodiff grad script.ad",
        prints="",
        says=["`^` is Python's exclusive or, not a power", "x**2"],
        code=4,
    ),
]


@each_of(CASES)
def test_a_caret_of_floats_is_a_power(case: Case, tmp_path: Path) -> None:
    case.check(tmp_path)
