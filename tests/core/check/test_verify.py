"""Checking gradients: no false alarm on right ones, wrong ones are caught, kinks are named as such."""

from __future__ import annotations

import numpy as np
import pytest
from autodiff.core.base.source import Source
from autodiff.core.check.checked_functions import ANALYTIC_OPS, OutputFunction
from autodiff.core.check.numerical_derivatives import Slope
from autodiff.core.check.verify import _Verifier, verify
from autodiff.core.engine.public_functions import METHODS
from autodiff.core.report.records import ReportedPass
from autodiff.core.report.verdict import (
    BLURRED,
    DISAGREE,
    KINK,
    LEAVES_DOMAIN,
    NOT_FINITE,
    OK,
    UNDECIDED,
    WRONG,
    GradientCheck,
)
from autodiff.grammar.execution import execute
from autodiff.grammar.objects.runtime import discard_text, discard_warning
from autodiff.grammar.session.run import Settings, differentiate
from graph_builder import random_scalar_graph, random_tensor_graph, subject_of
from seeds import blocks, seeds

GRAPHS = {"numbers": random_scalar_graph, "tensors": random_tensor_graph}


def subject_from(code: str) -> ReportedPass:
    settings = Settings()
    return differentiate(execute(Source(code), settings, discard_text, discard_warning), settings)


def check(code: str, order: int = 1) -> GradientCheck:
    subject = subject_from(code)
    [(spelled, node)] = subject.wrt
    return verify(subject, spelled, node, order, 0)


@pytest.mark.parametrize("kind", GRAPHS)
@pytest.mark.parametrize("block", blocks(200, 50))
def test_no_false_alarm_on_random_programs(kind: str, block: range) -> None:
    """Rectifiers stand in some, and no random input sits on their kink."""
    for seed in block:
        root, leaves = GRAPHS[kind](seed, 8)
        subject = subject_of(root, {f"x{at}": leaf for at, leaf in enumerate(leaves)})
        for spelled, node in subject.wrt:
            found = verify(subject, spelled, node, 1, 0)
            assert found.verdict == OK, (seed, spelled, found.expected, found.given)
            assert found.difference < 1e-5
            # one rounding of a slope that cancels to 0 may be 2e-9
            assert found.complex_difference is None or found.complex_difference < 3e-9


@pytest.mark.parametrize("kind", GRAPHS)
def test_no_false_alarm_on_second_derivatives(kind: str) -> None:
    for seed in seeds(30):
        root, leaves = GRAPHS[kind](seed, 6)
        subject = subject_of(root, {f"x{at}": leaf for at, leaf in enumerate(leaves)})
        for spelled, node in subject.wrt:
            assert verify(subject, spelled, node, 2, 0).verdict == OK, (seed, spelled)


@pytest.mark.parametrize("kind", GRAPHS)
def test_three_per_cent_too_much_is_wrong(kind: str) -> None:
    seen = 0
    for seed in seeds(40):
        root, leaves = GRAPHS[kind](seed, 8)
        subject = subject_of(root, {f"x{at}": leaf for at, leaf in enumerate(leaves)})
        for spelled, node in subject.wrt:
            g = subject.cotangents.get(node)
            if g is None or not np.any(np.abs(g) > 1e-3):
                continue
            subject.cotangents[node] = g * 1.03
            found = verify(subject, spelled, node, 1, 0)
            assert found.verdict == WRONG
            assert found.given == pytest.approx(1.03 * found.expected, rel=1e-5)
            assert found.slope is None or found.slope < 1.9
            seen += 1
    assert seen > 1.5 * len(seeds(40))


def test_the_worst_entry_is_named() -> None:
    subject = subject_from("x = tensor([[1., 2.], [3., 4.]], requires_grad=True)\nL = (x**3).sum()")
    [(spelled, node)] = subject.wrt
    subject.cotangents[node] = subject.cotangents[node] + np.array([[0.0, 0.1], [0.5, 0.0]])
    found = verify(subject, spelled, node, 1, 0)
    assert (found.verdict, found.worst) == (WRONG, (1, 0))
    assert (found.expected, found.given) == (pytest.approx(27), pytest.approx(27.5))
    assert found.difference == pytest.approx(0.5 / 48, rel=1e-3)


@pytest.mark.parametrize(
    ("code", "sides"),
    [
        ("x = tensor(0., requires_grad=True)\nL = relu(x)*3", (0, 3)),
        ("x = tensor([1., 0., 2.], requires_grad=True)\nL = abs(x).sum()", (-1, 1)),
        ("x = tensor([1., 3., 3.], requires_grad=True)\nL = x.max()", (0, 1)),
        ("x = tensor(1., requires_grad=True)\nL = x.clamp(0, 1)", (1, 0)),
    ],
)
def test_kinks_are_no_mistakes(code: str, sides: tuple[float, float]) -> None:
    found = check(code)
    assert found.verdict == KINK
    assert found.sides == pytest.approx(sides, abs=1e-6)


@pytest.mark.parametrize("formula", ["relu(x)**2", "x*relu(x)", "x.abs()*x"])
def test_slopes_that_meet_make_no_kink(formula: str) -> None:
    assert check(f"x = tensor(0., requires_grad=True)\nL = {formula}").verdict == OK


#: Arguments of the methods that need some, for a vector of two.
ARGUMENTS = {
    **dict.fromkeys(("add", "div", "mul", "sub", "dot", "matmul", "outer"), "x.exp()"),
    "bmm": "x.exp().view(1, 2, 1)",
    "expand": "3, 2",
    "mm": "x.exp().view(2, 1)",
    "mv": "x.exp()",
    "permute": "0",
    "pow": "2.5",
    "reshape": "2, 1",
    "transpose": "0, 0",
    "unsqueeze": "1",
}
MATRICES = {"bmm": "x.view(1, 1, 2)", "mm": "x.view(1, 2)", "mv": "x.view(1, 2)"}


@pytest.mark.parametrize(
    "name", sorted(ANALYTIC_OPS & set(METHODS) - {"select", "index", "slice", "diagonal", "trace"})
)
def test_complex_steps_are_exact(name: str) -> None:
    values = "1.3, 1.7" if name == "acosh" else "0.3, 0.7"
    called = f"{MATRICES.get(name, 'x')}.{name}({ARGUMENTS.get(name, '')})"
    found = check(f"x = tensor([{values}], requires_grad=True)\nL = ({called}*x*x).sum()")
    assert found.complex_difference is not None
    assert found.complex_difference < 1e-12


def test_second_derivatives_of_products_in_single_precision() -> None:
    code = (
        "A = torch.tensor([[1., 2.], [3., 4.]], dtype=torch.float32, requires_grad=True)\n"
        "B = torch.tensor([[.1, .2], [.3, .5]], dtype=torch.float32)\nL = ((A @ B)**2).sum()"
    )
    assert check(code, order=2).verdict == OK


def test_a_jump_of_the_gradient_is_a_kink_of_second_order() -> None:
    code = "x = tensor(0., requires_grad=True)\nL = relu(x)*3"
    assert check(code, order=2).verdict == KINK
    assert check(code.replace("relu(x)", "x**2"), order=2).verdict == OK


@pytest.mark.parametrize("value", ["1e-8", "1e8", "-3e5", "1e-3"])
def test_inputs_of_every_size(value: str) -> None:
    found = check(f"x = tensor({value}, requires_grad=True)\nL = sqrt(x*x) + log(x*x) + x**3*1e-3")
    assert found.verdict == OK
    assert found.difference < 1e-6


@pytest.mark.parametrize("size", [6.626e-34, 1e-200, 1e-12, 0.01, 1.0, 3e8, 1e30, 1e200])
def test_all_ways_of_checking_go_by_the_size_of_the_input(size: float) -> None:
    found = check(f"h = {size}\ny = 1/(exp(h*{1 / size}) - 1)")
    assert found.verdict == OK
    assert found.complex_difference is not None
    assert found.complex_difference < 1e-14
    assert found.slope == pytest.approx(2, abs=0.05)


def test_entries_of_many_sizes_are_moved_by_their_own() -> None:
    found = check(
        "c = tensor([6.6e-34, 3e8, 1.4e-23], requires_grad=True)\ny = exp(-c[0]*c[1]/(c[2]*1e-2)/1.5)"
    )
    assert (found.verdict, found.slope) == (OK, pytest.approx(2, abs=0.05))


@pytest.mark.parametrize("code", ["x = 0.\ny = sin(x*1e33)", "x = 1e-3\ny = sin(1e33*x)"])
def test_a_complex_step_is_taken_within_the_scale_of_the_function(code: str) -> None:
    found = check(code)
    assert (found.verdict, found.complex_difference) == (OK, pytest.approx(0, abs=1e-9))
    assert found.slope is None
    assert not found.is_linear


@pytest.mark.parametrize(
    ("code", "is_linear"),
    [
        ("x = 2.\ny = 3*x", True),
        ("x = 1e-30\ny = 3*x + 1e-29", True),
        ("x = 2.\ny = 0*x", True),
        ("x = 2e-9\ny = exp(1e-9*x)", False),
    ],
)
def test_a_remainder_lost_in_rounding_is_not_that_of_a_linear_function(code: str, is_linear: bool) -> None:
    found = check(code)
    assert (found.verdict, found.slope, found.is_linear) == (OK, None, is_linear)


@pytest.mark.parametrize("formula", ["3*x", "3*x.abs()"])
@pytest.mark.parametrize("error", [1e-8, 3e-7])
def test_no_gradient_is_right_beside_a_way_of_checking_that_disagrees(formula: str, error: float) -> None:
    subject = subject_from(f"x = tensor(2., requires_grad=True)\nL = {formula}")
    [(spelled, node)] = subject.wrt
    assert verify(subject, spelled, node, 1, 0).verdict == OK
    subject.cotangents[node] = subject.cotangents[node] * (1 + error)
    found = verify(subject, spelled, node, 1, 0)
    assert (found.verdict, found.reason) == (UNDECIDED, DISAGREE)


@pytest.mark.parametrize("code", ["x = 0.\ny = sqrt(x*x + 1e-20)", "x = 1.01\ny = relu(x - 1)"])
def test_a_remainder_of_steps_that_are_too_large_is_none(code: str) -> None:
    found = check(code)
    assert found.verdict == OK
    assert found.slope is None or found.slope > 1.2


def test_differences_do_not_outvote_a_complex_step() -> None:
    subject = subject_from("x = tensor(2., requires_grad=True)\nL = x**3")
    [(spelled, node)] = subject.wrt
    ways = _Verifier(OutputFunction(subject, spelled, node), np.random.default_rng(0), 1)
    ways.rounding, ways.is_blurred = 0.0, False
    slope = Slope(-12.0, 0.0, 12.0, 1.0, 0.0, None)
    slope.error = 1e-9
    assert ways.judge(2.0, 12.0, slope, 12.0, 12.0) == OK
    assert ways.judge(2.0, 12.0, slope, 12.5, 12.0) == UNDECIDED


def test_what_is_not_finite_cannot_be_checked() -> None:
    assert check("x = tensor(-1., requires_grad=True)\nL = sqrt(x)").verdict == NOT_FINITE
    assert check("x = tensor(0., requires_grad=True)\nL = sqrt(x)*x").verdict == NOT_FINITE


def test_where_no_step_stays_in_the_domain() -> None:
    code = "x = tensor(709.782712893384, requires_grad=True)\nL = exp(x)"
    assert (check(code).verdict, check(code).is_complex_step) == (OK, True)  # the complex step stays
    assert check(code + ".abs()").reason == BLURRED
    found = check("x = tensor(0., requires_grad=True)\nL = (x**1.5).abs()")
    assert (found.verdict, found.reason) == (UNDECIDED, LEAVES_DOMAIN)


def test_single_precision_is_judged_by_its_own_measure() -> None:
    found = check("x = torch.tensor([1., 3., 2.], dtype=torch.float32, requires_grad=True)\nL = exp(x).sum()")
    assert found.verdict == OK


def test_rounding_of_single_precision_is_no_mistake() -> None:
    found = check(
        "x = torch.linspace(-30., 30., 20, dtype=torch.float32)\n"
        "a = torch.tensor(0., dtype=torch.float32, requires_grad=True)\n"
        "L = ((a + x)**2).sum()"
    )
    assert found.given != 0
    assert found.verdict == OK


def test_of_large_tensors_some_entries_are_stepped() -> None:
    code = "x = torch.linspace(1, 2, 900, requires_grad=True)\nL = (x**3).sum()"
    found = check(code)
    assert (found.verdict, found.entries, found.size) == (OK, 200, 900)
    assert found.slope == pytest.approx(2, abs=0.05)


CUBES = "x = torch.linspace(1, 2, 900, dtype=torch.{}, requires_grad=True)\nL = (x**3).sum()"


def off_at(subject: ReportedPass, at: int, error: float) -> GradientCheck:
    [(spelled, node)] = subject.wrt
    wrong = np.array(subject.cotangents[node])
    wrong[at] *= 1 + error
    subject.cotangents[node] = wrong
    return verify(subject, spelled, node, 1, 0)


@pytest.mark.parametrize("at", [0, 1, 300, 450, 899])
def test_entries_that_were_not_chosen_are_looked_at_in_groups(at: int) -> None:
    found = off_at(subject_from(CUBES.format("float64")), at, 1e-3)
    assert (found.verdict, found.worst) == (WRONG, (at,))
    assert found.entries < 250


def test_taylor_sees_a_wrong_entry_that_was_not_stepped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_Verifier, "suspects", lambda *what: [])
    for at in range(900):
        found = off_at(subject_from(CUBES.format("float64")), at, 0.5)
        if found.worst != (at,):
            break
    assert found.verdict == WRONG
    assert found.slope is not None
    assert found.slope < 1.8


def test_ops_of_tensors_take_single_numbers_too() -> None:
    """A reduction has no form for Python's floats, which single numbers are kept as."""
    assert (
        check("x = tensor(0.5, requires_grad=True)\nL = (x * x).sum() + x.clamp(0, 1).mean()").verdict == OK
    )


@pytest.mark.parametrize(
    ("code", "verdict"),
    [
        ("x = torch.tensor([1., 30., 2.])\nL = F.cross_entropy(x, tensor(1))", UNDECIDED),
        ("x = torch.tensor([1., 30., 2.]).float()\nL = F.cross_entropy(x, tensor(1))", UNDECIDED),
        ("x = torch.tensor([1., 3.])\nL = (torch.sin(x.float()).double()*x).sum()", OK),
        ("x = torch.tensor([1e12, 2e12])\nL = (x**2).sum()", OK),
        ("x = torch.tensor([1e12, 2e12])\nL = sin(x).sum()", OK),  # by the complex step
        ("x = torch.tensor([1e12, 2e12])\nL = sin(x).abs().sum()", OK),
        ("x = torch.tensor([1., 2.])\nL = (x**2).sum() + 1e12", OK),
        ("x = torch.tensor([1., 2.])\nL = (x.abs()**2).sum() + 1e12", UNDECIDED),
        ("x = torch.tensor([1e-12, 2.])\nL = log(x.abs()).sum()", OK),
        ("x = torch.tensor([1e-300, 2.])\nL = (x.abs()*3).sum()", UNDECIDED),
        ("x = torch.tensor([1e-8, 1., 1e8])\nL = x.abs().log().sum()", OK),
        ("x = torch.tensor(1.00001)\nL = exp(-((x - 1).abs()/1e-5)**2)", OK),
        ("x = torch.tensor(709.)\nL = exp(x).abs()", OK),
        ("x = torch.tensor([-1.1])\nL = (x**150).sum() + (x**151).sum()", OK),
        ("x = torch.tensor([-2., 3., 0.])\nL = (x**3).sum() + (x**2).sum() + (x**0).sum()", OK),
        ("x = torch.tensor([1e-9, -1e-9])\nL = relu(x).sum()", OK),
        ("x = torch.tensor([1., 2., 3.])\nL = torch.softmax(x, 0).sum()", OK),
        ("x = torch.tensor([[1., 1.], [1., 1.0000001]])\nL = torch.linalg.inv(x).abs().sum()", UNDECIDED),
        ("x = torch.tensor([[2., 1.], [1., 3.]])\nL = torch.linalg.eigvalsh(x)[0]", OK),
        ("x = torch.tensor([[2., 1.], [1., 3.]])\nL = torch.linalg.cholesky(x).sum()", OK),
        ("x = torch.tensor([[2., 0.], [1., 3.]])\nL = torch.cholesky_inverse(x).sum()", OK),
        ("x = torch.tensor([1., 2.5])\nL = (x - torch.floor(x)).sum()", KINK),
        ("x = torch.tensor(0.3)\ny = x\nfor i in range(100):\n    y = y*4*(1 - y)\nL = y", UNDECIDED),
    ],
)
def test_hard_numbers(code: str, verdict: str) -> None:
    found = check(code.replace("\n", ".requires_grad_()\n", 1))
    assert found.verdict == verdict, (found.given, found.expected, found.reason)


@pytest.mark.parametrize("error", [0.5, 0.01, 1e-3])
def test_the_complex_step_decides_where_differences_cannot(error: float) -> None:
    subject = subject_from("x = torch.tensor(1e12, requires_grad=True)\nL = sin(x)")
    [(spelled, node)] = subject.wrt
    assert verify(subject, spelled, node, 1, 0).verdict == OK
    subject.cotangents[node] = subject.cotangents[node] * (1 + error)
    found = verify(subject, spelled, node, 1, 0)
    assert found.verdict == WRONG
    assert found.complex_difference == pytest.approx(error / max(1, 1 + error), rel=1)


@pytest.mark.parametrize(
    "code", ["torch.linalg.eigh(x)[1][0]", "torch.linalg.cholesky(x)", "torch.linalg.eigvalsh(x)"]
)
def test_second_derivatives_of_symmetric_matrices(code: str) -> None:
    text = f"x = torch.tensor([[2., 1.], [1., 3.]], requires_grad=True)\nL = ({code}**3).sum()"
    assert check(text, order=2).verdict == OK
