"""Scripts in which the interpreter once differed from Python or torch, smallest form each."""

from __future__ import annotations

import pytest
from language_comparison import compare
from language_generator import Script

pytestmark = pytest.mark.oracle

SCRIPTS = {
    "a list times= a number changes the list": "x = [1, 2]\ny = x\nx *= 2\nprint(y, x is y)",
    "del takes a tuple of targets": "a, b, c = 1, [2, 3], 4\ndel (a, [b[0], c])\nprint(b)",
    "shifts may be augmented": "x = 5\nx <<= 3\nx >>= 1\nprint(x)",
    "the entry is read before the value of an augmented assignment": (
        "a = [1, 2]\ndef f():\n    a[0] = 10\n    return 5\na[0] += f()\nprint(a)\n"
        "x = tensor([1., 2.])\ndef g():\n    x[0] = 10\n    return 5\nx[0] += g()\nprint(x)"
    ),
    "owner, index and value of an augmented assignment are computed in this order": (
        "a = [1, 2]\ndef say(text, value):\n    print(text)\n    return value\n"
        "say('owner', a)[say('index', 0)] += say('value', 5)\n"
        "x = tensor([1., 2.])\nsay('owner', x)[say('index', 0)] *= say('value', 5)\nprint(a, x)"
    ),
    "masks are not among next_functions, and rsub turns its operands round": (
        "x, y = ones(2, requires_grad=True), ones(2, requires_grad=True) * 1\n"
        "for z in (where(x > 0, x, y), where(x > 0, x, 1.), x.masked_fill(x > 0, 1), torch.rsub(x, y),\n"
        "          1 - x, torch.rsub(x, 2), x.masked_fill(x > 0, y[0])):\n"
        "    print(z.grad_fn.name(), [f and f.name() for f, _ in z.grad_fn.next_functions])"
    ),
    "a change under no_grad() through a view of a result": (
        "v = ones(2, requires_grad=True)\nh = v * 2\nwith no_grad(): h[...] += ones(2)\nprint(v, v.sum())"
    ),
    "numpy() under no_grad": "w = ones(2, requires_grad=True)\nwith no_grad(): w.numpy()\nw.numpy()",
    "in wants something to look in": "print(1 in 5)",
    "a string is indexed by an int": "print('abc'['a'])",
    "index() names the list": "print(['a'].index('b'))",
    "index() of a tuple": "print((1, 2).index(3))",
    "a lone brace": "print('{'.format(1))",
    "an open brace": "print('{0'.format(1))",
    "data assigned shares memory": (
        "x, y, d = ones(2), zeros(2), 0\nd = x.data\nx.data = y\ny += 5\nd *= 3\nx[0] = 2\nprint(x, y, d)"
    ),
    "a float tensor is no index": "print([1, 2][tensor(1.)])",
    "an int tensor is an index": "print([1, 2][tensor(1)], 'abc'[tensor([2])], list(range(tensor(2))))",
    "a tensor of truth is an index": "print(range(tensor(True)))",
    "zero remainders keep the sign of the dividend": (
        "print(tensor([-2., 3., -0., -3.]) % 2, tensor(-2.) % 2, tensor(-3.) % -2, tensor([3., -4.]) % -2)"
    ),
    "of two zeros the first is the larger": (
        "z = tensor([-0., 0., -1.])\n"
        "print(relu(z), z.clamp(min=0), maximum(z, zeros(3)), maximum(zeros(3), z))\n"
        "print(z.clamp(0, 1), torch.minimum(z, zeros(3)), torch.minimum(zeros(3), z), z.clamp(max=0))"
    ),
    "running sums start from 0": "print(tensor([-0., -0.]).cumsum(0), tensor(-0.).cumsum(0))",
    "a method is looked up before its arguments": "print((1).nothing(print('not printed')))",
    "a star takes rows of a tensor": "x, *y = tensor([1., 2., 3.])\n*u, v = ones(2, 1)\nprint(x, y, u, v)",
    "a starred int": "def f(*x): pass\nf(*3)",
    "a starred int in print": "print(*3)",
    "losses differentiated twice have torch's names": (
        "x = tensor([1., 2.], requires_grad=True)\n"
        "print(grad(F.mse_loss(x, x.detach() * 2), x, create_graph=True)[0].grad_fn.name())\n"
        "print(grad(softmax(x, 0)[0] ** 2, x, create_graph=True)[0].grad_fn.name())"
    ),
}


@pytest.mark.parametrize("text", SCRIPTS.values(), ids=SCRIPTS)
def test_the_script_agrees_with_python(text: str) -> None:
    pytest.importorskip("torch")
    assert compare(Script(0, f"shown = tensor([1.5])\n{text}\n")).differences == []
