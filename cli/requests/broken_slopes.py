"""Where a slope that is not finite comes from: the op, its line, and the row of ``--data``."""

from __future__ import annotations

from autodiff.cli.process.streams import visible
from autodiff.cli.render.prose import in_words
from autodiff.cli.requests.hints import in_line, is_finite
from autodiff.core.base.lazy_imports import np
from autodiff.core.paths.node_names import NodeNames
from autodiff.core.why.first_cause import causes_of
from autodiff.core.why.sentences import value_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.cli.requests.session import Session
    from autodiff.core.report.cause import Cause
    from autodiff.core.report.records import GradientReport, ReportedPass
    from autodiff.grammar.session.run import Settings

#: The columns of a row whose values are shown.
MOST_COLUMNS = 3


class BrokenSlope:
    """An input with a slope that is not finite, the cause, and the row of the data, "" if it is not known."""

    __slots__ = ("cause", "name", "row")

    def __init__(self, name: str, cause: Cause, row: str) -> None:
        self.name, self.cause, self.row = name, cause, row

    @property
    def text(self) -> str:
        """``the slope of ... has no bound at 0: entry [0] of t/tau = 0 (row 1 of d.csv: t = 0)``."""
        return f"{self.cause.text} ({self.row})" if self.row else self.cause.text

    @property
    def sentence(self) -> str:
        """The text with its place before it: ``pow in line 5: ...``."""
        return f"{self.cause.op or self.cause.name}{in_line(self.cause.line)}: {self.text}"


def find_broken_slope(session: Session, settings: Settings, subject: ReportedPass) -> BrokenSlope | None:
    """The first input of a pass whose slope, or else the output, is not finite; None if all are."""
    assert session.script is not None
    broken = [one for one in subject.wrt if not is_finite(subject.received.get(one[1]))]
    if not broken and is_finite(subject.value):
        return None
    name, node = (broken or subject.wrt)[0]
    names = NodeNames(subject.order, session.script.source, numbers_first=subject.numbers_first)
    causes = causes_of(subject, name, node, names, ())
    return BrokenSlope(name, causes[0], row_in_words(session, settings, causes[0])) if causes else None


def row_in_words(session: Session, settings: Settings, cause: Cause) -> str:
    """``row 1 of d.csv: t = 0 and v = 2``: the row of ``--data`` whose entry a cause names; "" for none."""
    file, known = next(iter(session.columns.items()), ("", ()))
    columns = {name: np.asarray(settings.sets[name]) for name in known if name in settings.data}
    shapes = {column.shape for column in columns.values()}
    if not cause.place or shapes != {cause.shape[:1]}:
        return ""
    at = cause.place[0]
    values = [f"{visible(name)} = {value_words(column, (at,))}" for name, column in columns.items()]
    return f"row {at + 1:,} of {file}: {in_words(values[:MOST_COLUMNS])}"


def note_slopes_left_out(session: Session, settings: Settings, subject: ReportedPass) -> None:
    """Note that entries which never change pass nothing on, though the slopes of a pass are not finite."""
    broken = find_broken_slope(session, settings, subject)
    if broken is not None:
        session.note(
            f"{broken.sentence}; this entry stays the same when the inputs move, so its slope counts as 0,"
            " which is exact; `autodiff grad` gives nan there, as PyTorch does"
        )


def note_row_of_broken_slope(session: Session, settings: Settings, subject: ReportedPass) -> None:
    """Note the row of the data that makes a slope nan or infinite, if it is known."""
    broken = find_broken_slope(session, settings, subject) if settings.data else None
    if broken is not None and broken.row:
        session.note(broken.sentence)


def enter_gradients(report: GradientReport, slopes: Any) -> None:
    """Enter the slopes by all entries of the inputs, one after the other, as the gradients of a report."""
    first = 0
    for variable in report.gradients:
        end = first + int(np.size(variable.value))
        part = np.reshape(slopes[first:end], variable.shape)
        variable.grad, first = (part if variable.shape else float(part)), end
