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
        "of_an_output_without_a_name",
        TWO_LAYERS.replace("loss = h2.pow(2).mean()\nloss.backward()", "h2.pow(2).mean().backward()"),
        "autodiff check script.ad --formula 'dL/dh1 == dL/dh2 @ w2.T'",
        shows=["right: d(h2.pow(2).mean())/dh1 == dL/dh2 @ w2.T"],
    ),
    Case(
        "of_an_output_with_another_name",
        TWO_LAYERS,
        "autodiff check script.ad --formula 'dL/dh1 == dL/dh2 @ w2.T'",
        shows=["right: dloss/dh1 == dL/dh2 @ w2.T"],
        says=["note: `L` in the formulas is read as `loss`, the script's output"],
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
CHARACTERS = """\
n, classes, width = 6, 4, 5
ids = torch.tensor([[0, 3], [1, 2], [3, 3], [2, 0], [1, 1], [0, 2]])
t = torch.tensor([2, 0, 1, 3, 3, 1])
table = torch.randn((classes, 3), requires_grad=True)
W1 = torch.randn((6, width), requires_grad=True)
b1 = torch.randn(width, requires_grad=True)
W2 = torch.randn((width, classes), requires_grad=True)
gain = (torch.randn((1, width))*0.1 + 1).requires_grad_()
embedded = table[ids]
joined = embedded.view(n, -1)
before = joined @ W1 + b1
mean = before.sum(0, keepdim=True)/n
centered = before - mean
var = (centered**2).sum(0, keepdim=True)/(n - 1)
inv_std = (var + 1e-5)**-0.5
raw = centered*inv_std
h = torch.tanh(gain*raw)
logits = h @ W2
largest = logits.max(1, keepdim=True).values
counts = (logits - largest).exp()
probs = counts/counts.sum(1, keepdim=True)
loss = -probs.log()[range(n), t].mean()
loss.backward()
"""
CHARACTER_STEPS = """\
dprobs = -F.one_hot(t, classes)/n/probs
dcounts = (dprobs - (dprobs*probs).sum(1, keepdim=True))/counts.sum(1, keepdim=True)
dlargest = -(counts*dcounts).sum(1, keepdim=True)  # 0 but for rounding
dlogits = counts*dcounts
dlogits += F.one_hot(logits.max(1).indices, num_classes=classes)*dlargest
dh = dlogits @ W2.T
draw = (1 - h**2)*dh*gain
dinv_std = (centered*draw).sum(0, keepdim=True)
dvar = -0.5*(var + 1e-5)**-1.5*dinv_std
dcentered = inv_std*draw + 2*centered*dvar/(n - 1)
dmean = -dcentered.sum(0, keepdim=True)
dbefore = dcentered + dmean/n
db1 = dbefore.sum(0)  # batch norm takes the bias away
dembedded = (dbefore @ W1.T).view(embedded.shape)
"""
IN_STEPS = [
    Case(
        "of_a_network_with_gradients_that_cancel",
        CHARACTERS,
        "autodiff check script.ad --formula @steps.txt",
        shows=["right: 13 steps"],
        files={"steps.txt": CHARACTER_STEPS},
    ),
    Case(
        "and_with_a_mistake",
        CHARACTERS,
        "autodiff check script.ad --formula @steps.txt",
        shows=["1 of 13 steps is wrong", "   10   dloss/dcentered   wrong", "the path raw <- inv_std <- var"],
        files={"steps.txt": CHARACTER_STEPS.replace(" + 2*centered*dvar/(n - 1)", "")},
        code=1,
    ),
    Case(
        "as_a_lesson_writes_it",
        LESSON,
        "autodiff check script.ad --formula @steps.txt",
        shows=["steps.txt: 6 steps", "     6   dloss/dcounts     right", "right: 6 steps"],
        files={"steps.txt": STEPS},
    ),
    Case(
        "with_entries_that_are_changed",
        LESSON,
        "autodiff check script.ad --formula @steps.txt",
        shows=["     3   dloss/dlogprobs   right", "right: 6 steps"],
        files={
            "steps.txt": STEPS.replace(
                "torch.zeros_like(logprobs) - F.one_hot(t, 2)/3",
                "torch.zeros_like(logprobs)\ndlogprobs[range(3), t] = -1.0/3",
            )
        },
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
        "names_that_do_not_say_whose_gradient_they_are",
        "x = 0.5; w = 2.0; h = sigmoid(w*x); L = (h - 1)**2",
        "autodiff check script.ad --formula @steps.txt",
        shows=["right: 3 steps"],
        says=[
            "note: steps.txt:1: `delta2` is compared with the gradient of `h`: its lines, or those"
            " that use it, are right with that",
            "note: steps.txt:2: `dout` is compared with the gradient of `w*x`",
        ],
        files={"steps.txt": "delta2 = 2*(h - 1)\ndout = delta2*h*(1 - h)\ndw = dout*x\n"},
    ),
    Case(
        "names_that_are_no_gradients",
        "x = 0.5; w = 2.0; h = sigmoid(w*x); L = (h - 1)**2",
        "autodiff check script.ad --formula @steps.txt",
        shows=["right: 1 step"],
        says=[
            "note: steps.txt:1: `delta2` is not compared: write whose gradient it is, as in"
            " `dL/dz == delta2`",
            "note: steps.txt:2: `dout` is not compared: the script has no `out`",
        ],
        files={"steps.txt": "delta2 = h - 1\ndout = delta2*h*(1 - h)\ndw = 2*dout*x\n"},
    ),
    Case(
        "a_sheet_of_functions",
        "x = 2.; f = x**2; g = x**3; F = [f, g]",
        "autodiff check script.ad --formula @steps.txt",
        shows=["right: 2 steps"],
        files={"steps.txt": "dF[0]/dx == 2*x\ndF[1]/dx == 3*x**2\n"},
    ),
    Case(
        "functions_that_no_list_holds",
        "x = 2.; f = x**2; g = x**3",
        "autodiff check script.ad --formula @steps.txt",
        shows=["     1   df/dx   right", "     2   dg/dx   wrong", "wrong: dg/dx == x**2", "a factor 3"],
        files={"steps.txt": "df/dx == 2*x\ndg/dx == x**2\n"},
        code=1,
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
        "no_gradients_in_the_script",
        LESSON,
        "autodiff check script.ad --formula @",
        says=["script.ad has no steps", "give a gradient the name of what it is by, as in dw = 2*w"],
        files={"steps.txt": STEPS},
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


TWICE = """\
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, inp):
        mid = inp * 2
        ctx.mid = mid
        return mid ** 2
    @staticmethod
    def backward(ctx, g):
        return 4 * ctx.mid * g
x = torch.tensor(3., requires_grad=True)
y = Twice.apply(x)
y.backward()
"""
WAVE = "x = 2.\nw = 3.\nz = x*w\nL = sin(z)\n"
SECOND = [
    Case(
        "a_backward_that_loses_it",
        TWICE,
        "autodiff check script.ad --order 2 --formula 8",
        shows=[
            "right: d2y/dx2 == 8",
            "the backward of Twice is wrong: 0, and differences give 8.",
            "ctx.mid",
        ],
    ),
    Case(
        "a_cube",
        "x = torch.tensor(3., requires_grad=True)\nL = x ** 3\n",
        "autodiff check script.ad --order 2 --formula '6*x**2'",
        shows=["the formula gives  54", "the derivative is  18", "with x in place of x**2 it is right"],
        never=["superfluous"],
        code=1,
    ),
    Case(
        "the_wrong_factor_of_a_second_path",
        WAVE,
        "autodiff check script.ad --formula 'd2L/dx2 == -cos(z)*w**2'",
        shows=[
            "dL/dx <- dL/dz <- cos(z)",
            "the factor cos(z) should be\n  d(cos(z))/dz = -sin(z)",
            "-sin(z)",
        ],
        code=1,
    ),
    Case(
        "a_missing_path_of_a_mixed_derivative",
        WAVE,
        "autodiff check script.ad --formula 'd2L/dxdw == -sin(z)*x*w'",
        shows=["the path dL/dx <- w is missing: it gives 0.96017"],
        code=1,
    ),
    Case(
        "half_of_it",
        "x = torch.tensor(3., requires_grad=True)\nL = x ** 3\n",
        "autodiff check script.ad --order 2 --wrt x --formula '3*x'",
        shows=["it is half of what it should be: a factor 2 is missing, as if the 2 of x**2"],
        code=1,
    ),
    Case(
        "a_wrong_formula_beside_a_wrong_backward",
        TWICE,
        "autodiff check script.ad --order 2 --formula 4",
        shows=["wrong: d2y/dx2 == 4", "the derivative is  8", "the backward of Twice is wrong"],
        code=1,
    ),
]
POWER = """\
base = torch.tensor([0., 2.])
expo = torch.ones(2, requires_grad=True)
total = torch.sum(base ** expo)
total.backward()
"""
SINC = "x = torch.zeros(1, requires_grad=True)\nL = torch.sinc(x).sum()\n"
GAPS = [
    Case(
        "zero_times_the_log_of_zero",
        POWER,
        "autodiff check script.ad --wrt expo --formula 'base**expo*log(base)'",
        shows=["undecided: ", "base**expo*log(base) is 0 times -inf", "its limit is 0"],
    ),
    Case(
        "zero_by_zero",
        SINC,
        "autodiff check script.ad --formula 'cos(pi*x)/x - sin(pi*x)/(pi*x**2)'",
        shows=["undecided: ", "sin(pi*x)/(pi*x**2) is 0/0", "its limit is 0"],
    ),
    Case(
        "a_removable_quotient",
        "x = torch.tensor(0., requires_grad=True)\nL = 1 - torch.cos(x)\n",
        "autodiff check script.ad --formula '(1 - cos(x)**2)/sin(x)'",
        shows=["undecided: ", "is 0/0: its limit is 0"],
    ),
    Case(
        "of_a_second_derivative",
        "x = 0.\ny = 3.\nL = x**4*y\n",
        "autodiff check script.ad --order 2 --wrt x --formula '12*x**3*y/x'",
        shows=["undecided: ", "12*x**3*y/x is 0/0"],
    ),
    Case(
        "wrong_beside_the_gap",
        POWER,
        "autodiff check script.ad --wrt expo --formula '2*base**expo*log(base)'",
        shows=["wrong: "],
        code=1,
    ),
    Case(
        "another_limit",
        SINC,
        "autodiff check script.ad --formula '1 + cos(pi*x)/x - sin(pi*x)/(pi*x**2)'",
        shows=["wrong: "],
        code=1,
    ),
]
VARIABLES = [
    Case(
        f"at_{value}",
        f"x = torch.tensor({value}, requires_grad=True)\nf = 7 * x ** 2\nf.backward()\n",
        "autodiff check script.ad --formula 14",
        shows=["the factor x is missing"],
        never=["a third", "times what"],
        code=1,
    )
    for value in ("3.0", "2.5")
] + [
    Case(
        "another_variable",
        "x = 2.\ny = 3.\nL = 5*x*y\n",
        "autodiff check script.ad --wrt x --formula 5",
        shows=["the factor y is missing"],
        code=1,
    ),
    Case(
        "of_a_second_derivative",
        "x = 2.\nL = x**3\n",
        "autodiff check script.ad --order 2 --formula 6",
        shows=["the factor x is missing"],
        code=1,
    ),
    Case(
        "with_equal_entries",
        "x = torch.tensor([3., 3.], requires_grad=True)\nL = (x**2).sum()\n",
        "autodiff check script.ad --formula 2",
        shows=["the factor x is missing"],
        never=["a third"],
        code=1,
    ),
    *[
        Case(
            f"with_equal_entries_of_data_{at}",
            "w = torch.tensor([1., 1.], requires_grad=True)\nx = torch.tensor([3., 3.])\n" + script,
            f"autodiff check script.ad --formula '{formula}'",
            shows=["the factor x is missing"],
            never=["a third"],
            code=1,
        )
        for at, (script, formula) in enumerate(
            [
                ("L = (w @ x)**2\n", "2*(w @ x)"),
                ("y = torch.tensor(4.)\nL = (w @ x - y)**2\n", "2*(w @ x - y)"),
            ]
        )
    ],
    Case(
        "beside_the_wrong_sign",
        "x = 4.\nL = x**2\n",
        "autodiff check script.ad --formula=-2",
        shows=["the factor x is missing; beside it, the sign is wrong"],
        code=1,
    ),
]
NORMAL = """\
mu = torch.tensor([0., 0.])
S = torch.tensor([[2., 0.3], [0.3, 1.]], requires_grad=True)
x = torch.tensor([1., -1.])
d = x - mu
lp = -0.5 * (d @ torch.linalg.inv(S) @ d + torch.logdet(S) + 2 * math.log(2 * math.pi))
lp.backward()
"""
FORM = """\
A = torch.tensor([[2., {}], [0.5, 1.]], requires_grad=True)
x = torch.tensor([1., -3.], requires_grad=True)
q = x @ A @ x
"""
SYMMETRIC = [
    Case(
        "a_covariance",
        NORMAL,
        "autodiff check script.ad --wrt S --formula"
        " '0.5*(inverse(S) @ outer(d, d) @ inverse(S) - inverse(S))'",
        shows=["right for symmetric S", "inverse(S) must be transposed everywhere: inverse(S).T"],
        never=["by accident"],
    ),
    Case(
        "a_log_determinant",
        "S = torch.tensor([[2., 0.3], [0.3, 1.]], requires_grad=True)\nL = torch.logdet(S)\n",
        "autodiff check script.ad --formula 'inverse(S)'",
        shows=["right for symmetric S", "transposed"],
    ),
    Case(
        "a_quadratic_form",
        FORM.format("0.5"),
        "autodiff check script.ad --formula 'dq/dx == 2*A @ x'",
        shows=["right for symmetric A"],
    ),
    Case(
        "a_form_that_is_not_symmetric",
        FORM.format("-1."),
        "autodiff check script.ad --formula 'dq/dx == 2*A @ x'",
        shows=["wrong: ", "with (A + A.T)/2 in place of A it is right", "right for symmetric A only"],
        code=1,
    ),
    Case(
        "a_form_of_a_constant_matrix",
        FORM.format("0.5").replace("1.]], requires_grad=True)", "1.]])"),
        "autodiff check script.ad --formula 'dq/dx == 2*A @ x'",
        shows=["undecided: ", "right for symmetric A, as in this script", "with (A + A.T)/2 in place of A"],
        never=["these numbers of A"],
    ),
    Case(
        "the_general_formula",
        FORM.format("0.5"),
        "autodiff check script.ad --formula 'dq/dx == (A + A.T) @ x'",
        shows=["right: "],
        never=["symmetric"],
    ),
    Case(
        "wrong_for_symmetric_ones_too",
        FORM.format("0.5"),
        "autodiff check script.ad --formula 'dq/dx == A @ x'",
        shows=["wrong: "],
        never=["right for symmetric"],
        code=1,
    ),
]
MIDDLE = """\
class M(torch.autograd.Function):
    @staticmethod
    def forward(ctx, inp):
        temp = inp * 2
        ctx.save_for_backward(temp, inp)
        return temp * 3
    @staticmethod
    def backward(ctx, g):
        temp, inp = ctx.saved_tensors
        return g * 3 * temp / inp
x = torch.tensor([0.5, 2.], requires_grad=True)
y = M.apply(x)
L = (y ** 2).sum()
L.backward()
"""
CUBE = """\
class S(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward({})
        return x * x * x
    @staticmethod
    def backward(ctx, g):
        (sq,) = ctx.saved_tensors
        return 3 * {} * g
x = torch.tensor([1., 2., 3.], requires_grad=True)
y = S.apply(x)
L = y.sum()
"""
EXPONENTIAL = """\
class E(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.e = torch.exp(x)
        return ctx.e.sum()
    @staticmethod
    def backward(ctx, g):
        e = ctx.e
        return e * g
x = torch.tensor([0., 1.], requires_grad=True)
L = E.apply(x)
"""
SAVED = [
    Case(
        "a_saved_intermediate",
        MIDDLE,
        "autodiff check script.ad --order 2",
        shows=["d2L/dx[1]2: backward gives 0,", "give 72;", "inp * 2 (line 4), which M saves"],
        code=1,
    ),
    Case(
        "a_saved_expression",
        CUBE.format("x * x", "sq"),
        "autodiff check script.ad --order 2 --of L --wrt x",
        shows=["d2L/dx[", "x * x (line 4), which S saves"],
        code=1,
    ),
    Case(
        "an_attribute_of_ctx",
        EXPONENTIAL,
        "autodiff check script.ad --order 2",
        shows=["d2L/dx[0]2: backward gives 0,", "ctx.e, which E saves"],
        code=1,
    ),
    Case(
        "the_input_saved_and_the_rest_computed_again",
        CUBE.format("x", "sq * sq"),
        "autodiff check script.ad --order 2 --of L --wrt x",
        shows=["right: "],
    ),
    Case(
        "a_mixed_entry",
        EXPONENTIAL.replace("L =", "y =").replace("[0., 1.]", "[1., 2.]") + "L = y*x[0]\n",
        "autodiff check script.ad --order 2",
        shows=["d2L/dx[", "ctx.e, which E saves"],
        code=1,
    ),
]


@each_of(SECOND)
def test_a_second_derivative_is_compared_with_its_own_paths(case, tmp_path):
    case.check(tmp_path)


@each_of(GAPS)
def test_a_formula_with_a_gap_that_a_limit_fills_is_not_wrong(case, tmp_path):
    case.check(tmp_path)


@each_of(VARIABLES)
def test_a_missing_variable_is_named_before_a_constant(case, tmp_path):
    case.check(tmp_path)


@each_of(SYMMETRIC)
def test_formulas_for_symmetric_matrices_are_said_to_be_that(case, tmp_path):
    case.check(tmp_path)


@each_of(SAVED)
def test_second_derivatives_name_what_a_function_saved(case, tmp_path):
    case.check(tmp_path)
