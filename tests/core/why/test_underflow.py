"""Values that are 0 because they are too small for a number are named where that happens."""

from __future__ import annotations

import pytest
from script_runner import run_script
from why_scripts import LEAF, causes


@pytest.mark.parametrize(
    ("script", "cause"),
    [
        (
            LEAF.format("0.1") + "h = torch.tensor(1.)\nfor t in range(400):\n    h = h * x\nh.backward()\n",
            "4: h_324 is too small for a number, and becomes 0: h_323 = 1e-323, x = 0.1",
        ),
        (
            LEAF.format("1e-200") + "y = x * x\nz = 1 / (y + 0)\nz.backward()\n",
            "3: z is inf already on the way forward: a division by 0: 1, y + 0 = 0; y in line 2 is too small"
            " for a number, and becomes 0: x = 1e-200",
        ),
        (
            LEAF.format("[-1000., -1001.]") + "y = torch.log(torch.exp(x).sum())\ny.backward()\n",
            "2: y is -inf already on the way forward: the logarithm of 0 is -infinity: torch.exp(x).sum() ="
            " 0; torch.exp(x) is too small for a number, and becomes 0: x (entries from -1001 to -1000)",
        ),
    ],
)
def test_the_first_value_that_is_too_small_is_named(script: str, cause: str) -> None:
    assert causes(script) == [cause]


@pytest.mark.parametrize(
    "code",
    [
        "y = torch.log(x * 0)",  # a product with 0
        "y = 1 / torch.exp(-1 / (x - x))",  # exp(-inf) is 0
        "y = 1 / torch.relu(-x)",
    ],
)
def test_a_value_that_is_0_exactly_is_not_called_too_small(code: str) -> None:
    assert not any("too small" in one for one in causes(LEAF.format("2.") + code + "\ny.backward()\n"))


def test_masks_are_told_and_so_is_an_output_without_a_value() -> None:
    masked, lost = causes(
        LEAF.format("[[1., 2.], [3., 4.]]")
        + "m = torch.tensor([[1., 0.], [0., 0.]])\ns = (2 * x).masked_fill(m == 0, -torch.inf)\n"
        "y = torch.softmax(s, 1).sum()\ny.backward()\n"
    )
    assert masked == "3: s writes over the entries that a gradient arrives at: 2*x (entries from 2 to 8)"
    assert lost.startswith("4: torch.softmax(s, 1) is nan already on the way forward: where all entries are")
    assert lost.endswith("the gradient has a value all the same")


@pytest.mark.parametrize(("values", "is_repaired"), [("[1., 2.]", True), ("[1.5, 2.]", False)])
def test_a_conversion_to_whole_numbers_is_left_out_only_where_that_changes_no_value(
    values: str, is_repaired: bool
) -> None:
    error = run_script(LEAF.format(values) + "L = (x.long() * 2.).sum()\nL.backward()\n").error
    assert error is not None
    assert [fix.text for fix in error.fixes] == ["stay in the graph: write x for x.long()"] * is_repaired
    assert any("x + (x.long() - x).detach()" in one for one in error.help) != is_repaired


def test_a_change_in_place_that_is_not_recorded_is_moved_to_where_it_is() -> None:
    script = LEAF.format("[1., 2.]") + (
        "h = torch.zeros(2)\nwith torch.no_grad():\n    h += 2 * x\n(h**2).sum().backward()\n"
    )
    error = run_script(script).error
    assert error is not None
    [fix] = error.fixes
    assert "\nh += 2 * x\n" in fix.apply(script)
    assert "no_grad" not in fix.apply(script)
