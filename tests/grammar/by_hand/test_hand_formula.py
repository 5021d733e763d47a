"""Derivatives worked out by hand: right ones, and where exactly wrong ones are wrong."""

from __future__ import annotations

import re
from math import factorial

import pytest
from autodiff.core.base.errors import UsageError
from conftest import TESTS
from hand_checks import SEED, check

#: The question of a forum: tanh' is 1 - tanh(x)**2, not 1 - x**2.
TANH = "hprev = 0.4\nx = 0.5\nW = 1.3\nU = 0.7\nhraw = W*hprev + U*x\nh = tanh(hraw)\nL = h*h + 3*h"

PARABOLA = "x = tensor([1., -2., 3.])\nL = (x**2).sum()"


@pytest.mark.parametrize(
    ("script", "formula"),
    [
        (SEED, "dL/dw1 == -w2*x1 - w3*x2"),
        (SEED, "d(L)/d(w1) = -(w3*x2 + x1*w2)"),
        (SEED, "dL/dx3 == -w2"),
        (SEED, "∂L/∂w1 = −w2·x1 − w3×x2"),
        (SEED, "dL/dw2 == -x3"),
        (TANH, "dL/dW == (2*h + 3)*(1 - h**2)*hprev"),
        ("x = 1.\ny = x + 2\nz = 3*y*y", "dz/dx == 6*(x + 2)"),
        ("w = tensor([2., 1.])\nx = tensor([3., 4.])\nL = (w*x).sum()", "dL/dw == x"),
        (
            "X = tensor([[1., 2.], [3., 4.]])\nv = tensor([1., 2.])\nL = ((X @ v)**2).sum()",
            "dL/dv == 2*X.T @ X @ v",
        ),
        ("x = tensor([1., 2., 3.])\nL = x.mean()", "dL/dx == ones(3)/3"),
        ("x = tensor([1., 2., 3.])\nL = x.sum()*5", "dL/dx == 5"),
        ("x = 0.3\nL = relu(x)", "dL/dx == 1"),
        (PARABOLA, "where(x>=0, 2*x, 2*x)"),
        (PARABOLA, "where(x <= 0, 2*x, 2*x)"),
        (PARABOLA, "dL/dx = where(x==0, 3, 2*x)"),
        (PARABOLA, "dL/dx == where(x != 0, 2*x, 3)"),
        (PARABOLA, "ones(3, dtype=torch.float64)*2*x"),
        (PARABOLA, "[x*2, x][0]*ones(size=(3,))"),
        (PARABOLA, "2*einsum('i,i->i', x, ones(3))"),
        (PARABOLA, "2*(x if 2 >= 1 else 0)"),
        (PARABOLA, "2*x*(x == x)"),
    ],
)
def test_right(script: str, formula: str) -> None:
    found = check(script, formula)
    assert found.is_right
    assert found.is_right_here
    assert found.remarks == []
    assert found.points > 3


@pytest.mark.parametrize(
    ("script", "formula", "remarks"),
    [
        (
            SEED,
            "dL/dw1 == -w2*x1 - w2*x2",
            [
                "the term -w2*x2 = -4 stands for the path L <- x5 <- w3*x4 <- x4 <- w1, which gives -6:"
                " the factor w2 should be d(w3*x4)/dx4 = w3 = 3"
            ],
        ),
        (SEED, "dL/dw1 == -w2*x1", ["the path L <- x5 <- w3*x4 <- x4 <- w1 is missing: it gives -6"]),
        (
            SEED,
            "dL/dw1 == w2*x1 + w3*x2",
            ["the sign is wrong, as if the minus of 1 - x5 (line 9) had been left out"],
        ),
        (
            SEED,
            "dL/dw1 == w2*x1 - w3*x2",
            [
                "the term w2*x1 = 2 stands for the path L <- x5 <- w2*x3 <- x3 <- w1, which gives -2:"
                " its sign is wrong: a minus is missing"
            ],
        ),
        (SEED, "dL/dw1 == -w2*x1 - w3*x2 - w1", ["the term -w1 belongs to no path"]),
        (
            SEED,
            "dL/dw1 == -w2*x1 - w3*x2*x1",
            [
                "it is right at the script's values by accident, and wrong at others",
                "at x1 = 1.11319, x2 = 2.17386, w1 = 1.27051, w2 = 1.35247, w3 = 3.20049 the formula gives"
                " -9.25049, and the gradient is -8.46298",
            ],
        ),
        (
            TANH,
            "dL/dW == (2*h)*(1 - h**2)*hprev",
            ["the path L <- 3*h <- h <- hraw <- W*hprev <- W is missing: it gives 0.609689"],
        ),
        (
            "x = 0.5\ny = 2.\nhraw = x*y\nh = tanh(hraw)",
            "dh/dx == (1 - hraw**2)*y",
            [
                "the term (1 - hraw**2)*y = 0 stands for the path h <- hraw <- x, which gives 0.839949:"
                " the factor 1 - hraw**2 should be dh/dhraw = 1 - h**2 = 0.419974"
            ],
        ),
        (
            "x = 1.\ny = x + 2\nz = 3*y*y",
            "dz/dx == 3*(x + 2)",
            ["it is half of what it should be: a factor 2 is missing"],
        ),
        (
            "a = 3.\nb = 1.\nc = a + b\nd = b + 1\ne = c*d",
            "de/db == a + b",
            ["the path e <- c <- b is missing: it gives 2"],
        ),
        (
            "w = tensor([2., 1.])\nx = tensor([3., 4.])\nL = (w*x*x).sum()",
            "dL/dx == w*x*tensor([2., 3.])",
            ["with 2 in place of 3. it is right"],
        ),
        (
            "X = tensor([[1., 2.], [3., 4.], [5., 6.]])\nL = (X**2).sum()",
            "dL/dX == 2*X.T",
            ["the formula has the shape (2, 3), the gradient (3, 2)", "X.T must not be transposed"],
        ),
    ],
)
def test_wrong(script: str, formula: str, remarks: list[str]) -> None:
    found = check(script, formula)
    assert not found.is_right
    assert found.remarks == remarks


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("w1 == 3", "`w1` is no derivative"),
        ("dL/dw1[-] == 3", r"`dL/dw1\[-\]` is no derivative"),
        ("dL/dw1[1 2] == 3", r"`dL/dw1\[1 2\]` is no derivative"),
        ("dL/dw1[,] == 3", r"`dL/dw1\[,\]` is no derivative"),
        ("x = where(x1 >= 0, 1, 2)", "`x` is no derivative"),
        ("d2L/dw1 == 3", "`d2L/dw1` is no first or second derivative"),
        ("d3L/dw13 == 3", "`d3L/dw13` is no first or second derivative"),
        ("dL/dw1[0] == 3", "w1 has no entry"),
        ("d2L/dw1[0]dw2 == 3", "w1 by w2 has no entry"),
        ("dL/dw1 == -w2*", "--formula: "),
        ("dL/dw1 == dL/dx5 @", r"as in `\(?dL/dx5\)? @ \(?dL/dx5\)?`"),
        ("dL/dw1 == ", "`dL/dw1` says which derivative is meant and not what it comes to"),
        ("dL/dw1 == -w9", "'w9' is not defined"),
        ("dL/dw1 == sech(x5)", "the script has .*w1.*; `autodiff ops` lists the functions"),
        ("dL/dw1 == W2", "did you mean `w2`"),
        ("dL/dw1 == dL/dq*x1", "a derivative is written dL/d..., with a name of the script at the end"),
        ("dL/dw1 == dL/dw1*1", "`dL/dw1` on the right is the derivative that is to be checked"),
        ("dL/dw1 == dL/dx5[0]*x2", r"there is no `dL/dx5\[0\]`: its shape is \(\)"),
        ("dL/dw1 == sigmid(x1)", "did you mean `sigmoid`"),
    ],
)
def test_what_is_no_formula(text: str, says: str) -> None:
    with pytest.raises(UsageError) as raised:
        check(SEED, text)
    assert re.search(says, " ".join([raised.value.message, *raised.value.advice]))


def test_the_forum_s_recurrent_net() -> None:
    """The slope of tanh was taken at its argument; both terms and both factors are found."""
    script = (TESTS / "scripts" / "explain" / "tanh_by_hand.ad").read_text()
    by_hand = "w_y*(1 - h2_raw**2)*h1 + w_y*(1 - h2_raw**2)*w_h*(1 - h1_raw**2)*h0"
    found = check(script, f"dy2/dw_h == {by_hand}")
    assert (round(float(found.value), 4), round(float(found.gradient), 4)) == (-40.2153, 8.1888)
    first, second = found.remarks
    assert "which gives 5.27819" in first
    assert first.endswith("the factor 1 - h2_raw**2 should be dh2/dh2_raw = 1 - h2**2 = 0.173261")
    assert "which gives 2.91061" in second
    right = by_hand.replace("_raw**2", "**2")
    assert check(script, f"dy2/dw_h == {right}").is_right


def test_the_tutorial_s_mean() -> None:
    script = (TESTS / "scripts" / "explain" / "mean_of_squares.ad").read_text()
    found = check(script, "d(out)/d(x) == 9/8*ones(2, 2)")
    assert found.remarks == [
        "it is a quarter of what it should be: a factor 4 is missing, as if the 1/4 of the mean over 4"
        " entries (line 5) had been taken twice"
    ]
    assert check(script, "d(out)/d(x) == 3*(x + 2)/2").is_right


def test_names_beside_the_graph_move_along() -> None:
    script = "x = 2.\ns = sigmoid(x)\nL = s*3\ng = 3*s*(1 - s)"
    assert check(script, "dL/dx == g").is_right
    script = (
        "logits = tensor([[1., 2., 0.5], [0.1, 0.2, 0.3]])\nt = tensor([0, 2])\np = softmax(logits, 1)\n"
        "oh = F.one_hot(t, 3).double()\nL = cross_entropy(logits, t)"
    )
    assert check(script, "dL/dlogits == (p - oh)/2").is_right


def test_what_was_computed_outside_of_the_graph_moves_along() -> None:
    script = "x = tensor(2., requires_grad=True)\nL = x**3\nwith no_grad():\n    g = 3*x**2"
    assert check(script, "dL/dx == g").is_right
    assert not check(script.replace("3*x**2", "6*x"), "dL/dx == g").is_right
    script = "r = 1.\nw = 2.\nv = 3*w\nL = (r + v.detach()**2 - v)**2"
    assert check(script, "dL/dw == -6*(r + v**2 - v)").is_right


def test_functions_of_the_script_move_along() -> None:
    script = """\
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * 3 * x**2
x = torch.tensor(2., requires_grad=True)
L = Cube.apply(x)
"""
    assert check(script, "dL/dx == 3*x**2").is_right
    found = check(script, "dL/dx == 6*x")
    assert (found.is_right_here, found.is_right) == (True, False)


def test_beyond_a_kink_another_formula_is_right() -> None:
    found = check("x = 0.05\nL = relu(x)", "dL/dx == 1")
    assert (found.verdict, found.is_right_here) == ("right here", True)
    assert found.remarks == [
        "further away it is wrong: a kink, or another choice of the script, lies between",
        "at x = -0.0604653 the formula gives 1, and the gradient is 0",
    ]
    script = "x = tensor(0.05, requires_grad=True)\nL = where(x > 0, 2*x, x)"
    assert check(script, "dL/dx == where(x > 0, 2, 1)").remarks == []
    assert not check(script, "dL/dx == where(x > 0, 2*x/0.05, 1)").is_right
    script = "x = 0.05\nif x > 0:\n    L = x**2\nelse:\n    L = sin(x)"
    found = check(script, "dL/dx == 2*x")
    assert found.verdict == "right here"
    assert found.remarks[0] == "it is wrong where the script takes another branch"
    assert found.points < 6


@pytest.mark.parametrize(
    ("script", "formula", "remark"),
    [
        ("x = -2.\ny = abs(x)**3", "-3*x**2", "further away it is wrong: a kink"),
        ("x = 0.5\ny = where(x < 1, x**2, 2*x - 1)", "2*x", "further away it is wrong: a kink"),
        (
            "x = 0.5\ny = x**2 if x < 1 else 2*x - 1",
            "2*x",
            "it is wrong where the script takes another branch",
        ),
        ("x = -2.\ny = abs(x)**3", "3*x*abs(x)", ""),
        ("x = 0.5\ny = where(x < 1, x**2, 2*x - 1)", "where(x < 1, 2*x, 2)", ""),
        ("x = 0.5\ny = x**2 if x < 1 else 2*x - 1", "2*x if x < 1 else 2", ""),
        ("x = 3.\ny = tanh(x)", "1 - tanh(x)**2", ""),
    ],
)
def test_a_formula_for_one_side_is_right_here(script: str, formula: str, remark: str) -> None:
    found = check(script, f"dy/dx == {formula}")
    assert found.verdict == ("right here" if remark else "right")
    assert [told[: len(remark)] for told in found.remarks[:1]] == [remark] * bool(remark)


def test_a_branch_that_is_taken_at_the_script_s_values_alone_decides_nothing() -> None:
    script = "x = 0.0\ny = (1 - cos(x))/x if x != 0 else 0.0"
    found = check(script, "dy/dx == (x*sin(x) + cos(x) - 1)/x**2")
    assert (found.verdict, len(found.remarks)) == ("undecided", 1)
    assert check(script, "dy/dx == (x*sin(x) + cos(x) + 1)/x**2").verdict == "wrong"


@pytest.mark.parametrize(
    ("script", "formula", "verdict"),
    [
        ("x = 0.\ny = abs(x)", "dy/dx == sign(x)", "undecided"),
        ("x = 0.\ny = relu(x)", "dy/dx == (x > 0)", "undecided"),
        ("x = 1.\ny = relu(x - 1)**2", "d2y/dx2 == 2*(x > 1)", "undecided"),
        ("x = 0.\ny = abs(x)*x", "dy/dx == 2*abs(x)", "right"),
        ("x = 2.\ny = abs(x)", "dy/dx == sign(x)", "right"),
    ],
)
def test_the_convention_at_a_kink_is_no_derivative(script: str, formula: str, verdict: str) -> None:
    assert check(script, formula).verdict == verdict


def test_a_taylor_polynomial_at_a_small_number_is_wrong() -> None:
    script = "x = 1e-4\ny = sin(x)/x"
    assert check(script, "dy/dx == x**3/30 - x/3").verdict == "wrong"
    assert check(script, "dy/dx == (x*cos(x) - sin(x))/x**2").verdict == "right"


def test_a_differential_is_refused() -> None:
    with pytest.raises(UsageError, match="is the differential of f") as raised:
        check("x = 3.\nf = x**2", "df = 2*x*dx")
    assert raised.value.help == ("write the derivative: df/dx == 2*x",)
    assert check("x = 3.\nh = x**2\nf = sin(h)", "dx = dh*2*x").is_right


@pytest.mark.parametrize(
    ("script", "formula"),
    [
        ("x = 0.\nf = sin(x)", "1 + 0*x"),
        ("x = 0.\nf = sin(x)", "1 - x**2/2"),
        ("x = 0.\nf = 1 - cos(x)", "x"),
        ("x = 0.\nf = cos(x)", "-x"),
        ("x = 0.\nf = cos(x)", "-x + x**3/6"),
        ("x = 0.\ny = 2.\nf = y*sin(x)", "y"),
        ("x = 0.\ny = 2.\nf = exp(x*y)", "y + y**2*x"),
        ("x = 0.\nf = sigmoid(x)", "1/4 + 0*x"),
        ("x = 0.\nf = sinh(x)", "1 + x**2/2"),
        ("x = 0.\nf = tanh(x)", "1 - x**2"),
        ("x = 0.\nf = exp(x)", "1 + x"),
        ("x = 0.\nf = exp(x)", "1 + x + x**2/2"),
        ("x = 0.\nf = exp(x)", "1 + x + x**2/2 + x**3/6"),
        ("x = 0.\nf = log1p(x)", "1 - x + x**2"),
        ("x = 0.\nf = 1/(1 - x)", "1 + 2*x + 3*x**2"),
        ("x = 1.\nf = ln(x)", "2 - x + (x - 1)**2"),
        ("x = 1.\nf = sqrt(x)", "1/2 - (x - 1)/4"),
        ("x = math.pi/2\nf = sin(x)", "math.pi/2 - x"),
        ("x = math.pi/2\nf = cos(x)", "-1 + (x - math.pi/2)**2/2"),
        ("x = tensor([0., 1.])\nf = exp(x).sum()", "tensor([1., exp(1)])*(1 + x - tensor([0., 1.]))"),
        ("x = 0.03\nf = relu(x) + sin(x - 0.03)", "2 - (x - 0.03)**2/2"),
    ],
)
def test_a_taylor_polynomial_is_wrong(script: str, formula: str) -> None:
    """It comes as near as one likes, but no kink lies between."""
    found = check(script, f"df/dx == {formula}")
    assert (found.is_right, found.is_right_here) == (False, True)
    assert not [told for told in found.remarks if "kink" in told]


def test_a_taylor_polynomial_in_a_constant_is_wrong() -> None:
    script = "c = 0.\nx = tensor(0.7)\nf = sin(c*x)"
    found = check(script, "df/dx == c")
    assert found.is_right is False
    assert found.remarks[0] == "it is right only because of c = 0 in this script"
    assert check(script, f"df/dx == c*({cosine(8, 'c*x')})").is_right is False
    assert check(script, "df/dx == c*(1 - 2*sin(c*x/2)**2)").is_right


def cosine(degree: int, x: str = "x") -> str:
    return " + ".join(
        f"({1 - power % 4})*({x})**{power}/{factorial(power)}." for power in range(0, degree + 1, 2)
    )


def exponential(degree: int, x: str = "x") -> str:
    return " + ".join(f"({x})**{power}/{factorial(power)}." for power in range(degree + 1))


def rational(x: str) -> str:
    """A half of a quotient that agrees with exp(x) at 0 up to the power 10."""
    return " + ".join(f"({x})**{power}/{c}" for power, c in enumerate((1, 2, 9, 72, 1008, 30240)))


@pytest.mark.parametrize(
    ("script", "formula"),
    [
        *(("x = 0.\nf = sin(x)", cosine(degree)) for degree in (4, 6, 8, 10, 14, 20, 26, 38)),
        *(("x = 0.\nf = exp(x)", exponential(degree)) for degree in (5, 8, 12, 20)),
        ("x = 0.\nf = log(1 + x)", " + ".join(f"({1 - power % 2 * 2})*x**{power}" for power in range(9))),
        ("x = 0.\nf = tan(x)", "1 + x**2 + 2/3*x**4 + 17/45*x**6 + 62/315*x**8"),
        ("x = 0.\nf = asin(x)", "1 + x**2/2 + 3/8*x**4 + 5/16*x**6 + 35/128*x**8"),
        ("x = 0.\nf = sigmoid(x)", "1/4 - x**2/16 + x**4/96 - 17*x**6/11520 + 31*x**8/161280"),
        ("x = 0.\nf = exp(x)", f"({rational('x')})/({rational('-x')})"),
        ("x = 0.\ny = 1.\nf = exp(x*y)", f"y*({exponential(8, 'x*y')})"),
        ("x = 1.\nf = sin(x - 1)", cosine(8, "x - 1")),
        ("x = tensor([0., 0.])\nf = sin(x).sum()", cosine(8)),
        ("x = tensor(0., dtype=torch.float32)\nf = sin(x)", cosine(4)),
    ],
)
def test_a_taylor_polynomial_of_high_degree_is_wrong(script: str, formula: str) -> None:
    """Rounding hides its error near the script's values."""
    found = check(script, f"df/dx == {formula}")
    assert (found.verdict, found.is_right_here) == ("wrong", True)
    assert "kink" not in "".join(found.remarks)


@pytest.mark.parametrize("x", ["2.", "0.", "-0.3", "tensor([1., -2.])"])
@pytest.mark.parametrize(
    ("script", "formula"),
    [
        ("z = 1e-6*x\nf = sum(z**2/2)", "df/dz == sin(z)"),
        ("z = 1e-6*x\nf = sum(z**2/2)", "df/dx == 1e-6*sin(z)"),
        ("z = 1e-6*x\nf = sum(z**2/2)", "df/dx == 1e-6*sin(1e-6*x)"),
        ("f = sum(sin(x/1e5))", "df/dx == (1 - (x/1e5)**2/2)/1e5"),
        ("f = sum(x**2/2)", "df/dx == 1e7*sin(x/1e7)"),
        ("s = 1e-7\nf = sum(exp(s*x))", "df/dx == s*(1 + s*x + (s*x)**2/2)"),
    ],
)
def test_a_factor_in_the_script_hides_no_difference(script: str, formula: str, x: str) -> None:
    """It keeps what the formula reads near 0 for inputs of the usual size."""
    found = check(f"x = {x}\n{script}", formula)
    assert found.verdict == "wrong"
    assert found.remarks[0] == "it is right near the script's values only, as a Taylor polynomial is"


@pytest.mark.parametrize("x", ["2.", "-0.3", "tensor([1., -2.])"])
def test_nor_does_a_large_factor(x: str) -> None:
    found = check(f"x = {x}\nz = 1e5*x\nf = sum(tanh(z))", "df/dz == 0*z")
    assert found.verdict == "wrong"


@pytest.mark.parametrize("x", ["2.", "0.", "-0.3", "tensor([1., -2.])", "tensor([1., -2.], dtype=float32)"])
@pytest.mark.parametrize(
    ("script", "formula"),
    [
        ("z = 1e-6*x\nf = sum(z**2/2)", "df/dx == z*1e-6"),
        ("f = sum(sin(x/1e5))", "df/dx == cos(1e-5*x)/1e5"),
        ("f = sum(sin(x)**2)", "df/dx == sin(2*x)"),
        ("f = sum(tanh(x))", "df/dx == 1 - tanh(x)**2"),
        ("f = sum(tanh(x))", "df/dx == 4/(exp(x) + exp(-x))**2"),
        ("f = sum(sigmoid(x))", "df/dx == exp(-x)/(1 + exp(-x))**2"),
        ("f = sum(log(1 + exp(x)))", "df/dx == 1 - 1/(1 + exp(x))"),
        ("f = sum(sqrt(1 + x**2))", "df/dx == x/sqrt(1 + x*x)"),
        ("f = sum((x - 1)**4)", "df/dx == 4*x**3 - 12*x**2 + 12*x - 4"),
        ("f = sum(log(1 + (1e4*x)**2))", "df/dx == 2e8*x/(1 + 1e8*x**2)"),
        ("f = sum(exp(-1e-4*x**2))", "df/dx == -2e-4*x*exp(-(1e-2*x)**2)"),
    ],
)
def test_a_right_formula_is_right_at_every_scale(script: str, formula: str, x: str) -> None:
    assert check(f"x = {x}\n{script}", formula).verdict == "right"


@pytest.mark.parametrize(
    ("script", "formula"),
    [
        ("x = 0.\nf = sin(x)", "sin(x + math.pi/2)"),
        ("x = 0.3\nf = sin(x)", "cos(100*math.pi + x)"),
        ("x = 0.3\nf = sin(math.pi*x)", "3.14159265358979*cos(3.14159265359*x)"),
        ("x = 0.3\nf = tanh(x)", "4/(exp(x) + exp(-x))**2"),
        ("x = 0.3\nf = exp(-x)", "sinh(x) - cosh(x)"),
        ("x = 0.3\nf = softplus(x)", "exp(x)/(1 + exp(x))"),
        ("x = 0.3\nf = logsigmoid(x)", "1 - sigmoid(x)"),
        ("x = 0.3\nf = (1 - cos(x))/x**2", "(x*sin(x) - 4*sin(x/2)**2)/x**3"),
        ("x = 0.3\nf = log(x + sqrt(x**2 + 1))", "1/sqrt(1 + x**2)"),
        ("x = 1.3\nf = (x - 1)**5", "5*x**4 - 20*x**3 + 30*x**2 - 20*x + 5"),
        ("x = 0.\nf = relu(x - 0.5)**3 + 2*x", "2 + 3*relu(x - 0.5)**2"),
        ("x = 0.\nf = where(x > 0.5, 3*x + (x - 0.5)**4, 3*x)", "3 + 0*x"),
        ("x = 0.3\nf = (x + 1e8) - 1e8", "1 + 0*x"),
        ("x = tensor(0.3, dtype=torch.float32)\nf = exp(-x)", "sinh(x) - cosh(x)"),
        ("x = tensor(0.3, dtype=torch.float32)\nf = log(x + sqrt(x**2 + 1))", "1/sqrt(1 + x**2)"),
    ],
)
def test_rounding_far_away_makes_no_formula_wrong(script: str, formula: str) -> None:
    assert check(script, f"df/dx == {formula}").verdict == "right"


def test_a_number_that_rounding_takes_for_right_is_right_here() -> None:
    found = check("x = 0.\nf = 3*x + x**12/1e6", "df/dx == 3")
    assert found.verdict == "right here"


@pytest.mark.parametrize(
    ("script", "formula"),
    [
        ("x = 0.05\nf = relu(x)**3", "3*x**2"),
        ("x = 0.02\nf = abs(x) + x**2", "1 + 2*x"),
        ("x = 1.03\nf = torch.maximum(x, ones(())) + sin(x)", "1 + cos(x)"),
        ("x = 0.05\nf = x**3 if x > 0 else 5*x**3", "3*x**2"),
        ("x = 0.05\nif x > 0:\n    f = exp(x)\nelse:\n    f = 1 + exp(2*x)", "exp(x)"),
        ("x = tensor([0.05, -2., 3.])\nf = relu(x).sum()", "tensor([1., 0., 1.])*x/x"),
        ("x = tensor(0.02, dtype=torch.float32)\nf = relu(x)**2", "2*x"),
        ("x = 2.02\nf = x**2*floor(x)", "2*x*2"),
    ],
)
def test_a_formula_may_end_at_a_kink(script: str, formula: str) -> None:
    found = check(script, f"df/dx == {formula}")
    assert (found.is_right, found.is_right_here) == (True, True)
    assert found.points < 6


@pytest.mark.parametrize(
    ("script", "formula", "off", "numbers"),
    [
        ("x = 2.\nf = log10(x)", "0.4342945/x", "4e-08", "0.21714725, and the gradient is 0.217147240952"),
        ("x = 2.\nf = x**3", "3*x**2 + 0.000001", "8e-08", "12.000001, and the gradient is 12"),
        (
            "x = 2.\nf = exp(x)",
            "exp(x)*1.000001",
            "1e-06",
            "7.38906348799, and the gradient is 7.38905609893",
        ),
    ],
)
def test_a_rounded_formula_is_told_by_how_much_it_is_off(
    script: str, formula: str, off: str, numbers: str
) -> None:
    found = check(script, f"df/dx == {formula}")
    assert found.is_right is False
    assert found.remarks == [
        f"it is off by {off} of the gradient's size: a number in it is rounded, or a small term is wrong",
        f"it gives {numbers}",
        "numbers in a formula are exact: one that is rounded stands alone on the right",
    ]


@pytest.mark.parametrize(
    ("script", "formula", "kink"),
    [
        ("x = 0.\nf = abs(x)", "df/dx == 0", "f is at a kink of abs"),
        ("x = 0.\nf = abs(x)", "df/dx == 1", "f is at a kink of abs"),
        ("x = 0.\nf = relu(x)", "df/dx == 0", "f is at a kink of relu"),
        ("x = 0.\nf = x*abs(x)", "d2f/dx2 == 0", "abs(x) is at a kink of abs"),
        ("x = 1.\ny = 1.\nf = torch.maximum(x, y)", "df/dx == 0.5", "f is at a kink of maximum"),
        ("x = 1.\ny = 1.\nf = max(x, y)", "df/dx == 1", "max(x, y) compares equal numbers"),
    ],
)
def test_at_a_kink_no_number_is_right_the_convention_included(script: str, formula: str, kink: str) -> None:
    found = check(script, formula)
    assert found.is_right is None
    assert found.remarks[0] == "the script's values are at a kink, where no formula is right"
    assert kink in found.remarks[1]


def test_where_the_gradient_is_no_number_a_formula_that_is_right_around_is_undecided() -> None:
    found = check("x = 0.\nf = x*ln(x)", "df/dx == ln(x) + 1")
    assert found.is_right is None
    assert found.remarks == [
        "it is right around the script's values; at them the gradient is nan, which proves nothing"
    ]
    assert check("x = 0.\nf = x*ln(x)", "df/dx == ln(x) + 2").is_right is False


def test_where_the_script_does_not_run_there_is_no_point() -> None:
    found = check("x = 2.\nassert x == 2\nL = x**3", "dL/dx == 3*x**2")
    assert (found.is_right, found.points) == (True, 1)


def test_single_precision() -> None:
    script = "x = torch.tensor([1., 2.], dtype=torch.float32, requires_grad=True)\nL = (x**3).sum()"
    assert check(script, "dL/dx == 3*x**2").is_right
    assert not check(script, "dL/dx == 3.001*x**2").is_right
    assert not check(script, "dL/dx == 3*x**2 + (x - 1)*(x - 2)").is_right


def test_one_counterexample_convinces() -> None:
    found = check("x = 2.\nL = x**3", "dL/dx == 6*x")
    assert found.remarks[1].startswith("at x = ")


def test_one_entry() -> None:
    script = "W = tensor([[1., 2.], [3., 4.]])\nL = (W**2).sum()"
    assert check(script, "∂L/∂W[0,1] == 2*W[0,1]").is_right
    found = check(script, "dL/dW[0,1] == 2*W[1,0]")
    assert (found.is_right, found.place) == (False, (0, 1))
    assert found.remarks == ["it is the entry [1, 0] of the gradient"]
    assert check(script, "dL/dW[0,1] == sin(W[1,0])").remarks == []


@pytest.mark.parametrize(
    ("formula", "remark"),
    [
        ("6*x", "it is 3 times what it should be: a factor 3 is superfluous"),
        (
            "4*x",
            "it is twice what it should be: a factor 2 is superfluous, as if the 2 of the square x*x (line 2)"
            " had been taken twice",
        ),
        ("-4*x", "it is twice what it should be and has the wrong sign: a factor 2 is superfluous"),
        (
            "x",
            "it is half of what it should be: a factor 2 is missing, as if the 2 of the square x*x (line 2)"
            " had been left out",
        ),
        ("-x*2/3", "it is a third of what it should be and has the wrong sign: a factor 3 is missing"),
        ("x/2", "it is a quarter of what it should be: a factor 4 is missing"),
        ("x/4", "it is 1/8 of what it should be: a factor 8 is missing"),
        ("3*x", "it is 1.5 times what it should be"),
        ("-1.9*x", "it is 0.95 times what it should be and has the wrong sign"),
        ("-2*x", "the sign is wrong: the minus of -2 is superfluous"),
    ],
)
def test_a_constant_factor_is_named(formula: str, remark: str) -> None:
    assert check("x = 1.5\nL = x*x", f"dL/dx == {formula}").remarks == [remark]


LOG = "x = 2.\nw = 3.\nh = log(x)\nL = h*w"
SQUARE = "x = 2.\nh = sin(x)\nL = h**2"
QUOTIENT = "x = 2.\ny = 5.\nL = x/y + y*y"


@pytest.mark.parametrize(
    ("script", "formula", "ends"),
    [
        (LOG, "dL/dx == w/x**2", "the factor 1/x**2 should be dh/dx = 1/x = 0.5"),
        (LOG, "dL/dx == w/(x + 1)", "the factor 1/(x + 1) should be dh/dx = 1/x = 0.5"),
        (LOG, "dL/dx == w", "the factor dh/dx = 1/x = 0.5 is missing"),
        (LOG, "dL/dx == w/x*(x + 1)", "the factor x + 1 is superfluous"),
        (LOG, "dL/dx == -w/x*x*(x + 1)", "the factors x and x + 1 are superfluous"),
        (LOG, "dL/dx == x", "the factor x should be dL/dh = w = 3 and dh/dx = 1/x = 0.5"),
        (SQUARE, "dL/dx == 2*h*sin(x)", "the factor sin(x) should be dh/dx = cos(x) = -0.416147"),
        (SQUARE, "dL/dx == 2*-h*sin(x)", "the factor sin(x) should be dh/dx = cos(x) = -0.416147"),
        (SQUARE, "dL/dx == sin(x)*h", "the factors sin(x) and h should be dL/dh = 2*h = 1.81859 and dh/dx"),
        (QUOTIENT, "dL/dy == 2*y - x/y", "with y**2 in place of y (the 2nd of 2) it is right"),
        (QUOTIENT, "dL/dy == 2*y + x/y**2", "which gives -0.08: its sign is wrong"),
        (QUOTIENT, "dL/dy == 6*y - x/y**2", "give 10 together: it is 3 times what it should be: a factor 3"),
        ("x = 2.\nL = x*x + x**3", "dL/dx == 4*x + 3*x**2", "the paths L <- x*x <- x, which give 4 together"),
        ("x = 2.\ny = 3.\nL = 5*x*y + x**3", "dL/dx == 7*y + 3*x**2", "the factor 7 should be d(5*x)/dx = 5"),
        ("x = 2.\ny = 3.\nL = 5*x*y + x**3", "dL/dx == -5*y*-1*y + 3*x**2", "the factor y is superfluous"),
    ],
)
def test_factors_are_blamed(script: str, formula: str, ends: str) -> None:
    found = check(script, formula)
    assert not found.is_right
    assert ends in found.remarks[0]


@pytest.mark.parametrize("number", ["2", "2.0", "0.5"])
def test_a_derivative_that_is_a_number_is_written_once(number: str) -> None:
    found = check(f"w = 0.4\nz = w*{number}", "dz/dw == w")
    assert found.remarks[0].endswith(f"the factor w should be dz/dw = {number.removesuffix('.0')}")


@pytest.mark.parametrize(
    ("script", "formula", "here"),
    [
        ("x = 0.\ny = sqrt(x)", "dy/dx == 0.5/sqrt(x)", None),
        ("a = 2.\nb = 3.\nL = sqrt(a - 1.9)*b", "dL/da == b*0.5/sqrt(a - 1.9)", True),
        ("x = tensor([0., 4.])\nL = sqrt(x).sum()", "dL/dx == 0.5/sqrt(x)", True),
    ],
)
def test_what_is_not_finite_on_both_sides_is_the_same(script: str, formula: str, here: bool | None) -> None:
    found = check(script, formula)
    assert found.is_right is True
    assert found.is_right_here is here
    assert found.remarks == []
    assert 0 < found.points < 6 or "tensor" in script


def test_infinity_of_the_other_sign_is_wrong() -> None:
    found = check("x = 0.\ny = sqrt(x)", "dy/dx == -0.5/sqrt(x)")
    assert (found.is_right, found.is_right_here) == (False, False)


def test_another_formula_that_is_infinite_at_the_same_place_is_wrong() -> None:
    found = check("x = 0.\ny = sqrt(x)", "dy/dx == 0.6/sqrt(x)")
    assert (found.is_right, found.is_right_here) == (False, None)
    assert found.remarks[0] == "nothing is finite at the script's values; at others it is wrong"
    assert "nan" not in found.remarks[1]


def test_where_nothing_is_finite_nothing_is_decided() -> None:
    found = check("x = -4.\ny = sqrt(x)", "dy/dx == 7/sqrt(x)")
    assert (found.is_right, found.is_right_here, found.points) == (None, None, 0)


def test_points_that_are_not_finite_do_not_keep_terms_from_their_paths() -> None:
    found = check("a = 2.\nb = 3.\nL = sqrt(a - 1.9)*b + a*b", "dL/da == b*0.5/sqrt(a - 1.9) + b*a")
    assert found.remarks == [
        "the term b*a = 6 stands for the path L <- a*b <- a, which gives 3: the factor a is superfluous"
    ]


@pytest.mark.parametrize(
    ("formula", "remarks"),
    [
        (
            "(a*b + c) + a*c",
            [
                "the term a*c = 8 stands for the path L <- a*b + c <- a*b <- a, which gives 6: the factor c"
                " should be d(a*b)/da = b = 3"
            ],
        ),
        ("a*c + (a*b + c)", None),
        ("(a*b + c)", ["the path L <- a*b + c <- a*b <- a is missing: it gives 6"]),
        ("-(-a*b - c)", ["the path L <- a*b + c <- a*b <- a is missing: it gives 6"]),
    ],
)
def test_sums_in_brackets_are_matched_as_they_are_written(formula: str, remarks: list[str] | None) -> None:
    found = check("a = 2.\nb = 3.\nc = 4.\nL = (a*b + c)*a", f"dL/da == {formula}")
    assert not found.is_right
    if remarks is None:
        assert [told.split(" = ")[0] for told in found.remarks] == ["the term a*c"]
    else:
        assert found.remarks == remarks


@pytest.mark.parametrize(
    "value", ["0.5*max(0, x)**2", "0.5*x**2 if x > 0 else 0*x", "where(x > 1, x**3, 0*x)"]
)
def test_a_second_derivative_that_does_not_depend_on_the_input_has_a_counterexample(value: str) -> None:
    found = check(f"x = 0.\ny = {value}", "d2y/dx2 == 1.0*x")
    assert found.is_right is not True
    assert found.remarks


def test_conventions_at_kinks_that_add_up_to_no_slope() -> None:
    script = "x = 0.\nf = relu(x) - relu(-x)\n"
    for formula, verdict in (("0", "undecided"), ("1", "undecided"), ("2", "wrong")):
        found = check(script, f"df/dx == {formula}")
        assert found.verdict == verdict
        if verdict == "undecided":
            assert found.remarks[0] == "backward gives 0 here, but the slope on both sides is 1"
    assert check("x = 0.\nf = relu(x)**2\n", "df/dx == 0").verdict == "right here"
