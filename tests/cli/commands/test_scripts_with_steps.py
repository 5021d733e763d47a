"""``check script --formula @script`` for a script with a backward pass by hand: what its steps are about."""

from __future__ import annotations

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
    assert "\n --> net.py:8:1\n" in done.err
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
    assert "error[E0610]: steps.txt:1: dictionaries are not in the language\n --> steps.txt:2:9\n" in done.err
    assert "     4   dL/da          right\n" in done.out
