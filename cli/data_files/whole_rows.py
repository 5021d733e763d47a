"""The rows of files that are read whole: numpy's, and JSON that is one list of objects."""

from __future__ import annotations

import json

from autodiff.cli.command_line.script_source import decode, read_file
from autodiff.cli.data_files.data_file import data_error, nameless
from autodiff.cli.data_files.json_tables import parse
from autodiff.cli.data_files.read import LIMIT_FLAG, read_data
from autodiff.cli.data_files.row_readers import JsonRows, TableRows
from autodiff.core.base.lazy_imports import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    #: A reader, the names of the columns, and a line for each row.
    Rows = tuple[TableRows | JsonRows, Sequence[str], list[str]]


def read_whole(path: str, columns: Sequence[str], limit: int) -> Rows:
    """The rows of a file of at most ``limit`` bytes (0: any size) as lines of a table, or of JSON."""
    if not path.endswith(".json"):
        return rows_of_arrays(path, columns, limit)
    objects = parse(decode(read_file(path, limit, LIMIT_FLAG), path), path, 1, parse_int=int)
    if not all(isinstance(one, dict) for one in objects):
        raise data_error(
            path, "its list holds more than objects", 'write objects, as in [{"x": 1}, {"x": 2}]'
        )
    return JsonRows(), (), [json.dumps(one) for one in objects]


def rows_of_arrays(path: str, columns: Sequence[str], limit: int) -> Rows:
    """The first index of all arrays is that of the row."""
    data = read_data(path, limit, columns)
    if not data.columns:
        raise nameless(path)
    arrays = {name: array.astype("float64") for name, array in data.take(data.columns).items()}
    counts = {name: len(array) if array.ndim else 0 for name, array in arrays.items()}
    if len({*counts.values()}) > 1 or not all(array.ndim for array in arrays.values()):
        rows = ", ".join(f"`{name}` of {np.shape(array)}" for name, array in arrays.items())
        raise data_error(path, f"its arrays have no rows in common: {rows}", "give them the same first size")
    values = [array.tolist() for array in arrays.values()]
    if all(array.ndim == 1 for array in arrays.values()):
        lines = ["\t".join(map(repr, row)) for row in zip(*values, strict=True)]
        return TableRows(data.columns, "\t"), data.columns, lines
    return (
        *(JsonRows(), ()),
        [json.dumps(dict(zip(arrays, row, strict=True))) for row in zip(*values, strict=True)],
    )
