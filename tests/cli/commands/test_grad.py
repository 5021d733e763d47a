"""``grad``: bare numbers for the next program in the pipe."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest
from autodiff.cli.render.bare import bare_text
from autodiff.core.base.errors import UsageError
from autodiff.core.report.records import Variable

from tests.cli.reports import SEED_1, seed_1_report


def report_on(*grads):
    variables = tuple(
        Variable(f"v{k}", 1, np.shape(grad), "float64", grad, grad, 1) for k, grad in enumerate(grads)
    )
    return seed_1_report(gradients=variables)


@pytest.mark.parametrize(
    ("grads", "text"),
    [
        ([-8.0], "-8\n"),
        ([0.1 + 0.2], "0.30000000000000004\n"),
        ([float("nan")], "nan\n"),
        ([float("inf")], "inf\n"),
        ([float("-inf")], "-inf\n"),
        ([-0.0], "-0\n"),
        ([1e22], "1e+22\n"),
        ([1.0, 2.5], "v0\t1\nv1\t2.5\n"),
        ([1.0, np.array([2.5])], "v0\t1\nv1\t2.5\n"),
        ([np.array([1.0, 2.5])], "1\t2.5\n"),
        ([np.array([[1.0, 2.0], [3.0, 4.5]])], "1\t2\n3\t4.5\n"),
        ([np.zeros(0)], "\n"),
        ([1.0, np.zeros(2)], "v0\t1\nv1\t0\t0\n"),
        ([np.array([[1.0, 2.0], [3.0, 4.5]]), np.zeros(0)], "v0[0]\t1\t2\nv0[1]\t3\t4.5\nv1\n"),
        ([np.zeros((1, 2, 1)), 5.0], "v0[0,0]\t0\nv0[0,1]\t0\nv1\t5\n"),
        ([], ""),
    ],
)
def test_layout(grads, text):
    assert bare_text(report_on(*grads).gradients) == text


def test_three_dimensions_alone_point_to_json():
    with pytest.raises(UsageError) as caught:
        bare_text(report_on(np.zeros((2, 2, 2))).gradients)
    assert any("--format json" in text for text in caught.value.advice)


@pytest.mark.parametrize("value", [1 / 3, 1e-320, 1.7976931348623157e308, 123456789.123456789, -2.5e-7])
def test_numbers_survive_the_trip(value):
    assert float(bare_text(report_on(value).gradients)) == value


def test_the_first_seed(autodiff, write):
    path = write(SEED_1)
    assert autodiff("grad", path, "--wrt", "w1").out == "-8\n"
    assert autodiff("grad", path).out == "x1\t-2\nx2\t-3\nw1\t-8\nw2\t-1\nw3\t-2\n"
    assert autodiff("grad", path, "--wrt", "w*").out == "w1\t-8\nw2\t-1\nw3\t-2\n"
    assert autodiff("grad", path, "--wrt", "w1,w3").out == "w1\t-8\nw3\t-2\n"
    assert autodiff("grad", path, "--wrt", "w1", "--wrt", "w3").out == "w1\t-8\nw3\t-2\n"
    assert autodiff("grad", path, "--wrt", "w1", "--of", "x5").out == "8\n"
    assert autodiff("grad", path, "--wrt", "w1", "--set", "w2=5", "--set", "x1=1.5").out == "-13.5\n"


def test_a_matrix_is_read_by_numpy(autodiff):
    done = autodiff("grad", "--wrt", "W", "-e", "W = tensor([[1., 2.], [3., 4.5]]); L = (W * W).sum()")
    assert done.out == "2\t4\n6\t9\n"
    assert np.array_equal(np.loadtxt(io.StringIO(done.out)), [[2, 4], [6, 9]])


def test_several_tensors_have_a_line_each(autodiff):
    code = "a = ones(2, requires_grad=True); b = ones(3, requires_grad=True); L = a.sum() * b.sum()"
    done = autodiff("grad", "-e", code)
    assert (done.returncode, done.out) == (0, "a\t3\t3\nb\t2\t2\t2\n")
    assert len(json.loads(autodiff("grad", "--format", "json", "-e", code).out)["gradients"]) == 2


def test_a_starting_gradient(autodiff):
    code = "W = tensor([1., 2.], requires_grad=True); Y = W * W"
    assert autodiff("grad", "--grad-output", "ones", "-e", code).out == "2\t4\n"
    assert autodiff("grad", "--grad-output", "[1, 10]", "-e", code).out == "2\t40\n"
    assert autodiff("grad", "--grad-output", "1,10", "-e", code).out == "2\t40\n"
    done = autodiff("grad", "-e", code)
    assert done.returncode == 4
    assert "--grad-output ones" in done.err


def test_float32(autodiff):
    code = "w = tensor([0.1], requires_grad=True); L = (w * w).sum()"
    assert autodiff("grad", "--dtype", "float32", "-e", code).out == "0.2\n"


@pytest.mark.parametrize(
    "given",
    [("-e", "x = 0.1; L = 3*x*x"), ("-e", "x = [0.1]; L = 3*x[0]**2"), ("--set", "x=0.1", "-e", "3*x*x")],
)
def test_numbers_without_tensors_take_the_default_type(autodiff, given):
    assert autodiff("grad", *given).out == "0.6000000000000001\n"
    assert autodiff("grad", "--dtype", "float32", *given).out == "0.6\n"
    document = json.loads(autodiff("grad", "--dtype", "float32", "--format", "json", *given).out)
    assert {document["output"]["dtype"], document["gradients"][0]["dtype"]} == {"float32"}


def test_what_the_script_prints_goes_beside_the_numbers(autodiff):
    done = autodiff("grad", "--wrt", "w", "-e", "w = 3; L = w**2; print('hello')")
    assert (done.out, done.err) == ("6\n", "hello\n")


def test_a_table_on_a_terminal(on_terminal, tmp_path):
    (tmp_path / "seed1.ad").write_text(SEED_1)
    code, seen = on_terminal("grad", "seed1.ad", "--color", "never")
    assert code == 0
    assert "dL/d leaf" in seen
    code, seen = on_terminal("grad", "seed1.ad", "--wrt", "w1", "--format", "plain")
    assert seen == "-8\n"


@pytest.mark.parametrize("seed", [None, "7"])
def test_the_same_input_gives_the_same_bytes(autodiff, seed):
    code = "w = randn(3, requires_grad=True); L = (w * w).sum()"
    given = () if seed is None else ("--seed", seed)
    first = autodiff("grad", *given, "-e", code).out
    assert first == autodiff("grad", "--seed", seed or "0", "-e", code).out
    assert first != autodiff("grad", "--seed", "1", "-e", code).out
    assert json.loads(autodiff("grad", *given, "-e", code, "--format", "json").out)["seed"] == int(seed or 0)


def test_a_shape_is_spelled_as_python_spells_it(autodiff):
    done = autodiff("grad", "-e", "x = ones(3, requires_grad=True)", "-e", "y = x * 2")
    assert done.returncode == 4
    assert "this has 3 entries, of shape (3,)" in done.err


NOISY = """\
class Noisy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x
    @staticmethod
    def backward(ctx, g):
        return g * torch.rand(2)
x = torch.tensor([1.0, 2.0], requires_grad=True)
L = Noisy.apply(x).sum()
L.backward(retain_graph=True)
x.grad = None
"""


@pytest.mark.parametrize("end", ["L.backward()\nprint(x.grad.tolist())", "print(x.grad)"])
def test_a_backward_that_draws_numbers_draws_those_of_the_last_pass_again(autodiff, end):
    done = autodiff("run", "--format", "json", "-e", NOISY + end)
    [gradient] = json.loads(done.out)["gradients"]
    [derivation] = json.loads(done.out)["derivations"]
    assert gradient["grad"] == derivation["backward"]
    assert derivation["difference"] == 0
    if end.startswith("L"):
        assert gradient["grad"] == json.loads(done.err.splitlines()[0])


def test_tensors_are_not_copied_out_of_the_graph_by_a_repair(autodiff):
    head = "import math\ntau = torch.tensor([2., 3.], requires_grad=True)\n"
    done = autodiff("grad", "-e", head + "y = math.exp(-1/tau).sum()")
    assert "for many numbers: torch.exp(-1/tau)\n" in done.err
    assert "torch.tensor(-1/tau)" not in done.err
