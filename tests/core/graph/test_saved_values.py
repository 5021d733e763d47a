"""What may be changed in place after it was used, and what may not: as torch has it, op by op."""

from __future__ import annotations

import pytest
from script_runner import run_script

pytestmark = pytest.mark.oracle

LEAVES = (
    "a = torch.tensor([1., -2.], requires_grad=True)\nb = torch.tensor([3., 4.], requires_grad=True)\n"
    "h = a * 2\nk = b * 1\n"
)
SCALAR = "s = torch.tensor(2., requires_grad=True)\n"
END = "\nprint(a.grad, b.grad)"
CHANGED = {
    "a quotient": "y = a / b\ny += 1\ny.sum().backward()",
    "a number over a tensor": "y = 2 / b\ny *= 2\ny.sum().backward()",
    "a dividend whose divisor is tracked": "y = h / k\nh += 1\ny.sum().backward()",
    "a divisor": "y = a / k\nk += 1\ny.sum().backward()",
    "the input of relu": "y = torch.relu(h)\nh += 1\ny.sum().backward()",
    "the result of relu": "y = torch.relu(h)\ny += 1\ny.sum().backward()",
    "a factor times itself": "h *= h\nh.sum().backward()",
    "a quotient by itself": "h /= h\nh.sum().backward()",
    "a factor times another": "h *= a\nh.sum().backward()",
    "a sine": "h.sin_()\nh.sum().backward()",
    "filled with a leaf": SCALAR + "h.fill_(s)\nprint(h)\nh.sum().backward()\nprint(s.grad)",
    "zeros filled with a leaf": SCALAR
    + "y = torch.zeros(3)\ny.fill_(s)\nprint(y)\ny.sum().backward()\nprint(s.grad)",
    "filled with a vector": "h.fill_(torch.ones(2))",
    "compared in place": "h.gt_(1)\nprint(h)\nh.sum().backward()",
    "the result of sinc": "y = torch.sinc(h)\ny += 1\ny.sum().backward()",
    "the result of layer_norm": "y = F.layer_norm(h, (2,))\ny += 1\ny.sum().backward()",
    "a float added to an entry of whole numbers": "i = torch.zeros(2, dtype=torch.long)\ni[0] += 0.5",
    "sizes below zero": "torch.ones(-1)",
    "a sign and a logarithm": "print(torch.slogdet(torch.eye(2)), torch.linalg.slogdet(torch.eye(2)))",
}


@pytest.mark.parametrize("change", CHANGED)
def test_in_place_changes_are_judged_as_in_torch(change: str) -> None:
    from torch_prelude import run_with_torch

    text = LEAVES + CHANGED[change] + END
    theirs, mine = run_with_torch(text), run_script(text)
    assert mine.stdout == theirs.stdout
    if theirs.error is None:
        assert mine.error is None
    else:
        assert mine.error is not None
        assert mine.error.message.split("\n")[0] == str(theirs.error).split("\n")[0]
