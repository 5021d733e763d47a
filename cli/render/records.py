"""Numbers as records for other programs and documents: CSV, TSV, JSON Lines, numpy's files, tables.

For programs every number is exact and has a row of its own, with its name and its index; for people numbers
are rounded, and name and index stand together, as in ``W[0,1]``.
"""

from __future__ import annotations

from io import BytesIO, StringIO

from autodiff.cli.process.streams import harmless, visible
from autodiff.cli.render.expression_latex import escaped
from autodiff.cli.render.numbers import exact, is_array, short
from autodiff.core.base.errors import UsageError
from autodiff.core.base.lazy_imports import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from autodiff.core.report.records import GradientReport


class Records:
    """What a command found: a row for each number in ``rows``, and all of them as ``arrays`` by name.

    ``whole`` is the array for a file of one; by default the only one of ``arrays``.
    A cell is a text, the index of an entry as a tuple, a number, a truth value, or None. ``fields`` are the
    names of the columns.
    """

    __slots__ = ("arrays", "fields", "rows", "whole")

    def __init__(
        self,
        fields: Sequence[str],
        rows: Iterable[Sequence[Any]],
        arrays: Mapping[str, Any],
        whole: Any = None,
    ) -> None:
        self.fields = fields
        self.rows = rows
        self.arrays = arrays
        self.whole = next(iter(arrays.values())) if whole is None and len(arrays) == 1 else whole


def gradient_records(report: GradientReport) -> Records:
    """The entries of all inputs with their values and gradients."""
    rows = (
        (variable.name, index, value, grad)
        for variable in report.gradients
        for (index, value), (_, grad) in zip(entries(variable.value), entries(variable.grad), strict=True)
    )
    arrays = {variable.name: variable.grad for variable in report.gradients}
    return Records(("name", "index", "value", "gradient"), rows, arrays)


def entries(value: Any) -> Iterator[tuple[tuple[int, ...], Any]]:
    """Yield the entries of a value with their indices; a number has the index ()."""
    if not is_array(value):
        yield (), value
        return
    # tolist() widens float32 to float64, where 0.1 reads 0.10000000149011612.
    flat = value.ravel() if value.dtype.name == "float32" else value.ravel().tolist()
    yield from zip(np.ndindex(value.shape), flat, strict=True)


def place(name: str, index: Sequence[int]) -> str:
    """``W[0,1]``, or ``w`` for a number."""
    return name + (f"[{','.join(map(str, index))}]" if index else "")


def render_records(records: Records, form: str, digits: int) -> str | bytes:
    """The records in one of the formats of ``RENDERERS``."""
    return RENDERERS[form](records, digits)


# -- for programs -------------------------------------------------------------------------------------


def separated(records: Records, separator: str) -> str:
    """One line for each number under a header; the positions of an index have blanks between them."""
    import csv

    text = StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    writer.writerow(records.fields)
    writer.writerows([spelled(cell) for cell in row] for row in records.rows)
    return text.getvalue()


#: How cells without a number are written: those of no value, and truth values.
WORDS = {None: "", True: "true", False: "false"}


def spelled(cell: Any) -> str:
    if isinstance(cell, tuple):
        return " ".join(map(str, cell))
    if cell is None or isinstance(cell, bool):
        return WORDS[cell]
    return harmless(cell) if isinstance(cell, str) else exact(cell)


def json_lines(records: Records) -> str:
    """One JSON object for each number."""
    from json import dumps

    from autodiff.cli.render.json_values import plain

    return "".join(
        dumps(dict(zip(records.fields, map(plain, row), strict=True)), allow_nan=False) + "\n"
        for row in records.rows
    )


def npy(records: Records) -> bytes:
    """The only array. Raises UsageError if there are several."""
    if records.whole is None:
        names = ", ".join(map(visible, records.arrays))
        of_inputs = not {"sigma", "start"} & {*records.fields}
        raise UsageError(
            f"an .npy file holds one array, and there are {len(records.arrays)}: {names}",
            code="E0614",
            help=("name one of them with --wrt, or use --format npz" if of_inputs else "use --format npz",),
        )
    stream = BytesIO()
    np.lib.format.write_array(stream, np.asarray(records.whole), allow_pickle=False)
    return stream.getvalue()


def npz(records: Records) -> bytes:
    """All arrays by name; the bytes depend on nothing else."""
    from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

    stream = BytesIO()
    with ZipFile(stream, "w", ZIP_DEFLATED) as archive:
        for name, array in records.arrays.items():
            entry = ZipInfo(name + ".npy")  # of a fixed date
            entry.compress_type = ZIP_DEFLATED
            with archive.open(entry, "w", force_zip64=True) as file:
                np.lib.format.write_array(file, np.asarray(array), allow_pickle=False)
    return stream.getvalue()


# -- for people ---------------------------------------------------------------------------------------


def readable(records: Records, digits: int) -> list[list[str]]:
    """The header and the rows as texts, an index beside its name."""
    merged = {at for at, field in enumerate(records.fields) if field.endswith("index")}
    table = [[field for at, field in enumerate(records.fields) if at not in merged]]
    for row in records.rows:
        texts: list[str] = []
        for cell in row:
            if isinstance(cell, tuple):
                texts[-1] = place(texts[-1], cell)
            elif cell is None or isinstance(cell, bool):
                texts.append(WORDS[cell])
            else:
                texts.append(visible(cell) if isinstance(cell, str) else short(cell, digits))
        table.append(texts)
    return table


def markdown(records: Records, digits: int) -> str:
    """A table as GitHub and notebooks show it."""
    header, *rows = readable(records, digits)
    rule = ["---" if cell in TEXT_FIELDS else "---:" for cell in header]
    lines = [header, rule, *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def latex(records: Records, digits: int) -> str:
    """A table for a document in LaTeX."""
    header, *rows = readable(records, digits)
    sides = "".join("l" if cell in TEXT_FIELDS else "r" for cell in header)
    lines = [" & ".join(map(escaped, row)) + r" \\" for row in (header, *rows)]
    body = "\n".join([lines[0], r"\hline", *lines[1:]])
    return f"\\begin{{tabular}}{{{sides}}}\n{body}\n\\end{{tabular}}\n"


#: The fields that hold names, which are aligned left.
TEXT_FIELDS = frozenset(["name", "output", "input", "by"])
RENDERERS: dict[str, Callable[[Records, int], str | bytes]] = {
    "csv": lambda records, digits: separated(records, ","),
    "tsv": lambda records, digits: separated(records, "\t"),
    "jsonl": lambda records, digits: json_lines(records),
    "npy": lambda records, digits: npy(records),
    "npz": lambda records, digits: npz(records),
    "markdown": markdown,
    "latex": latex,
}
