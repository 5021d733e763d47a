"""Which formulas are taken for a function of the library, whatever trials would make of a wrong guess."""

from __future__ import annotations

import pytest
from autodiff.core.base.errors import AutodiffError, Edit
from autodiff.core.base.source import Source, Span
from autodiff.core.report.cause import Cause
from autodiff.grammar.help.failure_scene import Scene
from autodiff.grammar.repair.gradient_remedies import changed_lines
from autodiff.grammar.repair.proposals.domain_edges import avoid_edge, choose_before_op
from autodiff.grammar.repair.proposals.stable_functions import known_functions
from autodiff.grammar.syntax.parser import parse_to_first_error


def scene_at(script: str, place: str) -> Scene:
    """The scene of a script that failed where ``place`` is last written."""
    at = script.rindex(place)
    source = Source(script, "script.ad")
    return Scene(AutodiffError(""), Span(at, at + len(place)), parse_to_first_error(source), source, [], {})


def forms(script: str, place: str) -> list[str]:
    return [fix.text.partition(": ")[2] for fix in known_functions(scene_at(script, place))]


@pytest.mark.parametrize(
    ("script", "place", "form"),
    [
        ("y = exp(x) / exp(x).sum(keepdim=True)", "exp(x)", "softmax(x, 0)"),
        ("y = 1 / (1 + exp(-x + z))", "exp(-x + z)", "sigmoid(-(-x + z))"),
        ("y = exp(-x) / (1 + exp(-x))", "exp(-x)", "sigmoid(-x)"),
        ("y = (exp(x) - exp(-x)) / (exp(x) + exp(-x))", "exp(x)", "tanh(x)"),
        ("y = 2 / (1 + exp(-x))", "exp(-x)", "2*sigmoid(x)"),
        ("y = x / (1 + exp(-x))", "exp(-x)", "x*sigmoid(x)"),
        ("y = (a + b) / (exp(x) + 1)", "exp(x)", "(a + b)*sigmoid(-x)"),
        ("y = (exp(x) - 1) / (exp(z) + 1)", "exp(z)", "(exp(x) - 1)*sigmoid(-z)"),
        ("y = (exp(2*x) - 1) / (exp(2*x) + 1)", "exp(2*x)", "tanh(x)"),
        ("e = exp(x)\ny = (e - 1) / (e + 1)", "exp(x)", "tanh(x/2)"),
        ("p, q = softmax(x, 0), softmax(z, 0)\ny = log(p)", "log(p)", "log_softmax(x, 0)"),
        ("d = x - x.mean()\ny = (d**2).mean().sqrt()", "(d**2).mean().sqrt()", "x.std(correction=0)"),
        ("import numpy as np\ny = np.sqrt(np.mean((x - np.mean(x))**2))", "np.mean(x)", "np.std(x)"),
        ("y = sqrt(x.var())", "sqrt(x.var())", "x.std()"),
        ("y = log(1 - exp(-x))", "log(1 - exp(-x))", "log(-expm1(-x))"),
        ("e = exp(x)\ny = log(1 + e)", "exp(x)", "softplus(x)"),
        ("y = sqrt(a*a + b**2)", "sqrt(a*a + b**2)", "hypot(a, b)"),
        ("y = log(sum(exp(v) for v in x))", "exp(v)", "logsumexp(x, 0)"),
        ("y = log(sum([exp(v) for v in x]))", "exp(v)", "logsumexp(x, 0)"),
        ("y = log(special.ndtr(x))", "log(special.ndtr(x))", "special.log_ndtr(x)"),
        ("p = torch.special.ndtr(x)\ny = p.log()", "p.log()", "torch.special.log_ndtr(x)"),
        ("y = log(norm.cdf(x, 1, s))", "log(norm.cdf(x, 1, s))", "norm.logcdf(x, 1, s)"),
        ("y = log((1 + erf(x/sqrt(2)))/2)", "log((1 + erf(x/sqrt(2)))/2)", "special.log_ndtr(x)"),
        (
            "y = log(0.5*(erf((x - m)/2**0.5) + 1))",
            "log(0.5*(erf((x - m)/2**0.5) + 1))",
            "special.log_ndtr(x - m)",
        ),
        (
            "y = log(0.5*erfc(-x/1.4142135623730951))",
            "log(0.5*erfc(-x/1.4142135623730951))",
            "special.log_ndtr(x)",
        ),
        ("y = log(gamma(x))", "gamma(x)", "lgamma(x)"),
        ("y = log(factorial(n))", "factorial(n)", "lgamma(n + 1)"),
        ("y = log(gamma(a)*gamma(b)/gamma(a + b))", "gamma(b)", "(lgamma(b) + -lgamma(a + b) + lgamma(a))"),
        ("k = 9.\ny = log(exp(x)/k)", "exp(x)", "(-log(k) + x)"),
    ],
)
def test_formulas_that_are_known(script: str, place: str, form: str) -> None:
    assert forms(script, place) == [form]


@pytest.mark.parametrize(
    ("script", "place"),
    [
        ("a = log(exp(x).sum())\nb = sqrt(x)", "sqrt(x)"),  # it stands elsewhere
        ("y = exp(z) / (1 + exp(x))", "exp(x)"),
        ("y = exp(z) / exp(x).sum()", "exp(x)"),
        ("y = (exp(x) - exp(-z)) / (exp(x) + exp(-z))", "exp(x)"),
        ("y = (exp(x) - exp(-x)) / (exp(z) + exp(-z))", "exp(z)"),
        ("y = sin(x) / z", "sin(x) / z"),
        ("y = sqrt(a*a - b**2)", "sqrt(a*a - b**2)"),
        ("y = log(sum(exp(v) for v in x if v))", "exp(v)"),
        ("y = log(sum(exp(u) for v in x))", "exp(u)"),
        ("y = log(0.5*(1 + erf(x)))", "log(0.5*(1 + erf(x)))"),
        ("y = log(0.25*(1 + erf(x/sqrt(2))))", "log(0.25*(1 + erf(x/sqrt(2))))"),
        ("y = log(0.5*(2 + erf(x/sqrt(2))))", "log(0.5*(2 + erf(x/sqrt(2))))"),
        ("y = log(0.5*erfc(x/sqrt(3)))", "log(0.5*erfc(x/sqrt(3)))"),
        ("y = log(softmax(x, 0).sum(0))", "log(softmax(x, 0).sum(0))"),
        ("y = log(2 - sigmoid(x))", "log(2 - sigmoid(x))"),
        ("p, q = softmax(x, 0)\ny = log(p)", "log(p)"),
        ("y = log(2 + exp(x))", "exp(x)"),
        ("y = sqrt((x**4).sum())", "sqrt((x**4).sum())"),
        ("y = sqrt((x * z).sum())", "sqrt((x * z).sum())"),
        ("y = sqrt(((x - z.mean())**2).mean())", "sqrt(((x - z.mean())**2).mean())"),
        ("y = sqrt(((x - x.mean(0))**2).mean())", "sqrt(((x - x.mean(0))**2).mean())"),
        ("y = (x**2).sum()**0.25", "(x**2).sum()**0.25"),
        # names that mean something else somewhere
        ("v = x * 1\nn = sqrt((v**2).sum())\nv = x", "sqrt((v**2).sum())"),
        ("v = x * 1\np = softmax(v, 0)\nv = x\ny = log(p)", "log(p)"),
        ("e = exp(x)\ne = e * 2\ny = log(e.sum())", "exp(x)"),
        ("e = exp(x)\ne += 2\ny = log(e.sum())", "exp(x)"),
        ("e = exp(x)\ne[0] = 2\ny = log(e.sum())", "exp(x)"),
        ("e = exp(x)\ne.mul_(2)\ny = log(e.sum())", "exp(x)"),
        ("e = exp(x)\ne, k = x, 2\ny = log(e.sum())", "exp(x)"),
        ("e = exp(x)\nfor e in x:\n    y = log(e.sum())", "exp(x)"),
        ("def f(e):\n    return log(e.sum())\ne = exp(x)\ny = f(x)", "exp(x)"),
    ],
)
def test_formulas_that_are_another(script: str, place: str) -> None:
    assert forms(script, place) == []


# -- what is written near an edge ---------------------------------------------------------------------------


def cause_of(op: str, selecting: Span | None = None) -> Cause:
    cause = Cause("masked", "", "y", op, 0, 1, None)
    cause.selection_span = selecting
    return cause


def written(script: str, place: str, op: str) -> list[str]:
    return [fix.apply(script) for fix in avoid_edge(cause_of(op), scene_at(script, place))]


def test_log1p_is_kept_above_minus_1() -> None:
    assert written("y = torch.log1p(x)", "torch.log1p(x)", "log1p") == [
        "y = torch.log1p(x + 1e-12)",
        "y = torch.log1p(x.clamp(min=1e-12 - 1))",
        "y = torch.log1p(x + 1e-6)",
        "y = torch.log1p(x.clamp(min=1e-6 - 1))",
    ]


def test_an_overflow_is_kept_off_in_both_types() -> None:
    assert written("y = x.exp()", "x.exp()", "exp") == [
        "y = x.clamp(max=700).exp()",
        "y = x.clamp(max=80).exp()",
    ]


def test_acos_of_a_method_is_repaired_in_float64_last() -> None:
    assert written("y = x.acos()", "x.acos()", "acos") == [
        "y = (x * (1 - 1e-12)).acos()",
        "y = (x * (1 - 1e-6)).acos()",
        "y = (x.double() * (1 - 1e-12)).acos().float()",
    ]


@pytest.mark.parametrize(
    ("script", "first"),
    [
        ("y = torch.where(x > 0, torch.log(x), 0)", "torch.log(torch.where(x > 0, x, 1))"),
        ("y = torch.where(x > 0, 0, torch.log(x))", "torch.log(torch.where(x > 0, 1, x))"),
    ],
)
def test_the_branch_that_was_left_out_is_tried_first(script: str, first: str) -> None:
    scene = scene_at(script, "torch.log(x)")
    selecting = Span(script.index("torch.where"), len(script))
    [fix, other] = choose_before_op(cause_of("log", selecting), scene)
    assert fix.text.endswith(first)
    assert not other.text.endswith(first)


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("a\nb\nc\n", "a\nc\n"),
        ("a\nc\n", "a\nb\nc\n"),
        ("a\nb\nc\n", "a\nd\nc\n"),
        ("a\nb\nc\nd\n", "x\nb\nd\ne\n"),
    ],
)
def test_changed_lines_make_one_text_of_another(before: str, now: str) -> None:
    edits: list[Edit] = changed_lines(before, now)
    text = before
    for edit in reversed(edits):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    assert text == now
