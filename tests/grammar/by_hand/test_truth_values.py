"""Truth values among numbers: a formula of a numpy script takes and refuses what the script does."""

from __future__ import annotations

import pytest
from autodiff.core.base.errors import UsageError
from hand_checks import check, check_steps

LOGISTIC = """\
import numpy as np
y = np.array([True, False, True])
w = np.array([0.5, -0.2, 0.3])
a = 1/(1 + np.exp(-w))
loss = -np.sum(y*np.log(a) + (1 - y)*np.log(1 - a))
"""
SOFTMAX = """\
import numpy as np
k = 1
w = np.array([0.5, -0.2, 0.3])
p = np.exp(w)/np.exp(w).sum()
loss = -np.log(p[k])
"""


def test_a_mask_is_subtracted_from_numbers_in_numpy() -> None:
    assert check(LOGISTIC, "dloss/dw == a - y").is_right is True
    assert check(LOGISTIC, "dloss/dw == y - a").is_right is False
    assert check(LOGISTIC, "dloss/dw == a - 1 + (1 - y)").is_right is True


def test_a_comparison_of_counts_is_subtracted_from_a_number() -> None:
    steps = "dw = np.zeros(3)\nfor j in range(3):\n    dw[j] += p[j] - (j == k)\n"
    assert [one.is_right for one in check_steps(SOFTMAX, steps)] == [True]
    wrong = steps.replace("j == k", "j != k")
    assert [one.is_right for one in check_steps(SOFTMAX, wrong)] == [False]


@pytest.mark.parametrize("text", ["dloss/dw == (w > 0) - y", "dloss/dw == -y"])
def test_two_masks_are_refused_as_in_numpy(text: str) -> None:
    with pytest.raises(UsageError, match="not supported"):
        check(LOGISTIC, text)


def test_a_mask_is_refused_beside_numbers_in_torch() -> None:
    script = LOGISTIC.replace("import numpy as np\n", "").replace("np.", "torch.").replace("array", "tensor")
    script = script.replace("y*", "y.double()*").replace("1 - y", "1 - y.double()")
    script = script.replace("0.3])", "0.3], requires_grad=True)")
    with pytest.raises(UsageError, match="with a bool tensor is not supported"):
        check(script, "dloss/dw == a - y")
