"""What ``docs/language.md`` says differs from Python with PyTorch: what each of the two makes of it.

The scripts of ``DIFFERENCES`` run here, and unchanged in plain Python with an untouched torch: a difference
that is gone fails. Those of ``REWRITES`` are refused here, and what to write instead runs.
"""

from __future__ import annotations

import contextlib
import io
import re

import pytest
from conftest import REPOSITORY
from script_runner import run_script
from transcript import normalise

LANGUAGE = REPOSITORY / "docs" / "language.md"
LEAF = "x = torch.tensor([1., 2.], requires_grad=True)\n"
DEEP = "def depth(n):\n    return 0 if n == 0 else 1 + depth(n - 1)\n\nprint(depth(5000))"
SINGULAR = (
    "A = torch.tensor([[1., 2.], [2., 4.]], requires_grad=True)\ntorch.det(A).backward()\nprint(A.grad)"
)

#: A script, what autodiff prints and says, what Python with torch does; None where that is never the same.
DIFFERENCES: dict[str, tuple[str, str, str | None]] = {
    "plain_numbers_are_leaves": (
        "w = 3.0\nL = w * w\nprint(L, w.requires_grad)",
        "tensor(9., grad_fn=<MulBackward0>) True\n",
        "AttributeError",
    ),
    "functions_of_math": (
        "import math\nw = 4.0\nprint(math.sqrt(w), round(w / 3, 2))\nshown = w.requires_grad",
        "tensor(2., grad_fn=<SqrtBackward0>) tensor(1.3300, grad_fn=<RoundBackward1>)\n",
        "2.0 1.33\nAttributeError",
    ),
    "incomplete_functions_by_their_shapes": (
        "a = torch.tensor(2.5, requires_grad=True)\n"
        "torch.special.gammainc(a, torch.tensor(1.3)).backward()\nprint(f'{a.grad:.6f}')",
        "-0.229627\n",
        "NotImplementedError: the derivative for 'igamma: input' is not implemented.",
    ),
    "bessel_functions_of_any_order": (
        "x = torch.tensor(1.5, requires_grad=True)\ntorch.special.jv(2, x).backward()\nprint(x.grad)",
        "tensor(0.2485)\n",
        "AttributeError: module 'torch.special' has no attribute 'jv'",
    ),
    "caret_of_floats": (
        "h = 1.5\nprint(f'{2 * h^2:.2f}')",
        "4.50\nwarning: `^` is read as a power, which Python writes `**`",
        "TypeError: unsupported operand type(s) for ^: 'float' and 'int'",
    ),
    "functions_of_numbers": (
        "import numpy as np\nw = 4.0\nprint(np.array([1.0, w]), ln(w))",
        "[1. 4.] 1.3862943611198906\n",
        "NameError: name 'ln' is not defined",
    ),
    "names_without_import": (
        "print(F.relu(tensor(-1.)))",
        "tensor(0.)\n",
        "NameError: name 'F' is not defined",
    ),
    "double_is_the_default": ("print(torch.tensor(1.).dtype)", "torch.float64\n", "torch.float32\n"),
    "names_with_an_underscore_first": (
        "_t = 3.\nprint(_t)",
        "E0107: the name `_t` begins with an underscore",
        "3.0\n",
    ),
    "gradients_of_one_node": (
        "w, b = torch.ones(1, 1, 2, requires_grad=True), torch.ones(1, requires_grad=True)\n"
        "y = torch.conv1d(torch.ones(1, 1, 3), w, b).sum()\n"
        "print(torch.autograd.grad(y, b, create_graph=True)[0].requires_grad)",
        "False\n",
        "True\n",
    ),
    "names_bound_nowhere": (
        "print('started')\nprint(nowhere)",
        "E0201: name 'nowhere' is not defined",
        "started\nNameError: name 'nowhere' is not defined",
    ),
    "max_of_a_tensor": (
        "print(max(torch.tensor([3., 5.]), 0).indices)",
        "tensor(1)\n",
        "RuntimeError: Boolean value of Tensor with more than one value is ambiguous",
    ),
    "sum_of_a_tensor": ("print(sum(torch.ones(2, 2)))", "tensor(4.)\n", "tensor([2., 2.])\n"),
    "any_of_a_tensor": ("print(any(torch.tensor([True])))", "tensor(True)\n", "True\n"),
    "numpy_is_a_tensor": ("print(torch.tensor([1., 2.]).numpy())", "tensor([1., 2.])\n", "[1. 2.]\n"),
    "unfilled_tensors": (
        "print(torch.Tensor(2), torch.empty(2))",
        "tensor([0., 0.]) tensor([0., 0.])\n",
        None,
    ),
    "random_numbers": (
        "torch.manual_seed(0)\nprint(torch.rand(2))",
        "tensor([0.6370, 0.2698])\n",
        "tensor([0.4963, 0.7682])\n",
    ),
    "drawings_and_clocks": (
        "import time\nimport logging\nlogging.warning('here')\nprint(time.time() > 0)",
        "False\n",
        "True\n",
    ),
    "integers_have_64_bits": (
        "print(2 ** 63)",
        "E0207: integer overflow: the result does not fit in 64 bits",
        "9223372036854775808\n",
    ),
    "floats_out_of_range": (
        "torch.ones(1)\nprint(1e400)",
        "inf\nwarning: 1e400 does not fit in a float: it is taken as inf",
        "inf\n",
    ),
    "recursion": (DEEP, "5000\n", "RecursionError: maximum recursion depth exceeded"),
    "which_of_equal_entries": (
        "print(torch.topk(torch.zeros(5), 2).indices)",
        "tensor([0, 1])\n",
        "tensor([2, 4])\n",
    ),
    "poles_of_the_gamma_function": (
        "print(torch.polygamma(1, torch.tensor(-1.)))\n"
        "print(torch.special.zeta(torch.tensor(2.), torch.tensor(float('inf'))))",
        "tensor(inf)\ntensor(0.)\n",
        "tensor(1.2914e+15)\ntensor(nan)\n",
    ),
    "second_gradients_of_what_is_left_out": (
        "x = torch.tensor([0., 0.5, 3.], requires_grad=True)\n"
        "(g,) = torch.autograd.grad(torch.logit(x, 0.1).sum(), x, create_graph=True)\n"
        "print(torch.autograd.grad(g.sum(), x)[0])",
        "tensor([0., 0., 0.])\n",
        "tensor([nan, 0., 0.])\n",
    ),
    "second_gradients_of_prelu": (
        "x = torch.tensor([0.], requires_grad=True)\nw = torch.tensor([0.25], requires_grad=True)\n"
        "(g,) = torch.autograd.grad(torch.prelu(x, w), x, create_graph=True)\n"
        "print(g.detach(), torch.autograd.grad(g, w)[0])",
        "tensor([0.2500]) tensor([1.])\n",
        "tensor([0.2500]) tensor([0.])\n",
    ),
    "bytes_beside_other_numbers": (
        "x = torch.tensor([1, 200], dtype=torch.uint8)\nprint(x > -1, x <= 256)",
        "tensor([True, True]) tensor([True, True])\n",
        "tensor([False, False]) tensor([False, False])\n",
    ),
    "instance_norm_of_constants": (
        "x, functional = torch.ones(1, 1, 3), torch.nn.functional\n"
        "print(functional.instance_norm(x, eps=0.0), functional.layer_norm(x, (3,), eps=0.0))",
        "tensor([[[nan, nan, nan]]]) tensor([[[nan, nan, nan]]])\n",
        "tensor([[[0., 0., 0.]]]) tensor([[[nan, nan, nan]]])\n",
    ),
    "second_gradients_of_losses_at_nan": (
        "x = torch.tensor([float('nan'), 3.], requires_grad=True)\n"
        "loss = torch.nn.functional.huber_loss(x, torch.zeros(2))\n"
        "(g,) = torch.autograd.grad(loss, x, create_graph=True)\n"
        "print(g.detach(), torch.autograd.grad(g.sum(), x)[0])",
        "tensor([   nan, 0.5000]) tensor([0.5000, 0.0000])\n",
        "tensor([   nan, 0.5000]) tensor([0., 0.])\n",
    ),
    "singular_values_of_infinities": (
        "print(torch.linalg.svdvals(torch.tensor([[float('inf'), 1.], [2., 3.]])))",
        "E0311: linalg.svd: The algorithm failed to converge because the input matrix contained non-finite"
        " values.",
        "tensor([nan, nan])\n",
    ),
    "logarithm_of_a_determinant_of_0": (
        "A = torch.tensor([[0., 0.], [1., 2.]], requires_grad=True)\n"
        "torch.linalg.slogdet(A)[1].backward()\nprint(A.grad)",
        "tensor([[inf, -inf],\n        [nan, nan]])\n",
        "tensor([[   inf,   -inf],\n        [0.0000, 0.5000]])\n",
    ),
    "infinite_means": (
        "print(torch.var_mean(torch.tensor([float('inf'), 1., 2.]))[1])",
        "tensor(inf)\n",
        "tensor(nan)\n",
    ),
    "det_of_a_singular_matrix": (
        SINGULAR,
        "tensor([[ 4.0000, -2.0000],\n        [-2.0000,  1.0000]])\n",
        "tensor([[0., -0.],\n        [-0., 0.]])\n",
    ),
    "data_between_forward_and_backward": (
        LEAF + "y = (x * x).sum()\nx.data[0] = 10.\ny.backward()\nprint(x.grad)",
        "tensor([2., 4.])\n",
        "tensor([20.,  4.])\n",
    ),
    "names_in_gradient_graphs": (
        LEAF + "print(torch.autograd.grad(torch.log(x).sum(), x, create_graph=True)[0])",
        "tensor([1.0000, 0.5000], grad_fn=<MulBackward0>)\n",
        "tensor([1.0000, 0.5000], grad_fn=<DivBackward0>)\n",
    ),
    "one_node_for_a_function": (
        LEAF + "print([n.name() for n, _ in torch.outer(x, x).grad_fn.next_functions])",
        "['torch::autograd::AccumulateGrad', 'torch::autograd::AccumulateGrad']\n",
        "['ViewBackward0', 'torch::autograd::AccumulateGrad']\n",
    ),
    "retain_variables": (
        LEAF + "y = (x * x).sum()\ny.backward(retain_variables=True)\nprint(x.grad)",
        "tensor([2., 4.])\n",
        "TypeError: Tensor.backward() got an unexpected keyword argument 'retain_variables'",
    ),
    "generators": ("print(i for i in range(3))", "[0, 1, 2]\n", "<generator object"),
    "format_fields": (
        "print('{0[0]}'.format([1]))",
        "E0206: fields of .format() cannot look inside a value",
        "1\n",
    ),
}

LAYER = "x = ones(1, 2)\nW = ones(3, 2, requires_grad=True)\nb = zeros(3, requires_grad=True)\n"
STEP = "w = ones(2, requires_grad=True)\nw.sum().backward()\n"
STEP += "with no_grad():\n    w -= 0.1 * w.grad\nw.grad.zero_()"

#: The rows of "What is not in the language": scripts that are refused, and the row's way out as a script.
REWRITES: dict[str, tuple[list[str], str]] = {
    "`nn.Module`, `nn.Linear(2, 3)`": (
        ["class Net(nn.Module):\n    pass", "f = nn.Linear(2, 3)", "import torch\nf = torch.nn.Linear(2, 3)"],
        LAYER + "print(F.linear(x, W, b).shape)",
    ),
    "`optim.SGD(...)`, `opt.step()`, `opt.zero_grad()`": (
        [
            "opt = optim.SGD([], lr=0.1)",
            "opt = torch.optim.SGD([], lr=0.1)",
            "from torch.optim import SGD\nopt = SGD([], lr=0.1)",
        ],
        STEP,
    ),
    '`.cuda()`, `device="cuda"`, `.to("cuda")`': (
        ["x = ones(2).cuda()", "x = ones(2, device='cuda')", "x = ones(2).to('cuda')"],
        "x = ones(2)",
    ),
    "`np.array(...)` beside torch, `x.numpy()` of a leaf": (
        ["x = np.array([1., 2.])\ny = torch.tensor(x)", "x = ones(2, requires_grad=True)\ny = x.numpy()"],
        "x = torch.tensor([1., 2.], requires_grad=True)\ny = x.detach()",
    ),
    "`torch.load`, `open`, `input()`": (
        ["x = torch.load('x.pt')", "x = open('x.txt')", "x = input()"],
        "x = [1, 2]",
    ),
    "`torch.func.grad(f)`, `torch.vmap(f)`, `torch.compile(f)`": (
        [f"g = torch.{name}(lambda x: x * x)" for name in ("func.grad", "vmap", "compile")],
        "f = lambda x: x * x\nx = torch.tensor(2., requires_grad=True)\nprint(grad(f(x), x), jacobian(f, x))",
    ),
    '`{"w": w}`': (["w = 1\nd = {'w': w}"], "names = ['w']\nvalues = [1]"),
    "`{1, 2}`": (["s = {1, 2}"], "s = [1, 2]"),
    "`try`, `except`, `raise`": (
        ["try:\n    x = 1", "raise ValueError('no')"],
        "x = 1\nif x > 0:\n    y = 1 / x\nassert x > 0, 'x is positive'",
    ),
    "`global`, `nonlocal`": (
        ["def f():\n    global n\n    n = 1", "def f():\n    n = 1\n    def g():\n        nonlocal n"],
        "n = [0]\ndef f():\n    n[0] = n[0] + 1\nf()",
    ),
    "`yield`": (
        ["def f():\n    yield 1"],
        "def f():\n    values = []\n    values.append(1)\n    return values\nf()",
    ),
    "`map(f, xs)`, `filter(f, xs)`": (
        ["x = map(abs, [1])", "x = filter(abs, [1])"],
        "xs = [1, -1]\nx = [abs(x) for x in xs if x > 0]",
    ),
    "`:=`, `match`": (["print(x := 3)", "x = 1\nmatch x:\n    case 1: pass"], "x = 3\nif x == 1:\n    pass"),
    "`f(**options)`, `def f(**options)`": (
        ["def f(a): pass\nf(**a)", "def f(**options): pass"],
        "def f(a, b): pass\nf(a=1, b=2)",
    ),
    "classes of your own": (
        ["class Point:\n    pass"],
        "def line(a, b):\n    return lambda x: a * x + b\nprint(line(1, 2)(3))",
    ),
    "decorators of your own": (
        ["def twice(f): return f\n@twice\ndef g(): pass"],
        "def twice(f): return f\ndef g(): pass\ng = twice(g)",
    ),
    "`random`, `copy`, `itertools`, `os`, `sys.argv`, ...": (
        [
            "import os\nhome = os.environ",
            "import sys\nprint(sys.argv)",
            "import random\nx = random.random()",
            "from copy import deepcopy\ndeepcopy(1)",
        ],
        "x = torch.rand(2)\ny = x.clone()\nfor i in range(2):\n    for j in range(2):\n        print(i, j)",
    ),
    "`3j`, `torch.complex64`, `torch.float16`": (
        ["z = 3j", "d = torch.complex64", "d = torch.float16"],
        "re, im = 0., 3.\nx = ones(1, dtype=torch.float32)",
    ),
    "names such as `_x` or `x.__class__`": (
        ["_x = 1", "x = ones(1)\nc = x.__class__"],
        "for _ in range(3):\n    pass",
    ),
    "methods of numbers, and of strings not named above": (
        ["b = (2.0).is_integer()", "s = 'abc'.swapcase()"],
        "x = 2.0\nprint(x == int(x), 'abc'.upper())",
    ),
}

each_difference = pytest.mark.parametrize("name", DIFFERENCES)


@each_difference
def test_what_differs(name: str) -> None:
    script, ours, _ = DIFFERENCES[name]
    outcome = run_script(script)
    said = [f"warning: {text}" for text in outcome.warnings]
    if outcome.error is not None:
        said.append(f"{outcome.error.code}: {outcome.error.message}")
    assert normalise(outcome.stdout) + "\n".join(said) == ours


@pytest.mark.oracle
@each_difference
def test_python_with_torch_answers_otherwise(name: str) -> None:
    script, ours, theirs = DIFFERENCES[name]
    printed = io.StringIO()
    failure = ""
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile("import torch\n" + script, "<script>", "exec"), {"__name__": "__main__"})
        except Exception as error:
            failure = f"{type(error).__name__}: {error}"
    assert ours != theirs
    if theirs is not None:
        assert (normalise(printed.getvalue()) + failure).startswith(theirs)


@pytest.mark.parametrize(("refused", "rewritten"), REWRITES.values(), ids=REWRITES)
def test_what_is_not_in_the_language_has_a_rewrite(refused: list[str], rewritten: str) -> None:
    for script in refused:
        error = run_script(script).error
        assert error is not None, script
        assert error.caret or error.advice, script
    assert run_script(rewritten).error is None


def test_the_reference_lists_these_differences_and_rewrites() -> None:
    text = LANGUAGE.read_text()
    assert set(re.findall(r"test_what_differs\[(\w+)\]", text)) == set(DIFFERENCES)
    section = text.partition("## What is not in the language\n")[2].partition("\n## ")[0]
    rows = [line.strip("| ").split(" | ")[0] for line in section.splitlines() if line.startswith("| ")]
    assert rows[1:] == list(REWRITES)
