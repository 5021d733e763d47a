"""Derivations as a LaTeX document that compiles unchanged and needs only amsmath."""

from __future__ import annotations

from autodiff.cli.render.equations import LINE, Section, hessian_latex, without_derivations
from autodiff.cli.render.expression_latex import escaped
from autodiff.cli.render.latex_lines import break_into_lines
from autodiff.core.base.incoming import incoming

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.cli.render.equations import Equation
    from autodiff.cli.render.page import Page
    from autodiff.core.report.records import GradientReport

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
    if matrix := hessian_latex(report.derivations):
        sections.insert(0, f"\\[\n{matrix}\n\\]\n")
    sections += [sentence(text) + "\n" for text in without_derivations(report, page)]
    return PREAMBLE + "\n".join(sections) + "\\end{document}\n"


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
