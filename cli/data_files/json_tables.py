"""Numbers in JSON and JSON Lines: nested lists, an object of lists, a list of objects, or a fit.

A fit is the document that ``minimize`` writes: the values of its inputs and their covariances. ``NaN``,
``Infinity`` and ``-Infinity`` are numbers, also as strings, which is how reports write them. ``null`` is a
missing value, which counts as nan.
"""

from __future__ import annotations

import json
from math import nan

from autodiff.cli.data_files.data_file import DataFile, data_error
from autodiff.cli.process.streams import visible
from autodiff.core.base.lazy_imports import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

STRINGS = frozenset(["NaN", "Infinity", "-Infinity"])
LONGEST_TEXT = 40  # characters of a text in a message
MOST_LEVELS = 64  # numpy's limit of dimensions
TOO_DEEP = f"it is nested too deeply; a tensor has at most {MOST_LEVELS} levels"
#: Keys that only the document of ``minimize`` has together.
FIT_KEYS = frozenset(["inputs", "objective", "covariance", "residuals"])
LISTS_OF_OBJECTS = "pandas writes what can be read with to_json(orient='records')"
ONLY_NUMBERS = "lists hold numbers or lists; a missing value is null or NaN"


class DoubleKey(ValueError):
    """Raised for an object that has a key twice."""


def read_json(text: str, file: str) -> DataFile:
    """Read a JSON document."""
    return as_data_file(parse(text, file, 1), file)


def read_json_lines(text: str, file: str) -> DataFile:
    """Read a document a line: numbers, lists of the same shape, or objects."""
    documents = [parse(line, file, number) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not documents:
        raise data_error(file, "it holds no numbers")
    return as_data_file(documents, file)


def are_lines(text: str) -> bool:
    """Whether a text has a document in its first line and more below."""
    first, _, rest = text.strip().partition("\n")
    if not rest:
        return False
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        return False
    return True


def parse(text: str, file: str, first_line: int, parse_int: type = float) -> Any:
    """The value of a document that begins in line ``first_line``; whole numbers are of a class."""
    try:
        return json.loads(text, parse_int=parse_int, object_pairs_hook=unique_keys)
    except json.JSONDecodeError as error:
        place = f"{file}, line {first_line + error.lineno - 1}, column {error.colno}"
        raise data_error(place, f"this is no JSON: {error.msg[:1].lower() + error.msg[1:]}") from None
    except DoubleKey as error:
        raise data_error(
            file, f"an object has the key `{visible(str(error)[:LONGEST_TEXT])}` twice"
        ) from None
    except RecursionError:
        raise data_error(file, TOO_DEEP) from None


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise DoubleKey(next(key for at, key in enumerate(keys) if key in keys[:at]))
    return found


def as_data_file(value: Any, file: str) -> DataFile:
    if isinstance(value, list) and value and isinstance(value[0], dict):
        value = by_column(value, file)
    if isinstance(value, dict):
        fitted = is_fit(value)
        columns: dict[str, Any] = {one["name"]: one["value"] for one in value["inputs"]} if fitted else value

        def take(names: Sequence[str]) -> dict[str, Any]:
            return {name: to_array(columns[name], file, f"`{name}`") for name in names}

        covariance = (lambda: fit_covariance(value, file)) if fitted else None
        return DataFile(file, list(columns), take, lambda: None, covariance=covariance)
    return DataFile(file, (), lambda names: {}, lambda: to_array(value, file, "the value"))


def is_fit(value: dict[str, Any]) -> bool:
    """Whether an object is the document of a fit."""
    return (
        value.keys() >= FIT_KEYS
        and isinstance(value["inputs"], list)
        and all(
            isinstance(one, dict) and "value" in one and isinstance(one.get("name"), str)
            for one in value["inputs"]
        )
    )


def fit_covariance(fit: dict[str, Any], file: str) -> tuple[list[str], Any]:
    """The names of the inputs' entries, as ``w`` or ``w[0,1]``, and their covariances."""
    if fit["covariance"] is None:
        raise data_error(file, "this fit has no covariances", "a note of minimize says why")
    names = [
        one["name"] + (f"[{','.join(map(str, index))}]" if index else "")
        for one in fit["inputs"]
        for index in np.ndindex(to_array(one["value"], file, f"`{one['name']}`").shape)
    ]
    matrix = to_array(fit["covariance"], file, "`covariance`")
    if matrix.shape != (len(names), len(names)):
        raise data_error(file, f"the covariances are not those of {len(names)} entries")
    return names, matrix


def by_column(records: list[Any], file: str) -> dict[str, list[Any]]:
    """The columns of a list of objects; each must have the keys of the first."""
    columns: dict[str, list[Any]] = {key: [] for key in records[0]}
    for number, record in enumerate(records, 1):
        if not isinstance(record, dict):
            raise data_error(file, f"record {number} is no object as those before it")
        for key, column in columns.items():
            if key not in record:
                raise data_error(
                    file, f"record {number} has no `{visible(key)}`", "a missing value is null or NaN"
                )
            column.append(record[key])
    return columns


def to_array(value: Any, file: str, what: str) -> Any:
    """Nested lists of numbers as an array. Raises UsageError with the place of what does not fit."""
    shape: list[int] = []
    level = [value]
    while any(isinstance(part, list) for part in level):
        length = len(level[0]) if isinstance(level[0], list) else -1
        for at, part in enumerate(level):
            if not isinstance(part, list) or len(part) != length:
                raise data_error(
                    file,
                    f"{what} is no regular array: {spelled_place(at, shape)} differs from"
                    f" {spelled_place(0, shape)} in length",
                    "give all lists of one level the same length",
                )
        shape.append(length)
        if len(shape) > MOST_LEVELS:
            raise data_error(file, TOO_DEEP)
        level = [part for parts in level for part in parts]
    for at, part in enumerate(level):
        if part is None:
            level[at] = nan
        elif not isinstance(part, float) and not (isinstance(part, str) and part in STRINGS):
            shown = visible(json.dumps(part)[:LONGEST_TEXT])
            help = LISTS_OF_OBJECTS if isinstance(part, dict) else ONLY_NUMBERS
            raise data_error(file, f"{what}: {spelled_place(at, shape)} is {shown}, no number", help)
    return np.array(level, dtype="float64").reshape(shape)


def spelled_place(at: int, shape: list[int]) -> str:
    """The position of entry number ``at``, as in ``[2][0]``."""
    places: list[int] = []
    for size in reversed(shape):
        at, place = divmod(at, size)
        places.append(place)
    return "".join(f"[{place}]" for place in reversed(places)) or "it"
