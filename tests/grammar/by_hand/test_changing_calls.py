"""Steps that calls change, as ``np.add.at(dE, ids, de)``, and methods of numpy's arrays in steps."""

from __future__ import annotations

import pytest
from hand_checks import check_steps

EMBEDDING = """\
import numpy as np
E = np.array([[1., 2.], [3., 4.], [5., 6.]])
ids = np.array([0, 2, 2])
e = E[ids]
loss = (e**3).sum()
"""
STEPS = "de = 3*e**2\ndE = np.zeros_like(E)\nnp.add.at(dE, ids, de)\n"


@pytest.mark.parametrize(
    ("before", "after", "wrong"),
    [
        ("de\n", "de\n", []),
        ("np.add.at(dE, ids, de)", "np.subtract.at(dE, ids, -de)", []),
        ("np.add.at(dE, ids, de)", "for k in range(3):\n    np.add.at(dE, ids[k], de[k])", []),
        (
            "np.add.at(dE, ids, de)",
            "np.add.at(dE, (ids, 0), de[:, 0])\nnp.add.at(dE, (ids, 1), de[:, 1])",
            [],
        ),
        ("np.zeros_like(E)", "E.copy()\ndE.fill(0)", []),
        ("np.add.at(dE, ids, de)", "np.add.at(dE, ids, 2*de)", ["dloss/dE"]),
        ("np.add.at(dE, ids, de)", "dE[ids] += de", ["dloss/dE"]),
    ],
)
def test_add_at_adds_for_each_index(before: str, after: str, wrong: list[str]) -> None:
    found = check_steps(EMBEDDING, STEPS.replace(before, after))
    assert [one.left for one in found] == ["dloss/de", "dloss/dE"]
    assert [one.left for one in found if one.is_right is not True] == wrong


@pytest.mark.parametrize("mask", ["float", "np.float64", "'float64'", "h.dtype"])
def test_the_mask_of_relu_is_read_as_floats(mask: str) -> None:
    script = "import numpy as np\nz = np.array([1., -2.])\nh = np.maximum(0, z)\nloss = (h**2).sum()\n"
    steps = f"dh = 2*h\ndz = dh*(z > 0).astype({mask})\n"
    assert [one.is_right for one in check_steps(script, steps)] == [True, True]
    assert [one.is_right for one in check_steps(script, steps.replace(">", "<"))] == [True, False]


@pytest.mark.parametrize(
    ("line", "is_right"),
    [
        ("np.multiply(dz, 1 - h**2, out=dz)", True),
        ("np.multiply(dz, 1 - h, out=dz)", False),
        ("np.multiply.at(dz, [0, 1], 1 - h**2)", True),
        ("np.multiply.at(dz, [0, 1], 1 + h**2)", False),
    ],
)
def test_a_result_that_is_written_to_an_array_is_its_step(line: str, is_right: bool) -> None:
    script = "import numpy as np\nz = np.array([0.3, -0.5])\nh = np.tanh(z)\nloss = (h**2).sum()\n"
    found = check_steps(script, f"dh = 2*h\ndz = dh.copy()\n{line}\n")
    assert [one.is_right for one in found] == [True, is_right]
