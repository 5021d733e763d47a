"""Derivations as a LaTeX document that compiles unchanged and needs only amsmath."""

from __future__ import annotations

from autodiff.cli.process.streams import visible
from autodiff.cli.render.equations import (
    LINE,
    LONGEST,
    PARTIAL,
    TOTAL,
    Section,
    has_unit_vectors,
    hessian_latex,
    left_side,
    tensors_in,
    without_derivations,
)
from autodiff.cli.render.expression_latex import escaped, latex
from autodiff.cli.render.latex_lines import break_into_lines
from autodiff.cli.render.name_keys import brief_meanings, meaning_texts
from autodiff.cli.render.page import fit
from autodiff.core.base.errors import LimitError
from autodiff.core.base.incoming import incoming
from autodiff.core.base.limits import limits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from autodiff.cli.render.equations import Equation
    from autodiff.cli.render.page import Page
    from autodiff.core.report.records import Derivation, GradientReport

PREAMBLE = r"""\documentclass{article}
\usepackage{amsmath}
\allowdisplaybreaks
\setlength{\parindent}{0pt}
\setlength{\oddsidemargin}{0pt}
\setlength{\textwidth}{6.5in}
\sloppy
\setcounter{MaxMatrixCols}{20}
\begin{document}
"""
LABELS = {
    "chain": "chain rule",
    "local": "local derivatives",
    "simplified": "simplified",
    "factored": "factored",
    "numbers": "in numbers",
    "value": "value",
}


def latex_document(report: GradientReport, page: Page) -> str:
    """The document, with one section per derivation; of second derivatives the matrix comes first."""
    sections = [section_text(Section(d, page)) for d in report.derivations]
    if matrix := hessian_latex(report.derivations, names_may_stand=True):
        sections.insert(0, f"\\[\n{matrix}\n\\]\n")
    sections += [sentence(text) + "\n" for text in without_derivations(report, page)]
    return PREAMBLE + "\n".join(sections) + "\\end{document}\n"


def equation_text(report: GradientReport) -> str:
    """The simplified formulas as lines of LaTeX, each with its left side; comments say what names stand for.

    Of all second derivatives of a function of several numbers it is the matrix. Raises LimitError for a
    formula that is too long.
    """
    if matrix := hessian_latex(report.derivations, names_may_stand=False):
        return f"{matrix}\n"
    texts = []
    for derivation in report.derivations:
        made = derivation.expressions
        expr = None if made is None else made.simplified
        if made is None or expr is None or expr.size > LONGEST:
            raise LimitError(
                f"the formula of the gradient for {fit(derivation.wrt)} is too long to write out",
                code="E0506",
                help=("ask about a part of it with --of NAME",),
            )
        tensors = tensors_in(made.values)
        left = left_side(derivation, TOTAL if derivation.is_only_input else PARTIAL)
        texts.append(f"{left} = {latex(expr, None, limits.digits, tensors)}\n")
        texts += [f"% {visible(line)}\n" for line in meanings_of(derivation)]
    return "".join(texts)


def meanings_of(derivation: Derivation) -> Iterator[str]:
    """What the names in the simplified formula stand for, as plain text."""
    if derivation.weight is not None:
        yield f"{incoming.letter} is {derivation.weight}, the gradient of S by {derivation.output}"
    said, meant = derivation.simplified, dict(derivation.where)
    needed: list[str] = []
    while new := [name for name in meant if name not in needed and name in said]:
        needed += new
        said = "\n".join([said, *(meant[name] for name in new)])
    yield from meaning_texts(*brief_meanings(derivation.key, [said], needed))
    yield from (f"{name} = {meant[name]}" for name in needed)
    if derivation.expressions is not None and has_unit_vectors(derivation.expressions.simplified):
        yield "a bold e with [k] is 1 at entry k, counted from 0, and 0 elsewhere"


def section_text(section: Section) -> str:
    made = [rf"\section*{{${section.title}$}}", sentence(section.intro), aligned(section.steps)]
    if section.maps:
        made += [f"The local derivatives map what comes in, ${incoming.letter}$:", gathered(section.maps)]
    if section.entry is not None:
        made += ["One entry:", aligned(section.entry)]
    if section.where:
        made += ["where", gathered(section.where)]
    made += [sentence(text) + "\n" for text in (*section.checks, *section.remarks)]
    made += [
        rf"\textbf{{{label}}} {escaped(text)}".removeprefix(r"\textbf{} ") + "\n"
        for label, text in section.causes
    ]
    return "\n".join(made)


def sentence(text: str) -> str:
    return escaped(text[:1].upper() + text[1:] + ".")


def aligned(equation: Equation) -> str:
    """The right sides one below the other, each with its label."""
    rows: list[str] = []
    for label, lines in equation.sides:
        for at, line in enumerate(lines):
            left = equation.left if not rows else ""
            sign = r"&\quad " if at else "&= "
            note = rf" && \text{{{LABELS[label]}}}" if not at else ""
            rows.append(f"{left} {sign}{line}{note}".strip())
    return "\\begin{align*}\n" + " \\\\\n".join(rows) + "\n\\end{align*}"


def gathered(formulas: list[str]) -> str:
    """Formulas one below the other, each broken into lines as needed."""
    lines = [line for formula in formulas for line in break_into_lines(formula, LINE)]
    return "\\begin{gather*}\n" + " \\\\\n".join(lines) + "\n\\end{gather*}"
