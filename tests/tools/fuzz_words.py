"""The words random scripts are made of: those of the grammar, of the tables of functions, and snippets."""

from __future__ import annotations

import re
from pathlib import Path

import autodiff.core.ops  # noqa: F401  (fills the tables of functions)
from autodiff.core.engine.public_functions import FUNCTIONS
from autodiff.core.engine.public_functions import METHODS as FUNCTION_METHODS
from autodiff.grammar.objects.attributes import ATTRIBUTE_READERS, METHODS
from autodiff.grammar.objects.builtins.functions import BUILTINS

#: Words of Python and numpy about their own insides, which no reader of a script can make sense of.
INTERNAL = re.compile(
    r"ufunc|ndarray|numpy\.|\bnp\.(?!array\()|<locals>|autodiff\.|\baxis\b|\baxes\b|with shapes \(|dtype\('"
    r"|_vjp|lapack|array element|inhomogeneous"
)

REPOSITORY = Path(__file__).parents[2]
GRAMMAR = (REPOSITORY / "grammar" / "syntax" / "autodiff.lark").read_text(encoding="utf-8")

_RULES = "\n".join(line for line in GRAMMAR.partition("NAME: /")[0].split("\n") if not line.startswith("//"))
#: Every keyword and sign the grammar quotes.
WORDS = sorted(set(re.findall(r'"([^"\s]+)"', _RULES)))
SIGNS = [word for word in WORDS if not word.isalpha()]
INFIX = [*"+ - * / // % ** @ & | ^ << >> == != < <= > >= and or in is".split(), "not in", "is not"]

QUALIFIED = sorted(
    set(FUNCTIONS)
    | {name.partition(".")[2] for name in FUNCTIONS}
    | set(BUILTINS)
    | {f"torch.{name}" for name in BUILTINS}
    | set(
        "math.sin math.pi np.pi np.exp torch.autograd.grad torch.autograd.functional.jacobian hvp vjp".split()
    )
)
MEMBERS = sorted(
    {name for _, name in (*METHODS, *ATTRIBUTE_READERS)}
    | set(FUNCTION_METHODS)
    | {f"{name}_" for name, function in FUNCTION_METHODS.items() if function.in_place}
)
KEYWORDS = sorted(
    {parameter.name for function in FUNCTIONS.values() for parameter in function.parameters}
    | set("gradient retain_graph create_graph inputs sep end key default start requires_grad".split())
)
TENSORS = ["x", "m", "s", "c", "i", "b", "e", "t3"]
NAMES = [*TENSORS, "a", "f", "g", "n", "w", "xs", "y", "ctx", "L", "Cube"]
PRELUDE = """\
x = torch.tensor([1., -2., 3.], requires_grad=True)
m = torch.tensor([[1., 2., 3.], [4., 5., 6.]], requires_grad=True)
s = torch.tensor(2., requires_grad=True)
c = m.exp()
i = torch.tensor([0, 1])
b = x > 0
e = torch.zeros(0, 3)
t3 = torch.ones(2, 1, 3)
xs = [1, 2., (3, x)]
n = 2
y = x * 2 + 1
w = 0.5
L = (y * y).sum()
a, k, v, g, ctx, kind = 3, 1, x[0], m.sum(1), 'ctx', torch.int64
def f(v, k=1, *rest): return v * k
""".splitlines()
CUSTOM_FUNCTION = """\
class Cube(Function):
    @staticmethod
    def forward(ctx, v):
        ctx.save_for_backward(v)
        return v ** 3
    @staticmethod
    def backward(ctx, g):
        v, = ctx.saved_tensors
        return 3 * g * v ** 2
""".splitlines()
NUMBERS_ONLY = """\
w, n, k, kind, ctx = 3, 2, 1, None, 'ctx'
s = 0.5
x = [1., 2., 3.]
m = [[1., 2.], [3., 4.]]
v = w * x[0]
c, i, b, e, t3, a, g, y, xs, L, Cube = m[0], 0, w > 2, [], (m, m), w / s, -w, x, [w, x], v * s + w, sin
def f(v, k=1, *rest): return v * k
""".splitlines()
NUMBERS = (
    "0 1 2 3 1 2 3 0 2 1 -1 -2 7 64 100 1000000 10**9 2**31 2**62 -2**62 9223372036854775807"
    " 0.5 -0.5 1e-5 1e308 1e400 .5 5. 1_000 0xff 0b1 1e-400 True False float('nan') float('inf') -0.0"
).split()
STRINGS = (
    "'' 'a' 'mean' 'sum' 'ij,jk->ik' 'ii' '...i' 'fro' 'inf' 'none' 'nan' 'float64' '%d' '{0.a}' '\\n'"
    " '\\ud800' '\\x1b[2J' '\u202e' '\u4e2d' r'\\d' f'{x}' f'{n:>8}' f'{w:.3f}' f'{s=}' f'{n!r:^9}'"
).split()
STRINGS += ["f'{x:{n}}'", "'%d %s'", "'{} {:>5}'", "f'{w:10.3e}' '%5.2f%%'", '"""a\nb"""']
#: What fits a parameter of each kind, mostly.
FITTING = {
    "tensor": [
        "x",
        "m",
        "s",
        "c",
        "t3",
        "y",
        "m.T",
        "x[0]",
        "torch.randn(2, 2)",
        "torch.ones(3, 3)",
        "i",
        "b",
        "e",
    ],
    "value": ["x", "m", "s", "c", "0.5", "2", "-1", "n", "w", "x[1]", "m[0]", "torch.rand(3)"],
    "tensors": ["[x, x]", "(m, m)", "[x, y]", "[m, c]", "[s, s]", "[]", "[x]"],
    "int": ["0", "1", "-1", "2", "n", "-2"],
    "ints": ["0", "1", "-1", "(0, 1)", "(2, 3)", "[0]", "()", "3", "(-1, 2)"],
    "size": ["(2, 3)", "(3,)", "[6]", "()", "(-1,)", "(0,)"],
    "sizes": ["2", "(2, 3)", "[4]", "0", "(-1, 2)", "()"],
    "float": ["0.5", "2", "-1.", "1e-8", "0.", "w"],
    "bool": ["True", "False"],
    "str": ["'mean'", "'sum'", "'none'", "'fro'", "'ij,jk->ik'", "'tanh'"],
    "dtype": ["torch.float32", "torch.float64", "torch.int64", "torch.bool"],
    "any": ["x", "m", "2", "[1., 2.]", "None", "0.5"],
}
ODD = """\
None
...
()
[]
[[]]
(1,)
[1, 2]
[0.5, -1.]
[[1., 2.], [3., 4.]]
[True, False]
[x, m]
(s, s)
[i, None]
torch.float32
torch.int64
torch.bool
torch.zeros(0)
torch.ones(3)
torch.tensor(float('nan'))
torch.randn(2, 2)
range(3)
range(0)
zip(x, x)
enumerate(xs)
torch
sin
lambda v: v * v
lambda: 0
x.shape
x.grad_fn
L.grad_fn
x.grad
no_grad()
print
torch.Size([2])
m.max(0)
'abc'[1]
[v for v in x]
[[]] * 2
(lambda *v: v)(1, 2)
""".splitlines()

LETTERS = (
    "\x00\x07\x0b\x0c\x1b\x7f\x85\x9b\xa0\u200b\u2028\u202e\ufeff\ud800\U0001f600\u4e2d\u0301\u0660\uff10\uff58\u0430"
    "é²\t\r\\\"'#;:%$?!`~{}[]()@^|&,.= \n"
)


# `{}` stands for a value, `{n}` for a name, `{i}` for an index and `{o}` for an operator.
EXPRESSIONS = """\
{} if {} else {}
lambda v: {}
(lambda v, k={}: {})({})
[{} for v in {}]
-{}
~{}
not {}
[{} for v in {} if {}]
{} < {} <= {}
'%s %5.2f' % ({}, {})
'{} {:>5}'.format({})
sum({})
f'{x} {n:>{n}} {w!r}'
{} and {}
sorted({}, key=lambda v: {})
{} is None
+{}
any(v > 0 for v in {})
print({}, end={})
grad({}, {})
jacobian(lambda v: {}, {})
f({})
f(f({}), {})
Cube.apply({})
torch.zeros({}).sum()
hessian(lambda v: {}.sum(), x)
vjp(f, {}, {})
""".splitlines()
STATEMENTS = """\
{n} = {}
{n} = {}
{n} = {}
{n} = {}
{n}, {n} = {}
{n} += {}
{n} {o}= {}
{n}[{i}] = {}
{n}[{i}] {o}= {}
{n}.grad = {}
{n}.data = {}
{n}.requires_grad = {}
{n}.data {o}= {}
{}
{}
print({})
print({})
print({}, {})
{}.backward()
{n}.backward({})
L.backward(retain_graph=True)
assert {}, {}
del {n}
pass
from torch import *
y = x * 1; y {o}= {}
*{n}, {n} = {}
({n}, [{n}]) = {}
{n} = {n} = {}
x.grad.zero_()
{n}.retain_grad()
L = {}; L.backward(); print(x.grad, m.grad)
f = lambda v, k={}: {}
with torch.no_grad(): {n} {o}= {}
if {}: {n} = {}
ctx.{n} = {}
del {n}[{i}]
y = x.clone(); y[{i}] = {}; y.sum().backward()
({}).sum().backward()
({}).sum().backward()
""".splitlines()
#: What is an error wherever it stands, or nearly.
ODD_STATEMENTS = """\
{} = {}
return {}
break
global {n}
import {n}
{n}: int = {}
{n} := {}
(yield {})
%pylab inline
from torch import {n}
try: {}
{}: {}
@{}
""".splitlines()
#: The lines before a block, between bars.
BLOCKS = """\
if {}:
while {}:
for {n} in {}:
for {n} in range(3):
for {n}, {n} in {}:
with no_grad():
with {} as {n}:
def f(v, k=1, *rest):
def f({n}):
def g(v=x, *, n=2):
while True:
@torch.no_grad()|def f(v):
if {}:|    pass|else:
class Cube(Function):|    @staticmethod|    def forward(c, v): return v|    def backward(c, g):
for {n} in {}: pass|else:
""".splitlines()
