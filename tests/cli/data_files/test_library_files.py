"""Parquet and safetensors are read with their libraries; without these, the way to them is told."""

from __future__ import annotations

import os

import numpy as np
import pytest
from autodiff.cli.data_files.read import read_data
from autodiff.core.base.errors import UsageError

WHY = "a library for files is not installed (pip install '.[data]')"


def test_columns_of_a_parquet_file(tmp_path):
    arrow = pytest.importorskip("pyarrow", reason=WHY)
    from pyarrow import parquet

    columns = {
        "x": [1.5, None, 3.0],
        "n": arrow.array([1, 2, 3], "int16"),
        "few": arrow.array([1, None, 3], "int64"),
        "yes": [True, False, True],
        "small": arrow.array([1, 2, 3], "float32"),
        "name": ["a", "b", "c"],
    }
    path = tmp_path / "a.parquet"
    parquet.write_table(arrow.table(columns), path, row_group_size=2)
    data = read_data(str(path), 1 << 20)
    assert data.columns == tuple(columns)
    found = data.take(["n", "x", "few", "yes", "small"])
    kinds = {name: array.dtype.name for name, array in found.items()}
    assert kinds == {"n": "int64", "x": "float64", "few": "float64", "yes": "bool", "small": "float32"}
    assert np.array_equal(found["x"], [1.5, np.nan, 3], equal_nan=True)
    assert np.array_equal(found["few"], [1, np.nan, 3], equal_nan=True)
    assert found["n"].tolist() == [1, 2, 3]
    with pytest.raises(UsageError, match=r"a\.parquet, name: it holds string, no numbers"):
        data.take(["name"])
    path.rename(tmp_path / "a.data")
    assert read_data(str(tmp_path / "a.data"), 0).take(["n"])["n"].tolist() == [1, 2, 3]
    (tmp_path / "b.parquet").write_bytes((tmp_path / "a.data").read_bytes()[:-40])
    with pytest.raises(UsageError, match="no Parquet file, or a damaged one"):
        read_data(str(tmp_path / "b.parquet"), 0)


def test_a_parquet_file_that_unpacks_to_more_than_the_limit(tmp_path):
    arrow = pytest.importorskip("pyarrow", reason=WHY)
    from pyarrow import parquet

    path = tmp_path / "a.parquet"
    table = arrow.table({"x": np.arange(200_000) % 7 * 1.0})
    parquet.write_table(table, path, compression="gzip", use_dictionary=False)
    assert path.stat().st_size < 1 << 20
    with pytest.raises(UsageError, match="more than 1,048,576 bytes"):
        read_data(str(path), 1 << 20)


def test_arrays_of_a_safetensors_file(tmp_path):
    library = pytest.importorskip("safetensors.numpy", reason=WHY)
    path = tmp_path / "net.safetensors"
    arrays = {"w": np.array([[1, 2], [3, 4]], "float32"), "b": np.array([5, 6]), "layer.x": np.array([True])}
    library.save_file(arrays, path)
    data = read_data(str(path), 1 << 20)
    assert sorted(data.columns) == ["b", "layer.x", "w"]
    for name, array in arrays.items():
        found = data.value_for(name)
        assert found.dtype == array.dtype
        assert np.array_equal(found, array)
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(UsageError, match="no safetensors file"):
        read_data(str(path), 0)


def test_a_script_reads_them(autodiff, tmp_path):
    arrow = pytest.importorskip("pyarrow", reason=WHY)
    from pyarrow import parquet

    parquet.write_table(arrow.table({"t": [1.0, 2.0], "v": [2.5, 4.5]}), tmp_path / "a.parquet")
    done = autodiff("grad", "-e", "a = 2; L = ((a*t - v)**2).mean()", "--data", "a.parquet")
    assert (done.out, done.err) == ("-1.5\n", "")


@pytest.mark.parametrize(("name", "library"), [("a.parquet", "pyarrow"), ("a.safetensors", "safetensors")])
def test_without_the_libraries_the_way_to_them_is_told(autodiff, write, tmp_path, name, library):
    write(b"\0", name)
    write("raise ImportError('not installed')\n", f"{library}.py")
    done = autodiff("grad", "-e", "L = x", "--data", name, env={"PYTHONPATH": os.fspath(tmp_path)})
    assert done.returncode == 2
    assert f"error[E0620]: {name}: reading it needs the library {library}" in done.err
    assert "python -m pip install '.[data]'" in done.err
