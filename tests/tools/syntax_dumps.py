"""One dump that Python's syntax trees and ours can be turned into, and who takes which text."""

from __future__ import annotations

import ast
import io
import warnings

from autodiff.core.base.errors import CompileError
from autodiff.core.base.source import Source
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.parser import parse

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
        if not isinstance(node, tree.SyntaxNode):
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
        if isinstance(node.value, tree.Comprehension) and not self.is_list(node.value):
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
            return is_of_later_passes(error) and accepts_in_a_loop(text)
        except ValueError:
            return False
    return True


def is_of_later_passes(error: SyntaxError) -> bool:
    later = ("outside", "not properly in loop", "only allowed at module level", "__future__")
    return any(part in str(error) for part in later)


def accepts_in_a_loop(text: str) -> bool:
    """The same for statements inside of a function and a loop, where `return` and `break` hide no mistake."""
    around = ast.parse("def f():\n    while True:\n        pass")
    around.body[0].body[0].body = ast.parse(text).body
    try:
        compile(ast.fix_missing_locations(around), "<test>", "exec", dont_inherit=True)
    except SyntaxError as error:
        return is_of_later_passes(error)
    return True


def we_accept(text: str) -> bool:
    try:
        parse(Source(text))
    except CompileError:
        return False
    return True
