"""Derivations as a Markdown document with formulas as GitHub, GitLab and notebooks typeset them.

A formula is in ``$...$`` if Markdown leaves it unchanged, else in a fenced block.
"""

from __future__ import annotations

import re

from autodiff.cli.process.streams import visible
from autodiff.cli.render.equations import Section, hessian_latex, without_derivations
from autodiff.core.base.incoming import incoming

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from autodiff.cli.render.page import Page
    from autodiff.core.report.records import GradientReport

#: Sequences in ``$...$`` that Markdown would treat as its own escapes.
ESCAPES = re.compile(r"\\[^A-Za-z]")
FENCE = "```"
SPECIAL = re.compile(r"([\\`*_\[\]<$~|])")


def markdown_document(report: GradientReport, page: Page) -> str:
    """The document, with one section per derivation; of second derivatives the matrix comes first."""
    title = f"# Derivatives of {code(report.output.name)}\n"
    sections = [section_text(Section(d, page)) for d in report.derivations]
    if matrix := hessian_latex(report.derivations, names_may_stand=True):
        sections.insert(0, f"{inline(matrix)}\n")
    return "\n".join(
        [title, *sections, *(literal(text) + "\n" for text in without_derivations(report, page))]
    )


def section_text(section: Section) -> str:
    made = [f"## {inline(section.title)}", "", literal(section.intro), ""]
    number = 0
    for label, lines in section.steps.sides:
        number += label != "factored"
        name = f"{number}. **{label}**" if label != "factored" else "   **factored**"
        made += item(name, lines)
        if label == "chain" and section.maps:
            number += 1
            made.append(f"{number}. **local** as maps of what comes in, below")
    if section.maps:
        made += ["", f"The local derivatives map what comes in, ${incoming.letter}$:", ""]
        made += [line for formula in section.maps for line in item("-", [formula])]
    if section.entry is not None:
        made += ["", "One entry:", ""]
        left = section.entry.left
        for _, lines in section.entry.sides:
            made += item("-", [f"{left} = {lines[0]}".strip(), *lines[1:]])
            left = ""
    if section.where:
        made += ["", "where", ""]
        made += [line for formula in section.where for line in item("-", [formula])]
    made.append("")
    made += [literal(text) + "\n" for text in (*section.checks, *section.remarks)]
    made += [f"**{label}** {literal(text)}\n".removeprefix("**** ") for label, text in section.causes]
    return "\n".join(made)


def item(lead: str, lines: Sequence[str]) -> list[str]:
    """A list item with a formula; a formula of several lines is a block of its own."""
    if len(lines) == 1 and not ESCAPES.search(lines[0]):
        return [f"{lead} ${lines[0]}$"]
    indent = " " * 3
    set_lines = " \\\\\n".join(f"{indent}& {line}" for line in lines)
    if len(lines) == 1:
        body = [indent + lines[0]]
    else:
        body = [f"{indent}\\begin{{aligned}}", set_lines, f"{indent}\\end{{aligned}}"]
    # A fence follows a bare dash directly, because an empty line after the dash ends the item.
    start = [f"-  {FENCE}math"] if lead == "-" else [lead, "", f"{indent}{FENCE}math"]
    return [*start, *body, f"{indent}{FENCE}", ""]


def inline(formula: str) -> str:
    """A formula within a line of text."""
    return f"$`{formula}`$" if ESCAPES.search(formula) else f"${formula}$"


def code(text: str) -> str:
    """A name as code."""
    text = visible(text)
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def literal(text: str) -> str:
    """Text with Markdown's special characters escaped."""
    return SPECIAL.sub(r"\\\1", visible(text))
