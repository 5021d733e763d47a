"""Expressions get the tree that Python's own parser gives them, with the same offsets."""

from __future__ import annotations

import ast
import warnings

import pytest
from one_test import in_one_test
from syntax_dumps import assert_agrees

EXPRESSIONS = """
a
(a)
((a))
a + b
(a + b) * c
a * (b + c)
(a) + (b)
((a + b)) ** (c)
-a ** -b
-(-a)
--a
- - a
not a == b
not not a
a ** b ** c
2 ** -1
a @ b @ c
a // b % c
a << 1 >> 2
a & b | c ^ d
~a
+a
a or b or c
(a or b) or c
a and b and c or d and e
a < b <= c != d
a is b
a is not b
a in b
a not in b
not a in b
a if b else c
a if b else c if d else e
(a if b else c) if d else e
lambda: 0
lambda x: x
lambda x, y=1, *z: x + y
lambda x, *y, z=1: 0
lambda *a: a
lambda x,: x
lambda: (yield_ if a else b)
f()
f(a)
f(a,)
f(a, b)
f(a, b, c=1, d=2)
f(*a)
f(*a, *b, c)
f(a, *b, c=1)
f(a=1, *b)
f(x for x in y)
f((a), (b))
f(a)(b)(c)
f(a == b)
f(*a or b)
f(lambda x: x, key=lambda: 0)
a.b
a.b.c
a.b(c).d[e].f
(a).b
(a + b).sum()
1 .real
1..real
1.5.real
a[0]
a[0][1]
a[b, c]
a[b,]
a[:]
a[1:]
a[:1]
a[1:2]
a[1:2:3]
a[::2]
a[::]
a[1:2:5j, :x:3j]
a[1::]
a[:, 0]
a[..., None]
a[..., 1:2, ::3, None]
a[(1, 2)]
a[*b]
a[*b, c]
a[c, *b]
a[b if c else d]
a[lambda: 0]
[]
[a]
[a,]
[a, b, c]
[*a, b]
[[1, 2], [3, 4]]
[x for x in y]
[x for x in y if a if b]
[x + z for x in y for z in x if z]
[x for x, y in z]
[x for x, in z]
[x for *x, y in z]
[x for a.b in z]
[[x for x in y] for y in z]
[x if x else y for x in z]
[(x, y) for x in a or b]
[x for x in a if b or c if lambda_]
()
(a,)
(a, b)
(a, b,)
(*a, b)
(*a,)
((a, b), c)
a, b
a,
a, b,
*a, b
(a), (b)
0
00
0_0
1_000
0x_ff
0XFF
0b1010
0o17
1.
.5
1.5
1e3
1E-3
1.e+5
.5e1
0.0
1_0.0_1e1_0
08.5
09e1
9223372036854775807
1e400
True
False
None
...
'a'
"a"
''
""
'a' 'b'
'a' "b" '''c'''
'''a
b'''
\"\"\"a"b""c\"\"\"
'it\\'s'
"\\n\\t\\\\\\a\\b\\f\\v\\r"
'\\x41\\u0041\\U00000041\\N{LATIN SMALL LETTER A}\\101\\0'
r'\\n\\''
R"a"
u'a'
'a\\
b'
'\\d\\ '
f'{a}'
F"{a}"
f''
f'a'
f'{a}{b}'
f'{a}b{c}'
'x' f'{a}' 'y'
f'{a!r}'
f'{a!s:>10}'
f'{a:.3f}'
f'{a:{b}}'
f'{a:{b}.{c}f}'
f'{a=}'
f'{a = }'
f'{ a }'
f'{a=!s}'
f'{a=:.2f}'
f'{{}}'
f'{{{a}}}'
f'{a, b}'
f'{a[0]}'
f'{a["b"]}'
f'{a != b}'
f'{a == b}'
f'{a <= b}'
f'{(lambda x: x)(1)}'
f'{f(x=1)}'
f'{a if b else c:>{d}}'
f'{[x for x in y]}'
f'{"a"}'
f'{a:%Y-%m}'
f'{a:}'
f'\\n{a}\\t'
f'\\N{BULLET} {a}'
f'\\{a}'
fr'\\{a}'
rf'\\n{a}'
fR"\\d"
Rf'{a}'
fr'\\frac{{\\partial e}}{{\\partial a}} = {a.grad.item()}'
f'''{
a
}'''
f'{f"{a}"}'
f"{f'{b}'!r:{c}}"
f'{a:{"x"}}'
f'{*a, b}'
f'a' 'b' f'{c}' 'd'
ångström
变量 + x
ﬁ
""".replace('\\"\\"\\"', '"""')


def snippets(text: str) -> list[str]:
    """One snippet per line; a line that does not parse in Python is joined with those after it."""
    lines = text.strip("\n").split("\n")
    result, pending = [], ""
    for line in lines:
        pending += line
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                ast.parse(pending)
            except SyntaxError:
                pending += "\n"
                continue
        result.append(pending)
        pending = ""
    assert not pending
    return result


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("shape", ["{}", "x = {}", "f(a)[0] = x.y = {}\n", "if a:\n    return {}\nb"])
@in_one_test("text", snippets(EXPRESSIONS.replace("\\\\", "\\")))
def test_expression_agrees_with_python(text, shape):
    assert_agrees(shape.replace("{}", text))
