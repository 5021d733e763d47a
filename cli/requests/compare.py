"""Turns ``diff OLD NEW`` into the values and gradients of two scripts, and says which of them differ."""

from __future__ import annotations

from autodiff.cli.command_line.fast_parser import Request
from autodiff.cli.command_line.script_source import STDIN
from autodiff.core.base.errors import UsageError
from autodiff.core.base.lazy_imports import np
from autodiff.core.paths.node_names import bracketed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.cli.requests.session import Session
    from autodiff.core.report.records import GradientReport, Variable


class Difference:
    """One value in both scripts, ``None`` where a script has none: the output's, or a gradient.

    ``title`` is what it is called; ``distance`` is the largest difference of two entries divided by the
    largest entry, ``inf`` where they cannot be compared. ``line`` is that of the variable in the new script.
    """

    __slots__ = ("differs", "distance", "line", "new", "old", "title")

    def __init__(self, title: str, old: Any, new: Any, line: int | None, tolerance: float) -> None:
        self.title = title
        self.line = line
        self.old = old
        self.new = new
        self.distance = distance(old, new)
        self.differs = not self.distance <= tolerance

    def is_other(self, old: Any, new: Any) -> bool:
        """Whether two entries of a value that differs are not the same."""
        return self.differs and distance(old, new) > 0


class Comparison:
    """The reports on two scripts, and their values and gradients side by side."""

    __slots__ = ("new", "old", "values")

    def __init__(self, old: GradientReport, new: GradientReport, tolerance: float) -> None:
        self.old = old
        self.new = new
        first = (
            old.output.name if old.output.name == new.output.name else f"{old.output.name}, {new.output.name}"
        )
        self.values = [Difference(first, old.output.value, new.output.value, new.output.line, tolerance)]
        before = {variable.name: variable for variable in old.gradients}
        after = {variable.name: variable for variable in new.gradients}
        for name in dict.fromkeys([*before, *after]):
            gradients = grad_of(before.get(name)), grad_of(after.get(name))
            line = after[name].line if name in after else None
            reports = [*[old] * (name in before), *[new] * (name in after)]
            outputs = dict.fromkeys(report.output.name for report in reports)
            title = ", ".join(f"d{bracketed(output)}/d{bracketed(name)}" for output in outputs)
            self.values.append(Difference(title, *gradients, line, tolerance))

    @property
    def has_differences(self) -> bool:
        return any(value.differs for value in self.values)


def grad_of(variable: Variable | None) -> Any:
    return None if variable is None else variable.grad


def distance(old: Any, new: Any) -> float:
    """The largest difference relative to the largest entry; nan and infinities are equal to themselves."""
    if old is None or new is None or np.shape(old) != np.shape(new):
        return float("inf")
    old, new = np.ravel(np.asarray(old, "float64")), np.ravel(np.asarray(new, "float64"))
    same = (old == new) | (np.isnan(old) & np.isnan(new))
    if same.all():
        return 0.0
    if not np.isfinite([old[~same], new[~same]]).all():
        return float("inf")
    finite = np.isfinite(old) & np.isfinite(new)
    largest = max(np.abs(old[finite]).max(), np.abs(new[finite]).max())
    return float(np.abs(old[finite] - new[finite]).max() / largest)


def compare(session: Session) -> Comparison:
    """Run both scripts of the request. What they print is left out."""
    request = session.request
    paths = (request.argument, *request.others)
    if len(paths) != 2:
        raise UsageError(
            f"`autodiff diff` takes two scripts, not {len(paths) if request.argument else 0}",
            code="E0610",
            help=("name the old one and the new one: autodiff diff old.ad new.ad",),
        )
    if paths == (STDIN, STDIN):
        raise UsageError("standard input can be read only once", code="E0610", help=("name a file",))
    tolerance = read_tolerance(request.text("rtol"))
    session.shows_prints = False
    reports = []
    for path in paths:
        session.request, session.values = Request(request.command, path, request.values), None
        reports.append(session.report())
    session.request = request
    old, new = reports
    return Comparison(old, new, tolerance)


def read_tolerance(text: str | None) -> float:
    """The number after ``--rtol``."""
    try:
        found = float(text or 0)
    except ValueError:
        found = -1.0
    if not 0 <= found < float("inf"):
        raise UsageError(
            f"--rtol takes a number from 0 on, not `{text}`", code="E0610", help=("as in --rtol 1e-6",)
        )
    return found
