"""Hooks, anomaly mode, print options and the checks of scripts, held to PyTorch: output and first lines."""

from __future__ import annotations

import pytest
from script_runner import run_script

SCRIPTS = {
    "order of hooks": """
x = torch.tensor(2.0, requires_grad=True)
y = torch.tensor(3.0, requires_grad=True)
a = x * y
b = a + x
for name, t in [("x", x), ("y", y), ("a", a), ("b", b)]:
    t.register_hook(lambda g, name=name: print(name, g))
b.backward()
""",
    "a hook that replaces": """
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 3
y.retain_grad()
y.register_hook(lambda g: g * 10)
y.register_hook(lambda g: g + 1)
y.sum().backward()
print(x.grad, y.grad)
""",
    "a hook under grad": """
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x ** 2
y.register_hook(lambda g: g * 2)
print(torch.autograd.grad(y.sum(), x))
""",
    "a hook under create_graph": """
x = torch.tensor(2.0, requires_grad=True)
y = x ** 3
y.register_hook(lambda g: g * x)
g, = torch.autograd.grad(y, x, create_graph=True)
print(g, torch.autograd.grad(g, x))
""",
    "a leaf as the output": """
x = torch.tensor(2.0, requires_grad=True)
x.register_hook(lambda g: g * 5)
x.backward()
print(x.grad)
""",
    "removed": """
x = torch.tensor(2.0, requires_grad=True)
h = x.register_hook(lambda g: print("never"))
h.remove()
h.remove()
(x * 2).backward()
print(x.grad)
""",
    "hooks that are no functions of the script": """
grads = []
x = torch.tensor([1.0, 2.0], requires_grad=True)
x.register_hook(grads.append)
y = x * 2
y.register_hook(print)
y.sum().backward()
print(grads)
""",
    "no gradient to hook": "torch.tensor(1.0).register_hook(lambda g: g)",
    "a hook that returns a number": """
x = torch.tensor(2.0, requires_grad=True)
x.register_hook(lambda g: 1)
(x * 2).backward()
""",
    "a hook that changes the size": """
def double(g):
    return torch.ones(3)
x = torch.ones(2, requires_grad=True)
x.register_hook(double)
(x * 2).sum().backward()
""",
    "nan in anomaly mode": """
torch.autograd.set_detect_anomaly(True)
x = torch.tensor([0.0, 1.0], requires_grad=True)
y = x.sqrt()
(y * torch.tensor([0.0, 1.0])).sum().backward()
""",
    "nan in anomaly mode, of the second operand": """
torch.autograd.set_detect_anomaly(True)
x = torch.tensor(0.0, requires_grad=True)
(torch.tensor(0.0) / x).backward()
""",
    "anomaly mode ends with its block": """
x = torch.tensor([0.0], requires_grad=True)
with torch.autograd.set_detect_anomaly(True):
    (x * 2).sum().backward()
(x.sqrt() * 0).sum().backward()
print(x.grad)
""",
    "several outputs": """
x = torch.tensor([1.0, 2.0], requires_grad=True)
torch.autograd.backward([x.sum(), (x ** 2).sum()], [torch.tensor(2.0), None])
print(x.grad)
""",
    "some inputs only": """
x = torch.tensor(2.0, requires_grad=True)
y = torch.tensor(3.0, requires_grad=True)
(x * y).backward(inputs=[x])
print(x.grad, y.grad)
torch.autograd.backward(x * y, inputs=y)
print(x.grad, y.grad)
""",
    "what is asked of the machine": """
torch.backends.cudnn.deterministic = True
torch.set_default_tensor_type("torch.FloatTensor")
x = torch.ones(2, 3).to(torch.device("cpu"), non_blocking=True)
print(x, torch.is_floating_point(x), torch.numel(x), torch.is_complex(x))
h = torch.ones(1, requires_grad=True).register_hook(print)
print(type(h))
""",
    "many outputs, no weight": """
x = torch.tensor([1.0, 2.0], requires_grad=True)
torch.autograd.backward([x * 2])
""",
    "short profile": """
torch.set_printoptions(profile="short")
print(torch.tensor([1 / 3, 2.0]), torch.arange(8))
""",
    "edges": """
torch.set_printoptions(threshold=10, edgeitems=2, linewidth=40)
print(torch.arange(48.0).reshape(6, 8) / 7)
""",
    "scientific": """
torch.set_printoptions(sci_mode=True, precision=2)
print(torch.tensor([1.0, 20.0]), torch.tensor(0.0), torch.tensor([0.5]))
""",
    "fixed": """
torch.set_printoptions(sci_mode=False)
print(torch.tensor([1e-9, 2e5]), torch.tensor([1e10]))
""",
    "close": """
torch.testing.assert_close(torch.ones(2), torch.ones(2) + 1e-9)
torch.testing.assert_close([torch.ones(1), 2.0], [torch.ones(1), 2.0])
torch.testing.assert_close(1.0, 1.2, rtol=0.5, atol=0.0)
print("all close")
""",
    "not close": "torch.testing.assert_close(torch.ones(2), torch.tensor([1.0, 2.0]))",
    "numbers not close": "torch.testing.assert_close(1.0, 1.5)",
    "other shape": "torch.testing.assert_close(torch.ones(2), torch.ones(3))",
    "other type": "torch.testing.assert_close(torch.ones(2), torch.ones(2, dtype=torch.float32))",
    "gradcheck of a wrong backward": """
class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * x
    @staticmethod
    def backward(ctx, g):
        return g
x = torch.tensor([1.0, 2.0], requires_grad=True)
print(torch.autograd.gradcheck(Wrong.apply, (x,), raise_exception=False))
torch.autograd.gradcheck(Wrong.apply, (x,))
""",
    "gradcheck of nothing": "torch.autograd.gradcheck(lambda x: x * 2, (torch.ones(2),))",
    "types": """
print(torch.tensor([1]).type(), torch.ones(1).type("torch.FloatTensor"), torch.ones(1).bool().type())
print(torch.device("cpu", 0), repr(torch.device("cuda:1")), torch.device("cpu").index)
""",
    "stars": """
from math import *
from torch import *
print(exp(tensor([0.0, 1.0])), floor(tensor(2.5)))
""",
}


@pytest.mark.oracle
@pytest.mark.parametrize("name", SCRIPTS)
def test_it_does_what_torch_does(name: str) -> None:
    from plain_python import comparable, run_with_plain_python

    text = "import torch\n" + SCRIPTS[name].lstrip("\n")
    ours = run_script(text)
    try:
        printed, error = run_with_plain_python(text)[0], None
    except Exception as raised:
        printed, error = "", raised
    if error is None:
        assert ours.error is None, ours.error
        assert comparable(ours.stdout) == comparable(printed)
    else:
        assert ours.error is not None
        assert ours.error.message.strip() == str(error).strip()


def test_nothing_is_left_for_the_next_script() -> None:
    run_script("torch.set_printoptions(precision=1)\ntorch.autograd.set_detect_anomaly(True)")
    outcome = run_script(
        "x = torch.tensor([0.], requires_grad=True)\n"
        "(x.sqrt() * 0).sum().backward()\n"
        "print(x.grad, torch.tensor(1 / 3))"
    )
    assert outcome.error is None
    assert outcome.stdout == "tensor([nan]) tensor(0.3333)\n"


def test_the_nan_is_shown_where_it_comes_from() -> None:
    error = run_script(SCRIPTS["nan in anomaly mode"]).error
    assert error is not None
    assert error.code == "E0416"
    assert [label.text for label in error.labels] == ["the derivative of this is nan here"]


def test_a_precision_beyond_all_limits_is_refused() -> None:
    error = run_script("torch.set_printoptions(precision=1000000000)\nprint(torch.tensor(0.5))").error
    assert error is not None
    assert error.code == "E0502"


def test_a_pass_that_fails_after_a_hook_is_pointed_at() -> None:
    script = (
        "x = torch.tensor([1., 2.], requires_grad=True)\ny = x.exp()\ny += 1\ns = y.sum()\n"
        "s.register_hook(lambda g: {})\nfor i in range(1):\n    s.backward()\n"
    )
    for answer in ("g * 2", "print(g + 1)"):
        text = script.format(answer)
        error = run_script(text).error
        assert error is not None
        assert error.span is not None
        assert (error.code, text[error.span.start : error.span.end]) == ("E0403", "s.backward()")
