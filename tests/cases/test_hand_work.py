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


LESSON = """\
x = torch.tensor([[0.5, -1.2], [1.1, 0.3], [-0.7, 0.8]])
t = torch.tensor([1, 0, 1])
W = torch.tensor([[0.2, -0.4], [0.6, 0.1]], requires_grad=True)
logits = x @ W
counts = logits.exp()
sums = counts.sum(1, keepdims=True)
probs = counts/sums
logprobs = probs.log()
loss = -logprobs[range(3), t].mean()
loss.backward()
"""
STEPS = """\
# n = 3 rows
dlogprobs = torch.zeros_like(logprobs) - F.one_hot(t, 2)/3
dprobs = (1.0/probs) * dlogprobs
dsums = (-counts/sums**2 * dprobs).sum(1, keepdims=True)
dcounts = 1/sums * dprobs
dcounts += torch.ones_like(counts) * dsums

dlogits = counts * dcounts
dW = x.T @ dlogits
"""
IN_STEPS = [
    Case(
        "as_a_lesson_writes_it",
        LESSON,
        "autodiff check script.ad --formula @steps.txt",
        shows=["steps.txt: 6 steps", "     6   dloss/dcounts     right", "right: 6 steps"],
        files={"steps.txt": STEPS},
    ),
    Case(
        "one_mistake_spoils_no_other_step",
        LESSON,
        "autodiff check script.ad --formula @steps.txt",
        shows=[
            "     3   dloss/dprobs      wrong",
            "     4   dloss/dsums       right",
            "the factor probs should be dlogprobs/dprobs = 1/probs",
            "1 of 6 steps is wrong",
        ],
        files={"steps.txt": STEPS.replace("(1.0/probs) * dlog", "probs * dlog")},
        code=1,
    ),
    Case(
        "the_closed_form_of_cross_entropy",
        LESSON,
        "autodiff check script.ad --formula 'dlogits == (F.softmax(logits, 1) - F.one_hot(t, 2))/3'",
        shows=["right: "],
    ),
    Case(
        "a_step_that_reads_what_is_not_there",
        LESSON,
        "autodiff check script.ad --formula @steps.txt",
        says=["steps.txt:10: name 'logitz' is not defined", "did you mean `logits`?"],
        files={"steps.txt": STEPS + "dx = logitz\n"},
        code=2,
    ),
    Case(
        "no_such_file",
        LESSON,
        "autodiff check script.ad --formula @step.txt",
        says=["step.txt", "did you mean `steps.txt`?"],
        files={"steps.txt": STEPS},
        code=2,
    ),
    Case(
        "as_json",
        LESSON,
        "autodiff check script.ad --formula @steps.txt --format json"
        ' | of_json \'[f["line"] for f in r["formulas"] if not f["right"]]\'',
        numbers=[8],
        files={"steps.txt": STEPS.replace("counts * dcounts", "probs * dcounts")},
    ),
]


@each_of(IN_STEPS)
def test_a_derivation_in_steps_is_checked_step_by_step(case, tmp_path):
    case.check(tmp_path)
