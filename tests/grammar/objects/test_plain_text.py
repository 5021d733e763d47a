"""Scripts without tensors print what Python prints: whole numbers, lists and arrays too."""

from __future__ import annotations

import contextlib
import io

import pytest
from autodiff.core.base.source import Source
from autodiff.grammar.execution import execute
from autodiff.grammar.session.run import Settings
from script_runner import run_script

SCRIPTS = {
    "whole numbers": """\
x = 7
print(x, x + 1, 2*x, x**2, -x, abs(-x), x//2, x % 4, x*(x - 1), sum([x, x]), max(x, 8))
print(x/7, x**-1, x - 0.0, 2.0*x, x**0.5, x/1, float(x), int(x/2), round(x/3), round(x/3, 2))
""",
    "floats": "x = 0.1\ny = 3*x\nprint(x, y, [x, y], (x, 2), x > 0, 1e-7*x, 1e22*x, x == 0.1)",
    "formats": """\
x = 3
y = x*2
print(f'{x} {y} {y:d} {y:.2f} {x!r} {x=} {y:5}|', str(y), repr(y), '{} {:4}|'.format(x, y))
print('%d %s %g %5.1f|%x' % (y, y, x, x/7, y), 'y = ' + str(y))
""",
    "functions of math": """\
import math
from math import sqrt, floor
x = 9
print(-x % 3, x*-0.0 % 3, x % -3, sqrt(x), floor(x/2), math.ceil(x/2), math.exp(0*x))
""",
    "lists": """\
v = [1, 2, 3]
M = [[1.0, 2.5], [3.0, 4.0]]
print(v.index(2), v.count(3), v.index(max(v)), v[::-1], v[2:0:-1], v[0:2:-1], v[:])
print(v, v[0], v[1:], M, M[0], M[1][1], len(v), sum(v))
""",
    "rows of a list": "M = [[1, 2], [3, 4]]\nfor row in M:\n    print(row, row[0] + row[1])",
    "arrays": """\
import numpy as np
x = np.array([1., 2.5])
print(x, x*2, f'{x}', [x], np.sum(x) > 3)
n = np.array([1, 2])
print(n, n*2, n/2, n + 0.5, n + n, n[0])
""",
    "loops": """\
n = 3; s = 0; p = 1.0
for i in range(4):
    s += i*n
    p = p*n
    print(i, s, p)
print(s, p)
""",
    "long sums": """\
x = 3; s = 1; t = 1
for i in range(6000):
    s = s + 2*x
    t = t + 2.0*x
print(s, t)
""",
    "functions": """\
x = 2
def power(n):
    print('at', n, x)
    return 1 if n == 0 else x*power(n - 1)
print(power(3))
""",
    "classes": """\
x = 2
y = x/2
v = [1, 2]
print(type(x), type(y), type(v), type(v[0]), isinstance(x, int))
""",
}
each_script = pytest.mark.parametrize("name", SCRIPTS)


@each_script
def test_prints_are_pythons(name: str) -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(SCRIPTS[name], "<script>", "exec"), {"__name__": "__main__"})
    outcome = run_script(SCRIPTS[name])
    assert outcome.error is None
    assert outcome.stdout == printed.getvalue()


def test_an_asked_input_changes_no_print() -> None:
    script = "n = 3\nn = n + 2\nv = [1, 2]\nv[0] = n\nprint(n, n*2, v[0])\nL = n**2 + v[1]"
    for asked in ([], ["n"], ["n", "v"]):
        written: list[str] = []
        execute(Source(script), Settings(wrt=asked), written.append, lambda message, span: None)
        assert "".join(written) == "5 10 5\n"


@pytest.mark.parametrize("last", ["L.backward()", "g = grad(L, x)", "print(L.requires_grad)", "L.detach()"])
def test_a_script_that_reads_gradients_prints_tensors(last: str) -> None:
    assert run_script(f"x = 3\nL = x**2\nprint(L)\n{last}").stdout.startswith("tensor(9., grad_fn=")


def test_a_script_written_as_torch_prints_tensors() -> None:
    assert run_script("import torch\nx = 3\nprint(x)").stdout == "tensor(3., requires_grad=True)\n"
