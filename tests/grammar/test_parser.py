"""The parser against Python's own: the same texts accepted, the same trees, the same offsets."""

from __future__ import annotations

import ast
import io
import math
import warnings

import pytest
from autodiff.core.errors import CompileError, LimitError
from autodiff.core.span import Source
from autodiff.grammar import layout, syntax
from autodiff.grammar.parser import parse, parse_expression, parse_literal
from hypothesis import given, settings
from hypothesis import strategies as st
from script_runner import run_script

# -- one dump that both trees can be turned into ---------------------------------------------------------

OPERATORS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.MatMult: "@", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
    ast.UAdd: "+", ast.USub: "-", ast.Invert: "~", ast.Not: "not", ast.And: "and", ast.Or: "or",
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Is: "is",
    ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip


class PythonDump:
    """Python's tree as nested tuples ``(kind, span, ...)``; spans inside f-strings are not comparable."""

    def __init__(self, text: str) -> None:
        self.tree = ast.parse(text)
        self.lines = [line.encode() for line in io.StringIO(text, newline="")]
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line.decode()))
        self.in_string = 0

    def offset(self, line: int, column: int) -> int:
        text = self.lines[line - 1][:column] if line <= len(self.lines) else b""
        return self.starts[line - 1] + len(text.decode())

    def span(self, node: ast.AST):
        if self.in_string:
            return None
        return (self.offset(node.lineno, node.col_offset), self.offset(node.end_lineno, node.end_col_offset))

    def all(self, nodes):
        return tuple([self(node) for node in nodes])

    def __call__(self, node):
        if node is None:
            return None
        return getattr(self, type(node).__name__)(node)

    def Module(self, node):
        return self.all(node.body)

    def Expr(self, node):
        return ("ExpressionStatement", self.span(node), self(node.value))

    def Assign(self, node):
        return ("Assign", self.span(node), self.all(node.targets), self(node.value))

    def AnnAssign(self, node):
        """Types mean nothing: a plain assignment, or nothing at all."""
        if node.value is None:
            return ("Pass", self.span(node))
        return ("Assign", self.span(node), (self(node.target),), self(node.value))

    def AugAssign(self, node):
        op = OPERATORS[type(node.op)]
        return ("AugmentedAssign", self.span(node), self(node.target), op, self(node.value))

    def If(self, node):
        start = node
        branches = []
        while True:
            branches.append((self(node.test), self.all(node.body)))
            # `elif` is an If alone in the else of another, at the very place of the word.
            if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If) and self.is_elif(node.orelse[0]):
                node = node.orelse[0]
                continue
            return ("If", self.span(start), tuple(branches), self.all(node.orelse))

    def is_elif(self, node):
        return self.lines[node.lineno - 1][node.col_offset :].startswith(b"elif")

    def For(self, node):
        parts = self(node.target), self(node.iter), self.all(node.body), self.all(node.orelse)
        return ("For", self.span(node), *parts)

    def While(self, node):
        return ("While", self.span(node), self(node.test), self.all(node.body), self.all(node.orelse))

    def Break(self, node):
        return ("Break", self.span(node))

    def Continue(self, node):
        return ("Continue", self.span(node))

    def Pass(self, node):
        return ("Pass", self.span(node))

    def Return(self, node):
        return ("Return", self.span(node), self(node.value))

    def definition_span(self, node):
        start, end = self.span(node)
        if node.decorator_list:
            start = min(self.span(value)[0] for value in node.decorator_list)
            line = self.lines[node.decorator_list[0].lineno - 1]
            start = self.offset(node.decorator_list[0].lineno, line.index(b"@"))
        return start, end

    def FunctionDef(self, node):
        parameters = self(node.args)
        return (
            "FunctionDef",
            self.definition_span(node),
            node.name,
            parameters,
            self.all(node.body),
            self.all(node.decorator_list),
        )

    def ClassDef(self, node):
        parts = node.name, self.all(node.bases), self.all(node.body), self.all(node.decorator_list)
        return ("ClassDef", self.definition_span(node), *parts)

    def arguments(self, node):
        without = len(node.args) - len(node.defaults)
        defaults = [None] * without + list(node.defaults)
        plain = [("", arg.arg, self(default)) for arg, default in zip(node.args, defaults, strict=True)]
        star = [("*", node.vararg.arg, None)] if node.vararg else []
        rest = [
            ("", arg.arg, self(default))
            for arg, default in zip(node.kwonlyargs, node.kw_defaults, strict=True)
        ]
        return tuple(plain + star + rest)

    def With(self, node):
        items = tuple([(self(item.context_expr), self(item.optional_vars)) for item in node.items])
        return ("With", self.span(node), items, self.all(node.body))

    def Assert(self, node):
        return ("Assert", self.span(node), self(node.test), self(node.msg))

    def Delete(self, node):
        return ("Delete", self.span(node), self.all(node.targets))

    def Import(self, node):
        return ("Import", self.span(node), tuple([(name.name, name.asname) for name in node.names]))

    def ImportFrom(self, node):
        names = tuple([(name.name, name.asname) for name in node.names])
        return ("ImportFrom", self.span(node), node.module, names)

    def Name(self, node):
        return ("Name", self.span(node), node.id)

    def Constant(self, node):
        kind = "Constant"
        if isinstance(node.value, str):
            kind = "String"
        elif type(node.value) in (int, float):
            kind = "Number"
        return (kind, self.span(node), type(node.value).__name__, node.value)

    def JoinedStr(self, node):
        span = self.span(node)
        self.in_string += 1
        parts = tuple([part.value if isinstance(part, ast.Constant) else self(part) for part in node.values])
        self.in_string -= 1
        return ("FString", span, parts)

    def FormattedValue(self, node):
        conversion = "" if node.conversion < 0 else chr(node.conversion)
        return ("Replacement", self(node.value), conversion, self(node.format_spec))

    def List(self, node):
        return ("ListDisplay", self.span(node), self.all(node.elts))

    def Tuple(self, node):
        return ("TupleDisplay", self.span(node), self.all(node.elts))

    def Starred(self, node):
        return ("Starred", self.span(node), self(node.value))

    def ListComp(self, node):
        return ("Comprehension", self.span(node), self(node.elt), self.all(node.generators))

    def GeneratorExp(self, node):
        return ("Comprehension", None, self(node.elt), self.all(node.generators))

    def comprehension(self, node):
        return (self(node.target), self(node.iter), self.all(node.ifs))

    def UnaryOp(self, node):
        return ("Unary", self.span(node), OPERATORS[type(node.op)], self(node.operand))

    def BinOp(self, node):
        return ("Binary", self.span(node), self(node.left), OPERATORS[type(node.op)], self(node.right))

    def Compare(self, node):
        ops = [OPERATORS[type(op)] for op in node.ops]
        rest = tuple(zip(ops, self.all(node.comparators), strict=True))
        return ("Comparison", self.span(node), self(node.left), rest)

    def BoolOp(self, node):
        return ("Boolean", self.span(node), OPERATORS[type(node.op)], self.all(node.values))

    def IfExp(self, node):
        return ("Conditional", self.span(node), self(node.test), self(node.body), self(node.orelse))

    def Lambda(self, node):
        return ("Lambda", self.span(node), self(node.args), self(node.body))

    def Call(self, node):
        arguments = [
            ("*", None, self(arg.value)) if isinstance(arg, ast.Starred) else ("", None, self(arg))
            for arg in node.args
        ]
        arguments += [("", keyword.arg, self(keyword.value)) for keyword in node.keywords]
        # Python keeps keywords apart from values, so `f(a=1, *b)` is compared as a set of arguments.
        return ("Call", self.span(node), self(node.func), sorted(arguments, key=repr))

    def Attribute(self, node):
        return ("Attribute", self.span(node), self(node.value), node.attr)

    def Slice(self, node):
        return ("Slice", self.span(node), self(node.lower), self(node.upper), self(node.step))

    def Subscript(self, node):
        return ("Subscript", self.span(node), self(node.value), self(node.slice))


FIELDS = {
    "Binary": ("left", "op", "right"),
    "Comparison": ("first", "rest"),
    "Boolean": ("op", "operands"),
    "Conditional": ("test", "body", "orelse"),
    "Subscript": ("object", "index"),
    "Attribute": ("object", "name"),
    "Slice": ("lower", "upper", "step"),
    "For": ("target", "iterable", "body", "orelse"),
    "While": ("test", "body", "orelse"),
    "If": ("branches", "orelse"),
    "FunctionDef": ("name", "parameters", "body", "decorators"),
    "ClassDef": ("name", "bases", "body", "decorators"),
    "With": ("items", "body"),
    "Assert": ("test", "message"),
    "ImportFrom": ("module", "names"),
    "Assign": ("targets", "value"),
    "AugmentedAssign": ("target", "op", "value"),
    "Unary": ("op", "operand"),
    "Lambda": ("parameters", "body"),
}


class OurDump:
    """The same shape from our tree."""

    def __init__(self) -> None:
        self.in_string = 0

    def __call__(self, node):
        if isinstance(node, tuple):
            return tuple([self(item) for item in node])
        if not isinstance(node, syntax.Syntax):
            return node
        method = getattr(self, type(node).__name__, None)
        if method is not None:
            return method(node)
        return (type(node).__name__, self.span(node), *[self(field) for field in self.fields(node)])

    def span(self, node):
        return None if self.in_string else (node.span.start, node.span.end)

    def fields(self, node):
        names = FIELDS.get(type(node).__name__) or type(node).__slots__
        return [getattr(node, name) for name in names]

    def Script(self, node):
        return self(node.body)

    def literal(self, node):
        return (type(node).__name__, self.span(node), type(node.value).__name__, node.value)

    Number = Constant = String = literal

    def FString(self, node):
        span = self.span(node)
        self.in_string += 1
        parts: list = []
        for part in node.parts:
            if not isinstance(part, str) and part.text:
                parts.append(part.text)
                part = self.bare(part)
            elif not isinstance(part, str):
                part = self(part)
            parts.append(part)
        self.in_string -= 1
        merged: list = []
        for part in parts:
            if isinstance(part, str) and merged and isinstance(merged[-1], str):
                merged[-1] += part
            else:
                merged.append(part)
        return ("FString", span, tuple(merged))

    def Replacement(self, node):
        return ("Replacement", self(node.expression), node.conversion, self(node.format_spec))

    def bare(self, node):
        conversion = node.conversion or ("" if node.format_spec else "r")  # `{x=}` means `{x=!r}`
        return ("Replacement", self(node.expression), conversion, self(node.format_spec))

    def Comprehension(self, node):
        clauses = tuple([self(clause) for clause in node.clauses])
        return ("Comprehension", self.span(node), self(node.element), clauses)

    def ComprehensionFor(self, node):
        return (self(node.target), self(node.iterable), self(node.conditions))

    def Parameter(self, node):
        return (node.star, node.name, self(node.default))

    def Call(self, node):
        arguments = [self(argument) for argument in node.arguments]
        return ("Call", self.span(node), self(node.function), sorted(arguments, key=repr))

    def Argument(self, node):
        value = self(node.value)
        if isinstance(node.value, syntax.Comprehension) and not self.is_list(node.value):
            value = (value[0], None, *value[2:])
        return (node.star, node.keyword, value)

    def is_list(self, node):
        return node.span.start < node.element.span.start and self.text[node.span.start] == "["

    text = ""


def assert_agrees(text: str) -> None:
    ours = OurDump()
    ours.text = text
    dump = PythonDump(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert ours(parse(Source(text))) == dump(dump.tree)


def python_accepts(text: str) -> bool:
    """Whether Python takes the text, leaving aside what only its later passes mind."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(text, "<test>", "exec", dont_inherit=True)
        except SyntaxError as error:
            later = ("outside", "not properly in loop", "only allowed at module level", "__future__")
            return any(part in str(error) for part in later)
        except ValueError:
            return False
    return True


def we_accept(text: str) -> bool:
    try:
        parse(Source(text))
    except CompileError:
        return False
    return True


# -- trees ---------------------------------------------------------

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
@pytest.mark.parametrize("text", snippets(EXPRESSIONS.replace("\\\\", "\\")))
@pytest.mark.parametrize("shape", ["{}", "x = {}", "f(a)[0] = x.y = {}\n", "if a:\n    return {}\nb"])
def test_expression_agrees_with_python(text, shape):
    assert_agrees(shape.replace("{}", text))


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
@pytest.mark.parametrize("text", STATEMENTS)
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


@pytest.mark.parametrize("text", REJECTED)
def test_both_reject(text):
    for old, new in (("\\n", "\n"), ("\\u00a0", "\u00a0"), ("\\u2028", "\u2028"), ("\\u200b", "\u200b")):
        if not text.startswith(("'", "f'")):
            text = text.replace(old, new)
    assert not python_accepts(text)
    assert not we_accept(text)


# -- generated programs ---------------------------------------------------------

NAMES = st.sampled_from(["a", "b", "xs", "loss", "torch", "é", "_"])
ATOMS = st.one_of(
    NAMES,
    st.integers(0, 2**63 - 1).map(str),
    st.floats(0, 1e300).map(repr),
    st.sampled_from(
        ["True", "False", "None", "...", "'s'", "\"t\" 'u'", "f'{a}'", "f'{b!r:>{a}}'", "()", "[]", "0x1F"]
    ),
)


def joined(parts, opening, closing):
    return st.lists(parts, max_size=3).map(lambda items: opening + ", ".join(items) + closing)


def build_expressions(inner):
    binary = [
        "+",
        "-",
        "*",
        "/",
        "//",
        "%",
        "**",
        "@",
        "&",
        "|",
        "^",
        "<<",
        ">>",
        "and",
        "or",
        "<",
        ">",
        "==",
        "!=",
    ]
    binary += ["<=", ">=", "is", "is not", "in", "not in"]
    return st.one_of(
        st.tuples(inner, st.sampled_from(binary), inner).map(" ".join),
        st.tuples(st.sampled_from(["-", "+", "~", "not "]), inner).map("".join),
        st.tuples(inner, inner, inner).map(lambda t: f"{t[0]} if {t[1]} else {t[2]}"),
        inner.map(lambda e: f"({e})"),
        st.tuples(inner, inner).map(lambda t: f"({t[0]}, *{t[1]})"),
        joined(inner, "[", "]"),
        st.tuples(inner, joined(inner, "(", ")")).map(lambda t: f"({t[0]}){t[1]}"),
        st.tuples(NAMES, inner, inner).map(lambda t: f"{t[0]}({t[1]}, *{t[0]}, k={t[2]})"),
        st.tuples(NAMES, NAMES).map(lambda t: f"{t[0]}.{t[1]}"),
        st.tuples(NAMES, inner, inner).map(lambda t: f"{t[0]}[{t[1]}:, {t[2]}]"),
        st.tuples(inner, NAMES, inner, inner).map(lambda t: f"[{t[0]} for {t[1]} in ({t[2]}) if ({t[3]})]"),
        st.tuples(NAMES, inner).map(lambda t: f"(lambda {t[0]}, k=1: {t[1]})"),
    )


EXPRESSION = st.recursive(ATOMS, build_expressions, max_leaves=12)
TARGET = st.sampled_from(["a", "a, b", "a.b", "a[0]", "(a, *b)", "[a, b.c]"])
SIMPLE = st.one_of(
    EXPRESSION,
    st.tuples(TARGET, EXPRESSION).map(" = ".join),
    st.tuples(st.sampled_from(["a +=", "a[0] **=", "assert", "return", "del a,"]), EXPRESSION).map(" ".join),
    st.sampled_from(
        ["pass", "break", "del a, b[0]", "import a.b as c", "from a import (b, c as d)", "return"]
    ),
).filter(lambda line: not line.startswith("del a, ") or line == "del a, b[0]")


def indent(lines):
    return ["    " + line for line in lines]


def build_blocks(inner):
    header = st.one_of(
        EXPRESSION.map(lambda e: f"while {e}:"),
        st.tuples(TARGET, EXPRESSION).map(lambda t: f"for {t[0]} in {t[1]}:"),
        EXPRESSION.map(lambda e: f"with {e} as a:"),
        EXPRESSION.map(lambda e: f"def f(a, b={e}, *c):"),
        st.just("@a.b(c)\nclass A(B):"),
    )
    block = st.lists(inner, min_size=1, max_size=3).map(
        lambda parts: [line for part in parts for line in part]
    )
    return st.one_of(
        st.tuples(header, block).map(lambda t: [*t[0].split("\n"), *indent(t[1])]),
        st.tuples(EXPRESSION, block, EXPRESSION, block, block).map(
            lambda t: [f"if {t[0]}:", *indent(t[1]), f"elif {t[2]}:", *indent(t[3]), "else:", *indent(t[4])]
        ),
    )


STATEMENT = st.recursive(SIMPLE.map(lambda line: [line]), build_blocks, max_leaves=6)
PROGRAM = st.lists(STATEMENT, max_size=4).map(
    lambda all: "\n".join(line for part in all for line in part) + "\n"
)


@pytest.mark.filterwarnings("ignore")
@settings(max_examples=300, deadline=None)
@given(PROGRAM)
def test_generated_programs_agree_with_python(text):
    if python_accepts(text):
        assert_agrees(text)
    else:
        assert not we_accept(text)


VOCABULARY = (
    "a b 1 2.5 's' f'{a}' + - * / ** @ == < = += ( ) [ ] , : . ... not and or in is if else for lambda "
    "while def return del assert import from as with class pass True None ; \n"
)
WORDS = st.sampled_from([*VOCABULARY.split(" "), "\n    ", "\n"])


def same_verdict(text: str) -> None:
    assert we_accept(text) == python_accepts(text)


@pytest.mark.filterwarnings("ignore")
@settings(max_examples=1500, deadline=None)
@given(st.lists(WORDS, max_size=9).map(" ".join).map(lambda text: text.replace("\n ", "\n")))
def test_random_words_get_the_verdict_of_python(text):
    if not excused(text):
        same_verdict(text)


@pytest.mark.filterwarnings("ignore")
@settings(max_examples=600, deadline=None)
@given(PROGRAM, st.data())
def test_damaged_programs_get_the_verdict_of_python(text, data):
    at = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(at, min(len(text), at + 3)))
    damaged = (
        text[:at]
        + data.draw(st.sampled_from(["", " ", "(", ")", ",", "=", ":", "+", "for", "*", "."]))
        + text[end:]
    )
    if not excused(damaged):
        same_verdict(damaged)


def excused(text: str) -> bool:
    """Where the language is smaller than Python on purpose: Python's tree says so."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            tree = ast.parse(text)
        except SyntaxError as error:
            return "invalid decimal literal" in str(error) or "invalid hexadecimal" in str(error)
        except (Warning, ValueError):
            return True  # `1if`, invalid escapes
    for node in ast.walk(tree):
        names = [getattr(node, field, None) for field in ("id", "arg", "attr", "name", "asname")]
        if any(isinstance(name, str) and name.startswith("_") and name != "_" for name in names):
            return True  # `_.a` without its point
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Starred):
            return True  # turned away by Python's compiler, unless it finds something else first
        if isinstance(node, (ast.GeneratorExp, ast.NamedExpr, ast.Set, ast.Dict)):
            return True
        if isinstance(node, ast.arguments) and (
            node.posonlyargs or node.kwarg or (node.kwonlyargs and not node.vararg)
        ):
            return True
        if (isinstance(node, ast.keyword) and node.arg is None) or (
            isinstance(node, ast.ClassDef) and node.keywords
        ):
            return True
        if isinstance(node, ast.ClassDef) and any(isinstance(base, ast.Starred) for base in node.bases):
            return True
        if isinstance(node, ast.ImportFrom) and node.level:
            return True
        if isinstance(node, ast.Constant) and isinstance(node.value, (bytes, complex)):
            return True
        if isinstance(node, ast.Constant) and type(node.value) is int and node.value >= 2**63:
            return True
    return False


# -- depth, size, and the smaller entrances ---------------------------------------------------------


@pytest.mark.parametrize("depth", [1_000, 100_000])
@pytest.mark.parametrize(
    ("before", "middle", "after"),
    [
        ("(", "1", ")"),
        ("[", "", "]"),
        ("f(", "", ")"),
        ("a[", "0", "]"),
        ("-", "1", ""),
        ("not ", "1", ""),
        ("2**", "1", ""),
        ("1 + ", "1", ""),
        ("1 if 1 else ", "1", ""),
        ("lambda: ", "1", ""),
        ("a < ", "1", ""),
        ("a = ", "1", ""),
        ("[x for x in ", "a", "]"),
    ],
)
def test_depth_is_bounded_by_memory_only(depth, before, middle, after):
    script = parse(Source(before * depth + middle + after * depth))
    assert len(script.body) == 1


def test_deeply_nested_blocks():
    depth = 2_000
    text = "".join(" " * level + "if a:\n" for level in range(depth)) + " " * depth + "b\n"
    node = parse(Source(text)).body[0]
    levels = 0
    while isinstance(node, syntax.If):
        levels += 1
        node = node.branches[0][1][0]
    assert levels == depth


def test_long_elif_chain_is_flat():
    script = parse(Source("if a: b\n" + "elif a: b\n" * 20_000))
    assert len(script.body[0].branches) == 20_001


def test_max_tokens(monkeypatch):
    monkeypatch.setattr(layout, "MAX_TOKENS", 3)
    parse(Source("a + b"))
    monkeypatch.setattr(layout, "MAX_TOKENS", 2)
    with pytest.raises(LimitError, match="more than 2 words"):
        parse(Source("a + b"))


def test_parse_expression_may_break_lines_and_has_offsets_of_the_whole():
    value = parse_expression(Source("  a\n + b\n"))
    assert (value.span.start, value.span.end) == (2, 8)
    with pytest.raises(CompileError):
        parse_expression(Source("a = 1"))
    with pytest.raises(CompileError):
        parse_expression(Source(""))


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("f'{a+b}'", "Binary", "a+b"),
        ("x = f'é{ {}'.format()", None, None),
        ("x = 'é' f'{{{a.b}}}'", "Attribute", "a.b"),
        ("x = f'{c:{a[0]}}'", "Subscript", "a[0]"),
        ("x = fr'\\frac{{x}} = {a.grad.item()}'", "Call", "a.grad.item()"),
        ("x = f'''{\n (a) + b}'''", "Binary", "(a) + b"),
    ],
)
def test_offsets_inside_f_strings(text, name, expected):
    if name is None:
        with pytest.raises(CompileError):
            parse(Source(text))
        return
    source = Source(text)
    pending, found = [*parse(source).body], []
    while pending:
        node = pending.pop()
        if isinstance(node, tuple):
            pending += node
        elif isinstance(node, syntax.Syntax):
            if type(node).__name__ == name:
                found.append(source.excerpt(node.span))
            pending += [getattr(node, field, None) for field in type(node).__slots__]
    assert expected in found


def test_name_spans():
    text = "@d\ndef f(a): pass\nclass C(B): pass\nx . y\n"
    function, cls, attribute = parse(Source(text)).body
    assert text[function.name_span.start : function.name_span.end] == "f"
    assert text[cls.name_span.start : cls.name_span.end] == "C"
    assert attribute.value.name_span.end == attribute.span.end


def test_magic_lines():
    text = "%pylab inline\nx = 5 %2\nif x:\n    %matplotlib\n"
    first, _, last = parse(Source(text)).body
    assert (type(first), first.text) == (syntax.Magic, "pylab inline")
    assert last.branches[0][1][0].text == "matplotlib"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        ("-1.5", -1.5),
        ("--2", 2),
        ("+3", 3),
        ("True", True),
        ("None", None),
        ("[1, [2, -3], (4,)]", [1, [2, -3], (4,)]),
        ("1, 2", (1, 2)),
        ("[]", []),
        ("()", ()),
        (" 1e400 ", math.inf),
        ("inf", math.inf),
        ("[1, -inf]", [1, -math.inf]),
    ],
)
def test_parse_literal(text, value):
    assert parse_literal(text) == value
    assert type(parse_literal(text)) is type(value)


def test_parse_literal_of_what_is_no_number():
    value = parse_literal("[nan, -nan]")
    assert all(math.isnan(entry) for entry in value)


@pytest.mark.parametrize(
    "text", ["a", "1 + 1", "f()", "[a]", "-[1]", "...", "'s'", "", "1 1", "[*a]", "-True", "__import__"]
)
def test_parse_literal_evaluates_nothing(text):
    with pytest.raises(CompileError):
        parse_literal(text)


def test_parse_literal_of_a_deep_list():
    value = parse_literal("[" * 50_000 + "]" * 50_000)
    depth = 0
    while value:
        value = value[0]
        depth += 1
    assert depth == 49_999


def test_parameters_after_a_bare_star_are_given_by_name():
    definition = parse(Source("def f(x, *, scale=1): return x")).body[0]
    assert [(p.name, p.star) for p in definition.parameters] == [("x", ""), ("*", "*"), ("scale", "")]
    with pytest.raises(CompileError, match="named arguments must follow bare"):
        parse(Source("def f(x, *): return x"))


def test_names_in_types_need_not_exist():
    function = (
        "def f(x: Tensor, n: Unheard = 3) -> Of:\n    y: Anywhere = x * n\n    z: Neither\n    return y\n"
    )
    outcome = run_script(function + "L = f(2)\n")
    assert outcome.error is None
    assert outcome.names["L"] == 6
