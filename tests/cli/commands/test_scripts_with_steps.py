"""``check script --formula @script`` for a script with a backward pass by hand: what its steps are about."""

from __future__ import annotations

import re

import pytest

FUNCTIONS = """\
import numpy as np
np.random.seed(2)
def forward(x, w):
    h = np.tanh(x.dot(w))
    return h, (x, w, h)
def backward(dout, cache):
    x, w, h = cache
    dz = dout*(1 - h**2)
    return dz.dot(w.T), x.T.dot(dz)
x = np.random.randn(4, 3)
w = np.random.randn(3, 2)
out, cache = forward(x, w)
"""
GIVEN = "dout = np.random.randn(*out.shape)\n"
LOSS = "loss = np.sum(out*dout)\n"
STEPS = "dx, dw = backward(dout, cache)\n"


def verdicts(autodiff, write, script, *more):
    name = write(script, "net.py").name
    done = autodiff("check", name, "--formula", f"@{name}", "--format", "verdict", *more)
    return [line.split("\t")[1:] for line in done.out.splitlines()], done


@pytest.mark.parametrize("before", ["", "h = np.mean(x)\n"])
def test_a_gradient_that_is_drawn_is_no_step_where_the_loss_is_made_of_it(autodiff, write, before):
    found, done = verdicts(autodiff, write, FUNCTIONS + before + GIVEN + LOSS + STEPS)
    assert found == [["dloss/dx", "right"], ["dloss/dw", "right"]]
    assert (done.returncode, done.err) == (
        0,
        "note: the steps are about loss, which is computed before them\n",
    )
    wrong = FUNCTIONS.replace("(1 - h**2)", "(1 - h)") + before + GIVEN + LOSS + STEPS
    found, done = verdicts(autodiff, write, wrong)
    assert found == [["dloss/dx", "wrong"], ["dloss/dw", "wrong"]]


def test_numbers_that_are_written_are_no_step_either(autodiff, write):
    given = "dout = np.array([[1., 2.], [0.5, -1.], [2., 2.], [3., 0.]])\n"
    found, _ = verdicts(autodiff, write, FUNCTIONS + given + LOSS + STEPS)
    assert found == [["dloss/dx", "right"], ["dloss/dw", "right"]]


def test_a_step_that_is_written_in_numbers_is_one(autodiff, write):
    script = "import numpy as np\nw = np.array([1., 2.])\nloss = np.sum(w**2)\ndw = np.array([2., {}])\n"
    assert verdicts(autodiff, write, script.format("4."))[0] == [["dloss/dw", "right here"]]
    assert verdicts(autodiff, write, script.format("5."))[0] == [["dloss/dw", "wrong"]]


def test_without_a_loss_the_gradient_that_is_drawn_arrives_at_the_output(autodiff, write):
    found, done = verdicts(autodiff, write, FUNCTIONS + GIVEN + STEPS)
    assert found == [["dout/dx", "right"], ["dout/dw", "right"]]
    given = "`dout` is the gradient that arrives there: --of out --grad-output dout"
    assert done.err == f"note: the steps are about out, and {given}\n"
    wrong = FUNCTIONS.replace("x.T.dot(dz)", "2*x.T.dot(dz)")
    assert verdicts(autodiff, write, wrong + GIVEN + STEPS)[0] == [["dout/dx", "right"], ["dout/dw", "wrong"]]


def test_the_gradient_that_is_drawn_arrives_at_the_output_that_is_asked_for(autodiff, write):
    """It is no step, and keeps its value in functions: ``dout/dout`` would be an identity matrix."""
    shaped = FUNCTIONS.replace("    dz = ", "    n, m = dout.shape\n    dz = ")
    assert shaped != FUNCTIONS
    for lines in (GIVEN + STEPS, GIVEN + LOSS + STEPS):
        name = write(shaped + lines, "net.py").name
        done = autodiff("check", name, "--of", "out", "--formula", "@", "--format", "verdict")
        assert [line.split("\t")[1:] for line in done.out.splitlines()] == [
            ["dout/dx", "right"],
            ["dout/dw", "right"],
        ]
        assert "`dout` is the gradient that arrives there: --of out --grad-output dout" in done.err
    name = write(shaped.replace("x.T.dot(dz)", "2*x.T.dot(dz)") + GIVEN + STEPS, "net.py").name
    done = autodiff("check", name, "--of", "out", "--formula", "@", "--format", "verdict")
    assert [line.split("\t")[-1] for line in done.out.splitlines()] == ["right", "wrong"]


def test_the_gradient_that_is_drawn_is_not_taken_for_one_by_another_value(autodiff, write):
    """Both steps would be right if ``dout`` were that by ``x.dot(w)``."""
    script = FUNCTIONS.replace("dz = dout*(1 - h**2)", "dz = dout")
    script = script.replace("    return h,", "    return 2*h,")
    found, done = verdicts(autodiff, write, script + GIVEN + STEPS)
    assert found == [["dout/dx", "wrong"], ["dout/dw", "wrong"]]
    assert "compared" not in done.err


def test_a_typed_formula_is_about_the_jacobian_of_an_output_beside_its_given_gradient(autodiff, write):
    script = "import numpy as np\nx = np.array([1., 2.])\ndout = np.array([3., 4.])\nout = x**2\n"
    name = write(script + "dx = 2*x*dout\n", "net.py").name
    assert autodiff("check", name, "--of", "out", "--formula", "dout/dx == np.diag(2*x)").returncode == 0


def test_grad_output_names_a_variable_of_the_script(autodiff, write):
    name = write(FUNCTIONS + GIVEN + STEPS, "net.py").name
    of = ("--of", "out", "--grad-output", "dout")
    assert autodiff("check", name, *of, "--formula", "dout/dw == dw").returncode == 0
    assert autodiff("check", name, *of, "--formula", "dout/dw == 2*dw").returncode == 1
    done = autodiff("grad", name, "--of", "out", "--wrt", "w", "--grad-output", "dont")
    assert done.returncode == 2
    assert "--grad-output: `dont` has no value" in done.err


def test_a_step_by_the_name_of_a_parameter_hides_no_other(autodiff, write):
    script = FUNCTIONS.replace("x = np.random.randn(4, 3)", "data = np.random.randn(4, 3)")
    script = script.replace("= forward(x, w)", "= forward(data, w)")
    found, done = verdicts(autodiff, write, script + GIVEN + STEPS)
    assert found == [["dx", "cannot be read"], ["dout/dw", "right"]]
    assert "there is no variable `x` in the script" in done.err
    assert "help: did you mean `ddata`?" in done.err


@pytest.mark.parametrize("local", ["grad", "foo", "dw"])
def test_the_loss_is_found_whatever_the_function_calls_its_result(autodiff, write, local):
    script = f"""\
import numpy as np
def back(x, a):
    {local} = (1 - a**2)*x
    return {local}
w = np.array([0.3, -0.7])
x = np.array([1.0, 2.0])
a = np.tanh(w*x)
L = np.sum(a)
"""
    assert verdicts(autodiff, write, f"{script}dw = back(x, a)\n")[0] == [["dL/dw", "right"]]
    assert verdicts(autodiff, write, f"{script}dw = back(x, 2*a)\n")[0] == [["dL/dw", "wrong"]]
    assert verdicts(autodiff, write, f"{script}dw = np.zeros(7)\n")[0] == [["dL/dw", "wrong"]]


def test_what_the_script_ends_in_beside_its_steps_is_not_the_output(autodiff, write):
    script = """\
import numpy as np
def lossFun(w, h):
    h = np.tanh(w*h)
    loss = np.sum(h**2)
    dw = 2*h*(1 - h**2)*last
    return loss, dw, h
w, last = np.array([0.3, -0.7]), np.array([1.0, 2.0])
loss, dw, hprev = lossFun(w, last)
"""
    assert verdicts(autodiff, write, script)[0] == [["dloss/dw", "right"]]


LOOP = """\
import numpy as np
def forward(x, w):
    a = np.tanh(x*w)
    return a
def cost_of(a, y):
    return np.sum((a - y)**2)
def backward(x, y, a):
    da = 2*(a - y)
    dw = np.sum(da*(1 - a**2)*x)
    return dw
x = np.array([0.5, 1.0, -0.4])
y = np.array([1.0, 0.0, 0.5])
w = 0.3
for i in range(5):
    a = forward(x, w)
    cost = cost_of(a, y)
    dw = backward(x, y, a)
    w = w - 0.1*dw
"""


def test_the_loss_of_a_loop_that_calls_functions_is_found(autodiff, write):
    assert verdicts(autodiff, write, LOOP)[0] == [["dcost/da", "right"], ["dcost/dw", "right"]]
    wrong = LOOP.replace("(1 - a**2)", "(1 - a)")
    assert verdicts(autodiff, write, wrong)[0] == [["dcost/da", "right"], ["dcost/dw", "wrong"]]


def test_a_loop_without_a_loss_is_named_with_its_line(autodiff, write):
    found, done = verdicts(autodiff, write, LOOP.replace("np.sum((a - y)**2)", "(a - y)**2"))
    assert (found, done.returncode) == ([["", "unreadable"]], 2)
    assert "what runs before these steps computes no single number" in done.err
    assert "\n --> net.py:8:5\n" in done.err
    assert "or choose the output: --of NAME" in done.err


def test_what_is_not_in_the_language_is_told_as_when_the_script_is_run(autodiff, write):
    script = FUNCTIONS.replace("cache = forward", "cache = 1, {'x': x}; forward") + STEPS
    name = write(script, "net.py").name
    ran = autodiff("run", name)
    done = autodiff("check", name, "--formula", f"@{name}")
    assert "dictionaries are not in the language" in done.err
    assert (done.returncode, done.err) == (ran.returncode, ran.err)


def test_a_function_that_is_not_in_the_language_is_told_with_its_cause(autodiff, write):
    steps = write("def back(a):\n    g = {'dw': 2*a}\n    return g\ndL/da == 2*a\n", "steps.txt").name
    done = autodiff("check", "-e", "a = 2.; L = a**2", "--formula", f"@{steps}")
    assert done.returncode == 2
    assert "error[E0610]: steps.txt:2: dictionaries are not in the language\n --> steps.txt:2:9\n" in done.err
    assert "     4   dL/da          right\n" in done.out


NET = """\
import numpy as np
def sigmoid(z):
    return 1/(1 + np.exp(-z))
def forward(X, weights):
    W1, b1, W2 = weights
    A1 = np.tanh(X @ W1 + b1)
    A2 = sigmoid(A1 @ W2)
    return A2, (A1, A2)
def backward(X, Y, weights, cache):
    m = len(X)
    W1, b1, W2 = weights
    A1, A2 = cache
    dA1 = (A2 - Y) @ W2.T
    dW2 = A1.T @ (A2 - Y)/m
    db1 = np.sum(dA1*(1 - A1**2), axis=0)/m
    dW1 = X.T @ (dA1*(1 - A1**2))/m
    return dW1, db1, dW2
X = np.array([[1.0, 0.2], [-0.5, 1.5], [0.3, -1.0], [2.0, 0.4]])
Y = np.array([[1], [0], [0], [1]])
W1 = np.array([[0.4, -0.2, 0.1], [0.3, 0.5, -0.6]])
b1 = np.array([0.1, -0.3, 0.2])
W2 = np.array([[0.2], [-0.7], [0.9]])
A2, cache = forward(X, [W1, b1, W2])
loss = -np.mean(Y*np.log(A2) + (1 - Y)*np.log(1 - A2))
dW1, db1, dW2 = backward(X, Y, [W1, b1, W2], cache)
"""


@pytest.mark.parametrize(
    ("before", "after", "wrong", "says"),
    [
        ("dW1 = X.T @ (dA1*(1 - A1**2))", "dW1 = X.T @ (dA1*(1 - A1))", "16 dW1", "1 - A1 should be"),
        ("dW2 = A1.T @ (A2 - Y)/m", "dW2 = A1.T @ (A2 - Y)", "14 dW2", "4 times what it should be"),
        ("axis=0)/m", "axis=1)/m", "15 db1", "the formula has the shape (4,), the gradient (3,)"),
        ("(A2 - Y) @ W2.T", "(Y - A2) @ W2.T", "13 dA1", "the sign is wrong"),
    ],
)
def test_the_line_of_a_function_that_is_wrong_is_named(autodiff, write, before, after, wrong, says):
    assert before in NET
    name = write(NET.replace(before, after), "net.py").name
    done = autodiff("check", name, "--formula", f"@{name}", "--format", "verdict")
    lines = [line.split("\t") for line in done.out.splitlines()]
    within = [(int(line), step) for line, step, answer in lines if answer == "wrong" and int(line) < 25]
    number, step = wrong.split()
    assert within == [(int(number), f"dloss/{step}")]
    assert any(int(line) == 25 and answer == "wrong" for line, _, answer in lines)
    told = " ".join(autodiff("check", name, "--formula", f"@{name}").out.split())
    assert says in told


@pytest.mark.parametrize(
    ("changes", "follows"),
    [
        ({"(A2 - Y) @ W2.T": "(Y - A2) @ W2.T"}, {"dW1": "line 13", "db1": "line 13"}),
        ({"A1.T @ (A2 - Y)": "A1.T @ (Y - A2)"}, {"dW2": "line 14"}),
        (
            {"(A2 - Y) @ W2.T": "(Y - A2) @ W2.T", "X.T @ (dA1*(1 - A1**2))": "X.T @ (dA1*(1 - A1))"},
            {"dW1": "lines 13 and 16", "db1": "line 13"},
        ),
        ({"return dW1, db1, dW2": "return 2*dW1, db1, dW2"}, {}),
        (
            {"return dW1, db1, dW2": "return dW2, db1, dW1", "axis=0)/m": "axis=0)"},
            {"db1": "line 15"},
        ),
    ],
    ids=["earlier_step", "own_step", "two_steps", "behind_the_steps", "swapped_as_well"],
)
def test_a_wrong_result_of_a_call_names_the_lines_that_it_follows_from(autodiff, write, changes, follows):
    script = NET
    for before, after in changes.items():
        assert before in script
        script = script.replace(before, after)
    told = " ".join(autodiff("check", write(script, "net.py").name, "--formula", "@").out.split())
    found = re.findall(r"line 25, dloss/(\w+): it follows from (lines? \d+(?: and \d+)?)", told)
    assert dict(found) == follows


def test_lines_of_a_function_are_told_only_where_what_it_returns_is_wrong(autodiff, write):
    found, _ = verdicts(autodiff, write, NET)
    assert found == [["dloss/dW1", "right"], ["dloss/db1", "right"], ["dloss/dW2", "right"]]
    swapped = NET.replace("return dW1, db1, dW2", "return dW2, db1, dW1")
    found, _ = verdicts(autodiff, write, swapped)
    assert [answer for _, answer in found] == [*["right"] * 4, "wrong", "right", "wrong"]


def test_a_function_that_only_begins_a_sum_has_no_lines_to_tell(autodiff, write):
    script = "import numpy as np\ndef back(x):\n    dw = np.zeros(7)\n    return dw\n"
    script += "w = np.array([0.3, -0.7])\nL = np.sum(w**2)\ndw = back(w)\n"
    found, done = verdicts(autodiff, write, script)
    assert (found, done.returncode) == ([["dL/dw", "wrong"]], 1)


def test_lines_of_a_function_whose_names_are_those_of_other_values_are_not_told(autodiff, write):
    script = """\
import numpy as np
np.random.seed(1)
def affine_backward(dout, cache):
    x, w = cache
    dx = dout.dot(w.T)
    dw = 2*x.T.dot(dout)
    return dx, dw
x = np.random.randn(4, 3)
w = np.random.randn(3, 5)
W2 = np.random.randn(5, 2)
h = np.tanh(x.dot(w))
loss = np.sum(h.dot(W2)**2)
dh, dW2 = affine_backward(2*h.dot(W2), (h, W2))
"""
    assert verdicts(autodiff, write, script)[0] == [["dloss/dh", "right"], ["dloss/dW2", "wrong"]]
    other = script.replace("(h, W2))", "(h, W2))\ndef back(h, x):\n    dw = x.T.dot(h)\n    return dw\n")
    found = verdicts(autodiff, write, f"{other}dw = back(2*h, x)\n")[0]
    assert [one for one in found if one[0] == "dloss/dw"] == [["dloss/dw", "wrong"]]


STAGED = """\
import math
x = 3
y = -4
sigy = 1.0 / (1 + math.exp(-y))
num = x + sigy
sigx = 1.0 / (1 + math.exp(-x))
xpy = x + y
xpysqr = xpy**2
den = sigx + xpysqr
invden = 1.0 / den
f = num * invden
dnum = invden
dinvden = num
dden = (-1.0 / (den**2)) * dinvden
dsigx = (1) * dden
dxpysqr = (1) * dden
dxpy = (2 * xpy) * dxpysqr
dx = (1) * dxpy
dy = (1) * dxpy
dx += ((1 - sigx) * sigx) * dsigx
dx += (1) * dnum
dsigy = (1) * dnum
dy += ((1 - sigy) * sigy) * dsigy
"""
PRODUCT = "a = 2.\nu = a*3\nv = 1/u\nw = a**2\nf = w*v\ndw = v\ndv = w\ndu = -1/u**2*dv\nda = 3*du + 2*a*dw\n"
SHORT = "a = 2.\nu = a*3\nv = a**2\nf = u*v\ndu = v\ndv = u\nda = 3*du + 2*a*dv\n"
NEURON = """\
import math
w = [2,-3,-3]
x = [-1, -2]
dot = w[0]*x[0] + w[1]*x[1] + w[2]
f = 1.0 / (1 + math.exp(-dot))
ddot = (1 - f) * f
dx = [w[0] * ddot, w[1] * ddot]
dw = [x[0] * ddot, x[1] * ddot, 1.0 * ddot]
"""
ARRAYS = """\
import numpy as np
x = np.array([1., 2.])
u = 3*x
v = x**2
p = u*v
f = np.sum(p)
du = v
dv = u
dx = 3*du + 2*x*dv
"""
#: Scripts whose last value is f, each with a right step and a wrong one, and its name.
COPIES = [
    (STAGED, "dxpy = (2 * xpy)", "dxpy = (3 * xpy)", "xpy"),
    (PRODUCT, "du = -1/u**2", "du = 1/u**2", "u"),
    (PRODUCT, "dw = v", "dw = w", "w"),
    (SHORT, "da = 3*du", "da = 2*du", "a"),
    (SHORT, "dv = u", "dv = v", "v"),
    (NEURON, "ddot = (1 - f) * f", "ddot = (1 - f)", "dot"),
    (ARRAYS, "dx = 3*du", "dx = 2*du", "x"),
]


@pytest.mark.parametrize(("script", "before", "after", "wrong"), COPIES)
def test_a_gradient_that_is_another_value_leaves_the_output_the_last_value(
    autodiff, write, script, before, after, wrong
):
    found, done = verdicts(autodiff, write, script)
    assert found
    assert all(step.startswith("df/") and answer == "right" for step, answer in found), found
    assert (done.returncode, done.err) == (0, "note: the steps are about f, which is computed before them\n")
    assert before in script
    found, _ = verdicts(autodiff, write, script.replace(before, after))
    assert [step for step, answer in found if answer == "wrong"] == [f"df/d{wrong}"]


@pytest.mark.parametrize("number", ["delta", "g"])
def test_of_several_last_values_the_output_is_the_one_with_these_gradients(autodiff, write, number):
    script = f"x = 3.\nw = 2.\na = w*x\nf = (a - 1)**2\n{number} = 2*(a - 1)\nda = {number}\n"
    found, _ = verdicts(autodiff, write, f"{script}dw = x*{number}\n")
    assert found[-2:] == [["df/da", "right"], ["df/dw", "right"]]
    found, _ = verdicts(autodiff, write, f"{script}dw = 2*x*{number}\n")
    assert found[-2:] == [["df/da", "right"], ["df/dw", "wrong"]]


@pytest.mark.parametrize(
    "script",
    [
        "x = 3.\nw = 2.\nf = (w*x)**2\ng = 7*w*x\ndw = g\n",  # of neither
        "x = 3.\nw = 2.\nf = (w*x)**2\nshown = 10*f\ndw = 2*w*x**2\n",  # f is no last value
    ],
)
def test_where_it_is_not_certain_what_the_steps_are_about_that_is_asked(autodiff, write, script):
    found, done = verdicts(autodiff, write, script)
    assert (found, done.returncode) == ([["", "unreadable"]], 2)
    assert "which output are these steps about?" in done.err
    assert "choose it: --of f" in done.err


def test_a_gradient_is_never_what_the_steps_are_about(autodiff, write):
    script = "import numpy as np\nx = np.array([1., 2.])\ny = x**2\ndy = 1 + 0*x\ndx = 2*x*dy\n"
    found, done = verdicts(autodiff, write, script)
    assert (found, done.returncode) == ([["", "unreadable"]], 2)
    assert "which output are these steps about?" in done.err
    assert "choose it: --of y" in done.err
    found, _ = verdicts(autodiff, write, script.replace("y = x**2", "s = np.sum(x)\ny = x/s"))
    assert found == [["", "unreadable"]]


def test_numbers_before_an_output_at_which_the_gradient_is_given_are_not_it(autodiff, write):
    script = """\
import numpy as np
x = np.array([1., 2., 4.])
mean = np.mean(x)
var = np.mean((x - mean)**2)
out = (x - mean)/np.sqrt(var)
dout = np.array([0.3, -1., 2.])
dvar = np.sum(dout*(x - mean))*-0.5*var**-1.5
dmean = -np.sum(dout)/np.sqrt(var)
dx = dout/np.sqrt(var) + dvar*2*(x - mean)/3 + dmean/3
"""
    found, _ = verdicts(autodiff, write, script)
    assert found == [["dout/dvar", "right"], ["dout/dmean", "right"], ["dout/dx", "right"]]


def test_the_output_may_have_a_second_name(autodiff, write):
    found, _ = verdicts(autodiff, write, SHORT.replace("du = v", "result = f\ndu = v"))
    assert found == [["df/du", "right"], ["df/dv", "right"], ["df/da", "right"]]


def test_the_note_on_a_gradient_names_the_loss_and_no_delta_behind_it(autodiff):
    script = "import numpy as np\nx = np.array([[0.5]])\nw = np.array([[0.8]])\na = np.tanh(x.dot(w))\n"
    script += "loss = 0.5*np.sum((a - 1)**2)\ndelta = (a - 1)*(1 - a**2)\ndw = x.T.dot(delta)\n"
    note = "note: `dw` looks like dloss/dw: differentiate loss with --of loss\n"
    assert note in autodiff("grad", "-e", script).err


CIRCUIT = """\
x = -2; y = 5; z = -4
q = x + y
f = q * z
dfdz = q
dfdq = z
dqdx = 1.0
dqdy = 1.0
dfdx = dfdq * dqdx
dfdy = dfdq * dqdy
"""


def test_gradients_that_name_their_output_are_steps(autodiff, write):
    found, _ = verdicts(autodiff, write, CIRCUIT)
    assert [step for step, _ in found] == ["df/dz", "df/dq", "dq/dx", "dq/dy", "df/dx", "df/dy"]
    assert {answer for _, answer in found} <= {"right", "right here"}
    found, _ = verdicts(autodiff, write, CIRCUIT.replace("dfdz = q", "dfdz = x"))
    assert [step for step, answer in found if answer == "wrong"] == ["df/dz"]
    note = "note: `dfdy` looks like df/dy: differentiate f with --of f\n"
    assert note in autodiff("grad", write(CIRCUIT, "circuit.py").name).err


BEHIND = [
    "xnew = x - 0.1*dx",
    "deviation = abs(dx)*0.1",
    "H = hess(x)",
    "p = x - 0.1*dx\nq = p**2",
]


@pytest.mark.parametrize("end", BEHIND)
@pytest.mark.parametrize("name", ["y", "fx", "area"])
def test_values_behind_the_steps_are_not_what_these_are_gradients_of(autodiff, write, name, end):
    script = (
        "import numpy as np\ndef hess(x): return np.array([[x, x**2], [x**3, x]])\n"
        f"x = 2.0\n{name} = x**3\ndx = 3*x**2\n{end}\n"
    )
    assert verdicts(autodiff, write, script)[0] == [[f"d{name}/dx", "right"]]
    assert verdicts(autodiff, write, script.replace("3*x**2", "2*x**2"))[0] == [[f"d{name}/dx", "wrong"]]


def test_a_number_behind_the_steps_is_the_output_if_these_fit_it_better(autodiff, write):
    script = "x = 2.0\nf = x**3\ndx = 3*x**2\nh = 6*x\n"
    assert verdicts(autodiff, write, script)[0] == [["df/dx", "right"]]
    assert verdicts(autodiff, write, script.replace("3*x**2", "6"))[0] == [["dh/dx", "right"]]
    done = verdicts(autodiff, write, script.replace("3*x**2", "2*x**2"))[1]
    assert "which output are these steps about?" in done.err


def test_values_of_arrays_that_are_made_of_the_steps_are_asked_about(autodiff, write):
    path = write("import numpy as np\nx = np.array([2.0, 3.0])\ny = x**3\ndx = 3*x**2\nz = x - dx\n", "a.py")
    done = autodiff("check", path, "--formula", "@")
    assert done.returncode == 2
    assert "which output are these steps about?" in done.err
    assert "--of y" in done.err


COURSE = """\
import numpy as np
X = np.array([[0.5, 1.5], [1.0, 1.0], [3.0, 0.5]])
y = np.array([0, 1, 1])
w = np.array([0.2, 0.3])

def compute_cost(X, y, w):
    return np.sum((X @ w - y)**2)/6

def compute_gradient(X, y, w):
    dj_dw = np.zeros(2)
    for i in range(3):
        for j in range(2):
            dj_dw[j] += (X[i] @ w - y[i])*X[i, j]
    return dj_dw/3

cost = compute_cost(X, y, w)
dj_dw = compute_gradient(X, y, w)
"""


def test_a_small_j_stands_for_the_loss_although_a_loop_counts_with_it(autodiff, write):
    assert verdicts(autodiff, write, COURSE)[0] == [["dcost/dw", "right"]]
    wrong = COURSE.replace("- y[i])*", "+ y[i])*")  # the line of the function, and the call
    assert verdicts(autodiff, write, wrong)[0] == [["dcost/dw", "wrong"], ["dcost/dw", "wrong"]]


@pytest.mark.parametrize("left", ["dj/dw", "dJ/dw", "dcost/dw", "dw"])
def test_a_formula_beside_gradients_by_hand_is_about_the_loss_before_them(autodiff, write, left):
    path = write(COURSE, "course.py")
    done = autodiff("check", path, "--formula", f"{left} == dj_dw")
    assert (done.returncode, done.out.splitlines()[0]) == (0, "right: dcost/dw == dj_dw")
    done = autodiff("check", path, "--formula", f"{left} == 2*dj_dw")
    assert (done.returncode, done.out.splitlines()[0]) == (1, "wrong: dcost/dw == 2*dj_dw")


def test_a_call_beside_its_wrong_line_names_that_and_no_path(autodiff, write):
    """Each of the two paths is there: none of them explains what the wrong sign in the function gives."""
    script = """\
import numpy as np
def back(A, Y, m):
    db = 1 / m * np.sum(A + Y)
    return db
b = 1.5
X = np.array([1.5, -2.0, 3.0])
Y = np.array([1.0, 1.0, 0.0])
m = 3
A = 1 / (1 + np.exp(-(X + b)))
cost = -1 / m * np.sum(Y * np.log(A) + (1 - Y) * np.log(1 - A))
db = back(A, Y, m)
"""
    out = autodiff("check", write(script, "m.py").name, "--formula", "@").out
    assert "the sign of the term Y is wrong" in out
    assert "line 11, dcost/db: it follows from line 3\n" in out
    assert "missing" not in out


@pytest.mark.parametrize(("grad", "answer"), [("2*b*x", "right"), ("7*x", "wrong")])
def test_a_gradient_without_a_name_is_judged_beside_others(autodiff, write, grad, answer):
    script = "import numpy as np\nx = np.array([1., 2.])\nb = 3.\nloss = np.sum(x**2)*b\n"
    script += f"db = np.sum(x**2)\ngrad = {grad}\n"
    assert verdicts(autodiff, write, script)[0] == [["dloss/db", "right"], ["dloss/dx", answer]]


def test_a_gradient_that_may_be_by_several_values_is_warned_of_beside_others(autodiff, write):
    script = "import numpy as np\nx = np.array([1., 2.])\nb = 3.\nloss = np.sum(x**2)*b\n"
    script += "db = np.sum(x**2)\ngrad = 7*x\nx = x - 0.1*grad\n"
    path = write(script, "a.py").name
    done = autodiff("check", path, "--formula", "@", "--fail-on", "warning")
    assert done.returncode == 1
    assert "warning[W0100]: a.py: `grad` is not judged" in done.err
    assert " --> a.py:6:1" in done.err
    assert "--formula 'dL/dw == grad'" in done.err


def test_a_gradient_of_which_others_are_made_is_none_of_an_input(autodiff, write):
    script = "import numpy as np\nx = np.array([1., 2.])\nw = np.array([0.5, 3.])\nout = x*w\n"
    script += "loss = np.sum(out**2)\ngrad = 2*out\ndw = grad*x\n"
    found, done = verdicts(autodiff, write, script)
    assert ["dloss/dw", "right"] in found
    assert done.returncode == 0
