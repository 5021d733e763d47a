"""The formula for programs stands alone: computed with the variables and no more, it gives the gradient."""

from __future__ import annotations

import numpy as np
import pytest
from autodiff.cli.render.reports import formula_text
from autodiff.core.base.errors import AutodiffError, UsageError
from autodiff.core.base.source import Source
from autodiff.core.derivation.describe import describe
from autodiff.core.paths.node_names import NodeNames
from autodiff.core.report.records import GradientReport, ReportedPass
from autodiff.grammar.execution import execute
from autodiff.grammar.objects.runtime import discard_text, discard_warning
from autodiff.grammar.session.run import Settings, differentiate
from formula_evaluator import assert_formula_gives, variables_of
from script_generator import generate
from seeds import blocks

CONSTANTS = {
    "x = tensor([1., 2., 3.], requires_grad=True); y = (x*(torch.arange(3.)/4)).sum()": "arange(3)/4",
    "x = tensor([1., 2.], requires_grad=True); y = torch.where(x > 0, torch.log(x + 3), 0.).sum()": (
        "where(x > 0, 1.0, 0.0)/(x + 3)"
    ),
    "x = tensor([1., 2.], requires_grad=True); y = (torch.tensor([3., 4.])*torch.exp(x)).sum()": (
        "tensor([3.0, 4.0])*exp(x)"
    ),
    "x = torch.ones(4, 4, requires_grad=True); y = (x*(torch.arange(16.).reshape(4, 4)/4)).sum()": (
        "reshape(arange(16), (4, 4))/4"
    ),
    "x = tensor([2., 3.], requires_grad=True); y = (x*torch.tensor([1., 2., 3.])[[0, 2]]).sum()": (
        "tensor([1.0, 3.0])"
    ),
    "x = torch.ones(3, requires_grad=True)\nfor i in range(2):\n    k = i + 2\n"
    "    x = x*(torch.arange(3.) + k)\ny = x.sum()": None,
    "x = tensor([1., 2., 3.], requires_grad=True); v = x[[1, 1]]; y = (v*v).sum()": (
        "2*index_add(zeros(3), 0, tensor([1, 1]), x[[1, 1]])"
    ),
    "m = torch.tensor([[1.,2.,3.],[4.,5.,6.]]); x = torch.ones(2, 3, requires_grad=True); "
    "y = (x*(m*m + torch.tensor([0.5, 7., 11.]))).sum()": None,
}


@pytest.mark.parametrize("script", CONSTANTS)
def test_a_printed_formula_needs_no_more_than_the_variables(script: str) -> None:
    assert evaluated(script) == 1
    expected = CONSTANTS[script]
    if expected is not None:
        assert formula_text(report_of(script)[0]) == expected + "\n"


SCORES = (
    "z = tensor([[1., -1.2], [1., 0.4], [-0.6, 1.]], requires_grad=True); y = torch.tensor([0, 1, 1]); L = "
)
NUMBERS = "z = tensor([0.5, -1.2, 1.0], requires_grad=True); y = torch.tensor([0., 1., 1.]); L = "
ERROR_OF_SCORES = "(softmax(z, dim=1) - one_hot([0, 1, 1], 2))"
#: What every course derives: the loss by its scores, as the mean, as the sum, and written out.
LOSSES = {
    SCORES + "F.cross_entropy(z, y)": f"{ERROR_OF_SCORES}/3",
    SCORES + "F.cross_entropy(z[:2], y[:2])": None,
    SCORES + "F.cross_entropy(z, y, reduction='sum')": ERROR_OF_SCORES[1:-1],
    SCORES + "F.nll_loss(F.log_softmax(z, dim=1), y)": f"{ERROR_OF_SCORES}/3",
    SCORES + "-torch.log_softmax(z, 1)[range(3), y].mean()": f"{ERROR_OF_SCORES}/3",
    SCORES + "-torch.log_softmax(z, 1)[torch.arange(3), y].sum()/4": f"{ERROR_OF_SCORES}/4",
    SCORES + "-torch.log_softmax(z, 1)[[0, 2], [1, 1]].sum()": None,
    SCORES + "F.cross_entropy(2*z, y) + 0.5*(z**2).sum()": f"2*{ERROR_OF_SCORES.replace('z', '2*z')}/3 + z",
    SCORES + "(torch.log_softmax(z, 1)[range(3), y]*torch.log_softmax(z, 1)[range(3), y]).sum()": None,
    NUMBERS + "F.binary_cross_entropy_with_logits(z, y)": "(sigmoid(z) - y)/3",
    NUMBERS + "F.mse_loss(z, y)": "2*(z - y)/3",
    NUMBERS + "((z - y)**2).sum()/3": "2*(z - y)/3",
}


@pytest.mark.parametrize("script", LOSSES)
def test_the_gradient_of_a_loss_is_written_as_in_courses(script: str) -> None:
    assert evaluated(script) == 1
    [derivation] = report_of(script)[0].derivations
    assert derivation.difference < 1e-15
    assert LOSSES[script] in (None, derivation.simplified)


@pytest.mark.parametrize("block", blocks(45, 15))
def test_printed_formulas_of_generated_scripts(block: range) -> None:
    """What ``--format formula`` prints is all that a program needs, besides the values of the variables."""
    count = 0
    for seed in block:
        try:
            count += evaluated(generate(seed))
        except NoGradientError:
            continue
    assert count > 25


class NoGradientError(Exception):
    """A script has nothing to differentiate."""


def report_of(
    script: str, entry: tuple[int, ...] | None = None
) -> tuple[GradientReport, ReportedPass, NodeNames]:
    source = Source(script, "script.ad")
    try:
        subject = differentiate(execute(source, Settings(), discard_text, discard_warning), Settings())
    except AutodiffError as error:
        raise NoGradientError from error
    report = describe(subject, source, graph=False, max_paths=200, top=3, entry=entry)
    return report, subject, NodeNames(subject.order, source)


def evaluated(script: str) -> int:
    """How many finite gradients a script has, each given by the printed formula."""
    report, subject, names = report_of(script)
    variables = variables_of(subject, names)
    count = 0
    for line, derivation in zip(formula_text(report).splitlines(), report.derivations, strict=True):
        gradient = np.asarray(derivation.backward, dtype=float)
        if np.isfinite(gradient).all():
            size = np.abs(gradient) + 10 * np.abs(gradient).max(initial=1e-300)
            assert_formula_gives(line.rpartition("\t")[2], gradient, size, variables)
            count += 1
    return count


# -- functions of the script's own, versions, locals ------------------------------------------------------

FUNCTION = """class {name}(torch.autograd.Function):
    @staticmethod
    def forward(ctx, {operands}):
        {forward}
    @staticmethod
    def backward(ctx, {received}):
        {backward}
"""
X = "x = tensor([1., -2.], requires_grad=True)\n"
M = "m = tensor([[1., 3.], [4., 2.]], requires_grad=True)\n"


def own(name: str, operands: str, forward: str, received: str, backward: str) -> str:
    return FUNCTION.format(
        name=name, operands=operands, forward=forward, received=received, backward=backward
    )


CUBE = own("Cube", "x", "ctx.save_for_backward(x); return x**3", "g", "return 3*g*ctx.saved_tensors[0]**2")
SPLIT = own(
    *("Split", "a, b, k", "ctx.save_for_backward(a, b); ctx.k = k; return a*b, torch.sin(a)*k"),
    *("g, h", "a, b = ctx.saved_tensors; return g*b + h*torch.cos(a)*ctx.k, g*a, None"),
)
CLIPPED = own("Clipped", "x", "ctx.mask = x > 0; return x*ctx.mask", "g", "return g*ctx.mask*0.5")
CHANGED = own("Changed", "x", "x.mul_(2); ctx.mark_dirty(x); return x", "g", "return 2*g")
NESTED = own("Nested", "x", "return x*x", "g", "return Cube.apply(g)")

SCRIPTS = {
    "a function of the script": (CUBE + X + "L = Cube.apply(x*2).sum()", "2*(3*ones(2)*(x*2)**2)"),
    "a value of such a function": (CUBE + X + "L = (Cube.apply(x)*x).sum()", None),
    "several outputs": (SPLIT + X + "y = x + 3\nu, v = Split.apply(x*2, y, 3.)\nL = (u*u*v).sum()", None),
    "one of several outputs": (SPLIT + X + "u, v = Split.apply(x*2, x, 3.)\nL = (v*v).sum()", None),
    "one after the other": (
        SPLIT + X + "u, v = Split.apply(*Split.apply(x, x, 2.), 3.)\nL = (u + v).sum()",
        None,
    ),
    "two calls": (CUBE + X + "L = (Cube.apply(x) + Cube.apply(x*2)).sum()", None),
    "one operand twice": (SPLIT + X + "u, v = Split.apply(x, x, 2.)\nL = (u + v).sum()", None),
    "what forward found out": (CLIPPED + X + "L = Clipped.apply(x).sum()", None),
    "changed in place": (CHANGED + X + "L = (Changed.apply(x*3)**2).sum()", None),
    "a function in a backward": (CUBE + NESTED + X + "L = Nested.apply(x*x).sum()", None),
    "a number": (CUBE + "x = tensor(2., requires_grad=True)\nL = Cube.apply(x)*x", None),
    "versions": (X + "h = x*2\nh = tanh(h)\nL = (h*h).sum()", "4*tanh(2*x)*(1 - tanh(2*x)**2)"),
    "versions of an input": (X + "y = (x*x).sum()\nx = tensor([3.])\nL = y*x[0]", "6*x"),
    "an input changed in place": (
        "x = tensor([2.])\ny = x*3\nx -= 1\nL = (y*x).sum()",
        "3*(2 - 1) + y",
    ),
    "an input changed under another name": (
        "x = tensor([2.])\nfor p in [x]:\n    p *= p\nL = (x*x).sum()",
        "4*(2*2)*2",
    ),
    "a result that was replaced": (X + "h = x*2\nk = (h*h).sum()\nh = 5\nL = k", "8*x"),
    "a loop": (X + "h = x\nfor i in range(5):\n    h = sin(h*x)\nL = h.sum()", None),
    "a local variable": ("def f(a):\n    h = a*a\n    return sin(h)*h\n" + X + "L = f(x).sum()", None),
    "an input without a name": (
        "L = (tensor([3., 4.], requires_grad=True)**2).sum()",
        "2*tensor([3.0, 4.0])",
    ),
    "inputs in a list": (
        "p = [tensor([1., 2.], requires_grad=True), tensor(3.)]\nL = (p[0]**2*p[1]).sum()",
        None,
    ),
    "a long way": (X + "h = x\n" + "h = sin(h)\n" * 50 + "L = h.sum()", None),
    "a sum of ones": (X + "b = tensor(2., requires_grad=True)\nL = (b*(x/x)).sum()", None),
    "a column that is dropped": (
        "m = ones(3, 1, requires_grad=True)\nL = (m.sum(1)*tensor([1., 2., 3.])).sum()",
        None,
    ),
    "the largest of a row of one": (
        "m = tensor([[1.], [2.]], requires_grad=True)\nL = (m.amax(1)*tensor([1., 2.])).sum()**2",
        None,
    ),
    "a version that says less than its shape": (
        X + "b = tensor(2., requires_grad=True)\nh = b*ones(2)\nh = h*3\nL = (x @ h)**2",
        None,
    ),
    "a row in front": ("m = ones(1, 3, requires_grad=True)\nL = ((ones(2, 2, 3)*m)**2).sum()", None),
    "places named twice": (X + "L = (x[[1, 1, 0]]**3).sum()", None),
    "a mask": (X + "L = (x[x > 0]**3).sum()", None),
    "a part of a part": ("m = ones(3, 4, requires_grad=True)\nL = (m[1:, ::2][0]**3).sum()", None),
    "written into": (X + "h = x*2\nh[0] = 5*x[1]\nL = (h*h*h).sum()", None),
    "a claim in a product": ("m = ones(2, 2, requires_grad=True)\nL = (relu(m) @ m).sum()", None),
    "largest entries": (
        "m = tensor([[1., 3.], [4., 2.]], requires_grad=True)\nL = (m.max(1).values**2).sum()",
        None,
    ),
    "classes": (M + "L = cross_entropy(m, tensor([0, 1]))**2", None),
    "weighed classes": (
        M + "L = cross_entropy(m, tensor([0, 1]), weight=tensor([1., 2.]))**2",
        None,
    ),
    "standardized": (X + "L = (F.layer_norm(x, (2,))*tensor([1., 3.])).sum()**2", None),
    "a determinant": (M + "L = torch.det(m)**2", None),
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_formula_stands_alone(name: str) -> None:
    script, expected = SCRIPTS[name]
    report, _, _ = report_of(script)
    assert evaluated(script) == len(report.derivations)
    if expected is not None:
        assert formula_text(report) == expected + "\n"


@pytest.mark.parametrize("name", ["several outputs", "a function of the script", "versions"])
def test_entries_of_formulas_stand_alone(name: str) -> None:
    entry_given(SCRIPTS[name][0], (1,))


ENTRIES = {
    "a shared value": "X = ones(9, 2)\nw = tensor([1., 2.], requires_grad=True)\nL = ((X @ w - 3)**2).sum()",
    "versions": "w = tensor([1., 2.], requires_grad=True)\nh = w*w\nh = tanh(h)\nL = (h[0]*h).sum()",
    "no entries": "w = eye(2).requires_grad_()\nL = torch.inverse(torch.matrix_exp(w)).sum()",
}


@pytest.mark.parametrize("name", ENTRIES)
def test_entries(name: str) -> None:
    script = ENTRIES[name]
    entry_given(script, (1, 0) if "eye" in script else (1,))


def entry_given(script: str, place: tuple[int, ...]) -> None:
    """The formula of one entry of the first gradient, as ``--entry`` prints it."""
    report, subject, names = report_of(script, place)
    [first, *_] = report.derivations
    assert first.entry is not None
    formula = formula_text(report).splitlines()[0].rpartition("\t")[2]
    gradient = np.asarray(np.asarray(first.backward)[place])
    assert_formula_gives(formula, gradient, np.abs(gradient) + 1, variables_of(subject, names))


IN_INPUTS = {
    "x = 2.; K = 3.; v = x/(K + x)": "x\tK/(K + x)**2\nK\t-x/(K + x)**2\n",
    "x = 5.; y = (x + 2)/(x - 3)": "-5/(x - 3)**2\n",
    "x = 0.3; h = tanh(2*x); L = (h*3 - 1)**2": "12*(3*tanh(2*x) - 1)*(1 - tanh(2*x)**2)\n",
    "x = 0.3; exp = 2*x; L = log(x)*torch.exp(exp)": "torch.exp(2*x)/x + 2*log(x)*torch.exp(2*x)\n",
    "R1 = 3.; R2 = 4.; R = 1/(1/R1 + 1/R2)": "R1\tR2**2/(R2 + R1)**2\nR2\tR1**2/(R2 + R1)**2\n",
    "x = 2.; a = x/(x + 1); b = a/(a + 1)": "1/(2*x + 1)**2\n",
}


@pytest.mark.parametrize("script", IN_INPUTS)
def test_a_short_formula_is_in_the_inputs(script: str) -> None:
    """Results are written out; a function whose name is a variable is called by its full name."""
    report, _, _ = report_of(script)
    assert evaluated(script) == len(report.derivations)
    assert formula_text(report) == IN_INPUTS[script]


def test_a_sum_of_ones_says_how_many() -> None:
    report, _, _ = report_of(SCRIPTS["a sum of ones"][0])
    assert [derivation.simplified for derivation in report.derivations] == ["0", "sum(ones(2))"]


def test_outputs_that_no_gradient_reached_are_none_to_a_backward_that_asks_for_that() -> None:
    """``backward`` runs again for the formula as it ran for the gradient."""
    asks = "ctx.set_materialize_grads(False); return a*2, a*3"
    script = own("Both", "a", asks, "g, h", "return 2*g if h is None else 5*h")
    assert evaluated(script + X + "u, v = Both.apply(x)\nL = u.sum()") == 1


def test_a_backward_that_leaves_the_graph_is_refused() -> None:
    script = own("Half", "x", "return x/2", "g", "return torch.tensor(g.item()/2)")
    report, _, _ = report_of(script + "x = tensor(3., requires_grad=True)\nL = Half.apply(x)")
    with pytest.raises(UsageError, match=r"`Half\.backward` has no expression") as refusal:
        formula_text(report)
    assert refusal.value.code == "E0617"
