"""The formulas that derivations show are right by hand too: their names are known to ``check --formula``."""

from __future__ import annotations

import pytest
from autodiff.core.base.errors import UsageError
from autodiff.core.base.source import Source
from autodiff.core.derivation.describe import describe
from autodiff.grammar.execution import execute
from autodiff.grammar.objects.runtime import discard_text, discard_warning
from autodiff.grammar.session.run import EngineSetup, Settings, differentiate
from conftest import REPOSITORY
from hand_checks import check

EXAMPLES = ["newton", "regression", "seeds/1_autograd", "seeds/3_all_gradients", "seeds/3_gradient_of_a"]
#: Loops, lists and names that are used again; the first line has the inputs.
SCRIPTS = """\
# w u h_1 h_2
w = 0.5; u = 0.8; h = 0.
for x in [1.0, 0.3, -0.6]:
    h = tanh(w*h + u*x)
L = (h - 1)**2
---
# x y_1 y_3
x = 1.5
y = x
for k in range(4):
    y = sin(y)*x
L = y**2
---
# x y_0 y_1
x = 0.7
y = x*x
y = y + x
y = exp(y)
L = y
---
# x x2_0
x = 2.
x2 = x*x
x2 *= x
L = x2 + sin(x2)
---
# a
a = 2.
parts = []
for n in range(1, 4):
    parts.append(a**n/n)
L = sum(parts)
---
# L_1
xs = [1.0, 2.0, 3.0]
L = 0
for x in xs:
    L = L + x**2
---
# h_0
ws = [0.5, -0.3]
h = 1.2
for w in ws:
    h = sigmoid(w*h)
L = h
---
# x
x = 1.1
total = 0
count = 0
while count < 3:
    total = total + log(x + count)
    count += 1
L = total
---
# r balance_0 balance_1
r = 0.1
balance = 100.
for year in range(3):
    balance = balance*(1 + r) + 10
L = balance
---
# c z z_1
z = 0.4
c = 0.3
for n in range(3):
    z = z**2 + c
L = z
---
# x
def f(v):
    v = v*v
    return v + 1
x = 0.6
y = f(f(x))
L = y
---
# x
x = 3.
for k in range(2):
    x = x - (x**2 - 2)/(2*x)
L = x
---
# w s_1 s_2
w = tensor([0.5, -0.2], requires_grad=True)
s = w
for k in range(3):
    s = s*w + 1
L = s.sum()
---
# W h_1
h = tensor([0.1, 0.2])
W = tensor([[0.5, -0.3], [0.8, 0.4]], requires_grad=True)
for k in range(2):
    h = tanh(W @ h)
L = h.sum()
---
# W h_1
W = tensor([[0.5, -0.3], [0.8, 0.4]], requires_grad=True)
h = tensor([[0.1, 0.2]])
for k in range(2):
    h = relu(h @ W + 1)
L = (h**2).mean()
---
# h_1
ws = [tensor([0.5], requires_grad=True), tensor([1.5], requires_grad=True)]
h = tensor([2.0])
for w in ws:
    h = h*w
L = h.sum()
---
# x y_0 y_1
x = tensor([1.0, 2.0], requires_grad=True)
y = x*2
y += x**2
y *= x
L = y.sum()
---
# a b
a, b = 1.0, 2.0
for k in range(3):
    a, b = b, a*b
L = b
---
# a
a = 0.2
p = [a, 2*a]
for k in range(2):
    p = [p[0]*p[1], p[0] + p[1]]
L = p[0]*p[1]
---
# x_1 x
x_1 = 2.
x = 3.
x = x*x_1
x = x*x
L = x
"""


def formulas_shown(script: str, inputs: list[str]) -> list[tuple[str, str]]:
    """The formulas of the derivations, each with what it is; without those that are cut short."""
    settings = Settings(wrt=inputs)
    source = Source(script)
    execution = execute(source, settings, discard_text, discard_warning)
    with EngineSetup(settings):
        report = describe(differentiate(execution, settings), source, graph=False)
        is_reassigned = bool(execution.reassigned or execution.first_leaves)
        found = []
        for one in report.derivations:
            texts = [one.simplified, one.factored]
            texts += [] if is_reassigned else [one.complete.text]  # numbers stand for first values there
            texts += [" + ".join(one.local)] if one.is_scalar else []
            left = f"d{one.output}/d{one.wrt}"
            made_up = ["...", *(name for name, _ in one.where)]
            found += [(left, text) for text in texts if text and not any(part in text for part in made_up)]
    return found


@pytest.mark.parametrize("text", SCRIPTS.split("---\n"))
def test_scripts(text: str) -> None:
    first, _, script = text.partition("\n")
    inputs = first.removeprefix("# ").split()
    shown = formulas_shown(script, inputs)
    assert {left.partition("/d")[2] for left, _ in shown} == set(inputs)
    assert [
        (left, formula) for left, formula in shown if not check(script, f"{left} == {formula}").is_right
    ] == []


BRACKETS = [
    ("x = 1.5; y = relu(x)", ["[x > 0]"]),
    ("x = 1.5; y = x - relu(x)", ["1 - [x > 0]", "-[x > 0] + 1"]),
    ("x = [1.5, -1]; y = relu(x).sum()", ["[x > 0]", "[x > 0] if True else 0"]),
    ("x = [1.5, -1]; y = clamp(x, 0, 1).sum()", ["[(x >= 0) & (x <= 1)]"]),
    ("x = 0.5; y = hardtanh(x)*x", ["x*[~((x <= -1) | (x >= 1))] + hardtanh(x)"]),
    ("x = 0.5; z = 0.2; y = torch.maximum(x, z)*x", ["where(x == z, 0.5, [x >= z])*x + max(x, z)"]),
    ("x = [0.5, 2]; y = x.max()", ["[(x == y) | isnan(y)]/sum(x == y, dim=0)"]),
    ("x = [[1.5, -1], [2, 3]]; W = [[1., 2], [3, 4]]; y = relu(W@x).sum()", ["W.T @ [W @ x > 0]"]),
    (
        "import torch; x = torch.ones(2, 2, requires_grad=True)\n"
        "W = torch.tensor([[1., 2.], [-3., -4.]]); y = torch.relu(W @ x).sum()",
        ["W.T @ [W @ x > 0]"],
    ),
]


@pytest.mark.parametrize(("script", "formulas"), BRACKETS)
def test_a_condition_in_brackets_is_one_or_zero(script: str, formulas: list[str]) -> None:
    for formula in formulas:
        found = check(script, f"dy/dx == {formula}")
        assert (found.is_right, found.remarks) == (True, []), formula


def test_brackets_make_a_list_where_a_function_takes_one() -> None:
    assert check("x = [1.5, -1]; y = relu(x).sum()", "dy/dx == stack([x > 0])[0]").is_right
    assert check("x = [1.5, -1]; y = (x**2).sum()", "dy/dx == [2*x[0], 2*x[1]]").is_right


def test_what_is_wrong_about_a_condition_in_brackets_is_told_once() -> None:
    found = check("x = 1.5; y = relu(x)", "dy/dx == 2*[x > 0]")
    assert found.remarks == ["it is twice what it should be: a factor 2 is superfluous"]


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(name: str) -> None:
    script = (REPOSITORY / "examples" / f"{name}.ad").read_text()
    shown = formulas_shown(script, [])
    assert shown
    assert [
        (left, formula) for left, formula in shown if not check(script, f"{left} == {formula}").is_right
    ] == []


def test_a_wrong_formula_with_the_names_of_a_loop_is_explained() -> None:
    script = "w = 0.5\nh = 0.2\nfor k in range(3):\n    h = tanh(w*h)\nL = (h - 1)**2"
    found = check(script, "dL/dh_2 == 2*(h_3 - 1)*(1 - h_3)*w")
    assert found.is_right is False
    assert "the factor 1 - h_3 should be" in found.remarks[0]
    with pytest.raises(UsageError, match="name 'h_9' is not defined") as raised:
        check(script, "dL/dh_2 == 2*(h_9 - 1)")
    assert "h_1, h_2, h_3" in raised.value.help[0]
