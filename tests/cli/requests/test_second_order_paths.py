"""Second derivatives are sums over paths; those through a slope that is 0 everywhere are not written out."""

import json

import pytest

RELU = "w = 2.; x = 3.; h = relu(w*x - 10) + w*x; L = h**2"
MATRIX = """\
W = torch.tensor([[1., -2.], [0.5, 1.]], requires_grad=True)
v = torch.tensor([1.5, -1.], requires_grad=True)
x = torch.tensor([1., 2.])
L = (torch.relu(W @ x) @ v) ** 2
"""


def test_constants_have_the_names_of_the_script(autodiff):
    """A rule takes over the constants of its op; 1/c is not called c where both are 1."""
    pendulum = "import math; l = 1.2; g = 9.81; T = 2*math.pi*sqrt(l/g)"
    script = ("-e", pendulum, "--wrt", "l", "--order", "2", "--format", "formula")
    assert autodiff("explain", *script).out == "-math.pi/(2*l*sqrt(l/g)*g)\n"
    for code, formula in (
        ("x = 2.; y = x**3*math.e", "6*math.e*x\n"),
        ("x = 2.; y = exp(x)/(math.pi - math.pi + 1)", "exp(x)\n"),
        ("x = torch.tensor(2., requires_grad=True); k = 3.; y = sin(k*x)", "-k**2*sin(k*x)\n"),
    ):
        asked = ("-e", f"import math, torch\n{code}", "--wrt", "x", "--order", "2", "--format", "formula")
        assert autodiff("explain", *asked).out == formula


def test_a_path_through_a_slope_of_zero_is_counted_and_not_written_out(autodiff):
    told = autodiff("explain", "-e", RELU, "--order", "2", "--wrt", "w").out
    assert "5 paths from dL/dw to w" in told
    assert "... 3 more paths, each through a slope that is 0 everywhere" in told
    assert "(0)" not in told
    assert "value       18" in told
    assert "check: backward() gives 18, difference 0" in told


@pytest.mark.parametrize(
    ("asked", "count", "written"),
    [(("-e", RELU, "--wrt", "w"), 5, 2), (("-e", MATRIX, "--wrt", "W", "--entry", "1,1"), 2, 1)],
)
def test_what_is_left_out_gives_nothing(autodiff, asked, count, written):
    (derivation,) = json.loads(autodiff("explain", *asked, "--order", "2", "--format", "json").out)[
        "derivations"
    ]
    assert (derivation["count"], len(derivation["paths"])) == (count, written)
    assert len(derivation["steps"]["chain"]) == len(derivation["steps"]["local"]) == written
    assert derivation["difference"] == 0


def test_where_every_path_is_zero_they_stay(autodiff):
    told = autodiff("explain", "-e", "x = 2.; L = relu(x)", "--order", "2").out
    assert "d2L/dx2 = 0" in told
    assert "more path" not in told


def test_the_simplified_sum_has_no_term_for_them(autodiff):
    told = autodiff("explain", "-e", MATRIX, "--order", "2", "--wrt", "W", "--entry", "1,1").out
    assert "0*ones" not in told
    assert told.count("outer(2*sum(") == 1  # in step 3, without a factored form of the same


def test_documents_in_latex_leave_them_out_too(autodiff):
    document = autodiff("explain", "-e", RELU, "--order", "2", "--wrt", "w", "--format", "latex").out
    assert r"\cdot \left(0\right)" not in document


def test_a_slope_of_zero_beside_an_infinite_one_is_no_nothing(autodiff):
    told = autodiff("explain", "-e", "x = 0.; L = sqrt(x)*0 + x**3", "--order", "2").out
    assert "d2L/dx2 = nan" in told
    assert "(0) * " in told or " * (0)" in told


def test_sums_of_the_script_keep_their_brackets_in_longer_names(autodiff):
    told = autodiff("explain", "-e", "x = 3.; L = (x-1)**4", "--order", "2", "--columns", "100").out
    assert "d(4*(x-1)**3)/d((x-1)**3)" in told
    assert "so (x-1)**3 grows by 12" in " ".join(told.split())
    assert "x-1**3" not in told


def test_factors_that_pass_a_value_on_are_not_written(autodiff):
    """A recorded pass multiplies by the 1 that the output receives, and raises to the power 1."""
    script = ("-e", "x1 = 2.; x2 = 3.; f = x1**2*x2 + sin(x2)*x1 - cos(x2) + log(x1)", "--order", "2")
    told = autodiff("explain", *script, "--columns", "100").out
    assert "**1" not in told.replace("**1)", "")
    assert "1*" not in told.replace("x1*", "")
    assert "d(2*x1)/dx1\n" in told
    assert "df/dx1 <- 1/x1 + sin(x2) <- 1/x1 <- x1" in told
    assert "so -(-sin(x2)) falls by 0.989992" in " ".join(told.split())
    for derivation in json.loads(autodiff("explain", *script, "--format", "json").out)["derivations"]:
        assert derivation["difference"] < 1e-14
        for path in derivation["paths"]:
            assert len(path["chain"]) == len(path["factors"]) == len(path["nodes"]) - 1


def test_latex_has_second_derivatives_and_functions_as_books_write_them(autodiff):
    script = "x = 2.; y = 3.; f = ln(x)*log10(y) + maximum(x, y)*arcsin(x/4)*y"
    made = autodiff("explain", "-e", script, "--order", "2", "--format", "latex").out
    assert r"\frac{\partial^{2} f}{\partial x^{2}}" in made
    assert r"\frac{\partial^{2} f}{\partial x \, \partial y}" in made
    made += autodiff("explain", "-e", script, "--format", "latex").out
    assert r"\operatorname{" not in made.replace(r"\operatorname{sign}", "")
    for command in (r"\ln\left(x", r"\log_{10}\left(y", r"\max\left(x", r"\arcsin\left("):
        assert command in made
    assert r"\left(1\right)" not in made
    assert "(1) " in made
