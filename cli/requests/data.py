"""Reads ``--data``: the columns of files become the values of the script's names."""

from __future__ import annotations

from autodiff.cli.data_files.data_file import data_error, listed, nameless
from autodiff.cli.requests.make_report import read_names
from autodiff.cli.requests.row_sources import note_near_columns, refuse_read_before_assigned
from autodiff.cli.requests.session import Session
from autodiff.cli.requests.values import Values
from autodiff.core.base.did_you_mean import closest_name
from autodiff.core.base.errors import CompileError, UsageError
from autodiff.grammar.session.data_names import nearly_named, sort_columns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.cli.data_files.data_file import DataFile


def data_files(values: Values) -> list[DataFile]:
    """The files of ``--data``, which are read once."""
    request = values.request
    names = read_names((request.text("columns") or "",))
    if any(not name.isidentifier() for name in names):
        raise UsageError(
            f"--columns takes names, not `{request.text('columns')}`",
            code="E0610",
            help=("separate them by commas, as in --columns x,y",),
        )
    if values.tables is None:
        values.tables = [values.read_file("--data", path, names) for path in request.texts("data")]
    return values.tables


def read_column(values: Values, name: str) -> Any:
    """The numbers in a column of a file of ``--data``; None if no column has that name."""
    if not values.request.texts("data"):
        return None
    data = next((data for data in data_files(values) if name in data.columns), None)
    return None if data is None else data.take([name])[name]


def read_columns(session: Session, values: Values) -> dict[str, Any]:
    """The columns that the script uses, as arrays by name. Notes those of its names that it computes itself.

    Raises UsageError for a file of which it uses none.
    """
    assert session.script is not None
    request = session.request
    found: dict[str, Any] = {}
    others: list[tuple[str, list[str], list[str]]] = []  # of each file, the columns that may be misspelled
    for data in data_files(values):
        if not data.columns:
            raise nameless(data.name)
        session.columns[data.name] = data.columns
        try:
            refuse_read_before_assigned(session, data.columns)
            used, reasons, inputs = sort_columns(session.script.source, data.columns)
        except CompileError:
            return {}  # the run reports it, with repairs
        for column, reason in reasons.items():
            session.note(
                f"column `{column}` of {data.name} is not used: {reason}; --set {column}=@FILE replaces it"
            )
        if not used:
            near = next((name for one in data.columns if (name := closest_name(one, inputs))), None)
            reads = listed(inputs) or "no values"
            help = f"did you mean `{near}`?" if near else f"the script reads: {reads}"
            raise data_error(data.name, f"the script uses none of its columns: {listed(data.columns)}", help)
        found.update(data.take(used))
        others.append((data.name, [name for name in data.columns if name not in [*used, *reasons]], inputs))
    for file, columns, inputs in others:
        missing = [name for name in inputs if name not in found]
        note_near_columns(session, file, columns, missing)
        unused = [name for name in columns if name not in nearly_named(columns, missing)]
        if unused and request.command == "minimize":
            what = "column" if len(unused) == 1 else "columns"
            session.note(f"the fit does not use the {what} {listed(unused)} of {file}")
    return found
