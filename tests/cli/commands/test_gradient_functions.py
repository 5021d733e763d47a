"""``check --formula @``: gradients that a function gives, whose names do not say by what they are."""

from __future__ import annotations

import pytest

F = """\
import numpy as np
def f(x):
    return np.sum(x**3) - 2*np.sum(x)
def {}(x):
    return 3*x**2 - 2
"""
FORMS = ["{}(x0)", "print(f(x0), {}(x0))", "a = {}(x0)", "y = f(x0)\na = {}(x0)", "x1 = x0 - 0.1*{}(x0)"]
NAMES = [
    "grad_f",
    "f_grad",
    "df",
    "fprime",
    "f_der",
    "dfdx",
    "jac",
    "gradient",
    "compute_gradient",
    "nabla_f",
]
DATA = "X = np.random.randn(6, 3)\ny = np.random.randn(6)\n"
#: The two functions of a course, and what is called beside them.
COURSE = """\
import numpy as np
def cost(theta, X, y):
    return np.sum((X @ theta - y)**2)/(2*len(y))
def gradient(theta, X, y):
    error = X @ theta - y
    return X.T @ error/len(y)
"""
BOTH = """\
import numpy as np
def costFunction(theta, X, y, lam):
    m = len(y)
    error = X @ theta - y
    J = np.sum(error**2)/(2*m) + lam/(2*m)*np.sum(theta[1:]**2)
    grad = X.T @ error/m
    grad[1:] = grad[1:] + lam/m*theta[1:]
    return J, grad
"""
CALLS = {
    "values": f"{DATA}theta = np.zeros(3)\nJ = cost(theta, X, y)\ngrad = gradient(theta, X, y)\n",
    "loop": DATA
    + "w = np.zeros(3)\nfor i in range(9):\n    w = w - 0.1*gradient(w, X, y)\nprint(cost(w, X, y))\n",
    "main": (
        "def main():\n    X = np.random.randn(6, 3)\n    y = np.random.randn(6)\n    w = np.ones(3)\n"
        "    for i in range(9):\n        g = gradient(w, X, y)\n        w = w - 0.1*g\n"
        "    print(cost(w, X, y))\nif __name__ == '__main__':\n    main()\n"
    ),
    "guard": (
        f"if __name__ == '__main__':\n    {DATA.replace(chr(10), chr(10) + '    ', 1)}    t = np.ones(3)\n"
        "    print(cost(t, X, y), gradient(t, X, y))\n"
    ),
    "minimize": (
        f"from scipy.optimize import minimize\n{DATA}t = np.zeros(3)\n"
        "res = minimize(cost, t, args=(X, y), jac=gradient)\nprint(res.x)\n"
    ),
    "fmin_bfgs": (
        f"import scipy.optimize as opt\n{DATA}best = opt.fmin_bfgs(cost, np.ones(3), gradient, args=(X, y))\n"
    ),
    "fmin_tnc": (
        f"from scipy import optimize\n{DATA}t = np.ones(3)\n"
        "best = optimize.fmin_tnc(func=cost, x0=t, fprime=gradient, args=(X, y))\n"
    ),
    "check_grad": (
        f"from scipy.optimize import check_grad\n{DATA}print(check_grad(cost, gradient, np.ones(3), X, y))\n"
    ),
    "defined": f"{DATA}initial_theta = np.ones(3)\n",
}


def judged(autodiff, tmp_path, script: str, *more: str) -> list[str]:
    """The lines of verdicts: the line, the derivative and the word."""
    (tmp_path / "s.py").write_text(script)
    done = autodiff("check", "s.py", "--formula", "@", "--format", "verdict", *more, cwd=tmp_path)
    return [" ".join(line.split("\t")) for line in done.out.splitlines()]


def words(lines: list[str]) -> set[str]:
    return {line.split()[-1] for line in lines}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", NAMES)
def test_a_function_beside_the_one_that_it_is_the_gradient_of(
    autodiff, tmp_path, name: str, form: str
) -> None:
    script = f"{F.format(name)}x0 = np.array([1., -2., 0.5])\n{form.format(name)}\n"
    assert words(judged(autodiff, tmp_path, script)) == {"right"}
    assert words(judged(autodiff, tmp_path, script.replace("x**2 - 2", "x**2 + 2"))) == {"wrong"}


@pytest.mark.parametrize("calls", CALLS)
def test_the_line_of_the_function_is_named(autodiff, tmp_path, calls: str) -> None:
    script = COURSE + CALLS[calls]
    assert words(judged(autodiff, tmp_path, script)) == {"right"}
    wrong = judged(autodiff, tmp_path, script.replace("return X.T @ error/len(y)", "return X.T @ error"))
    assert (wrong[0][:3], words(wrong)) == ("6 d", {"wrong"})


@pytest.mark.parametrize(
    "calls",
    [
        f"{DATA}theta = np.ones(3)\nJ, grad = costFunction(theta, X, y, 1.0)\n",
        DATA
        + "t = np.ones(3)\nfor i in range(9):\n    J, grad = costFunction(t, X, y, 1.0)\n    t -= 0.1*grad\n",
        f"from scipy.optimize import minimize\n{DATA}"
        "res = minimize(costFunction, np.ones(3), args=(X, y, 1.0), jac=True, method='TNC')\n",
    ],
    ids=["values", "loop", "minimize"],
)
def test_a_function_of_both(autodiff, tmp_path, calls: str) -> None:
    script = BOTH + calls
    assert words(judged(autodiff, tmp_path, script)) == {"right"}
    wrong = judged(autodiff, tmp_path, script.replace("lam/m*theta[1:]", "lam*theta[1:]"))
    assert (wrong[0][:3], words(wrong)) == ("7 d", {"wrong"})


def test_the_argument_is_the_one_of_its_shape(autodiff, tmp_path) -> None:
    script = COURSE.replace("(theta, X, y)", "(X, y, theta)") + CALLS["values"].replace(
        "(theta, X, y)", "(X, y, theta)"
    )
    assert judged(autodiff, tmp_path, script) == ["11 dJ/dtheta right"]
    square = script.replace("randn(6, 3)", "randn(6, 6)").replace("zeros(3)", "zeros(6)")
    assert judged(autodiff, tmp_path, square) == ["11 dJ/dtheta right"]
    wrong = square.replace("X.T @ error/", "X.T @ error*")
    (tmp_path / "s.py").write_text(wrong)
    done = autodiff("check", "s.py", "--formula", "@", cwd=tmp_path)
    assert done.returncode == 1
    assert "by `theta` it is wrong, too" in " ".join(done.err.split())


def test_the_note_says_what_was_compared(autodiff, tmp_path) -> None:
    (tmp_path / "s.py").write_text(COURSE + CALLS["minimize"].replace("jac=", "method='BFGS', jac="))
    done = autodiff("check", "s.py", "--formula", "@", cwd=tmp_path)
    assert (done.returncode, "dL/dt" in done.out) == (0, True)
    note = "`gradient(t, X, y)` is compared with the gradient of `L` by `t`, where `L` is `cost(t, X, y)`"
    assert note in " ".join(done.err.split())


def test_each_of_several_functions_has_its_own(autodiff, tmp_path) -> None:
    script = (
        "def f(x):\n    return x**2\ndef df(x):\n    return 2*x\ndef h(x):\n    return x**4\n"
        "def dh(x):\n    return 3*x**3\nx0 = 1.5\nprint(f(x0), df(x0), h(x0), dh(x0))\n"
    )
    assert [line.split()[-1] for line in judged(autodiff, tmp_path, script)] == ["right", "wrong"]


@pytest.mark.parametrize(
    ("lines", "word"),
    [
        ("x = 2.0\nL = (x - 3)**2\ngrad = 2*(x - 3)\n", "right"),
        ("x = 2.0\nL = (x - 3)**2\ngrad = 3*(x - 3)\n", "wrong"),
        ("a, b, c = 2., 3., 1.5\nz = a*b\nL = (z - c)**2\ngrad = 2*(z - c)*b\n", "right"),
        (
            f"import numpy as np\n{DATA}t = np.zeros(3)\n"
            "for i in range(9):\n    e = X @ t - y\n    J = e @ e\n    grad = X.T @ e\n    t -= 0.01*grad\n",
            "wrong",
        ),
    ],
)
def test_a_formula_called_grad(autodiff, tmp_path, lines: str, word: str) -> None:
    assert words(judged(autodiff, tmp_path, lines)) == {word}


SIGMOIDS = """\
import numpy as np
def sigmoid(x):
    return 1/(1 + np.exp(-x))
def sigmoid_derivative(x):
    return x*(1 - x)
x, w = 2.0, 0.3
a = sigmoid(w*x)
"""


@pytest.mark.parametrize(
    "script",
    [
        F.format("grad_f"),  # no values
        SIGMOIDS + "L = (a - 1)**2\nerror = 2*(a - 1)*sigmoid_derivative(a)*x\n",  # by its own value
        SIGMOIDS + "def back(a):\n    return sigmoid_derivative(a)\nerror = back(a)\n",
        COURSE.replace("gradient", "numerical_gradient")
        + CALLS["values"].replace("gradient", "numerical_gradient"),
        COURSE.replace("gradient", "gradient_step")
        + CALLS["values"].replace("= gradient", "= gradient_step"),
        "a, b, c = 2., 3., 1.5\nz = a*b\nL = (z - c)**2\ngrad = 7*z\n",
        "def f(x):\n    return x**2\ndef df(x):\n    return 3*x\nx0 = ones(3)\na = df(x0)\n",
        "def f(x):\n    return x**3\nx = 2.\nL = f(x)\ngrad = (f(x + 0.1) - f(x))/0.1\n",
        "def f(x):\n    return x**3\ndef df(x):\n    return (f(x + 0.1) - f(x))/0.1\nx = 2.\na = df(x)\n",
    ],
)
def test_what_is_not_certain_is_not_judged(autodiff, tmp_path, script: str) -> None:
    (tmp_path / "s.py").write_text(script)
    done = autodiff("check", "s.py", "--formula", "@", cwd=tmp_path)
    assert (done.returncode, "s.py has no steps" in done.err) == (2, True)


def test_a_layer_beside_its_own_steps_stays_one(autodiff, tmp_path) -> None:
    lines = "L = (a - 1)**2\ndw = 2*(a - 1)*sigmoid_derivative(a)*x\n"
    assert judged(autodiff, tmp_path, SIGMOIDS + lines) == ["9 dL/dw right"]


def test_a_name_that_says_it_is_judged_once(autodiff, tmp_path) -> None:
    lines = "x = np.array([1., 3.])\nL = f(x)\ndx = grad_f(x)\nx = x - 0.1*dx\n"
    assert judged(autodiff, tmp_path, F.format("grad_f") + lines) == ["8 dL/dx right"]


def test_another_output_is_asked_for(autodiff, tmp_path) -> None:
    script = COURSE + CALLS["values"] + "L = np.sum(theta**2)\ndtheta = 2*theta\n"
    assert judged(autodiff, tmp_path, script, "--of", "L") == ["13 dL/dtheta right"]


def test_scripts_of_a_folder_may_give_their_gradient_to_scipy(autodiff, tmp_path) -> None:
    (tmp_path / "a.py").write_text(COURSE + CALLS["minimize"])
    (tmp_path / "b.py").write_text("import numpy as np\nfrom scipy.optimize import root\nw = 2.0\n")
    done = autodiff("check", ".", "--formula", "@", cwd=tmp_path)
    assert (done.returncode, "b.py" in done.out) == (0, False)
    assert done.out == "a.py: 1 formula right\n1 script: 1 ok\n"


def test_a_loop_back_in_time_in_a_function_names_its_line(autodiff, tmp_path) -> None:
    script = """\
import numpy as np
np.random.seed(0)
Wxh, Whh, Why = np.random.randn(3, 2), np.random.randn(3, 3), np.random.randn(2, 3)
def lossFun(xs, targets, hprev):
    hs, ps, loss = [hprev], [], 0
    for t in range(len(xs)):
        hs.append(np.tanh(Wxh @ xs[t] + Whh @ hs[t]))
        y = Why @ hs[t + 1]
        ps.append(np.exp(y)/np.sum(np.exp(y)))
        loss += -np.log(ps[t][targets[t]])
    dWxh, dWhh, dWhy = np.zeros_like(Wxh), np.zeros_like(Whh), np.zeros_like(Why)
    dhnext = np.zeros_like(hs[0])
    for t in reversed(range(len(xs))):
        dy = np.copy(ps[t])
        dy[targets[t]] -= 1
        dWhy += np.outer(dy, hs[t + 1])
        dh = Why.T @ dy + dhnext
        draw = (1 - hs[t + 1]*hs[t + 1])*dh
        dWxh += np.outer(draw, xs[t])
        dWhh += np.outer(draw, hs[t])
        dhnext = Whh.T @ draw
    return loss, dWxh, dWhh, dWhy
xs = [np.array([1., 0.]), np.array([0., 1.]), np.array([0., 1.])]
loss, dWxh, dWhh, dWhy = lossFun(xs, [1, 1, 0], np.zeros(3))
"""
    assert words(judged(autodiff, tmp_path, script)) == {"right"}
    for right, wrong, line in (
        ("hs[t + 1]*hs[t + 1])*dh", "hs[t + 1])*dh", 18),
        ("Why.T @ dy + dhnext", "Why.T @ dy", 17),
        ("np.outer(draw, hs[t])", "np.outer(draw, hs[t + 1])", 20),
    ):
        (tmp_path / "s.py").write_text(script.replace(right, wrong))
        done = autodiff("check", "s.py", "--formula", "@", cwd=tmp_path)
        wrong_lines = [text.split()[0] for text in done.out.splitlines() if text.endswith("wrong")]
        assert (done.returncode, wrong_lines[0]) == (1, str(line))


def test_results_with_names_of_inputs_are_judged_inside_too(autodiff, tmp_path) -> None:
    script = """\
import numpy as np
def costFunction(Theta1, Theta2, X, y):
    A = np.tanh(X @ Theta1)
    h = A @ Theta2
    J = np.sum((h - y)**2) + np.sum(Theta1[1:]**2)
    Theta2_grad = 2*A.T @ (h - y)
    Theta1_grad = X.T @ (2*(h - y) @ Theta2.T*(1 - A**2))
    Theta1_grad[1:] += 2*Theta1[1:]
    return J, Theta1_grad, Theta2_grad
X = np.random.randn(5, 3)
y = np.random.randn(5, 2)
Theta1, Theta2 = np.random.randn(3, 4), np.random.randn(4, 2)
J, Theta1_grad, Theta2_grad = costFunction(Theta1, Theta2, X, y)
"""
    assert judged(autodiff, tmp_path, script) == ["13 dJ/dTheta1 right", "13 dJ/dTheta2 right"]
    wrong = judged(autodiff, tmp_path, script.replace("+= 2*Theta1", "+= Theta1"))
    assert [line for line in wrong if line.endswith("wrong")] == ["8 dJ/dTheta1 wrong", "13 dJ/dTheta1 wrong"]
