"""Arrays in numpy's files, ``.npy`` and ``.npz``. What holds Python objects is refused: nothing is unpickled.

Sizes are compared with what is there before memory is allocated.
"""

from __future__ import annotations

from contextlib import contextmanager
from io import BytesIO

from autodiff.cli.data_files.data_file import DataFile, check_names, data_error
from autodiff.core.base.lazy_imports import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any
    from zipfile import ZipFile

MAX_DIMS = 64  # of an array in numpy
NPY_MAGIC, ZIP_MAGIC = b"\x93NUMPY", b"PK\x03\x04"


def read_npy(data: bytes, file: str) -> DataFile:
    """Read an array; the fields of a structured one are columns."""
    array = stored_array(data, file)
    if not array.dtype.names:
        return DataFile(file, (), lambda names: {}, lambda: as_numbers(array, file))

    def take(wanted: Sequence[str]) -> dict[str, Any]:
        return {name: as_numbers(array[name], f"{file}, {name}") for name in wanted}

    return DataFile(file, array.dtype.names, take, lambda: None)


def stored_array(data: bytes, file: str) -> Any:
    """The array in the bytes of an ``.npy`` file, as it is."""
    stream = BytesIO(data)
    try:
        version = np.lib.format.read_magic(stream)
        read = {
            (1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0,
        }[version]
        shape, is_fortran, dtype = read(stream)
        is_shape = len(shape) <= MAX_DIMS and all(
            size.__class__ is int and 0 <= size < 2**63 for size in shape
        )
    except Exception:  # numpy reads the header as an expression of Python: a damaged one raises anything
        is_shape = False
    if not is_shape:
        raise data_error(file, "its header is not that of an .npy file with numbers")
    if dtype.hasobject:
        raise data_error(
            file, "it holds Python objects, which would have to be executed", "save an array of numbers"
        )
    count = 1
    for size in shape:
        count *= size
    there = len(data) - stream.tell()
    if count * dtype.itemsize != there:
        raise data_error(
            file, f"an array of shape {shape} needs {count * dtype.itemsize:,} bytes, and {there:,} are there"
        )
    try:
        array = np.frombuffer(data, dtype, count, stream.tell())
        array = array.reshape(shape, order="F" if is_fortran else "C")
    except ValueError:  # no entries, and another size of 2**62
        raise data_error(file, f"there is no array of shape {shape}") from None
    return array


def check_kind(dtype: Any, place: str) -> None:
    """Raise UsageError for entries that are no real numbers."""
    if dtype.kind not in "fiub":
        raise data_error(place, f"it holds {dtype}, no real numbers", "save an array of real numbers")


def as_numbers(array: Any, place: str) -> Any:
    """The array as float64, float32, int64 or bool."""
    dtype = array.dtype
    check_kind(dtype, place)
    if dtype.kind == "u" and array.size and array.max() >= 2**63:
        raise data_error(place, f"it holds whole numbers above {2**63 - 1}", "save them as float64")
    if dtype.kind in "iu":
        return array.astype("int64")
    return array.astype(dtype.name if dtype.name in ("bool", "float32") else "float64")


def read_npz(data: bytes, file: str, limit: int) -> DataFile:
    """Read the arrays of an archive by their names; none may be larger than ``limit`` bytes (0: any size)."""
    from zipfile import ZipFile

    with damage_reported(file, "it is no .npz file, or a damaged one"):
        archive = ZipFile(BytesIO(data))
    names = [name.removesuffix(".npy") for name in archive.namelist()]
    check_names(file, names)

    def take(wanted: Sequence[str]) -> dict[str, Any]:
        found = {}
        for name in wanted:
            place = f"{file}, {name}"
            found[name] = as_numbers(stored_array(member(archive, name, file, limit), place), place)
        return found

    return DataFile(file, names, take, lambda: None)


@contextmanager
def damage_reported(place: str, what: str) -> Iterator[None]:
    """Raise UsageError for what zipfile and its decoders raise for a damaged archive, in many classes."""
    try:
        yield
    except MemoryError:
        raise
    except Exception:
        raise data_error(place, what) from None


def member(archive: ZipFile, name: str, file: str, limit: int) -> bytes:
    """The bytes of one array; never more than ``limit``, whatever the archive says."""
    inside = name if name in archive.namelist() else name + ".npy"
    reported = damage_reported(f"{file}, {name}", "it is damaged, encrypted, or packed in an unusual way")
    with reported, archive.open(inside) as stream:
        data = stream.read(limit + 1 if limit else -1)
    if limit and len(data) > limit:
        raise data_error(
            f"{file}, {name}", f"it has more than {limit:,} bytes", "raise the limit with --max-input"
        )
    return data
