"""What is said of a row whose time is over: where it is, and how to leave it out."""

from __future__ import annotations

from autodiff.cli.data_files.row_readers import SweepRows
from autodiff.core.base.lazy_imports import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.cli.requests.row_job import Values
    from autodiff.cli.requests.rows import AllRows


def enter_place(rows: AllRows) -> None:
    """Let the error for a time that is over name the row that is run alone, if one is."""
    session = rows.session
    session.time_place = lambda: spelled(running(rows))
    session.time_help = lambda: advice(rows)


def running(rows: AllRows) -> Values:
    return rows.running if rows.job is None else rows.job.running


def spelled(values: Values) -> str:
    """The values of the row, as in ``a = 0 and b = 2``; "" if none is run, or some are no numbers."""
    if not all(isinstance(value, (int, float)) for value in values.values()):
        return ""
    return " and ".join(f"{name} = {value:.12g}" for name, value in values.items())


def advice(rows: AllRows) -> str:
    """What to do about the row that is running."""
    found = [one for one in ("over", "sweep", "each") if rows.session.request.values.get(one)]
    text = f"check that the loop ends there, or leave {'the row' if found == ['each'] else 'it'} out"
    reader, values = rows.reader, running(rows)
    if not isinstance(reader, SweepRows) or len(reader.values) != 1 or not values:
        return text
    [(name, all_values)] = reader.values.items()
    behind = [*all_values][all_values.index(values[name]) + 1 :]
    steps = np.diff(behind)
    if len(behind) < 2 or not np.allclose(steps, steps[0]):
        return text
    ends = f"{behind[0]:.12g}:{behind[-1]:.12g}" + f":{steps[0]:.12g}" * (found == ["sweep"])
    return f"{text}: --{found[0]} {name}={ends}"
