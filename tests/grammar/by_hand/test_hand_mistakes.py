"""Homework: mistakes of students, each of which ``check --formula`` is to name."""

from __future__ import annotations

import pytest
from autodiff.core.base.errors import UsageError
from conftest import TESTS
from hand_checks import SEED, check

X, MATRIX = (
    "X = tensor([[1., 2.], [3., 4.]])\n",
    "W = tensor([[0.5, -0.2], [0.3, 0.8]], requires_grad=True)\n",
)
SQUARES = X + MATRIX + "T = tensor([[1., 0.], [0., 1.]])\nE = X @ W - T\nL = (E**2).sum()"
FIT = (
    "X = tensor([[1., 2.], [3., -1.], [0.5, 4.]])\ny = tensor([1., 2., -1.])\n"
    "w = tensor([0.5, -0.3], requires_grad=True)\nb = tensor(0.2, requires_grad=True)\nlam = 0.1\n"
    "r = X @ w + b - y\nL = (r**2).mean() + lam*(w**2).sum()"
)
CLASSES = (
    "z = tensor([[1., 2., 0.5], [0.1, 0.2, 0.3]], requires_grad=True)\nt = tensor([0, 2])\n"
    "p = softmax(z, 1)\nhot = F.one_hot(t, 3).double()\nL = F.cross_entropy(z, t)"
)
WEIGHTED = (
    "import numpy as np\nz = np.array([[1., 2., 0.5], [0.1, -0.2, 0.3]])\n"
    "g = np.array([[0.2, 1., -0.7], [0.4, 0.9, 2.]])\n"
    "e = np.exp(z)\np = e/np.sum(e, axis=1, keepdims=True)\nL = np.sum(p*g)"
)
TWO_SUMS = (
    "x = tensor([1., -2., 0.7], requires_grad=True)\nb = tensor([0.3, 0.4, -1.1])\n"
    "L = (((x + b)*(2*x - b))**2).sum()/2"
)
SLOPES = (
    "x = tensor([1., -2., 0.7], requires_grad=True)\nc = tensor([0.3, 0.4, -1.1])\nL = (sin(x)*c + x*c).sum()"
)
NORMAL = (
    "x = tensor([1.2, 0.7, 2.1, 1.6])\nmu = tensor(1.1, requires_grad=True)\n"
    "s = tensor(0.8, requires_grad=True)\nL = (0.5*((x - mu)/s)**2 + log(s)).sum()"
)
LAYERS = (
    "x = tensor([1., -0.5])\nW = tensor([[0.3, -0.8], [0.6, 0.1], [0.9, -0.4]], requires_grad=True)\n"
    "v = tensor([0.7, -1.1, 0.4], requires_grad=True)\nh = tanh(W @ x)\no = v @ h\nL = 0.5*(o - 1)**2"
)
LOGISTIC = "w = 0.7\nx = 1.3\ny = 1.\nz = w*x - 0.4\na = sigmoid(z)\nL = -(y*log(a) + (1 - y)*log(1 - a))"
NORM = "x = tensor([3., -4., 1.], requires_grad=True)\nL = sqrt((x**2).sum())"
FORM = "A = tensor([[1., 2.], [3., 4.]])\nx = tensor([1., -2.], requires_grad=True)\nq = x @ (A @ x)"
MEAN = "the 1/3 of the mean over 3 entries (line 7)"
HALF = "it is half of what it should be: a factor 2 is missing, as if the 2 of "


@pytest.mark.parametrize(
    ("script", "formula", "remark"),
    [
        (
            WEIGHTED,
            "dL/dz == p*(g - np.sum(g, axis=1, keepdims=True))",
            "the factor p is missing beside g (the 2nd of 2)",
        ),
        (
            WEIGHTED,
            "dL/dz == p*(g - np.sum(p*p*g, axis=1, keepdims=True))",
            "the factor p (the 3rd of 3) is superfluous",
        ),
        (
            WEIGHTED,
            "dL/dz == p*(g - np.sum(p*g/p, axis=1, keepdims=True))",
            "the divisor p (the 3rd of 3) is superfluous",
        ),
        (
            TWO_SUMS,
            "dL/dx == (x + b)*(2*x - b)*((2*x - b) + 2*(x - b))",
            "the sign of the term b (the 4th of 4) is wrong",
        ),
        (
            TWO_SUMS,
            "dL/dx == (x + b)*(2*x - b)*((2*x - b) + 2*(x + 2*b))",
            "the term b (the 3rd of 4) is a third of what it should be: a factor 3 is missing",
        ),
        (
            TWO_SUMS,
            "dL/dx == (x + b)*(2*x - b)*((2*x - b) + (x + b))",
            "the term x + b (the 2nd of 2) is half of what it should be: a factor 2 is missing",
        ),
        (
            TWO_SUMS,
            "dL/dx == (x + b)*(2*x - b)*((2*x - b - b) + 2*(x + b))",
            "the term b (the 4th of 5) is superfluous",
        ),
        (SLOPES, "dL/dx == c + c", "the factor d(sin(x))/dx = cos(x) is missing beside c (the 1st of 2)"),
        (SLOPES, "dL/dx == c*c + c", "the factor c (the 1st of 3) should be d(sin(x))/dx = cos(x)"),
        (SQUARES, "dL/dW == 2*X @ E", "X must be transposed: X.T"),
        (SQUARES, "dL/dW == 2*E @ X.T", "2*E and X.T stand in the wrong order"),
        (SQUARES, "dL/dW == 2*E.T @ X", "2*E.T @ X must be transposed"),
        (SQUARES, "dL/dW == X.T @ E", HALF + "E**2 (line 5) had been left out"),
        (
            FIT,
            "dL/dw == 2/3*X.T @ r",
            "the path L <- lam*(w**2).sum() <- (w**2).sum() <- w**2 <- w is missing: it",
        ),
        (FIT, "dL/dw == 2/3*X.T @ r + lam*w", HALF + "w**2 (line 7) had been left out"),
        (FIT, "dL/dw == 2*X.T @ r + 2*lam*w", f"a factor 3 is superfluous, as if {MEAN} had been left out"),
        (
            FIT,
            "dL/dw == 2/3*X.T @ r + 2*lam*r[0]*w",
            "the factor r[0] is superfluous",
        ),
        (FIT, "dL/db == 2*r.sum()", f"a factor 3 is superfluous, as if {MEAN} had been left out"),
        (
            FIT,
            "dL/db == r.sum()",
            f"1.5 times what it should be, as if {MEAN} and the 2 of r**2 (line 7) had been",
        ),
        (FIT, "dL/db == 2*r/3", "the sum over 3 entries is missing"),
        (FIT, "dL/dw == (2/3*X.T @ r + 2*lam*w)[None]", "its values are right: dimension 0"),
        (FIT, "dL/dw == 2/3*X @ r + 2*lam*w", "X must be transposed: X.T"),
        (
            CLASSES,
            "dL/dz == p - hot",
            "as if the 1/2 of the mean over 2 in F.cross_entropy(z, t) (line 5) had been",
        ),
        (CLASSES, "dL/dz == p/2", "it is off by the same at every point: [-0.5 0 0; 0 0 -0.5] must be added"),
        (NORMAL, "dL/dmu == -((x - mu)/s).sum()", "with s**2 in place of s it is right"),
        (NORMAL, "dL/ds == -((x - mu)**2).sum()/s**3", "<- log(s) <- s is missing: it gives 5"),
        (
            NORMAL,
            "dL/ds == 1/s - ((x - mu)**2).sum()/s**3",
            "which gives 5: it is a quarter of what it should be",
        ),
        (
            LAYERS,
            "dL/dW == torch.outer((o - 1)*v, x)",
            "the factor dh/d(W @ x) = 1 - h**2 is missing beside o - 1",
        ),
        (LAYERS, "dL/dW == torch.outer((o - 1)*v*(1 - h), x)", "1 - h should be dh/d(W @ x) = 1 - h**2"),
        (LAYERS, "dL/dW == torch.outer(x, (o - 1)*v*(1 - h**2))", "(1 - h**2)) must be transposed"),
        (LAYERS, "dL/dv == 2*(o - 1)*h", "as if the factor 0.5 of 0.5*(o - 1)**2 (line 6) had been left out"),
        (LOGISTIC, "dL/dw == a - y", "the factor d(w*x)/dw = x is missing"),
        (NORM, "dL/dx == x/L**2", "with L in place of L**2 it is right"),
        ("T = 1.5; L = 4/T**2", "dL/dT == -8/T**2", "with T**3 in place of T**2 it is right"),
        (NORM, "dL/dx == 1/(2*L)", "the factor d(x**2)/dx = 2*x is missing"),
        (FORM, "dq/dx == 2*A @ x", "with (A + A.T)/2 in place of A it is right"),
        (FORM, "dq/dx == A @ x", "the path q <- A @ x <- x is missing: it gives [-5 -6]"),
        (
            "x = 1.5\nL = x/(1 + x**2)",
            "dL/dx == (1 - x**2)/(1 + x**2)",
            "with (1 + x**2)**2 in place of 1 + x**2",
        ),
    ],
)
def test_one_mistake_is_named(script: str, formula: str, remark: str) -> None:
    found = check(script, formula)
    assert found.is_right is False
    assert remark in found.remarks[-1]


def test_factored_formulas_are_told_their_factors() -> None:
    script = (TESTS / "scripts" / "explain" / "tanh_by_hand.ad").read_text()
    formula = "dy2/dw_h == w_y*(1 - h2_raw**2)*(h1 + w_h*(1 - h1_raw**2)*h0)"
    both = [
        "the factor 1 - h2_raw**2 should be dh2/dh2_raw = 1 - h2**2, and the factor 1 - h1_raw**2 should be"
        " dh1/dh1_raw = 1 - h1**2"
    ]
    assert check(script, formula).remarks == both
    half = formula.replace("h2_raw", "h2")
    assert check(script, half).remarks == ["the factor 1 - h1_raw**2 should be dh1/dh1_raw = 1 - h1**2"]
    assert check(script, half.replace("h1_raw", "h1")).is_right
    dropped = half.replace("w_h*(1 - h1_raw**2)", "(1 - h1**2)")
    assert check(script, dropped).remarks == ["the factor dh2_raw/dh1 = w_h is missing beside 1 - h1**2"]


def test_what_does_not_fit_is_wrong() -> None:
    found = check(FIT, "dL/dw == 2/3*X @ r + 2*lam*w")
    assert (found.is_right, found.value) == (False, None)
    assert found.remarks[0].startswith("it cannot be computed: size mismatch")


def test_paths_through_tensors_are_counted_with_every_entry() -> None:
    [told] = check(NORMAL, "dL/ds == -((x - mu)**2).sum()/s**3").remarks
    assert told.endswith("it gives 5")  # 4 entries, each 1/s
    assert check(NORMAL, "dL/ds == 4/s - ((x - mu)**2).sum()/s**3").is_right


def test_a_number_is_judged_where_the_script_stands() -> None:
    found = check("x = 2.\nL = x**3", "dL/dx == 12")
    assert (found.verdict, found.is_right, found.points) == ("right here", True, 1)
    assert found.remarks == [
        "it is a number, right at x = 2 and wrong at x = 2.11831: the gradient is 3*x**2"
    ]
    everywhere = check("x = 2.\nL = 3*x", "dL/dx == 3")
    assert (everywhere.verdict, everywhere.remarks) == ("right", [])
    assert check("x = 2.\nL = x**3", "dL/dx == 12 + 0*x").verdict == "wrong"
    assert check("x = 2.\ny = 1.\nL = x**3*y", "dL/dx == 12*y").verdict == "wrong"
    assert check(SEED, "dL/dw1 == -2").remarks == [
        "the path L <- x5 <- w3*x4 <- x4 <- w1 is missing: it gives -6"
    ]


CUBE = "x = 2.\ny = 5.\nL = x**3*y"
SCALED = FORM.replace("q =", "s = tensor(3., requires_grad=True)\nq = s*").replace("s* x @", "s*(x @") + ")"


@pytest.mark.parametrize(
    ("script", "formula", "wrong"),
    [
        (CUBE, "d2L/dx2 == 6*x*y", "6*x"),
        (CUBE, "d^2L/dx^2 = 6*x*y", "6*x**2*y"),
        (CUBE, "d**2L/dx**2 == 6*x*y", "x*y"),
        (CUBE, "∂²L/∂x² == 6*x*y", "-6*x*y"),
        (CUBE, "d(dL/dx)/dx == 6*x*y", "3*x**2*y"),
        (CUBE, "d2(L)/d(x)d(y) == 3*x**2", "3*x"),
        (CUBE, "d2L/dxdy == 3*x**2", "x**2"),
        (CUBE, "d2L/dy dx == 3*x**2", "3*y**2"),
        (CUBE, "d2L/dy2 == 0*x", "x"),
        (SCALED, "d2q/dx2 == s*(A + A.T)", "2*s*A"),
        (SCALED, "d2q/dx[0]dx[1] == s*(A[0,1] + A[1,0])", "2*s*A[0,1]"),
        (SCALED, "d2q/dx ds == (A + A.T) @ x", "2*A @ x"),
        (SCALED, "d2q/dsdx == (A + A.T) @ x", "A @ x"),
        (SCALED, "d2q/d(s)d(x[1]) == ((A + A.T) @ x)[1]", "((A + A.T) @ x)[0]"),
        (SCALED, "dq/d(x[1]) == s*((A + A.T) @ x)[1]", "s*((A + A.T) @ x)[0]"),
        (SCALED, "x.grad == s*((A + A.T) @ x)", "(A + A.T) @ x"),
    ],
)
def test_derivatives_in_many_spellings(script: str, formula: str, wrong: str) -> None:
    assert check(script, formula).is_right is True
    assert check(script, f"{formula.split('=')[0]} == {wrong}").is_right is False


def test_second_derivatives_are_repaired() -> None:
    assert check(CUBE, "d2L/dx2 == 6*x**2*y").remarks == ["with x in place of x**2 it is right"]
    script = "x = 2.\ny = 3.\nf = (1-x)**2 + 100*(y - x**2)**2"
    found = check(script, "d2f/dx2 == 2 - 400*y + 800*x**2")
    assert found.remarks == ["with 1200 in place of 800 it is right"]
    assert check(SCALED, "d2q/dx2 == 2*s*A").remarks == ["with (A + A.T)/2 in place of A it is right"]
    assert check(CUBE, "d2L/dx2 == 3*x*y").remarks == [
        "it is half of what it should be: a factor 2 is missing, as if the 2 of x**2 had been left out"
    ]


@pytest.mark.parametrize("formula", ["pi*x", "nan*x", "inf", "x/0", "[[x]]", "x[0]*nan", "True*nan"])
def test_names_of_the_language_and_nonsense_do_no_harm(formula: str) -> None:
    for script, left in ((CUBE, "dL/dx"), (CUBE, "d2L/dx2"), (FORM, "dq/dx")):
        try:
            is_right = check(script, f"{left} == {formula}").is_right
        except UsageError:  # a number has no entries, nothing is divided by 0
            continue
        assert is_right is False


@pytest.mark.parametrize(
    ("script", "formula", "told"),
    [
        ("x = 0.\ny = 3.\nL = sin(x)*y", "dL/dx == 3", "x = 0 and y = 3 and wrong at x = "),
        ("x = 2.\nh = x**2\nL = h**3/4", "dL/dh == 12", "x = 2 and wrong at x = "),
        ("x = 2.\ny = 3.\nL = x**3*y", "d2L/dxdy == 12", "x = 2 and wrong at x = "),
        ("x = 0.7\ny = tanh(x)", "dy/dx == 1 - tanh(0.7)**2", "x = 0.7 and wrong at x = "),
        ("x = tensor([1., 2.])\nL = (x**2).sum()", "dL/dx == [2, 4]", "the script's values and wrong at oth"),
        (
            "x = tensor([1., 2.])\nL = (x**2).sum()",
            "dL/dx[0] == 2",
            "the script's values and wrong at others",
        ),
        ("x = 1.\nL = x\nfor i in range(9):\n    L = L*x", "dL/dx == 10", "x = 1 and wrong at x = "),
    ],
)
def test_a_number_is_told_where_it_is_right(script: str, formula: str, told: str) -> None:
    found = check(script, formula)
    assert found.verdict == "right here"
    assert found.remarks[0].startswith(f"it is a number, right at {told}")


def test_a_mean_over_all_entries_is_not_one_over_rows() -> None:
    script = (
        "s = tensor([[0.3, -1.0], [1.0, 0.5]], requires_grad=True)\nt = zeros(2, 2)\nL = ((s - t)**2).mean()"
    )
    [remark] = check(script, "dL/ds == 2*(s - t)/2").remarks
    assert "as if the mean over 4 entries (line 3) were one over 2, or the 2 of (s - t)**2 (line 3)" in remark


NORM = """\
x = tensor([[0.3, -1.2, 2.0], [1.1, 0.4, -0.6]], requires_grad=True)
g = tensor([[0.7, -1.1, 0.4], [0.9, 0.3, -0.2]])
mu = x.mean(1, keepdim=True)
xc = x - mu
std = sqrt((xc**2).mean(1, keepdim=True) + 1e-5)
xhat = xc/std
L = (g*xhat).sum()
"""


@pytest.mark.parametrize(
    ("formula", "path"),
    [
        ("(g - xhat*(g*xhat).mean(1, keepdim=True))/std", "xhat <- xc <- mu <- x"),
        ("(g - g.mean(1, keepdim=True))/std", "<- xc**2 <- xc <- x"),
    ],
)
def test_paths_that_give_nothing_but_rounding_are_not_missing(formula: str, path: str) -> None:
    """The path from the variance through the mean gives 1e-17: the deviations from the mean add up to 0."""
    [told] = check(NORM, f"dL/dx == {formula}").remarks
    assert path + " is missing: it gives" in told
    assert "e-1" not in told


def test_paths_that_give_nothing_are_not_listed() -> None:
    script = "x = 2.\ny = 3.\nf = x*y + relu(-x)*y + sin(x)"
    for formula in ("y", "y + 0*x"):
        assert check(script, f"df/dx == {formula}").remarks == [
            "the path f <- sin(x) <- x is missing: it gives -0.416147"
        ]


def test_made_up_names_in_remarks_are_explained_once() -> None:
    script = (
        "speed_in_m_per_s = 19.7\nheight_in_m = 1.7\ngravity_in_m_per_s2 = 9.81\n"
        "fall_in_s = sqrt(speed_in_m_per_s**2 + 2*gravity_in_m_per_s2*height_in_m)\n"
        "range_in_m = fall_in_s*speed_in_m_per_s + fall_in_s**2\n"
    )
    *others, last = check(script, "drange_in_m/dheight_in_m == speed_in_m_per_s + height_in_m").remarks
    assert "<- t1 <- " in last
    assert last.endswith("; t1 = 2*gravity_in_m_per_s2*height_in_m")
    assert others
    assert not any("t1 = " in one for one in others)


SOFTMAX = """\
scores = X @ W
e = exp(scores - scores.max(1, keepdim=True)[0])
p = e/e.sum(1, keepdim=True)
L = -log(p[:, 0]).mean() + 0.1*(W*W).sum()
"""


def test_paths_that_cancel_each_other_are_no_reason() -> None:
    """The two paths through the largest score give the same with two signs: only the other one is missing."""
    script = X + MATRIX + SOFTMAX
    [remark] = check(script, "dL/dW == X.T @ (p - tensor([1., 0.]))/2 + 0.1*W").remarks
    assert remark.startswith("W stands twice in W*W: a factor 2 is missing, and the other half gives")
    script = "a = 2.\nb = 3.\nL = a*b - a*b + a**3 + sin(a)"
    [remark] = check(script, "dL/da == 3*a**2").remarks
    assert remark.startswith("the path L <- sin(a) <- a is missing")


def test_paths_are_no_reason_where_the_whole_formula_is_none_of_them() -> None:
    script = "a = 1.5\nb = 0.7\nL = a*b + sin(a) + a**3"
    assert not check(script, "dL/da == exp(a*b*7)").remarks


def test_one_wrong_term_stands_for_several_paths() -> None:
    script = "a = 1.5\nb = 0.7\nL = a*b + sin(a) + a**3"
    [remark] = check(script, "dL/da == b + exp(a*b*7)").remarks
    assert "stands for the paths L <- " in remark
    assert "which give 6.82074 together" in remark
