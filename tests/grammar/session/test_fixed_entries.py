"""Entries that never change pass nothing on: first and second slopes are those of a script without them."""

from __future__ import annotations

import numpy as np
import pytest
from autodiff.cli.command_line.fast_parser import read_arguments
from autodiff.cli.requests.derivatives import Question
from autodiff.cli.requests.session import Session
from autodiff.core.derivation.fixed_entries import fixed_entries
from autodiff.grammar.session.derivative_matrices import exact_jacobian, nodes_of
from autodiff.grammar.session.objective import Objective
from autodiff.grammar.session.rerun import Probe

#: Terms whose rows with t = 0 are the same for every a and b above 0, but for an added a.
TERMS = {
    "power": "(t/a)**(b/2)",
    "power of a power": "((t/a)**(b/2))**(1/b)",
    "root of a product": "sqrt(4*a*t)*b",
    "root of a quotient": "b*sqrt(t/a)",
    "product before the exponential": "exp(-sqrt(a*t*b))",
    "quotient of a product": "(t*a/b)**0.3 + a",
    "exponent alone": "(t**b)*sqrt(t*a)",
    "negated": "sqrt(-(-t*a)) + b*t",
    "chosen": "where(t > 0, sqrt(t*a)*b, 0)",
    "logarithm": "log1p(sqrt(a*t))*b",
    "dose and response": "b/(1 + (a/t)**1.5)",
    "negative power": "b/(a + (t/a)**(-b))",
    "exponential of a pole": "a*exp(-b/t)",
    "chosen logarithm": "where(t > 0, a*log(t/b), 0)",
    "chosen pole": "where(t > 0, a - b/t, 0)",
    "difference of an infinity": "exp(a - b - a/(t*b))",
    "saturated": "b + b*tanh(log(t/a)*a)",
}


def objective_of(code):
    request = read_arguments(["minimize", "-e", code, "--wrt", "a,b"])
    probe = Probe()
    asked = Question(Session(request), weighed=False, probe=probe)
    return Objective(asked.execution, asked.settings, probe, asked.subject)


def script(term, t, more="0"):
    return f"a = 2.; b = 1.5; t = tensor({t}); r = {term} - 1.; L = (r**2).sum() + {more}"


@pytest.mark.parametrize("times", [1, 3], ids=["by rows", "by columns"])
@pytest.mark.parametrize("term", TERMS.values(), ids=TERMS)
def test_slopes_are_those_without_the_zeros(term, times):
    has_a = term.endswith(" + a")
    at_zero = "a" if has_a else "exp(0*a)" if term.startswith("exp(") else "0*a"
    whole = objective_of(script(term, [0.0, 1.0, 0.0, 2.0] * times, "0"))
    other = objective_of(script(term, [1.0, 2.0] * times, f"{2 * times}*({at_zero} - 1)**2"))
    place = whole.start
    assert whole.gradient(place) == pytest.approx(other.gradient(place), rel=1e-12)
    assert whole.hessian(place) == pytest.approx(other.hessian(place), rel=1e-12)
    rows = iter(other.rows())
    expected = [[has_a, 0] if at % 2 == 0 else next(rows) for at in range(4 * times)]
    assert whole.jacobian(place) == pytest.approx(np.array(expected, float), rel=1e-12)


@pytest.mark.parametrize("term", TERMS.values(), ids=TERMS)
def test_fixed_entries_do_not_change(term):
    """Every entry that counts as fixed has the same value, to the bit, in runs with other inputs."""
    objective = objective_of(script(term, [0.0, 1.0, 0.0, 2.0]))
    first = objective.subject
    fixed = fixed_entries(first.order, nodes_of(first))
    assert fixed
    for place in ([2.1, 1.7], [0.3, 4.0], [7.0, 0.2]):
        moved = objective.run(np.array(place))
        for node, other in zip(first.order, moved.order, strict=True):
            if node in fixed:
                mask = fixed[node]
                assert (np.asarray(node.out)[mask] == np.asarray(other.out)[mask]).all()


def test_slopes_do_not_read_what_was_not_chosen():
    """The logarithm of -1 is nan, and its slope too."""
    chosen = "where(t > 0, a*log(t)*b**2, 0)"
    whole = objective_of(script(chosen, [-1.0, 1.5, 2.0]))
    other = objective_of(script(chosen, [1.5, 2.0]))
    assert whole.gradient(whole.start) == pytest.approx(other.gradient(whole.start), rel=1e-12)
    assert whole.hessian(whole.start) == pytest.approx(other.hessian(whole.start), rel=1e-12)
    assert whole.jacobian(whole.start)[1:] == pytest.approx(other.jacobian(whole.start), rel=1e-12)
    assert whole.left_out is None


@pytest.mark.parametrize(
    "code",
    [
        "a = 1.; b = 0.; t = tensor([0., 1.]); r = sqrt(t - b)*a",
        "a = 0.; b = 0.; t = tensor([0., 1.]); r = sqrt(t*a) + b",
        "a = 1.; b = 1.; t = tensor([0., 1.]); r = (t - t*a + abs(b - 1))**0.5",
        "a = 0.; b = 1.; t = tensor([0., 1.]); r = a*exp(-1/(t*a)) + b",
        "a = 1.; b = 0.; t = tensor([0., 1.]); r = exp(-(t/a)**b)*b/t",
    ],
)
def test_slopes_that_have_no_bound_stay_so(code):
    objective = objective_of(code)
    assert not np.isfinite(objective.jacobian(objective.start)).all()
    assert objective.left_out is None


def test_single_numbers_are_entries_too():
    code = "a = 2.; b = 0.5; L = 0.\nfor t in [0., 1., 4.]: L = L + ((t/a)**b - 1)**2\nL"
    numbers = objective_of(code)
    assert numbers.gradient(numbers.start) == pytest.approx(
        objective_of(code.replace("[0., ", "[")).gradient(numbers.start)
    )
    found, leaves_out = exact_jacobian(numbers.subject)
    assert leaves_out
    assert found.ravel() == pytest.approx(numbers.gradient(numbers.start))
