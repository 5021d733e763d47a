"""Statements get the tree that Python's own parser gives them, whatever ends their lines."""

from __future__ import annotations

import pytest
from autodiff.core.base.source import Source
from autodiff.grammar.syntax.parser import parse
from one_test import in_one_test
from syntax_dumps import OurDump, assert_agrees

STATEMENTS = [
    "",
    "\n",
    "# nothing\n",
    "x = 1",
    "x = y = z = 1\n",
    "x, y = y, x\n",
    "x, = y\n",
    "(x, y), z = a\n",
    "[x, [y]] = a\n",
    "*x, y = a\n",
    "x, *(y, z) = a\n",
    "() = x\n",
    "(x) = 1\n",
    "x.y[0], z = 1, 2\n",
    "x = *a, b\n",
    "x: int\n",
    "x: torch.Tensor = y\n",
    "(x): 'Tensor' = 1, 2\n",
    "x.y: list[int] = []; z[0]: a | None = b\n",
    "def f(x: Tensor, n: int = 3, *a: float, b: str = 's') -> Tensor: return x\n",
    "def f(x: Callable[[int], int] = lambda y: y) -> None: pass\n",
    "class A:\n  x: int = 3\n",
    *[f"x {op}= y + 1\n" for op in ("+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^")],
    "(x) += 1\n",
    "x[0] += 1, 2\n",
    "x.y -= *a, b\n",
    "pass; break; continue\n",
    "a; b;\n",
    "a;b",
    "if a: b\n",
    "if a: b; c\nd\n",
    "if a:\n  b\n",
    "if a:\n  b\nelse:\n  c\n",
    "if a:\n  b\nelif c:\n  d\nelif e:\n  f\nelse:\n  g\n",
    "if a:\n  b\nelse:\n  if c:\n    d\n",
    "if a:\n if b:\n  c\n else:\n  d\nelse:\n e\n",
    "if (a):\n  b = (c)  # comment\n\n# more\nd\n",
    "while a:\n  break\n",
    "while a: continue\nelse: b\n",
    "for x in y: pass\n",
    "for x, y in z: pass\n",
    "for x, in z: pass\n",
    "for (x, y) in z: pass\n",
    "for [x, y] in z: pass\n",
    "for x.a, y[0], *z in a, b: pass\nelse: c\n",
    "for x in *a, b: pass\n",
    "for x in a if b else c: pass\n",
    "def f(): pass\n",
    "def f(a, b=1, *c, d=2): return\n",
    "def f(a, *c, d): return a, d\n",
    "def f(a, b,): return *a, b\n",
    "def f(*a): return a\n",
    "def f(a):\n  def g(b):\n    return a + b\n  return g\n",
    "@a\ndef f(): pass\n",
    "@a.b(c)\n@d\n\ndef f(): pass\n",
    "@a\nclass A: pass\n",
    "x\n@torch.no_grad()\ndef f():\n  pass\n",
    "class A: pass\n",
    "class A(): pass\n",
    "class A(B, c.D):\n  @staticmethod\n  def forward(ctx, x):\n    return x\n",
    "with a: pass\n",
    "with a, b: pass\n",
    "with a as b: pass\n",
    "with a as b, c as (d, e), f: pass\n",
    "with (a): pass\n",
    "with (a, b): pass\n",
    "with (a, b,): pass\n",
    "with (a,): pass\n",
    "with ((a, b)): pass\n",
    "with (a, b) as c: pass\n",
    "with (a as b): pass\n",
    "with (a as b, c): pass\n",
    "with (a, c as d): pass\n",
    "with (a, b, c as d, e, f as g,): pass\n",
    "with (a), (b): pass\n",
    "with (a, b), c: pass\n",
    "with (a, b).c: pass\n",
    "with (a) as b, c: pass\n",
    "with (): pass\n",
    "with (*a, b): pass\n",
    "with a if b else c: pass\n",
    "with open_(a)[0] as b.c, d as e[0]: pass\n",
    "assert a\n",
    "assert a, b\n",
    "assert (a, b)\n",
    "del a\n",
    "del a, b[0], c.d\n",
    "del (a, b), [c]\n",
    "del a,\n",
    "del ()\n",
    "return\n",
    "return a\n",
    "return a,\n",
    "import a\n",
    "import a.b.c as d, e\n",
    "from a import b\n",
    "from a.b import c as d, e\n",
    "from a import *\n",
    "from a import (b)\n",
    "from a import (b as c, d,)\n",
    "from a import (\n  b,\n  c\n)\n",
    "from __future__ import print_function\n",
    "match = 3\ncase = match\nprint(match[0], case(1))\ntype = 1\n",
    "_ = 1\nfor _ in x: pass\n",
    "x = (1 +\n     2) * \\\n  3\ny = 4\n",
    "f(a,\n\n  # comment\n  b)\n",
    "\n\n   # indented comment\nx = 1\n  # another\ny = 2",
    "if a:\n\tb\n\tc\nd\n",
    "if a:\n        b\n\n# c\n        d\n",
    "if a:\n  b\n  # last",
    "if a:\n  b\n ",
    "if a:\n  b\n\t\n",
    "x = 1\f\n\fy = 2\n",
    "\f\nx\n",
    "if a:\n \f  b\n  c\n",
    "x = 'ü'; y = 'z' + ü\n",
    "x = '\U0001f600'; y = 1\n",
    "π = 3.14; 𝛼 = π\n",
]


@pytest.mark.filterwarnings("ignore")
@in_one_test("text", STATEMENTS)
def test_statement_agrees_with_python(text):
    assert_agrees(text)


@pytest.mark.parametrize("ending", ["\r\n", "\r"])
@pytest.mark.parametrize(
    "text", ["x = 1\ny = 2", "if a:\n  b\nelse:\n  c\n", "x = '''a\nb'''\n", "f(a,\n  b)\n\n\nc"]
)
def test_line_endings_make_no_difference(text, ending):
    def shape(source):
        dump = OurDump()
        dump.in_string = 1  # leaves the spans out
        return dump(parse(Source(source)))

    assert shape(text.replace("\n", ending)) == shape(text)
