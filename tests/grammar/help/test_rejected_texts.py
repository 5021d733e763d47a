"""Texts that Python's parser refuses are refused here too."""

from __future__ import annotations

from one_test import in_one_test
from syntax_dumps import python_accepts, we_accept

REJECTED = r"""
x, y: int
[x]: int = 3
f(): int
x: = 3
x:
x: int = y = 3
x: int += 3
*x: int
lambda x: int: 3
def f(x:): pass
def f(x: int=): pass
def f(*: int, a): pass
def f() ->: pass
x =
= x
x = = y
a b
a +
(a
a)
[a
(a]
a = b + = c
1 = a
a + b = c
f() = 1
f() += 1
a, b += 1
(a, b) += 1
*a = b
a = *b
*a
(*a)
*a, *b = c
[*a, *b] = c
None = 1
x.None = 1
f(None=1)
f(True=1)
f(a=1, b)
f(a=1, a=2)
f(a.b=1)
f(a for a in b, c)
f(c, a for a in b)
f(a for a in b,)
def f(a=1, b): pass
def f(a, a): pass
def f(*a, *b): pass
def f(a, b=1, *c=2): pass
lambda a, a: 0
def f: pass
def f(
if a pass
if a
if a:
if a:\nb
  a
a\n  b
if a:\n    b\n  c
if a:\n\tb\n        c
else: a
elif a: b
for 1 in a: pass
for a + b in c: pass
for f() in c: pass
for a in b
for *a in b: pass
[a for f() in b]
[a for a in]
[*a for a in b]
[a, b for a in b]
[a for a in b, c]
[for a in b]
del f()
del 1
del *a
del *a, b
del a + b
with a as 1: pass
with a as f(): pass
with a as b + c: pass
import
import a as b.c
from a import
from a import b,
from a import (b, c
from import a
a..b
a.
a.1
a[
a[]
a[1:2:3:4]
a[*b:c]
x = 'abc
x = 'abc\ny'
x = '''abc
'\x4'
'\u12'
'\N{no such thing}'
'\U11111111'
1_
1__0
0x
0b2
0o8
0777
1e
1abc
1.5abc
f'{'
f'}'
f'{}'
f'{ }'
f'{a'
f'{a!}'
f'{a!x}'
f'{a b}'
f'{a:{b:{c:{d}}}}'
f'{a\n}'
f'{a#}'
f'{a:}}'
f'{'a'}'
f'{=}'
f'{!r}'
f'{a!r }'
f'{a)}'
f'{(a}'
f'{lambda x: 1}'
a if b
a if else b
lambda
lambda:
not
a not b
a is is b
and a
a or
return = 1
class = 1
class A
class A(: pass
@a
@a\nb = 1
@\ndef f(): pass
a; ; b
;
a\b
a \
$
a ? b
a!
a <> b
x = `a`
a++
if a = 1: pass
while a = 1: pass
print a
“a”
a\u00a0= 1
a\u2028b
x\u200by = 1
²
٣
if a: if b: c
for a in b: for c in d: e
if a: b else: c
""".strip("\n").split("\n")


@in_one_test("text", REJECTED)
def test_both_reject(text):
    for old, new in (("\\n", "\n"), ("\\u00a0", "\u00a0"), ("\\u2028", "\u2028"), ("\\u200b", "\u200b")):
        if not text.startswith(("'", "f'")):
            text = text.replace(old, new)
    assert not python_accepts(text)
    assert not we_accept(text)
