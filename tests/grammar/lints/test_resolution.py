"""What a script uses that is not there: the lints say what running it would say, of all of it at once."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from autodiff.core.base.errors import AutodiffError, CompileError
from autodiff.core.base.source import Source
from autodiff.core.engine.public_functions import FUNCTIONS, METHODS
from autodiff.grammar.lint import is_error, lint
from autodiff.grammar.lints.values import FIELDS, NOT_FUNCTIONS, SEVERAL
from conftest import REPOSITORY, TESTS
from one_test import in_one_test
from script_runner import run_script

W = "w = torch.tensor(1.0, requires_grad=True)\n"
#: Codes of what is not there: what is absent from the language, names, attributes, arguments, classes.
STATIC = ("E0134", "E0127", "E0128", "E0201", "E0202", "E0204", "E0211", "E0310")
#: Mistakes of these codes that depend on which way the script takes, or on who calls a function.
DEPEND_ON_THE_WAY = {"branch_not_taken", "deleted", "forward_without_context"}
#: What only running knows to be at hand, where a tensor was meant.
ONLY_RUNNING_KNOWS = ("'NoneType' object", "'float' object", "'list' object", "'torch.return_types")
#: Words before the types of all arguments, which only running knows.
NAMES_TYPES = " received an invalid combination of arguments - got ("


def errors_in(text: str) -> list[AutodiffError]:
    return [one for one in lint(Source(text)) if is_error(one)]


def place(text: str, error: AutodiffError) -> tuple[str, str]:
    assert error.span is not None
    return error.code, text[error.span.start : error.span.end].rpartition(".")[2]


def is_static(error: AutodiffError | None) -> bool:
    """Whether an error is about what a script uses, whatever its values are."""
    if error is None or "must be" in error.message or error.message.startswith(ONLY_RUNNING_KNOWS):
        return False
    if error.code == "E0310" and "argument" not in error.message:
        return False
    return error.code in STATIC or "E0140" <= error.code <= "E0149"


@in_one_test("path", sorted((TESTS / "mistakes").glob("*/*.ad")))
def test_the_lints_say_what_running_says(path: Path) -> None:
    text = path.read_text()
    error = run_script(text).error
    assert error is not None
    found = everything_wrong(text)
    same = [one for one in found if (one.code, one.span) == (error.code, error.span)]
    if is_static(error) and path.stem not in DEPEND_ON_THE_WAY and path.parent.name != "devices":
        assert same
    if same and path.stem != "saved_tensors":  # of a parameter nobody knows what it is
        assert same[0].caret == error.caret
        if NAMES_TYPES not in error.message:
            assert same[0].message == error.message


def everything_wrong(text: str) -> list[AutodiffError]:
    """The errors of a script, whether it parses or not."""
    try:
        return errors_in(text)
    except CompileError as error:
        return [error, *error.other_errors]


EVERYTHING = """\
import torch.nn as nn
import torch.optim as optim
from torch.nn import Linear
import scipy

w = torch.tensor(1.0, requires_grad=True)
opt = optim.SGD([w], lr=0.1)
layer = nn.Linear(3, 1)
other = Linear(3, 1)


def step(x):
    class State:
        pass
    return torch.simgoid(x, dmi=1) + later


L = step(w, 2) + w.sigmoidd() + torch.sum(w, axs=0) + torch.relu()
L.backward(retian_graph=True)
print(early, undefined)
early = [1, 2]
early.appendd(3)
w.require_grad = True
n = w.item().sum()
"""


def test_all_at_once() -> None:
    found = [place(EVERYTHING, one) for one in errors_in(EVERYTHING)]
    assert found == [
        ("E0211", "scipy"),
        ("E0141", "SGD"),
        ("E0140", "Linear"),
        ("E0140", "Linear(3, 1)"),
        ("E0128", "State"),
        ("E0204", "simgoid"),
        ("E0201", "later"),
        ("E0310", "2"),
        ("E0204", "sigmoidd"),
        ("E0310", "axs"),
        ("E0310", "relu()"),
        ("E0310", "retian_graph"),
        ("E0202", "early"),
        ("E0201", "undefined"),
        ("E0204", "appendd"),
        ("E0204", "require_grad"),
        ("E0204", "sum"),
    ]


MODEL = """\
import torch.nn as nn
import torch.optim as optim


class Net(nn.Module):
    def forward(self, x):
        return x


model = Net()
steps = optim.Adam(model.parameters(), lr=0.01)
measure = nn.LSTM(2, 2)
for x, y in loader:
    steps.zero_grad()
    loss = measure(model(x), y)
    loss.bakward()
    steps.step()
"""


def test_beside_what_does_not_parse_and_without_what_follows_from_it() -> None:
    wanted = [
        ("E0128", "Net"),
        ("E0140", "LSTM"),
        ("E0141", "Adam"),
        ("E0201", "loader"),
        ("E0204", "bakward"),
    ]
    assert sorted(place(MODEL, one) for one in errors_in(MODEL)) == wanted
    broken = MODEL.replace("        return x", "        super().__init__()\n        return x")
    with pytest.raises(CompileError) as raised:
        lint(Source(broken))
    first = raised.value
    assert place(broken, first) == wanted[0]
    assert sorted(place(broken, one) for one in (first, *first.other_errors)) == wanted


def test_what_follows_from_a_mistake_is_none() -> None:
    text = "import torch.optim as optim\n" + W + "steps = optim.Rprop([w])\nsteps.zero_grad()\nsteps.step()\n"
    assert [place(text, one) for one in errors_in(text)] == [("E0141", "Rprop")]


def test_repairs_are_tried_for_the_first_mistakes_alone() -> None:
    found = errors_in("x = torch.ones(1)\n" + "print(torch.epx(x))\n" * 40)
    assert [bool(one.fixes) for one in found] == [True] * 25 + [False] * 15


#: What the repair that is proposed first makes of the wrong word.
REPAIRED = {
    W + "print(torch.simgoid(w))\n": "torch.sigmoid(w)",
    W + "L = w.sigmoidd()\n": "w.sigmoid()",
    "import torch as t\nprint(t.epx(t.ones(2)))\n": "t.exp(",
    "from torch.nn import functional as G\nprint(G.rellu(torch.ones(2)))\n": "G.relu(",
    "print(torch.ones(2).sum(axs=0))\nx = torch.tensor([1.0], requires_gard=True)\n": "requires_grad=True",
    "print(y)\ny = 2.0\nx = torch.ones(1)\n": "y = 2.0\nprint(y)",
    "def f(rate):\n    return rate\n\n\nprint(f(raet=1))\n": "f(rate=1)",
}


@pytest.mark.parametrize("text", REPAIRED)
def test_repairs_leave_fewer_mistakes_and_say_what_running_says(text: str) -> None:
    fixes = [fix for one in errors_in(text) for fix in one.fixes]
    assert any(REPAIRED[text] in fix.apply(text) for fix in fixes)
    for fix in fixes:
        assert len(errors_in(fix.apply(text))) < len(errors_in(text))


CONTEXT = """\
class Double(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.factor = 2
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * ctx.factor


Double.apply(torch.tensor(1.0, requires_grad=True)).backward()
"""
QUIET = {
    "a name of several imports": "if 1 > 0:\n    import math as m\nelse:\n    import numpy as m\nm.foo\n",
    "a module's name given away": "import torch.optim as optim\noptim = [1]\nprint(optim[0])\n",
    "a device that is not here": "x = 1\nif torch.cuda.is_available():\n    torch.cuda.synchronize()\n",
    "a function defined twice": "def f(x):\n    return x\n\n\ndef f(x, y):\n    return y\n\n\nf(1, 2)\n",
    "arguments from a list": "def f(x, y):\n    return x + y\n\n\nprint(f(*[1, 2]))\n",
    "a name of a context": CONTEXT,
    "parts of named results": "x = torch.ones(2, 2)\nprint(x.max(dim=0).values, x[0].min(0).indices)\n",
    "a list by its methods": "xs = [1]\nxs.append(2)\nxs.pop()\nprint(xs)\n",
    "a name bound by the loop before": "for i in range(3):\n    if i:\n        print(y)\n    y = i\n",
    "a name read in a function before it is bound": "def f():\n    return y\n\n\ny = 1\nprint(f())\n",
    "a comprehension's own name": "print([x * x for x in range(3)])\n",
    "a lambda's own name": "square = lambda x: x * x\nprint(square(2))\n",
    "a sum that goes on": "total = 0\nfor i in range(3):\n    total = total + i\nprint(total)\n",
    "a method named and kept": W + "f = w.exp\nprint(f())\n",
    "keywords of numpy": "print(torch.ones(2, 2).sum(axis=0, keepdims=True))\n",
    "a device": "print(torch.ones(2, device='cpu'))\n",
}


@pytest.mark.parametrize("name", QUIET)
def test_quiet(name: str) -> None:
    assert [place(QUIET[name], one) for one in errors_in(QUIET[name])] == []


def test_what_may_be_no_single_tensor_is_known() -> None:
    """A function whose declared result is not one tensor is among those the lints do not take for one."""
    several = {
        key.rpartition(".")[2]
        for key, function in [*FUNCTIONS.items(), *METHODS.items()]
        if getattr(function.implementation, "__annotations__", {}).get("return", "Tensor")
        not in ("Tensor", "Any")
    }
    assert several - SEVERAL - NOT_FUNCTIONS == set()


def test_the_fields_of_named_results_are_known() -> None:
    fields = {
        constant.value
        for path in (REPOSITORY / "core" / "ops").rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text()))
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "NamedResult"
        for constant in ast.walk(call.args[1])
        if isinstance(constant, ast.Constant)
    }
    assert "eigenvalues" in fields
    assert fields <= FIELDS
