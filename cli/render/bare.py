"""Gradients as bare numbers for the next program in a pipe: exact and without labels."""

from __future__ import annotations

from autodiff.cli.process.streams import visible
from autodiff.cli.render.numbers import exact_entries, is_array
from autodiff.core.base.errors import UsageError
from autodiff.core.report.records import GradientReport

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_PROPOSED = 3


def bare_text(report: GradientReport) -> str:
    """The lines of ``bare_lines`` as one text, so that nothing is printed if an error is raised."""
    return "".join(line + "\n" for line in bare_lines(report))


def bare_lines(report: GradientReport) -> Iterator[str]:
    """Yield the gradients. For one input: its gradient, a vector on one line, a matrix row by row.

    For several inputs: name TAB number. A tensor of one entry counts as a number there. Raises UsageError for
    other shapes.
    """
    if len(report.gradients) != 1:
        for variable in report.gradients:
            if is_array(variable.grad) and variable.grad.size != 1:
                name = visible(variable.name)
                if variable.grad.ndim <= 2:
                    raise does_not_fit(
                        f"{name} is a tensor, and there are several gradients",
                        f"or ask for one at a time: {one_at_a_time(report)}",
                        "or have a table for people: `autodiff run --show gradients`",
                    )
                raise does_not_fit(f"{name} has {variable.grad.ndim} dimensions")
        for variable in report.gradients:
            yield f"{visible(variable.name)}\t{exact_entries(variable.grad)[0]}"
        return
    grad = report.gradients[0].grad
    if not is_array(grad) or grad.ndim == 1:
        yield "\t".join(exact_entries(grad))
    elif grad.ndim == 2:
        for row in grad:
            yield "\t".join(exact_entries(row))
    else:
        raise does_not_fit(f"{visible(report.gradients[0].name)} has {grad.ndim} dimensions")


def one_at_a_time(report: GradientReport) -> str:
    """The options that request the gradients one by one; of many only the first few."""
    from shlex import quote

    asked = [f"--wrt {quote(visible(variable.name))}" for variable in report.gradients[:MOST_PROPOSED]]
    return ", then ".join(asked) + (", and so on" if len(report.gradients) > MOST_PROPOSED else "")


def does_not_fit(reason: str, *more: str) -> UsageError:
    return UsageError(
        f"plain output has no place for this: {reason}",
        code="E0614",
        help=("use --format json", *more),
    )
