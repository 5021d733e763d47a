"""Reads a file of numbers, in the format of its suffix or, without one, in the format it has."""

from __future__ import annotations

import os

from autodiff.cli.command_line.script_source import STDIN, STDIN_NAME, decode, read_file, read_stdin
from autodiff.cli.data_files.data_file import DataFile, data_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

LIMIT_FLAG = "--max-input"
AS_CSV = "save the table as CSV"
WITH_NUMPY = "save its arrays with numpy, as in np.savez('values.npz', x=x)"
#: What to do with files that other programs write, by suffix.
ADVICE = {
    **dict.fromkeys((".xlsx", ".xls", ".ods"), AS_CSV),
    **dict.fromkeys((".h5", ".hdf5", ".mat", ".nc", ".fits", ".pkl", ".pickle", ".pt", ".pth"), WITH_NUMPY),
    **dict.fromkeys((".feather", ".arrow"), "save the table as CSV or Parquet"),
    **dict.fromkeys((".gz", ".bz2", ".xz", ".zst", ".zip"), "unpack it first"),
}


def read_data(path: str, limit: int, names: Sequence[str] = ()) -> DataFile:
    """Read a file, or standard input for ``-``, of at most ``limit`` bytes (0: any size).

    ``names`` are those of the columns of a table without a header.
    """
    suffix = refuse_foreign(path)
    data = read_stdin(limit, LIMIT_FLAG) if path == STDIN else read_file(path, limit, LIMIT_FLAG)
    file = STDIN_NAME if path == STDIN else path
    from autodiff.cli.data_files import library_files, numpy_files

    if suffix == ".parquet" or data.startswith(library_files.PARQUET_MAGIC):
        made = library_files.read_parquet(data, file, limit)
    elif suffix == ".safetensors":
        made = library_files.read_safetensors(data, file)
    elif suffix == ".npy" or data.startswith(numpy_files.NPY_MAGIC):
        made = numpy_files.read_npy(data, file)
    elif suffix == ".npz" or data.startswith(numpy_files.ZIP_MAGIC):
        made = numpy_files.read_npz(data, file, limit)
    else:
        return read_text(decode(data, file), file, suffix, names)
    return with_names(made, names)


def refuse_foreign(path: str) -> str:
    """The suffix of a file. Raises UsageError for one of a format that no reader has."""
    suffix = os.path.splitext(path)[1].lower()
    if suffix in ADVICE:
        raise data_error(path, f"files with the suffix {suffix} are not read", ADVICE[suffix])
    return suffix


def read_text(text: str, file: str, suffix: str, names: Sequence[str]) -> DataFile:
    """Read a table or JSON."""
    is_table = suffix in (".csv", ".tsv") or text.lstrip()[:1] not in ("[", "{")
    if is_table and suffix not in (".json", ".jsonl"):
        from autodiff.cli.data_files.text_tables import read_text_table

        return read_text_table(text, file, suffix, names)
    from autodiff.cli.data_files.json_tables import are_lines, read_json, read_json_lines

    is_lines = suffix == ".jsonl" or (suffix != ".json" and are_lines(text))
    return with_names((read_json_lines if is_lines else read_json)(text, file), names)


def with_names(data: DataFile, names: Sequence[str]) -> DataFile:
    """The file with ``names`` for the columns of its matrix; without names the file as it is."""
    if not names:
        return data
    if data.columns:
        raise data_error(data.name, "it names its columns itself", "leave --columns out")
    array = data.whole()
    if array.ndim == 1 and len(names) == 1:
        array = array.reshape(-1, 1)
    if array.ndim != 2 or array.shape[1] != len(names):
        raise data_error(data.name, f"it has shape {array.shape}, and --columns names {len(names)}")
    columns = {name: array[:, at].copy() for at, name in enumerate(names)}
    return DataFile(data.name, names, lambda wanted: {name: columns[name] for name in wanted}, lambda: array)
