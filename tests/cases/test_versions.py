"""The values of a variable that a loop assigns again, by the names that reports give them."""

from __future__ import annotations

import math
from pathlib import Path

from cases import Case, each_of

LOOP = "w = 0.5; h = 0.1\nfor k in range(4):\n    h = sin(w*h)\nL = h**2\n"


def values() -> list[float]:
    """The values 0 to 4 of ``h``: it is 0.1 before the loop."""
    found = [0.1]
    for _ in range(4):
        found.append(math.sin(0.5 * found[-1]))
    return found


def slope(first: int, last: int) -> float:
    """The slope of the value ``last`` of ``h`` by the value ``first``."""
    return math.prod(0.5 * math.cos(0.5 * h) for h in values()[first:last])


def slope_by_w(last: int) -> float:
    return sum(h * math.cos(0.5 * h) * slope(at + 1, last) for at, h in enumerate(values()[:last]))


#: The value before a loop has the number 0, also where it is a plain number.
NAMES = [
    Case(
        "plain_first_value",
        LOOP,
        "autodiff explain script.ad",
        shows=["h_1 to h_4 are values 1 to 4 of h after its first (line 3)"],
    ),
    Case(
        "asked_first_value",
        LOOP,
        "autodiff explain --wrt h script.ad",
        shows=["h_1 to h_4 are values 1 to 4 of h after its first"],
    ),
    Case(
        "balance",
        "balance = 1000.\nrate = 0.05\nfor y in range(3):\n    balance = balance*(1 + rate)\n",
        "autodiff explain script.ad",
        shows=["balance_1 to balance_3 are values 1 to 3 of balance"],
    ),
    Case(
        "one_recorded_value",
        "x = 0\na = 2.\nx = a*3\nL = x**2\n",
        "autodiff explain script.ad",
        shows=["dL/dx"],
    ),
]
ASKED = [
    Case(
        "inputs",
        LOOP,
        "autodiff grad --wrt h_2,h_4 script.ad | cut -f2",
        [2 * values()[4] * slope(2, 4), 2 * values()[4]],
    ),
    Case("output", LOOP, "autodiff grad --of h_2 script.ad", [slope_by_w(2)]),
    Case("first_recorded_output", LOOP, "autodiff grad --of h_1 script.ad", [slope_by_w(1)]),
    Case("both", LOOP, "autodiff grad --of h_3 --wrt h_1 script.ad", [slope(1, 3)]),
    Case("explained", LOOP, "autodiff explain --of h_2 --wrt h_1 script.ad", shows=["dh_2/dh_1 = "]),
    Case(
        "checked",
        LOOP,
        "autodiff check --of h_3 --wrt h_1 script.ad; autodiff check --wrt h_2 script.ad",
        shows=["right: "],
    ),
    Case("compared", LOOP, "autodiff check --formula 'dL/dh_4 == 2*h' script.ad", shows=["right: "]),
    Case("second_derivative", LOOP, "autodiff hessian --of h_1 script.ad", [-0.01 * math.sin(0.05)]),
    Case(
        "no_such_value",
        LOOP,
        "autodiff grad --wrt h_9 script.ad",
        prints="",
        says=["there is no variable `h_9`", "h_1 to h_4"],
        code=2,
    ),
    Case("no_such_output", LOOP, "autodiff grad --of h_9 script.ad", prints="", says=["h_1 to h_4"], code=2),
    Case(
        "a_name_of_the_script_goes_first",
        "h = 0.5; h_2 = 3.0\nh = h*h_2\nL = h**2\n",
        "autodiff grad --wrt h_2 script.ad",
        [1.5],
    ),
    Case(
        "all_values",
        LOOP,
        "autodiff grad --wrt 'h_*' script.ad | cut -f2; autodiff check --wrt 'h_[01]' script.ad | grep -c ok",
        [*(2 * values()[4] * slope(first, 4) for first in range(5)), 2],
    ),
    Case(
        "all_values_in_reports",
        LOOP,
        "autodiff explain --wrt 'h_*' script.ad; autodiff graph --wrt 'h_*' script.ad",
        shows=["dL/dh_0 = ", "dL/dh_1 = ", "dL/dh_4 = ", "`- h_4"],
    ),
    Case(
        "no_value_has_a_name_like_this",
        LOOP,
        "autodiff grad --wrt 'g_*' script.ad",
        prints="",
        says=["there is no variable `g_*`"],
        code=2,
    ),
    Case(
        "all_values_with_tensors",
        "w = torch.tensor(0.5, requires_grad=True)\nh = w*1\nfor k in range(2):\n    h = h*w\nL = h*2\n",
        "autodiff grad --wrt 'h_*' script.ad | cut -f2",
        [2 * 0.5**2, 2 * 0.5, 2],
    ),
    Case(
        "a_first_value_of_a_script_with_tensors_that_asks_for_no_gradient",
        "w = torch.tensor(0.5, requires_grad=True)\nh = torch.ones(2)\nfor k in range(3):\n    h = h*w\n"
        "L = h.sum()\n",
        "autodiff grad --wrt h_0 script.ad; autodiff grad --wrt 'h_*' script.ad | cut -f2;"
        " autodiff grad --wrt h,h_0 script.ad | cut -f2; autodiff check script.ad --wrt h_0 | grep -c ok",
        [0.5**3, 0.5**3, 0.5**3, 0.5**2, 0.5, 1, 1, 0.5**3, 1],
    ),
    Case(
        "a_first_value_that_is_no_tensor",
        "w = torch.tensor(0.5, requires_grad=True)\nh = 0\nfor k in range(3):\n    h = h + w*k\nL = h*2\n"
        "print(h, range(2))\n",
        "autodiff grad --wrt 'h_*' script.ad | cut -f2",
        [2, 2, 2],
        says=["tensor(1.5000"],
    ),
    Case(
        "of_a_script_with_tensors",
        "w = torch.tensor(0.5, requires_grad=True)\nh = w*1\nfor k in range(3):\n    h = h*w\nL = h*2\n",
        "autodiff grad --of h_2 script.ad; autodiff grad --wrt h_1 script.ad",
        [3 * 0.5**2, 2 * 0.5**2],
    ),
]


@each_of(NAMES)
def test_values_are_numbered_from_the_first(case: Case, tmp_path: Path) -> None:
    case.check(tmp_path)


@each_of(ASKED)
def test_a_value_is_asked_for_by_its_name(case: Case, tmp_path: Path) -> None:
    case.check(tmp_path)


#: Step 2 of three: below it stands only what the turns before have made.
STEPS = (
    "w = 0.5; x = 2.0; rate = 0.1\nfor k in range(3):\n    h = w*x\n    L = h**2\n    w = w - rate*2*h*x\n"
)
ENDED = [
    Case(
        "graph",
        STEPS,
        "autodiff graph --of L --wrt w_2 script.ad | sed 's/^[` |-]*//' | cut -d' ' -f1 | head -4"
        " | paste -sd,",
        prints="node,L,h_3,w_2\n",
    ),
    Case(
        "run",
        STEPS,
        "autodiff run --of L --wrt w_2 script.ad",
        shows=["`- x                 leaf        2        w_2 = 0.02      0.0016"],
        never=["w_1", "rate"],
    ),
    Case(
        "document",
        STEPS,
        "autodiff graph --of L --wrt w_2 --format json script.ad | tr '{' '\\n' | grep '\"name.*\"op\"'"
        " | cut -d'\"' -f6 | paste -sd' '",
        prints="x w_2 h_3 L 2\n",
    ),
    Case(
        "an_input_made_of_another_one_does_not_end_it",
        STEPS,
        "autodiff graph --of L --wrt w_2,w_1 script.ad",
        shows=["w_1", "w_2", "h_2"],
        never=["rate  ", "h_1"],
    ),
    Case(
        "a_leaf_below_an_input_is_reached_through_it",
        STEPS,
        "autodiff graph --of L --wrt w_2,rate script.ad",
        shows=["rate", "h_1"],
    ),
    Case(
        "the_player_and_its_events",
        STEPS,
        "autodiff trace --of L --wrt w_2 script.ad",
        shows=["  3 (3rd)   x      h_3        0.08   w_2 = 0.02     0.0016   0.0016\n"],
        never=["w_1"],
    ),
]


@each_of(ENDED)
def test_a_graph_ends_at_its_inputs(case: Case, tmp_path: Path) -> None:
    case.check(tmp_path)
