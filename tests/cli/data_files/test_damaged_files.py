"""Whatever a file of numbers holds, it is an array or an error that speaks of the file."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest
from autodiff.cli.data_files.read import read_data
from autodiff.core.base.errors import UsageError
from number_files import DTYPES, SHAPES, SIZES, headed, npy, random_files
from seeds import blocks


def check(path: Path) -> None:
    for name in ("x", "w"):
        told, dtype = answer(path, name)
        assert path.name in told or dtype in ("none", "float64", "float32", "int64", "bool")


def answer(path: Path, name: str) -> tuple[str, str]:
    """What is said of the file, and the dtype of what a variable gets."""
    try:
        value = read_data(str(path), 1 << 20).value_for(name)
    except UsageError as error:
        return error.message, ""
    return "", "none" if value is None else value.dtype.name


@pytest.mark.parametrize("block", blocks(300, 100))
def test_random_examples(block: range, tmp_path: Path) -> None:
    for seed in block:
        for name, data in random_files(Random(f"files {seed}")).items():
            (tmp_path / name).write_bytes(data)
            check(tmp_path / name)


@pytest.mark.parametrize("dtype", DTYPES)
def test_headers(dtype: str, tmp_path: Path) -> None:
    for shape in SHAPES:
        for size in SIZES:
            (tmp_path / "a.npy").write_bytes(headed(dtype, shape, size))
            check(tmp_path / "a.npy")


def test_whole_numbers_that_no_tensor_holds(tmp_path: Path) -> None:
    (tmp_path / "a.npy").write_bytes(npy(np.array([2**63], "u8")))
    with pytest.raises(UsageError, match="whole numbers above 9223372036854775807"):
        read_data(str(tmp_path / "a.npy"), 0).value_for("x")


def test_objects_in_rows(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('[1, "Infinity"]\n[{"x": 1}, {"w": 2}]')
    with pytest.raises(UsageError, match=r'\[1\]\[0\] is \{"x": 1.0\}, no number'):
        read_data(str(tmp_path / "a.jsonl"), 0).value_for("x")
