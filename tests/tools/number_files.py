"""Random files of numbers in every format that options read, half of them damaged."""

from __future__ import annotations

import io
import json
from random import Random

import numpy as np

TEXTS = [
    b"x,w\n1,2\n3,4\n",
    b"x\n1\n2\n3\n",
    b"1 2\n3 4\n",
    b"1\t2\n3\t4\n",
    b"x;w\n0,5;1\n",
    b"# none\n\n",
    b'"a ""b""",x\n1,2\n',
    b"x,x\n1,2\n",
    b"1,2\n3\n",
    b"\xef\xbb\xbfx,w\r\n1,nan\r\n-inf,1e400\r\n",
    b"x,w\n1,\n",
    b"",
]
DOCUMENTS = [
    *(1, 2.5, [1, 2], [[1, 2], [3, 4]], [[1, 2], [3]], [], [[]], [[[0.5]]], None, True, "NaN", "x", [True]),
    *({"x": [1, 2], "w": 3}, [{"x": 1}, {"x": 2}], [{"x": 1}, {"w": 2}], [{"x": 1}, 2], {}, [{}], {"": 1}),
    *([1, "Infinity"], [1, None], 1e308, 10**400, [[[[1]]]] * 2, {"x": {"w": 1}}),
]
ARRAYS = [
    *(
        np.array(2.5),
        np.array([1.0, -2.0, 3.0]),
        np.ones((2, 3)),
        np.zeros((0, 2)),
        np.arange(6).reshape(2, 3),
    ),
    *(
        np.array([True, False]),
        np.float32([1, 2]),
        np.array([1, 2], ">f8"),
        np.asfortranarray(np.ones((2, 2))),
    ),
    *(np.array([1 + 2j]), np.array(["a"]), np.array([1], "u8"), np.array([1], "f2"), np.array([None])),
    *(np.zeros(2, [("a", "f8")]), np.array(["2020-01-01"], "M8[D]"), np.longdouble([1])),
]
#: What a header may say of entries and of sizes; most of it is wrong.
DTYPES = """
'<f8' '<f0' '|b1' '<u8' 'f8,f4' [('a','<f8')] ('<f8',(2,)) '|O' '<m8' 1 None '<f8'*2 '<f16'""".split()
SIZES = [0, 8, 16, 48]
SHAPES = [
    *("(2,)", "(-1,)", "(-2,-3)", "()", "(True,)", "[2]", "2", "(2.0,)", "(9223372036854775807,2)"),
    *("(0,10**9)", f"(0,{10**30})", "(0,9223372036854775807,9223372036854775807)", "(" + "9" * 4500 + ",)"),
    *("(" + "1," * 70 + ")", "(" * 200, "(1," * 60),
]


def random_files(random: Random) -> dict[str, bytes]:
    """A file of each format; the name says the format, and may lie."""
    document = random.choice(DOCUMENTS)
    lines = [json.dumps(random.choice([document, *DOCUMENTS])) for _ in range(random.randint(0, 3))]
    files = {
        "f.csv": random.choice(TEXTS),
        "f.tsv": random.choice(TEXTS),
        "f.txt": random.choice(TEXTS),
        "f.json": json.dumps(document).encode(),
        "f.jsonl": "\n".join(lines).encode(),
        "f.npy": random_header(random) if random.random() < 0.2 else npy(random.choice(ARRAYS)),
        "f.npz": npz(random),
    }
    for name, data in files.items():
        if random.random() < 0.5:
            files[name] = damaged(data, random)
    if random.random() < 0.1:
        one, other = random.sample(list(files), 2)
        files[one], files[other] = files[other], files[one]
    return files


def npy(array: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=True)
    return stream.getvalue()


def headed(dtype: str, shape: str, size: int, order: str = "False") -> bytes:
    """An array with this header and ``size`` bytes of entries."""
    header = f"{{'descr': {dtype}, 'fortran_order': {order}, 'shape': {shape}, }}".encode()
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(size)


def random_header(random: Random) -> bytes:
    """An array whose header says what no array has, mostly."""
    order = random.choice(["False", "True", "1"])
    return headed(random.choice(DTYPES), random.choice(SHAPES), random.choice(SIZES), order)


def npz(random: Random) -> bytes:
    stream = io.BytesIO()
    names = random.sample(["x", "w", "s", "../x", "x.npy", ""], random.randint(0, 3))
    save = random.choice([np.savez, np.savez_compressed])
    save(stream, **{name: random.choice(ARRAYS) for name in names})
    return stream.getvalue()


def damaged(data: bytes, random: Random) -> bytes:
    """The bytes after one change."""
    at, kind = random.randint(0, len(data)), random.randrange(4)
    if kind == 0:
        return data[:at]
    if kind == 1:
        return data[:at] + random.randbytes(random.randint(1, 3)) + data[at:]
    if kind == 2:
        return data[:at] + random.randbytes(1) + data[at + 1 :]
    return data + random.choice([data, b"\0", b"\n", b"[", b"1"])
