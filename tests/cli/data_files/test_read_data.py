"""Files of numbers: every format reads to the same array, and what is wrong is said with its place."""

from __future__ import annotations

import io
import json
import pickle
import zipfile

import numpy as np
import pytest
from autodiff.cli.data_files.read import read_data
from autodiff.core.base.errors import UsageError

LIMIT = 1 << 20


@pytest.fixture
def read(tmp_path):
    """Write a file and read it: ``read("a.csv", "1,2")``."""

    def read_file(name, content, names=()):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_data(str(path), LIMIT, names)

    return read_file


def npy(array):
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def npz(**arrays):
    stream = io.BytesIO()
    np.savez_compressed(stream, **arrays)
    return stream.getvalue()


MATRIX = [[1.0, 2.0], [3.0, -4.5]]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "1,2\n3,-4.5\n"),
        ("a.csv", "\ufeff1,2\r\n3,-4.5"),
        ("a.csv", "1;2\n\n3; -4.5\n"),
        ("a.csv", '"1","2"\n3,"-4.5"\n'),
        ("a.tsv", "1\t2\n3\t-4.5\n"),
        ("a.txt", "# comment\n 1  2\n3\t-4.5\n".replace("\t", " ")),
        ("a.txt", "1, 2\n3, -4.5"),
        ("a", "1\t2\n3\t-4.5\n"),
        ("a.json", "[[1, 2], [3, -4.5]]"),
        ("a.txt", " [[1, 2],\n [3, -4.5]]"),
        ("a.jsonl", "[1, 2]\n\n[3, -4.5]\n"),
        ("a", "[1, 2]\n[3, -4.5]\n"),
        ("a.npy", npy(np.array(MATRIX))),
        ("a.npy", npy(np.asfortranarray(np.array(MATRIX)))),
        ("a.npy", npy(np.array(MATRIX).astype(">f8"))),
        ("a", npy(np.array(MATRIX).astype("float16"))),
    ],
)
def test_a_matrix_in_each_format(read, name, content):
    found = read(name, content).value_for("W")
    assert found.dtype == "float64"
    assert found.tolist() == MATRIX


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "t,x,note\n9,1,a\n9,nan,\n9,inf,c\n"),
        ("a.csv", 't,x,note\n9,1,"a, b"\n9,nan,\n9,inf,c\n'),
        ("a.csv", "x\n1\nnan\ninf\n"),
        ("a.txt", "t x\n9 1\n9 nan\n9 inf\n"),
        ("a.json", '{"x": [1, NaN, Infinity], "t": ["a", "b"]}'),
        ("a.json", '[{"x": 1, "t": "a"}, {"x": "NaN", "t": 3}, {"x": "Infinity", "t": null}]'),
        ("a.jsonl", '{"x": 1, "t": 9}\n{"x": NaN, "t": 9}\n{"x": Infinity, "t": 9}\n'),
        ("a.npz", npz(x=np.array([1, np.nan, np.inf]), t=np.arange(3))),
        ("a.csv", "1\nnan\ninf\n"),
        ("a.csv", "1,nan,inf\n"),
        ("a", "1\nnan\ninf\n"),
    ],
)
def test_a_column_in_each_format(read, name, content):
    found = read(name, content).value_for("x")
    assert found.shape == (3,)
    assert np.array_equal(found, [1, np.nan, np.inf], equal_nan=True)


def test_fields_of_a_structured_array_are_columns(read):
    fields = [("t", ">f4"), ("x", "f8", (2,)), ("note", "U3")]
    made = np.array([(1, (2, 3), "a"), (4, (5, 6), "b")], fields)
    data = read("a.npy", npy(made))
    assert data.columns == ("t", "x", "note")
    found = data.take(["t", "x"])
    assert (found["t"].dtype, found["t"].tolist()) == ("float32", [1, 4])
    assert found["x"].tolist() == [[2, 3], [5, 6]]
    with pytest.raises(UsageError, match=r"a\.npy, note: it holds <U3, no real numbers"):
        data.take(["note"])


@pytest.mark.parametrize(
    ("name", "helps"),
    [
        ("a.xlsx", "save the table as CSV"),
        ("a.H5", "save its arrays with numpy"),
        ("a.gz", "unpack it first"),
    ],
)
def test_files_of_other_programs_are_refused_with_a_way_out(read, name, helps):
    with pytest.raises(UsageError, match=r"files with the suffix \.\w+ are not read") as caught:
        read(name, b"\x89HDF\r\n").value_for("x")
    assert caught.value.help[0].startswith(helps)


def test_one_number_is_a_number(read):
    for name, content in (("a", "5\n"), ("a.csv", "5"), ("a.json", "5"), ("a.npy", npy(np.array(5.0)))):
        found = read(name, content).value_for("x")
        assert found.shape == ()
        assert found == 5


def test_dtypes_of_arrays_that_have_one(read):
    for given, kept in (("int8", "int64"), ("uint16", "int64"), ("bool", "bool"), ("float32", "float32")):
        assert read("a.npy", npy(np.ones(2, given))).value_for("x").dtype == kept


def test_names_for_columns_without_a_header(read):
    for name, content in (
        ("a.csv", "1,2\n3,-4.5\n"),
        ("a.json", str(MATRIX)),
        ("a.npy", npy(np.array(MATRIX))),
    ):
        data = read(name, content, ("x", "y"))
        assert data.columns == ("x", "y")
        assert data.take(["y"])["y"].tolist() == [2, -4.5]


def test_numbers_are_read_to_the_last_bit(read):
    numbers = np.random.default_rng(0).standard_normal(200) * 10.0 ** np.arange(-100, 100)
    text = "\n".join(map(repr, numbers.tolist()))
    assert np.array_equal(read("a.csv", text).whole(), numbers)
    assert np.array_equal(read("a.csv", '"' + text.replace("\n", '"\n"') + '"').whole(), numbers)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        *(
            ("a.csv", f"x,t\n1,a\n{field},b\n3,c\n")
            for field in ("", " ", "NA", "n/a", "#N/A", "-", "NaN", "null", '""')
        ),
        ("a.tsv", "x\tt\n1\t2\n\t3\n3\t4\n"),
        ("a.csv", "t;x\n5;1\n5;\n5;3\n"),
        ("a.json", "[1, null, 3]"),
        ("a.json", '[{"x": 1}, {"x": null}, {"x": 3}]'),
        ("a.jsonl", '{"x": 1}\n{"x": null}\n{"x": 3}\n'),
    ],
)
def test_missing_values_are_nan(read, name, content):
    """As pandas has it."""
    assert np.array_equal(read(name, content).value_for("x"), [1, np.nan, 3], equal_nan=True)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.csv", "x,y\n1,2\n3\n", "line 3: 1 field, and line 1 has 2: 3"),
        ("a.csv", "x,y\n1,2\n\n# note\n3,4,5\n", "line 5: 3 fields, and line 1 has 2: 3,4,5"),
        ("a.csv", "1,2\n3,abc\n", "line 2, column 2: `abc` is no number"),
        ("a.csv", "1,abc\n3,4\n", "line 1, column 2: `abc` is no number"),
        ("a.csv", "x,t\n1,2\n.,4\n", "line 3, column 1 (`x`): `.` is no number"),
        ("a.csv", "x,t\nm,s\n1,2\n", "leave a line of units out: sed 2d "),
        ("a.csv", "x,t\nm,2\n1,2\n", "a missing value is an empty field, nan, NA or -"),
        ("a.csv", 'x,t\n"1,5",2\n', "`1,5` is no number write fractions with a point, as in 1.5"),
        ("a.csv", "x;t\n1,5;2\n", "write fractions with a point, as in 1.5: tr , . <"),
        ("a.csv", "x\n1_000\n", "line 2, column 1 (`x`): `1_000` is no number"),
        ("a.csv", "x;y\n1,5;2\n", "line 2, column 1 (`x`): `1,5` is no number"),
        ("a.csv", 'x,y\n"1,2\n', "line 2: a quotation mark is not closed"),
        ("a.csv", "x,x\n1,2\n", "two columns are called `x`"),
        ("a.csv", "x,y\n", "it has a header, and no numbers below"),
        ("a.csv", "", "it holds no numbers"),
        ("a.csv", "p,q\n1,2\n", "there is no column `x`; it has p, q"),
        ("a.csv", "p\x1b[31m,q\n1,2\n", "it has p\\x1b[31m, q"),
        ("a.csv", b"1,2\n\xff", "it is not UTF-8: byte 0xff at offset 4, in line 2"),
        ("a.csv", "1,2\n".encode("utf-16"), "it looks like UTF-16"),
        ("a.txt", "1 2\n3\n", "line 2: 1 field, and line 1 has 2: 3"),
        ("a.json", "[1, 2", "line 1, column 6: this is no JSON: expecting ',' delimiter"),
        ("a.json", "", "line 1, column 1: this is no JSON: expecting value"),
        ("a.json", "[[1, 2], [3]]", "[1] differs from [0] in length"),
        ("a.json", "[1, [2]]", "is no regular array"),
        ("a.json", '[1, "two"]', '[1] is "two", no number'),
        ("a.json", "[[1, 2], [3, true]]", "[1][1] is true, no number"),
        ("a.json", '{"x": 1, "x": 2}', "an object has the key `x` twice"),
        ("a.json", '[{"x": 1}, {"y": 2}]', "record 2 has no `x`"),
        ("a.json", '[{"x": 1}, 2]', "record 2 is no object"),
        ("a.json", "[" * 100000 + "]" * 100000, "it is nested too deeply"),
        ("a.json", "[" * 100 + "1" + "]" * 100, "it is nested too deeply"),
        ("a.jsonl", "[1, 2]\n[3, 4\n", "line 2, column 6: this is no JSON"),
        ("a.npy", npy(np.arange(4.0))[:-8], "an array of shape (4,) needs 32 bytes, and 24 are there"),
        ("a.npy", b"\x93NUMPY\x01\x00\xff\xff{", "its header is not that"),
        ("a.npy", b"junk", "its header is not that"),
        ("a.npy", npy(np.array([1 + 2j])), "no real numbers"),
        ("a.npy", npy(np.array([(1, 2.0)], dtype="i4,f8")), "there is no column `x`; it has f0, f1"),
        ("a.npy", npy(np.array(["one"])), "no real numbers"),
        ("a.npz", b"PK\x03\x04junk", "it is no .npz file"),
        ("a.npz", npz(x=np.zeros(1 << 18)), f"a.npz, x: it has more than {LIMIT:,} bytes"),
        ("a.npz", npz(p=np.zeros(2), q=np.zeros(2)), "there is no column `x`; it has p, q"),
        ("a.csv", "1\n" * (1 << 19) + "1\n", "raise the limit with --max-input"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(read, tmp_path, name, content, says):
    with pytest.raises(UsageError) as caught:
        read(name, content).value_for("x")
    told = " ".join((str(caught.value), *caught.value.help))
    assert says in told
    assert str(tmp_path / name) in told
    assert "\x1b" not in told


def test_a_column_of_another_name_comes_with_the_options_that_take_the_columns(read):
    with pytest.raises(UsageError) as raised:
        read("a b.csv", "t,two words\n1,2\n").value_for("x")
    assert "--set 't=@" in raised.value.help[0]
    assert "a b.csv'" in raised.value.help[0]
    assert "two words" not in raised.value.help[0]


def test_nothing_is_unpickled(read, tmp_path):
    class Touch:
        def __reduce__(self):
            return open, (str(tmp_path / "touched"), "w")

    objects = np.array([Touch()], dtype=object)
    stream = io.BytesIO()
    np.save(stream, objects, allow_pickle=True)
    for name, content in (
        ("a.npy", stream.getvalue()),
        ("a.npz", pack({"x.npy": stream.getvalue()})),
        ("a.npy", pickle.dumps(objects)),
    ):
        with pytest.raises(UsageError):
            read(name, content).value_for("x")
    assert not (tmp_path / "touched").exists()


def pack(members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return stream.getvalue()


def test_an_array_that_says_it_is_huge(read):
    huge = npy(np.zeros(2)).replace(b"(2,), }          ", b"(99999999999,), }")
    with pytest.raises(UsageError) as caught:
        read("a.npy", huge).whole()
    assert "an array of shape (99999999999,) needs 799,999,999,992 bytes, and 16 are there" in str(
        caught.value
    )


def test_members_of_an_archive_are_only_names(read, tmp_path):
    data = read("a.npz", pack({"../x.npy": npy(np.ones(2)), "/y.npy": npy(np.ones(1))}))
    assert data.columns == ("../x", "/y")
    assert data.take(["../x"])["../x"].tolist() == [1, 1]
    assert [path.name for path in tmp_path.iterdir()] == ["a.npz"]


def test_large_whole_numbers_of_json(read):
    assert read("a.json", "[1" + "0" * 5000 + "]").whole().tolist() == [np.inf]
    assert read("a.json", json.dumps([2**60])).whole().tolist() == [2.0**60]
