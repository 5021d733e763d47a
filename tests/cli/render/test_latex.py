"""Derivations as documents: LaTeX that compiles for every script there is, Markdown that reads well."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from autodiff.cli.render.expression_latex import UNKNOWN, latex, name_latex
from autodiff.cli.render.latex import latex_document
from autodiff.cli.render.latex_lines import BRACKET, break_into_lines, width
from autodiff.cli.render.markdown import item, markdown_document
from autodiff.cli.render.page import Page
from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.source import Source
from autodiff.core.derivation.describe import describe
from autodiff.core.report.records import GradientReport
from autodiff.core.symbolic.expr import Expr, call, infix, name_expr, neg, number_expr, postfix
from autodiff.grammar.execution import execute
from autodiff.grammar.repair.gradient_remedies import add_remedies
from autodiff.grammar.session.run import Settings, differentiate
from conftest import REPOSITORY, TESTS
from latex_reader import LatexError, read_document, read_math

SCRIPTS = sorted(
    [*REPOSITORY.glob("examples/**/*.ad"), *TESTS.glob("scripts/**/*.ad"), *TESTS.glob("pasted/*.ad")]
)
x, y, w1 = name_expr("x"), name_expr("y"), name_expr("w1")


def report_of(text: str, entry: tuple[int, ...] | None = None, **settings: object) -> GradientReport:
    asked = Settings(**settings)
    source = Source(text, "script.ad")
    subject = differentiate(execute(source, asked, lambda text: None), asked)
    return describe(subject, source, graph=False, entry=entry)


@pytest.fixture(scope="module")
def reports() -> dict[str, GradientReport]:
    """The derivations in every script that has some."""
    found = {}
    for path in SCRIPTS:
        try:
            found[str(path.relative_to(REPOSITORY))] = report_of(path.read_text())
        except AutodiffError:
            continue
    return found


EXPRESSIONS: list[tuple[Expr, str]] = [
    (infix("*", w1, name_expr("alpha")), r"w_{1} \cdot \alpha"),
    (infix("/", infix("+", x, y), number_expr(2)), r"\frac{x + y}{2}"),
    (infix("**", infix("+", x, y), number_expr(2)), r"\left(x + y\right)^{2}"),
    (infix("**", infix("**", x, y), number_expr(2)), r"\left(x^{y}\right)^{2}"),
    (infix("**", infix("/", x, y), number_expr(-1)), r"\left(\frac{x}{y}\right)^{-1}"),
    (infix("-", x, neg(y)), r"x - \left(-y\right)"),
    (infix("*", x, neg(y)), r"x \cdot \left(-y\right)"),
    (infix("*", x, number_expr(-2.5)), r"x \cdot \left(-2.5\right)"),
    (infix("*", x, infix(">", y, number_expr(0))), r"x \cdot \left[y > 0\right]"),
    (Expr("claim", (infix("<=", x, number_expr(0)),)), r"\left[x \le 0\right]"),
    (infix("-", x, infix("-", y, x)), r"x - \left(y - x\right)"),
    (number_expr(1.5e-7), r"1.5 \times 10^{-7}"),
    (infix("**", number_expr(1.5e-7), number_expr(2)), r"\left(1.5 \times 10^{-7}\right)^{2}"),
    (number_expr(float("inf")), r"\infty"),
    (call("sqrt", call("abs", x)), r"\sqrt{\left\lvert x \right\rvert}"),
    (call("sigmoid", x), r"\sigma\left(x\right)"),
    (call("log_x", x, details=("dim=1",)), r"\operatorname{\texttt{log\_x}}\left(x, \texttt{dim=1}\right)"),
    (call("where", infix(">", x, y), x, y), r"\begin{cases} x & x > y \\ y & \text{otherwise} \end{cases}"),
    (postfix(infix("@", x, y), ".T"), r"\left(x y\right)^{\top}"),
    (postfix(name_expr("X"), "[0, :]"), r"X_{[0,:]}"),
    (postfix(w1, "[0]"), r"{w_{1}}_{[0]}"),
]  # fmt: skip


@pytest.mark.parametrize(("expr", "written"), EXPRESSIONS, ids=[str(expr) for expr, _ in EXPRESSIONS])
def test_expressions(expr: Expr, written: str) -> None:
    assert latex(expr) == written
    read_math(written)


def test_a_unit_vector_is_written_as_one() -> None:
    unit = call("one_hot", details=("1", "3"), params={"targets": 1, "classes": 3})
    assert latex(infix("*", x, unit)) == r"x \cdot \mathbf{e}_{[1]}"


def test_tensors_are_multiplied_entry_by_entry_or_as_matrices() -> None:
    product = infix(
        "*", infix("@", name_expr("X"), name_expr("W")), infix("*", number_expr(2), name_expr("G"))
    )
    tensors = {"X": 2, "W": 2, "G": UNKNOWN, "v": 1, "w": 1}
    assert latex(product, tensors=tensors) == r"X W \odot 2 \cdot G"
    entrywise = infix("*", name_expr("X"), name_expr("W"))
    assert latex(infix("@", entrywise, name_expr("G")), tensors=tensors) == r"\left(X \odot W\right) G"
    doubled = infix("@", name_expr("G"), neg(infix("*", number_expr(2), entrywise)))
    assert latex(doubled, tensors=tensors) == r"G \left(-2 \cdot X \odot W\right)"
    total = infix("-", infix("*", entrywise, name_expr("G")), entrywise)
    assert latex(total, tensors=tensors) == r"X \odot W \odot G - X \odot W"


def test_the_inner_product_of_vectors_is_that_of_a_row_and_a_column() -> None:
    tensors = {"X": 2, "G": UNKNOWN, "v": 1, "w1": 1}
    X, G, v, w = map(name_expr, ("X", "G", "v", "w1"))
    inner = infix("@", w, v)
    assert latex(inner, tensors=tensors) == r"{w_{1}}^{\top} v"
    assert latex(infix("*", call("sigmoid", inner), v), tensors=tensors) == (
        r"\sigma\left({w_{1}}^{\top} v\right) \cdot v"
    )
    assert latex(infix("@", infix("-", v, w), infix("@", X, w)), tensors=tensors) == (
        r"\left(v - w_{1}\right)^{\top} X w_{1}"
    )
    assert latex(infix("@", call("exp", v), neg(w)), tensors=tensors) == (
        r"\exp\left(v\right)^{\top} \left(-w_{1}\right)"
    )
    for other in (infix("@", X, v), infix("@", v, X), infix("@", G, v), infix("@", call("cumsum", v), w)):
        assert r"\top" not in latex(other, tensors=tensors)


@pytest.mark.parametrize(
    ("spelled", "written"),
    [
        ("loss", r"\mathrm{loss}"),
        ("w_out", r"w_{\mathrm{out}}"),
        ("theta_1", r"\theta_{1}"),
        ("Sigma2", r"\Sigma_{2}"),
        ("h_3", "h_{3}"),
        ("layers[1][0]", r"\mathrm{layers}_{[1],[0]}"),
        ("dL/d(x*y)[0,1]", r"\frac{\partial L}{\partial \left(x \cdot y\right)_{[0,1]}}"),
        ("d(dL/dw)/dz", r"\frac{\partial \frac{\partial L}{\partial w}}{\partial z}"),
        ("a + b", "a + b"),
        ("x @ W.T", r"x W^{\top}"),
        ("(x > 0).sum()", r"\operatorname{sum}\left(x > 0\right)"),
        ("f'(x)", r"\texttt{f'(x)}"),
        ("50% of {x}_1 ~ #2", r"\texttt{50\% of \{x\}\_1 \textasciitilde{} \#2}"),
        ("x - mu (line 6)", r"{\left(x - \mu\right)}_{\text{line 6}}"),
        ("dL/d(w_1 (2nd))", r"\frac{\partial L}{\partial {w_{1}}_{\text{2nd}}}"),
        ("größe", r"\mathrm{grU+00F6U+00DFe}"),
        ("α", r"\alpha"),
        ("_", r"\texttt{\_}"),
    ],
)  # fmt: skip
def test_names(spelled: str, written: str) -> None:
    assert name_latex(spelled) == written
    read_math(written)


PARTIALS = r"\frac{\partial L}{\partial x} \cdot \frac{\partial x}{\partial w_{1}}"
WIDE = [
    r"a \cdot b + \left(c + d \cdot \left(e + f - g\right) + h\right) \cdot \sin\left(x + y\right) - z^{2}",
    r"\operatorname{sum}\left(\alpha + \beta, \texttt{dim=1}\right) + \begin{pmatrix} 1 \\ 3 \end{pmatrix}",
    rf"{PARTIALS} \cdot \frac{{\partial y}}{{\partial \left(a + b\right)}} \cdot {PARTIALS}",
]


@pytest.mark.parametrize("formula", WIDE)
def test_wide_formulas_are_broken_and_nothing_is_lost(formula: str) -> None:
    invisible = re.compile(r"\\left\. | \\right\.")
    seen = set()
    for room in range(40, 400, 10):
        lines = break_into_lines(formula, float(room))
        seen.add(len(lines))
        for line in lines:
            read_math(line)
            assert line.count(r"\left") == line.count(r"\right")
        assert " ".join(invisible.sub("", line) for line in lines).split() == formula.split()
        assert (len(lines) == 1) == (width(formula) <= room)
        if room > 100:
            assert all(width(line) - 2 * BRACKET * len(invisible.findall(line)) <= room for line in lines)
    assert len(seen) > 2


def test_what_cannot_be_broken_is_written_in_another_way_where_it_is_wide() -> None:
    top = " + ".join("abcdefgh")
    assert break_into_lines(rf"\frac{{{top}}}{{x}}", 400) == [rf"\frac{{{top}}}{{x}}"]
    assert break_into_lines(rf"\frac{{{top}}}{{x}}", 100) == [
        r"\left(a + b + c + d + e + f \right.",
        r"\left. + g + h\right)/\left(x\right)",
    ]
    assert "".join(break_into_lines(rf"\sqrt{{{top}}}", 80)).endswith(r"h\right)^{1/2}")
    inner = r"\begin{cases} 1 & y \\ 2 & \text{otherwise} \end{cases}"
    chosen = rf"\begin{{cases}} {top} & x > 0 \\ {inner} & \text{{otherwise}} \end{{cases}}"
    assert break_into_lines(chosen, 100)[0].startswith(r"\operatorname{where}\left(x > 0, a + b")
    derivative = rf"\frac{{\partial {top}}}{{\partial x}}"
    assert break_into_lines(derivative, 80) == [derivative]


def test_the_reader_refuses_what_tex_would() -> None:
    for wrong in (r"\frac{1}", "x_1_2", "x_{1}_{2}", r"\left(x", "a & b", r"\foo", "{x", "50%", "x^{2}^{3}"):
        with pytest.raises(LatexError):
            read_math(wrong)


def test_most_scripts_have_derivations(reports: dict[str, GradientReport]) -> None:
    assert len(reports) > 0.7 * len(SCRIPTS)


def test_every_script_gives_a_document(reports: dict[str, GradientReport]) -> None:
    for path, report in reports.items():
        try:
            count = read_document(latex_document(report, Page()))
        except LatexError as error:
            raise AssertionError(path) from error
        assert count >= 2 * len(report.derivations), path


def test_every_formula_of_the_markdown_is_one(reports: dict[str, GradientReport]) -> None:
    for path, report in reports.items():
        text = markdown_document(report, Page())
        fences = re.findall(r"```math\n(.*?)\n *```", text, re.S)
        rest = re.sub(r"```math\n.*?\n *```", "", text, flags=re.S)
        rest = re.sub(r"``? .*?``?|\\\$", "", rest)
        inline = re.findall(r"\$([^$]*)\$", rest)
        assert rest.count("$") == 2 * len(inline), path
        for formula in (*fences, *inline):
            try:
                read_math(formula.strip("`"))
            except LatexError as error:
                raise AssertionError(path) from error
        # What Markdown takes for its own escapes stands in backticks.
        assert not [f for f in inline if re.search(r"\\[^A-Za-z]", f) and not f.startswith("`")], path


def test_documents_say_why_and_where_the_gradient_is_a_convention() -> None:
    text = "v = torch.zeros(2, requires_grad=True)\nunit = v / v.norm()\nunit[0].backward()"
    source, asked = Source(text, "script.ad"), Settings()
    execution = execute(source, asked)
    report = describe(differentiate(execution, asked), source, graph=False)
    add_remedies(report, execution, asked)
    said = [
        (
            "why",
            "line 2: unit is nan already on the way forward: 0/0 is nan: entry [0] of v = 0, v.norm() = 0;"
            " however little the inputs are moved, unit[0] takes values as different as -0.79 and 0.79: it"
            " has no limit here",
        ),
        (
            "kink",
            "line 2: v.norm() is at a kink of norm: v.norm() = 0; the slope is 0 (JAX, HIPS autograd and"
            " MyGrad answer nan)",
        ),
    ]
    left_out = "step 3 leaves that out: there its formula comes to 0/0"
    made = latex_document(report, Page())
    shown = "\n\n".join([rf"\textbf{{{label}}} {text}" for label, text in said] + [left_out])
    assert made.endswith(f"\n\n{shown}\n\\end{{document}}\n")
    made = markdown_document(report, Page())
    shown = "\n\n".join([f"**{label}** {text}" for label, text in said] + [left_out])
    assert made.endswith(f"\n\n{shown}\n".replace("[", "\\[").replace("]", "\\]"))
    report.derivations[0].kinks *= 6
    assert "\n... 1 more point like these\n" in markdown_document(report, Page())


def test_documents_say_what_to_try() -> None:
    text = "v = torch.zeros(2, requires_grad=True)\nlength = (v * v).sum().sqrt()\nlength.backward()"
    source, asked = Source(text, "script.ad"), Settings()
    execution = execute(source, asked)
    report = describe(differentiate(execution, asked), source, graph=False)
    add_remedies(report, execution, asked)
    assert r"\textbf{try} a norm has the slope 0 at 0: v.norm()" in latex_document(report, Page())
    assert "**try** a norm has the slope 0 at 0: v.norm()" in markdown_document(report, Page())


def test_markdown_lists_have_five_steps_and_no_empty_points() -> None:
    report = report_of(
        "x = torch.ones(2, requires_grad=True); first_w = torch.tensor([[1., 2.], [3., 4.]]);\n"
        "L = tanh(first_w @ x).sum()"
    )
    text = markdown_document(report, Page())
    assert re.findall(r"(?m)^\d\. \*\*\w+\*\*", text) == [
        f"{at}. **{label}**"
        for at, label in enumerate(("chain", "local", "simplified", "numbers", "value"), 1)
    ]
    assert item("-", [r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}"]) == [
        "-  ```math",
        r"   \begin{pmatrix} 1 \\ 2 \end{pmatrix}",
        "   ```",
        "",
    ]


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex here")
def test_documents_compile(reports: dict[str, GradientReport], tmp_path: Path) -> None:
    """All of them as one, for speed: bodies one after the other in the first frame."""
    bodies = []
    for report in reports.values():
        head, _, rest = latex_document(report, Page()).partition("\\begin{document}\n")
        bodies.append(rest.removesuffix("\\end{document}\n"))
    whole = head + "\\begin{document}\n" + "\n".join(bodies) + "\\end{document}\n"
    (tmp_path / "all.tex").write_text(whole)
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        errors="replace",
    )
    assert done.returncode == 0, done.stdout[-2000:]
    too_wide = [float(points) for points in re.findall(r"Overfull \\hbox \(([\d.]+)pt", done.stdout)]
    assert max(too_wide, default=0.0) < 5.0


def test_second_derivatives_begin_with_the_matrix_of_their_formulas(autodiff):
    script = ("-e", "x = 1.5; y = -0.5; f = (1 - x)**2 + 100*(y - x**2)**2", "--order", "2")
    matrix = (
        r"\nabla_{\left(x, y\right)}^{2} f = \begin{pmatrix} 800 \cdot x^{2} - 400 \cdot"
        r" \left(y - x^{2}\right) + 2 & -400 \cdot x \\ -400 \cdot x & 200 \end{pmatrix}"
    )
    latex = autodiff("explain", *script, "--format", "latex").out
    assert f"\\[\n{matrix}\n\\]\n" in latex
    assert latex.index("nabla") < latex.index("section*")
    assert f"\n$`{matrix}`$\n" in autodiff("explain", *script, "--format", "markdown").out
    for other in (("--wrt", "x"), ("--order", "1"), ("--order", "3")):
        assert "pmatrix" not in autodiff("explain", *script, *other, "--format", "latex").out


def test_a_matrix_of_second_derivatives_too_wide_for_a_page_has_their_names(autodiff):
    script = ("-e", "a = 0.7; b = 1.3; g = exp(a*b)*sin(a)", "--order", "2")
    aa, bb, ab = (
        rf"\frac{{\partial^{{2}} g}}{{{below}}}"
        for below in (r"\partial a^{2}", r"\partial b^{2}", r"\partial a \, \partial b")
    )
    ba = ab.replace(r"a \, \partial b", r"b \, \partial a")
    matrix = rf"\begin{{pmatrix}} {aa} & {ab} \\ {ba} & {bb} \end{{pmatrix}}"
    assert matrix in autodiff("explain", *script, "--format", "latex").out
    assert matrix in autodiff("explain", *script, "--format", "markdown").out
    assert "pmatrix" not in autodiff("explain", *script, "--format", "equation").out


def test_an_equation_is_the_formula_alone_with_what_its_names_mean(autodiff):
    code = "w = [0.5, -0.8]; a = 0.7\nfor k in range(2): a = a*w[k]\nL = a**2"
    formula = (
        r"2 \cdot a_{2} \cdot a_{1} \cdot \mathbf{e}_{[1]}"
        r" + 1.4 \cdot a_{2} \cdot w_{[1]} \cdot \mathbf{e}_{[0]}"
    )
    assert autodiff("explain", "-e", code, "--format", "equation").out == (
        rf"\frac{{\mathrm{{d}} L}}{{\mathrm{{d}} w}} = {formula}"
        "\n% a_1 and a_2 are values 1 and 2 of a after its first (line 2)"
        "\n% a bold e with [k] is 1 at entry k, counted from 0, and 0 elsewhere\n"
    )
    shown = autodiff("explain", "-e", "x = 2.; y = 3.; f = x*y", "--format", "equation").out
    assert shown == "\\frac{\\partial f}{\\partial x} = y\n\\frac{\\partial f}{\\partial y} = x\n"
    second = autodiff("explain", "-e", "x = 2.; y = 3.; f = x*y", "--format", "equation", "--order", "2").out
    assert second.startswith(r"\nabla_{\left(x, y\right)}^{2} f = \begin{pmatrix}")
    long = "x = 2.; L = 0.\n" + "".join(f"L = L*x + sin({k}*x)*x\n" for k in range(150))
    assert autodiff("explain", "-e", long, "--format", "equation").returncode == 5


def test_unit_vectors_are_explained(autodiff):
    code = "w = [0.5, -0.8]; L = w[0]*w[1]"
    shown = autodiff("explain", "-e", code, "--format", "latex").out
    assert r"\mathbf{e}_{[k]} : \text{1 at entry }" in shown
