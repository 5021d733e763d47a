"""The output of ``run``, ``explain`` and ``graph``: the parts, their order, what is left out."""

from __future__ import annotations

from autodiff.cli.render.derivation import derivation_lines, title_lines
from autodiff.cli.render.gradients import MOST_COUNTED, gradient_lines, output_lines
from autodiff.cli.render.numbers import inline
from autodiff.cli.render.page import EMPTY, fit, left_out, prose
from autodiff.cli.render.paths import cause_lines, kink_lines, path_lines
from autodiff.cli.render.tree import tree_lines
from autodiff.core.base.errors import LimitError, UsageError
from autodiff.core.base.limits import limits
from autodiff.core.report.records import Derivation, GradientReport

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from autodiff.cli.render.page import Block, Line, Page

MOST_DERIVATIONS = 10  # in one run; explain has its own limit
#: After this many times the lines of one step, further derivations are left out.
STEPS_OF_A_PAGE = 8
MOST_NAMED = 10


def run_lines(report: GradientReport, page: Page, parts: Sequence[str]) -> Iterator[Line | Block]:
    """The tree, the derivations and the table of gradients, as far as ``parts`` names them."""
    if report.graph is not None:
        yield from tree_lines(report.graph, page, report.gradients, report.weight)
        yield EMPTY
    if report.derivations:
        yield from derivations_lines(report, page, MOST_DERIVATIONS if page.rows else len(report.derivations))
        yield EMPTY
    yield from (gradient_lines if "gradients" in parts else output_lines)(report, page)


def derivations_lines(report: GradientReport, page: Page, most: int) -> Iterator[Line]:
    """The first ``most`` derivations, one below the other."""
    for at, derivation in enumerate(report.derivations[:most]):
        if at:
            yield EMPTY
        yield from derivation_lines(derivation, page)
    left = len(report.derivations) - most
    if left > 0:
        yield EMPTY
        yield left_out(left, "derivation", "--all, or autodiff explain --wrt NAME", 0)


def explain_lines(report: GradientReport, page: Page, asked: bool = True) -> Iterator[Line]:
    """One derivation after the other; unless inputs were ``asked`` for by name, only about a page of them.

    Derivations that are left out show their value, causes and kinks.
    """
    count = 0
    brief: list[str] = []
    for at, derivation in enumerate(report.derivations):
        is_left_out = not asked and 0 < page.step * STEPS_OF_A_PAGE < count
        if at and not brief:  # what is left out is a list of values, without empty lines
            yield EMPTY
        lines = title_lines(derivation, page) if is_left_out else whole_lines(derivation, page)
        block = [*lines, *cause_lines(derivation, page), *kink_lines(derivation, page)]
        count += len(block)
        yield from block
        if is_left_out:
            brief.append(fit(derivation.wrt, 24))
    if brief:
        yield EMPTY
        more = len(brief) - MOST_NAMED
        names = ", ".join(brief[:MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")
        is_one = len(brief) == 1
        yield from prose(
            f"... the derivation{'s' * (not is_one)} for {names} {'is' if is_one else 'are'} left out:"
            " --wrt NAME shows one, --all all",
            page.width,
        )
    more = len(report.gradients) - len(report.derivations)
    if more > 0 and not asked:
        yield EMPTY
        inputs = f"{more:,} more input{'s' * (more != 1)}"
        yield from prose(f"... {inputs} (--wrt NAME shows one, --all all)", page.width)
    yield from since_lines(report, page)


def since_lines(report: GradientReport, page: Page) -> Iterator[Line]:
    """A remark on the shown inputs whose values changed later in the script."""
    if report.since:
        yield EMPTY
        yield from prose(report.since, page.width)


def graph_lines(
    report: GradientReport, page: Page, kept: Collection[int] | None = None, options: str = ""
) -> Iterator[Line | Block]:
    """The tree alone, with the remark on changed inputs.

    ``kept`` are the nodes that are shown, because of these ``options``.
    """
    assert report.graph is not None
    yield from tree_lines(report.graph, page, report.gradients, report.weight, kept, options)
    yield from since_lines(report, page)


def whole_lines(derivation: Derivation, page: Page) -> Iterator[Line]:
    """The five steps and the paths."""
    yield from derivation_lines(derivation, page)
    yield from path_lines(derivation, page)


def formula_text(report: GradientReport) -> str:
    """The complete, unrounded formulas: alone for one input, after a name and a tab for several.

    Raises UsageError or LimitError if one cannot be written out.
    """
    from autodiff.cli.process.streams import visible

    entries = [d.entry for d in report.derivations if d.entry is not None]
    if entries:
        formulas = [(entry.given, entry.complete) for entry in entries]
    else:
        formulas = [(d.given or d.wrt, d.complete) for d in report.derivations]
    for name, formula in formulas:
        if formula.missing:
            raise UsageError(
                f"the formula of the gradient for {fit(name)} cannot be written out: `{fit(formula.missing)}`"
                " has no expression that gives a number here",
                code="E0617",
                help=("--format plain shows the parts of it that can be written",),
            )
        if not formula.text:
            raise LimitError(
                f"the formula of the gradient for {fit(name)} is too long to write out",
                code="E0506",
                help=("see the strongest paths with --format plain", "ask about a part of it with --of NAME"),
            )
    if not formulas and report.gradients:
        raise LimitError(
            f"the formula of the gradient for {fit(report.gradients[0].name)} is too long to write out",
            code="E0506",
            help=("ask about a part of it with --of NAME",),
        )
    if len(formulas) == 1:
        return visible(formulas[0][1].text) + "\n"
    return "".join(f"{visible(name)}\t{visible(formula.text)}\n" for name, formula in formulas)


def why_hint(report: GradientReport) -> tuple[str, str]:
    """A hint: the size of the graph, and the question why the gradient with the most paths is what it is.

    The name of its input is returned too.
    """
    says = ""
    if report.graph is not None:
        counts = ((len(report.graph.nodes), "node"), (len(report.graph.edges), "edge"))
        says = ", ".join(f"{count:,} {what}{'s' * (count != 1)}" for count, what in counts) + ".  "
    asked = report.gradients[0]
    if report.size <= MOST_COUNTED:
        asked = max(report.gradients, key=lambda variable: variable.paths)
    value = inline(asked.grad, limits.digits) if not asked.shape else "this gradient"
    return f"{says}Why {value}?", asked.name
