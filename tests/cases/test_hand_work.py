"""Derivatives worked out by hand, as courses on backpropagation ask for them: `check --formula`."""

from __future__ import annotations

from cases import Case, each_of

TWO_LAYERS = """\
x = torch.ones(2, 3)
w1 = torch.tensor([[1., 2.], [0., -1.], [1., 1.]], requires_grad=True)
w2 = torch.tensor([[1., 0.5], [2., -1.]], requires_grad=True)
h1 = x @ w1
h2 = h1 @ w2
h1.retain_grad()
h2.retain_grad()
loss = h2.pow(2).mean()
loss.backward()
print(torch.equal(h1.grad, h2.grad @ w2.T))
print(torch.equal(w2.grad, h1.T @ h2.grad))
"""
BATCH_NORM = """\
n = 4
h = torch.tensor([[1., 2.], [3., -1.], [0., 0.5], [2., 2.]], requires_grad=True)
gain = torch.tensor([[1.5, 0.5]], requires_grad=True)
mu = 1 / n * h.sum(0, keepdim=True)
diff = h - mu
var = 1 / (n - 1) * (diff ** 2).sum(0, keepdim=True)
vinv = (var + 1e-5) ** -0.5
raw = diff * vinv
pre = gain * raw
w = torch.tensor([[1., 2.], [0.5, -1.], [2., 1.], [-1., 0.3]])
loss = (pre * w).sum()
loss.backward()
"""
RECURRENT = """\
W = torch.tensor([[0.4, -0.3], [0.2, 0.5]], requires_grad=True)
x1, x2 = torch.tensor([1., -1.]), torch.tensor([0.5, 2.])
s1 = torch.tanh(W @ x1)
s2 = torch.tanh(W @ s1 + x2)
E = (s2 - 1).pow(2).sum()
E.backward()
"""
UPSTREAM = [
    Case(
        "through_a_product",
        TWO_LAYERS,
        "autodiff check script.ad --formula 'dloss/dh1 == dloss/dh2 @ w2.T'",
        shows=["right: dloss/dh1 == dloss/dh2 @ w2.T"],
    ),
    Case(
        "with_retained_gradients",
        TWO_LAYERS,
        "autodiff check script.ad --formula 'w2.grad == h1.T @ h2.grad'",
        shows=["right: dloss/dw2 == h1.T @ h2.grad"],
    ),
    Case(
        "through_a_variance",
        BATCH_NORM,
        "autodiff check script.ad --formula 'dloss/dvar == -0.5*(var+1e-5)**-1.5*dloss/dvinv'",
        shows=["right: "],
    ),
    Case(
        "the_whole_of_batch_norm",
        BATCH_NORM,
        "autodiff check script.ad --formula 'dh == gain*vinv/n*(n*dpre - dpre.sum(0)"
        " - n/(n - 1)*raw*(dpre*raw).sum(0))'",
        shows=["right: dloss/dh == "],
    ),
    Case(
        "back_through_time",
        RECURRENT,
        "autodiff check script.ad --formula 'dE/ds1 == W.T @ (dE/ds2*(1 - s2**2))'",
        shows=["right: "],
    ),
    Case(
        "back_through_time_without_the_transpose",
        RECURRENT,
        "autodiff check script.ad --formula 'dE/ds1 == W @ (dE/ds2*(1 - s2**2))'",
        shows=["wrong: ", "W must be transposed: W.T"],
        code=1,
    ),
    Case(
        "a_derivative_that_proves_itself",
        RECURRENT,
        "autodiff check script.ad --formula 'dE/ds1 == dE/ds1'",
        says=["`dE/ds1` on the right is the derivative that is to be checked"],
        code=2,
    ),
]


@each_of(UPSTREAM)
def test_upstream_derivatives_stand_in_a_formula(case, tmp_path):
    case.check(tmp_path)
