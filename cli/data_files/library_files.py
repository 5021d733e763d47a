"""Files that need a library which not everybody has: Parquet and safetensors. Nothing in them is executed.

Sizes that a Parquet file announces are compared with the limit before memory is allocated.
"""

from __future__ import annotations

from importlib import import_module

from autodiff.cli.data_files.data_file import DataFile, check_names, data_error
from autodiff.cli.data_files.numpy_files import as_numbers, damage_reported
from autodiff.core.base.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

PARQUET_MAGIC = b"PAR1"


def import_library(module: str, file: str) -> Any:
    """A module of a library, or raise UsageError with the line that installs it."""
    try:
        return import_module(module)
    except ImportError:
        library = module.partition(".")[0]
        raise UsageError(
            f"{file}: reading it needs the library {library}, which is not installed",
            code="E0620",
            help=(
                "in autodiff's own folder, this installs it: python -m pip install '.[data]'",
                "CSV, JSON and numpy's files need no library",
            ),
        ) from None


def read_parquet(data: bytes, file: str, limit: int) -> DataFile:
    """Read the columns of a table; unpacked, they may have ``limit`` bytes (0: any size)."""
    arrow, parquet = (import_library(module, file) for module in ("pyarrow", "pyarrow.parquet"))
    with damage_reported(file, "it is no Parquet file, or a damaged one"):
        table = parquet.ParquetFile(arrow.BufferReader(data))
        groups = [table.metadata.row_group(at) for at in range(table.metadata.num_row_groups)]
        size = sum(group.total_byte_size for group in groups)
        names = table.schema_arrow.names
    check_names(file, names)
    if limit and size > limit:
        raise data_error(file, f"it has more than {limit:,} bytes", "raise the limit with --max-input")

    def take(wanted: Sequence[str]) -> dict[str, Any]:
        with damage_reported(file, "it is damaged"):
            columns = table.read(list(wanted), use_threads=False)
        found = {}
        for name in wanted:
            column = columns[name]
            if not (arrow.types.is_floating(column.type) or is_whole(column.type, arrow)):
                raise data_error(
                    f"{file}, {name}", f"it holds {column.type}, no numbers", "save a column of numbers"
                )
            found[name] = as_numbers(column.to_numpy(), f"{file}, {name}")  # a missing value becomes nan
        return found

    return DataFile(file, names, take, lambda: None)


def is_whole(kind: Any, arrow: Any) -> bool:
    return bool(arrow.types.is_integer(kind) or arrow.types.is_boolean(kind))


def read_safetensors(data: bytes, file: str) -> DataFile:
    """Read the arrays of a file by their names."""
    library = import_library("safetensors.numpy", file)
    with damage_reported(file, "it is no safetensors file, or it is damaged or has numbers that numpy lacks"):
        arrays = library.load(data)

    def take(wanted: Sequence[str]) -> dict[str, Any]:
        return {name: as_numbers(arrays[name], f"{file}, {name}") for name in wanted}

    return DataFile(file, sorted(arrays), take, lambda: None)
