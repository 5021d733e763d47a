"""The LaTeX of reports is a formula again: what ``explain`` prints is read, and right."""

from __future__ import annotations

import re

import pytest
from autodiff.cli.render.equations import Section
from autodiff.cli.render.latex import equation_text
from autodiff.cli.render.page import Page
from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.source import Source
from autodiff.core.derivation.describe import describe
from autodiff.core.report.records import GradientReport
from autodiff.grammar.execution import execute
from autodiff.grammar.session.run import Settings, differentiate
from conftest import REPOSITORY
from hand_checks import check

SCRIPTS = """\
x = [1., 2.]; L = (x**2).sum()
x = [1., 2.]; L = (x**3).mean()
X = [[1., 2.], [3., 4.], [0.5, 1.]]; W = [[1., -1.], [0.5, 2.]]; L = (X @ W).sum()
X = [[1., 2.], [3., 4.], [0.5, 1.]]; W = [[1., -1.], [0.5, 2.]]; L = ((X @ W)**2).mean()
X = [[1., 2.], [3., 4.], [0.5, 1.]]; y = [1., 2., 3.]; w = [1., -1.]; L = ((X @ w - y)**2).sum()
x = [1., 2.]; L = exp(x).sum()
x = [1., 2.]; L = log(x).mean()
z = [1., 2., 0.5]; L = -log(softmax(z, 0)[1])
z = [1., 2., 0.5]; t = [0., 1., 0.]; L = -(t*log(softmax(z, 0))).sum()
z = torch.tensor([[1., 2., 0.5]], requires_grad=True); t = torch.tensor([1]); L = F.cross_entropy(z, t)
x = [1., -2.]; L = relu(x).sum()
x = 2.; L = relu(x)*x
X = [[1., 2.], [3., 4.], [0.5, 1.]]; W = [[1., -1.], [0.5, 2.]]; L = (relu(X @ W)**2).mean()
x = 2.; L = abs(x)*x
x = [1., -2.]; L = abs(x).sum()
x = [1., -2.]; L = x.max()
x = [1., -2., 0.5]; L = where(x > 0, x**2, 3*x).sum()
x = 2.; w = 0.3; L = sigmoid(w*x)
x = [1., -2.]; w = [0.1, 0.2]; L = log(sigmoid(w @ x))
x = [1., -2.]; w = [0.1, 0.2]; L = exp(w) @ (x - 1)
x = [1., -2.]; L = norm(x)
x = [1., -2.]; L = norm(x - 1)**2
x = 2.; a = 3.; L = x**a
x = [1., -2., 3.]; L = x[0]*x[2]**2
W = [[1., -2.], [3., 0.5]]; L = W[0,1]*W[1,0]
x = [1., -2., 3.]; L = (x[1:]**2).sum()
A = [[1., -2.], [3., 0.5]]; x = [[1.], [2.]]; L = (A.T @ x).sum()
A = [[1., -2.], [3., 0.5]]; x = [1., 2.]; L = x @ A @ x
A = [[1., -2.], [3., 0.5]]; W = [[1., 0.5], [2., 1.]]; L = (sigmoid(A)*(A @ W.T)).sum()
w_in = 0.3; learning_rate = 0.1; L = tanh(w_in*learning_rate)/learning_rate
x = 2.; w1 = 0.3; L = sqrt(1 + x**2)*log(w1 + x)
x = [0.5, -2., 3.]; L = clamp(x, 0, 1).sum()
x = [0.5, -2., 3.]; L = x.std()
A = [[1., -2.], [3., 0.5]]; L = trace(A @ A)
A = [[1., -2.], [3., 0.5]]; L = det(A)
A = [[1., -2.], [3., 0.5]]; b = [1., 2.]; L = (inverse(A) @ b).sum()
u = [1.5, 2.]; v = [0.5, -1.]; L = (outer(u, v)**2).sum()
params = [0.5, 2.]; L = params[0]**2*params[1]
alpha = 1.2; y_hat = 0.3; L = (alpha*y_hat - 1)**4 + 1.5e-7*alpha
""".splitlines()
EXAMPLES = sorted((REPOSITORY / "examples").rglob("*.ad"))
#: Examples with what is printed and is no formula: the ``backward`` of the script's own class, a leaf that
#: has no name and whose text is cut, and the entries of a constant that depends on the values.
WITHOUT = {"cube.ad", "2_retain_graph.ad", "5_data_and_max.ad"}
RIGHT = ("right", "right here")


def report_on(script: str) -> GradientReport | None:
    """The report on a script; None for one without a gradient."""
    asked, source = Settings(adds_up=True), Source(script, "script.ad")
    try:
        subject = differentiate(execute(source, asked, lambda text: None), asked)
    except AutodiffError:
        return None
    return describe(subject, source, graph=False)


def equations(report: GradientReport) -> list[str]:
    """The equations that ``explain --format equation`` prints, with the comments behind each."""
    return [text for text in re.split(r"\n(?=\\frac)", equation_text(report)) if text]


@pytest.mark.parametrize("script", SCRIPTS)
def test_equations(script: str) -> None:
    report = report_on(script)
    assert report is not None
    found = equations(report)
    assert len(found) == len(report.derivations)
    for text in found:
        assert check(script, text).verdict == "right", text
        wrong = re.sub(r" = (.*)", r" = 3 \\cdot \\left(\1\\right)", text, count=1)
        assert check(script, wrong).verdict == "wrong", wrong


@pytest.mark.parametrize("path", EXAMPLES, ids=[path.name for path in EXAMPLES])
def test_equations_of_examples(path: object) -> None:
    script = path.read_text()  # type: ignore[attr-defined]
    report = report_on(script)
    for text in [] if report is None or path.name in WITHOUT else equations(report):  # type: ignore[attr-defined]
        assert check(script, text).verdict in RIGHT, text


@pytest.mark.parametrize("script", SCRIPTS)
def test_rows_of_documents(script: str) -> None:
    """LaTeX, Markdown and pages have the same rows.

    The chain rule only says which derivatives are meant, and the row with numbers has rounded ones.
    """
    report = report_on(script)
    assert report is not None
    comments = equations(report)
    for derivation, equation in zip(report.derivations, comments, strict=True):
        section = Section(derivation, Page(80))
        _, *after = equation.splitlines()
        for label, lines in section.steps.sides:
            shown = ("simplified", "factored", "local", "value")
            if label in (shown if derivation.is_scalar else shown[:2]):
                text = "\n".join([f"{section.steps.left} = {' '.join(lines)}", *after])
                assert check(script, text).verdict in RIGHT, text
