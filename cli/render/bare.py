"""Gradients as bare numbers for the next program in a pipe: exact, one line for each row.

One input: its numbers alone, a vector on one line, a matrix row by row, separated by tabs. Several inputs:
the name stands before the numbers of each line, ``W[0]`` before those of the first row of a matrix. How many
inputs there are depends on the script and the options, not on the numbers.
"""

from __future__ import annotations

from autodiff.cli.process.streams import harmless, visible
from autodiff.cli.render.numbers import exact_entries, is_array
from autodiff.core.base.errors import UsageError
from autodiff.core.base.lazy_imports import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from autodiff.core.report.records import Variable


def bare_text(variables: Sequence[Variable]) -> str:
    """The lines of ``bare_lines`` as one text, so that nothing is printed if an error is raised."""
    return "".join(line + "\n" for line in bare_lines(variables))


def bare_lines(variables: Sequence[Variable]) -> Iterator[str]:
    """Yield the gradients of one input, or of several under their names.

    Raises UsageError for a single input of more than two dimensions, because its rows would not tell which
    they are.
    """
    if len(variables) == 1:
        [variable] = variables
        if is_array(variable.grad) and variable.grad.ndim > 2:
            name = visible(variable.name)
            raise UsageError(
                f"plain output cannot show this: {name} has {variable.grad.ndim} dimensions",
                code="E0614",
                help=("use --format json",),
            )
        for _, entries in rows(variable.grad):
            yield "\t".join(entries)
        return
    for variable in variables:
        name = harmless(variable.name)
        for place, entries in rows(variable.grad):
            yield "\t".join((name + place, *entries))


def rows(grad: Any) -> Iterator[tuple[str, list[str]]]:
    """Yield the rows of a gradient, each with its place: ``""`` for a number or a vector, else ``[0,1]``."""
    if not is_array(grad) or grad.ndim <= 1:
        yield "", exact_entries(grad)
        return
    for place in np.ndindex(grad.shape[:-1]):
        yield f"[{','.join(map(str, place))}]", exact_entries(grad[place])
