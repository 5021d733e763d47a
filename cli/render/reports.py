"""What ``run`` and ``explain`` print: which parts, in which order, and what is cut where there is much."""

from __future__ import annotations

from shlex import quote

from autodiff.cli.render.derivation import derivation_lines
from autodiff.cli.render.gradients import gradient_lines, output_lines
from autodiff.cli.render.numbers import inline
from autodiff.cli.render.page import EMPTY, fit, muted
from autodiff.cli.render.paths import cause_lines, kink_lines, path_lines
from autodiff.cli.render.tree import tree_lines
from autodiff.core.errors import LimitError
from autodiff.core.report import GradientReport

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from autodiff.cli.inputs import Script
    from autodiff.cli.render.page import Block, Line, Page

MOST_DERIVATIONS = 10  # in one run; explain derives as many as it is asked for


def run_lines(report: GradientReport, page: Page, parts: Sequence[str]) -> Iterator[Line | Block]:
    """The table of gradients, the tree, the derivations: those of the parts that were asked for."""
    if "gradients" in parts:
        yield from gradient_lines(report, page)
    else:
        yield from output_lines(report, page)
    if report.graph is not None:
        yield EMPTY
        yield from tree_lines(report.graph, page, report.gradients)
    if report.derivations:
        most = MOST_DERIVATIONS if page.rows else len(report.derivations)
        for derivation in report.derivations[:most]:
            yield EMPTY
            yield from derivation_lines(derivation, page)
        left = len(report.derivations) - most
        if left > 0:
            yield EMPTY
            yield muted(f"... {left:,} more derivations (--all, or autodiff explain --wrt NAME)")


def explain_lines(report: GradientReport, page: Page) -> Iterator[Line]:
    """One derivation after the other."""
    for at, derivation in enumerate(report.derivations):
        if at:
            yield EMPTY
        yield from derivation_lines(derivation, page)
        yield from path_lines(derivation, page)
        yield from cause_lines(derivation, page)
        yield from kink_lines(derivation, page)


def formula_text(report: GradientReport) -> str:
    """The formulas, complete and unrounded: alone for one input, behind a name and a tab for several."""
    from autodiff.cli.console import visible

    entries = [d.entry for d in report.derivations if d.entry is not None]
    if entries:
        formulas = [(entry.given, entry.exact) for entry in entries]
    else:
        formulas = [(d.given or d.wrt, d.formula) for d in report.derivations]
    for name, formula in formulas:
        if not formula:
            raise LimitError(
                f"the formula of the gradient for {fit(name)} is too long to write out",
                code="E0506",
                help=("see the strongest paths with --format plain", "ask about a part of it with --of NAME"),
            )
    if len(formulas) == 1:
        return visible(formulas[0][1]) + "\n"
    return "".join(f"{visible(name)}\t{visible(formula)}\n" for name, formula in formulas)


def why_hint(report: GradientReport, script: Script | None) -> str:
    """The size of the graph, and how to ask about the gradient with the most to it."""
    says = ""
    if report.graph is not None:
        says = f"{len(report.graph.nodes):,} nodes, {len(report.graph.edges):,} edges.  "
    if report.gradients and script is not None:
        most = max(report.gradients, key=lambda variable: variable.paths)
        where = quote(script.path) if script.path is not None else "..."
        value = inline(most.grad) if not most.shape else "this gradient"
        says += f"Why {value}?  autodiff explain {where} --wrt {quote(fit(most.name))}"
    return says
