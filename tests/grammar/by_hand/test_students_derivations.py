"""Derivations as students write them: each right step is right, and the reason names each mistake."""

from __future__ import annotations

import pytest
from hand_checks import check_steps

LOGISTIC = """\
x = torch.tensor([[1., 2.], [-1., 0.5], [0.3, -0.7]])
y = torch.tensor([1., 0., 1.])
w = torch.tensor([0.4, -0.6], requires_grad=True)
b = torch.tensor(0.1, requires_grad=True)
n = 3
z = x @ w + b
p = torch.sigmoid(z)
L = -(y*torch.log(p) + (1 - y)*torch.log(1 - p)).mean()
"""
LOGISTIC_STEPS = """\
dp = (p - y)/(p*(1 - p))/n
dz = dp*p*(1 - p)
dw = x.T @ dz
db = dz.sum()
"""
CROSS_ENTROPY = """\
x = torch.tensor([[1., 2.], [-1., 0.5], [0.3, -0.7]])
y = torch.tensor([2, 0, 1])
W = torch.tensor([[0.4, -0.6, 0.1], [0.2, 0.3, -0.5]], requires_grad=True)
b = torch.tensor([0.1, 0., -0.2], requires_grad=True)
n = 3
Y = torch.nn.functional.one_hot(y, 3).float()
z = x @ W + b
e = torch.exp(z)
p = e / e.sum(dim=1, keepdim=True)
L = -(Y*torch.log(p)).sum() / n
"""
CROSS_ENTROPY_STEPS = """\
dp = -Y/p/n
dz = p*(dp - (dp*p).sum(1, keepdim=True))
dW = x.T @ dz
db = dz.sum(0)
"""
SQUARES = """\
x = torch.tensor([[1., 2.], [-1., 0.5], [0.3, -0.7]])
t = torch.tensor([[1., 0.], [2., 1.], [0., -1.]])
W = torch.tensor([[0.4, -0.6], [0.2, 0.3]], requires_grad=True)
n = 3
y = x @ W
L = ((y - t)**2).mean()
"""
SQUARES_STEPS = """\
dy = 2*(y - t)/6
dW = x.T @ dy
"""
BATCH_NORM = """\
x = torch.tensor([[1., 2.], [-1., 0.5], [0.3, -0.7], [2., 1.]], requires_grad=True)
g = torch.tensor([1.5, 0.5], requires_grad=True)
b = torch.tensor([0.1, -0.2], requires_grad=True)
r = torch.tensor([[1., 0.], [2., 1.], [0., -1.], [1., 1.]])
N = 4
mu = x.mean(0)
xc = x - mu
var = (xc**2).mean(0)
std = torch.sqrt(var + 1e-5)
xn = xc / std
y = g*xn + b
L = (y*r).sum()
"""
BATCH_NORM_STEPS = """\
dy = r
dg = (dy*xn).sum(0)
db = dy.sum(0)
dxn = dy*g
dstd = -(dxn*xc).sum(0)/std**2
dvar = dstd*0.5/std
dxc = dxn/std + 2/N*xc*dvar
dmu = -dxc.sum(0)
dx = dxc + dmu/N
"""
LSTM = """\
x = torch.tensor([0.5, -1.])
h0 = torch.tensor([0.2, 0.1, -0.3])
c0 = torch.tensor([0.4, -0.2, 0.6])
Wi = torch.tensor([[0.1, 0.2], [0.3, -0.1], [0.2, 0.5]], requires_grad=True)
Wf = torch.tensor([[0.4, -0.2], [0.1, 0.3], [-0.3, 0.2]], requires_grad=True)
Wo = torch.tensor([[0.2, 0.6], [-0.5, 0.1], [0.3, 0.3]], requires_grad=True)
Wg = torch.tensor([[-0.1, 0.2], [0.3, 0.4], [0.6, -0.5]], requires_grad=True)
i = torch.sigmoid(Wi @ x + h0)
f = torch.sigmoid(Wf @ x + h0)
o = torch.sigmoid(Wo @ x + h0)
g = torch.tanh(Wg @ x + h0)
c = f*c0 + i*g
h = o*torch.tanh(c)
L = (h**2).sum()
"""
LSTM_STEPS = """\
dh = 2*h
do = dh*torch.tanh(c)
dc = dh*o*(1 - torch.tanh(c)**2)
df = dc*c0
di = dc*g
dg = dc*i
dWi = torch.outer(di*i*(1 - i), x)
dWf = torch.outer(df*f*(1 - f), x)
dWo = torch.outer(do*o*(1 - o), x)
dWg = torch.outer(dg*(1 - g**2), x)
"""
ATTENTION = """\
Q = torch.tensor([[0.5, -1.], [0.2, 0.3], [1., 0.4]], requires_grad=True)
K = torch.tensor([[0.1, 0.7], [-0.6, 0.2], [0.9, -0.3]], requires_grad=True)
V = torch.tensor([[1., 0.], [0.5, 2.], [-1., 1.]], requires_grad=True)
R = torch.tensor([[1., 2.], [0.5, -1.], [0.3, 0.2]])
d = 2
S = Q @ K.T / d**0.5
A = torch.softmax(S, dim=-1)
O = A @ V
L = (O*R).sum()
"""
ATTENTION_STEPS = """\
dO = R
dV = A.T @ dO
dA = dO @ V.T
dS = A*(dA - (dA*A).sum(-1, keepdim=True))
dQ = dS @ K / d**0.5
dK = dS.T @ Q / d**0.5
"""
DIVERGENCE = """\
mu = torch.tensor([0.5, -1.], requires_grad=True)
lv = torch.tensor([0.2, -0.3], requires_grad=True)
L = -0.5*(1 + lv - mu**2 - torch.exp(lv)).sum()
"""
DIVERGENCE_STEPS = """\
dmu = mu
dlv = 0.5*(torch.exp(lv) - 1)
"""
TWO_GAUSSIANS = """\
m1 = torch.tensor(0.5, requires_grad=True)
s1 = torch.tensor(0.8, requires_grad=True)
m2 = torch.tensor(-0.3, requires_grad=True)
s2 = torch.tensor(1.4, requires_grad=True)
L = torch.log(s2/s1) + (s1**2 + (m1 - m2)**2)/(2*s2**2) - 0.5
"""
TWO_GAUSSIANS_STEPS = """\
dm1 = (m1 - m2)/s2**2
dm2 = -(m1 - m2)/s2**2
ds1 = s1/s2**2 - 1/s1
ds2 = 1/s2 - (s1**2 + (m1 - m2)**2)/s2**3
"""
TRACE = """\
A = torch.tensor([[1., 2.], [0.5, -1.]])
X = torch.tensor([[0.2, -0.5], [1.5, 0.7]], requires_grad=True)
L = torch.trace(X.T @ A @ X)
"""
TRACE_STEPS = """\
dX = (A + A.T) @ X
"""
QUADRATIC = """\
A = torch.tensor([[1., 2.], [0.5, -1.]])
x = torch.tensor([0.2, -0.5], requires_grad=True)
L = x @ A @ x
"""
QUADRATIC_STEPS = """\
dx = (A + A.T) @ x
"""
DISTANCE = """\
x = torch.tensor([0.2, -0.5, 1.], requires_grad=True)
t = torch.tensor([1., 0., 2.])
L = torch.sqrt(((x - t)**2).sum())
"""
DISTANCE_STEPS = """\
dx = (x - t)/L
"""
DERIVATIONS = {
    "logistic": (LOGISTIC, LOGISTIC_STEPS),
    "cross entropy": (CROSS_ENTROPY, CROSS_ENTROPY_STEPS),
    "squares": (SQUARES, SQUARES_STEPS),
    "batch norm": (BATCH_NORM, BATCH_NORM_STEPS),
    "lstm": (LSTM, LSTM_STEPS),
    "attention": (ATTENTION, ATTENTION_STEPS),
    "divergence": (DIVERGENCE, DIVERGENCE_STEPS),
    "two gaussians": (TWO_GAUSSIANS, TWO_GAUSSIANS_STEPS),
    "trace": (TRACE, TRACE_STEPS),
    "quadratic": (QUADRATIC, QUADRATIC_STEPS),
    "distance": (DISTANCE, DISTANCE_STEPS),
}
MISTAKES = [
    (
        "logistic",
        "*(1 - p))/n",
        "*(1 - p))",
        "p",
        "as if the 1/3 of the mean over 3 entries (line 8) had been left out",
    ),
    ("logistic", "x.T @ dz", "x @ dz", "w", "x must be transposed: x.T"),
    ("logistic", "dp*p*(1 - p)", "dp*p", "z", "the factor p should be dp/dz = p*(1 - p)"),
    ("logistic", "dp*p*(1 - p)", "(p - y)*p*(1 - p)/n", "z", "the factors p and 1 - p are superfluous"),
    ("cross entropy", "-Y/p/n", "Y/p/n", "p", "the sign is wrong"),
    (
        "cross entropy",
        "-Y/p/n",
        "-Y/p",
        "p",
        "it is 3 times what it should be: a factor 3 is superfluous, as if the divisor 3",
    ),
    (
        "cross entropy",
        "p*(dp - (dp*p).sum(1, keepdim=True))",
        "dp*p*(1 - p)",
        "z",
        "other entries of p, and those terms are missing",
    ),
    ("cross entropy", "dz.sum(0)", "dz.sum(1)", "b", "with dz.sum(0) in place of dz.sum(1) it is right"),
    ("squares", "/6", "/n", "y", "as if the mean over 6 entries (line 6) were one over 3"),
    (
        "squares",
        "2*(y - t)/6",
        "2*(y - t)",
        "y",
        "as if the 1/6 of the mean over 6 entries (line 6) had been left out",
    ),
    ("squares", "2*(y - t)/6", "(y - t)/6", "y", "as if the 2 of (y - t)**2 (line 6) had been left out"),
    ("squares", "y - t", "t - y", "y", "the sign is wrong: t - y should be y - t"),
    ("squares", "x.T @ dy", "dy.T @ x", "W", "dy.T @ x must be transposed"),
    ("batch norm", "-(dxn*xc)", "(dxn*xc)", "std", "the sign is wrong: a minus is missing"),
    ("batch norm", "dmu/N", "dmu", "x", "as if the 1/4 of the mean over 4 entries"),
    ("batch norm", "dy.sum(0)", "dy.sum(1)", "b", "with dy.sum(0) in place of dy.sum(1) it is right"),
    ("batch norm", "dy*g", "dy", "xn", "the factor d(g*xn)/dxn = g is missing"),
    ("batch norm", " + dmu/N", "", "x", "<- mu <- x is missing"),
    (
        "lstm",
        "dh*o*(1 - torch.tanh(c)**2)",
        "dh*o",
        "c",
        "the factor d(torch.tanh(c))/dc = 1 - tanh(c)**2 is missing",
    ),
    (
        "lstm",
        "dg*(1 - g**2)",
        "dg*g*(1 - g)",
        "Wg",
        "the factors g and 1 - g should be dg/d(Wg @ x + h0) = 1 - g**2",
    ),
    ("lstm", "dg*(1 - g**2)", "dg*(1 + g**2)", "Wg", "the sign of the term g**2 is wrong"),
    ("lstm", "di = dc*g", "di = dc*i", "i", "the factor i should be d(i*g)/di = g"),
    ("lstm", "di*i*(1 - i), x", "x, di*i*(1 - i)", "Wi", "must be transposed"),
    ("attention", "A.T @ dO", "A @ dO", "V", "A must be transposed: A.T"),
    ("attention", "(-1, keepdim", "(0, keepdim", "S", "with (dA*A).sum(1, keepdim=True) in place of"),
    (
        "attention",
        "A*(dA - (dA*A).sum(-1, keepdim=True))",
        "A*(1 - A)*dA",
        "S",
        "other entries of A, and those terms are missing",
    ),
    (
        "attention",
        "A*(dA - (dA*A).sum(-1, keepdim=True))",
        "A*dA",
        "S",
        "expected: dS = A*(dA - sum(dA*A, dim=1, keepdim=True))",
    ),
    (
        "attention",
        "dS @ K / d**0.5",
        "dS @ K",
        "Q",
        "as if the divisor 1.41421 of Q @ K.T / d**0.5 (line 6) had been left out",
    ),
    ("divergence", "= mu", "= -mu", "mu", "the sign is wrong"),
    ("divergence", "torch.exp(lv) - 1", "torch.exp(lv)", "lv", "<- 1 + lv <- lv is missing"),
    (
        "divergence",
        "torch.exp(lv) - 1",
        "1 - torch.exp(lv)",
        "lv",
        "or 1 - torch.exp(lv) should be torch.exp(lv) - 1",
    ),
    ("two gaussians", "- 1/s1", "+ 1/s1", "s1", "its sign is wrong: a minus is missing"),
    ("two gaussians", "/s2**3", "/(2*s2**3)", "s2", "it is half of what it should be: a factor 2 is missing"),
    (
        "two gaussians",
        "dm1 = (m1 - m2)/s2**2",
        "dm1 = (m1 - m2)/s2",
        "m1",
        "with s2**2 in place of s2 it is right",
    ),
    ("trace", "(A + A.T) @ X", "2*A @ X", "X", "with (A + A.T)/2 in place of A it is right"),
    ("trace", "(A + A.T) @ X", "X @ (A + A.T)", "X", "X and A + A.T stand in the wrong order"),
    ("quadratic", "(A + A.T) @ x", "2*A @ x", "x", "with (A + A.T)/2 in place of A it is right"),
    ("quadratic", "A + A.T", "A - A.T", "x", "the sign of the term A.T is wrong"),
    ("distance", "(x - t)/L", "2*(x - t)/L", "x", "it is twice what it should be"),
    ("distance", "(x - t)/L", "(x - t)", "x", "the divisor L is missing"),
    ("distance", "(x - t)/L", "(x - t)/L**2", "x", "with L in place of L**2 it is right"),
]


@pytest.mark.parametrize("name", DERIVATIONS)
def test_a_right_derivation_is_right(name: str) -> None:
    script, steps = DERIVATIONS[name]
    found = check_steps(script, steps)
    assert len(found) == len(steps.splitlines())
    assert {one.verdict for one in found} == {"right"}


@pytest.mark.parametrize(("name", "old", "new", "by", "reason"), MISTAKES)
def test_the_reason_names_the_mistake(name: str, old: str, new: str, by: str, reason: str) -> None:
    script, steps = DERIVATIONS[name]
    assert old in steps
    found = check_steps(script, steps.replace(old, new, 1))
    [wrong] = [one for one in found if one.verdict != "right"]
    assert (wrong.verdict, wrong.left) == ("wrong", f"dL/d{by}")
    assert reason in "; ".join(wrong.remarks)


def test_twice_a_symmetric_matrix_is_right_for_those_only() -> None:
    script = QUADRATIC.replace("[0.5, -1.]", "[2., -1.]")
    [found] = check_steps(script, "dx = 2*A @ x")
    assert found.verdict == "undecided"
    assert found.remarks[0] == "it is right for symmetric A, as in this script, and not in general"


def test_labels_by_accident_make_no_sum_over_the_wrong_axis_right() -> None:
    """Each class is one of the three labels, so both sums of ``dp*p`` are the same; for other ``dp`` not."""
    found = check_steps(CROSS_ENTROPY, CROSS_ENTROPY_STEPS.replace("(1, keepdim", "(0, keepdim"))
    assert [one.verdict for one in found] == ["right", "right here", "right", "right"]
    assert found[1].remarks == [
        "it is right for this dp only, and wrong for others",
        "with (dp*p).sum(1, keepdim=True) in place of (dp*p).sum(0, keepdim=True) it is right",
    ]
