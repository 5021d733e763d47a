"""Runs the text of a formula, or helper lines of a derivation, with the values that a run gave the names.

The names are the script's own, functions and modules included, and those of the language: the language of
formulas is that of plain scripts, whose functions take numbers and tensors.
"""

from __future__ import annotations

from functools import lru_cache

from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.source import Source, Span
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.state import mode
from autodiff.core.graph.values import as_stored
from autodiff.grammar.by_hand.inner_names import outer_names
from autodiff.grammar.by_hand.printed_functions import PRINTED
from autodiff.grammar.interpret.compiler import Compiler
from autodiff.grammar.interpret.scope import check_names, resolve
from autodiff.grammar.objects.builtins.namespaces import (
    builtin_names,
    builtin_value,
    plain_namespace,
    plain_value,
)
from autodiff.grammar.objects.python_errors import PYTHON_ERRORS, convert_python_error
from autodiff.grammar.objects.runtime import discard_text, discard_warning, runtime
from autodiff.grammar.objects.values import UNBOUND, Namespace, ScriptFunction
from autodiff.grammar.session.run import EngineSetup, Settings
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.parser import parse, parse_expression
from autodiff.grammar.syntax.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

#: The name of formulas in the place of an error.
FORMULA = "--formula"

#: Functions that are torch's in formulas: ``ones(2, 2)``, where numpy's has one argument for the shape.
MAKING = frozenset(["empty", "empty_like", "eye", "ones", "ones_like", "zeros", "zeros_like"])

#: What functions are called on paper, if neither the script nor the derivation has the name.
CALLED_ON_PAPER = {
    **{"sigma": "sigmoid", "σ": "sigmoid", "ReLU": "relu", "sgn": "sign"},
    **dict.fromkeys(["tr", "Tr"], "trace"),
}

#: Functions whose argument is a list: in ``stack([x > 0])`` the brackets make one.
TAKING_LISTS = frozenset(
    """
    array as_tensor asarray cat column_stack concat concatenate dstack hstack list stack tensor tuple
    vstack
    """.split()
)


def parse_formula(text: str, is_expression: bool) -> tree.Script:
    """Return the syntax tree of a formula: one expression, or statements that end in one.

    In both ``^`` is a power, and ``[x > 0]`` beside a sign is 1 where the condition holds, else 0, as
    derivations write it. In an expression it is that everywhere, and ``-[x + y]`` is ``-(x + y)``. Raise a
    CompileError for a mistake.
    """
    source = Source(text, FORMULA)
    source.caret_is_power = True
    if not is_expression:
        script = parse(source)
        for part in list(walk(script)):
            if isinstance(part, tree.Binary) and not isinstance(part.left, tree.ListDisplay):
                part.right = with_indicator(part.right, part.op == "@")
            elif isinstance(part, tree.Binary) and not isinstance(part.right, tree.ListDisplay):
                part.left = with_indicator(part.left, part.op == "@")
        return script
    node = parse_expression(source)
    for part in list(walk(node)):
        if isinstance(part, tree.Binary):
            part.op = "**" if part.op == "^" else part.op
            left, right = (with_indicator(side, part.op == "@") for side in (part.left, part.right))
            part.left, part.right = unbracketed(left, part.op, right), unbracketed(right, part.op, left)
        elif isinstance(part, tree.Unary):
            part.operand = unbracketed(with_indicator(part.operand), part.op, None)
        elif isinstance(part, tree.Conditional):
            part.body, part.orelse = with_indicator(part.body), with_indicator(part.orelse)
        elif isinstance(part, tree.Call) and called_name(part) not in TAKING_LISTS:
            for argument in part.arguments:
                argument.value = with_indicator(argument.value)
    node = with_indicator(node)
    return tree.Script(node.span, (tree.ExpressionStatement(node.span, node),))


def unbracketed(node: tree.Expression, sign: str, other: tree.Expression | None) -> tree.Expression:
    """Return the value that alone stands in square brackets beside a sign, where a list cannot stand.

    Lists are added to lists, and ``[x]*3`` is a list of three entries.
    """
    if not isinstance(node, tree.ListDisplay) or len(node.elements) != 1:
        return node
    is_repeated = sign == "*" and isinstance(other, tree.Number)
    is_joined = sign == "+" and isinstance(other, tree.ListDisplay)
    is_list = is_repeated or is_joined or isinstance(node.elements[0], tree.Starred)
    return node if is_list else node.elements[0]


def called_name(node: tree.Call) -> str:
    """Return the last part of the name of the function that is called, ``stack`` of ``torch.stack``."""
    function = node.function
    if isinstance(function, tree.Attribute):
        return function.name
    return function.id if isinstance(function, tree.Name) else ""


def with_indicator(node: tree.Expression, in_product: bool = False) -> tree.Expression:
    """Return 1 or 0 for a condition that stands alone in square brackets; any other expression as it is.

    In a product of matrices it has the dtype of what is compared there.
    """
    if not isinstance(node, tree.ListDisplay) or len(node.elements) != 1:
        return node
    [condition] = node.elements
    if not is_condition(condition):
        return node
    span = node.span
    compared = [
        one
        for comparison in walk(condition)
        if isinstance(comparison, tree.Comparison)
        for one in (comparison.first, *(operand for _, operand in comparison.rest))
        if not isinstance(one, (tree.Number, tree.Unary))
    ]
    one: tree.Expression = tree.Number(span, 1.0)
    if in_product and compared:
        one = call(span, "ones_like", compared[0])
    return call(span, "where", condition, one, tree.Number(span, 0.0))


def call(span: Span, name: str, *arguments: tree.Expression) -> tree.Call:
    given = tuple(tree.Argument(span, None, argument) for argument in arguments)
    return tree.Call(span, tree.Name(span, name), given)


def is_condition(node: tree.Expression) -> bool:
    if isinstance(node, tree.Unary):
        return node.op in ("~", "not") and is_condition(node.operand)
    if isinstance(node, tree.Binary):
        return node.op in ("&", "|") and (is_condition(node.left) or is_condition(node.right))
    return isinstance(node, (tree.Comparison, tree.Boolean))


class FormulaText:
    """A parsed text, which is run with many values; ``read`` are the names in it.

    What it compiles to is kept, by the names that have values. A function that the text defines reads them
    in the frame of its run later, so a text that has functions is compiled for each run.
    """

    def __init__(self, text: str, is_expression: bool) -> None:
        self.source = Source(text, FORMULA)
        self.script = parse_formula(text, is_expression)
        self.read = {node.id for node in walk(self.script) if isinstance(node, tree.Name)}
        self.on_paper = called_on_paper(self.script) if self.read & CALLED_ON_PAPER.keys() else set()
        self.changes = any(
            isinstance(node, tree.AugmentedAssign) or is_changed(node) for node in walk(self.script)
        )
        self._compiled: dict[tuple[str, ...], CompiledText] = {}

    def compiled(self, given: tuple[str, ...], definitions: tuple[Definition, ...]) -> CompiledText:
        """Return the text as it is run where the names ``given`` have values, and behind definitions."""
        known = None if definitions else self._compiled.get(given)
        if known is None:
            known = CompiledText(self, given, definitions)
            if not known.scopes.scope_of:
                self._compiled[given] = known
        return known


class Definition:
    """The ``def`` of a function of the script that reads names which change later.

    A text that calls it runs its statement, ``node``, first: so it reads the values that the text has.
    """

    __slots__ = ("node", "reads")

    def __init__(self, node: tree.FunctionDef) -> None:
        self.node = node
        self.reads = {part.id for part in outer_names(node)}


def needed_definitions(read: Collection[str], names: Mapping[str, Any]) -> dict[str, Definition]:
    """Return the definitions of functions that a text needs which reads these names."""
    found: dict[str, Definition] = {}
    todo = list(read)
    while todo:
        name = todo.pop()
        value = names.get(name)
        if isinstance(value, Definition) and name not in found:
            found[name] = value
            todo += value.reads
    return found


def called_on_paper(script: tree.Script) -> set[str]:
    """Return the names of functions on paper that a text calls, and reads in no other way."""
    names = [node for node in walk(script) if isinstance(node, tree.Name) and node.id in CALLED_ON_PAPER]
    called = {id(node.function) for node in walk(script) if isinstance(node, tree.Call)}
    return {node.id for node in names} - {node.id for node in names if id(node) not in called}


class CompiledText:
    """The closures of a text, and the frame that they read as it is before a run."""

    def __init__(
        self, parsed: FormulaText, given: tuple[str, ...], definitions: Collection[Definition] = ()
    ) -> None:
        before = tuple(one.node for one in definitions)
        script = tree.Script(parsed.script.span, (*before, *parsed.script.body))
        self.scopes = resolve(script, given)
        check_names(self.scopes, script, parsed.source, lambda name: plain_value(name) is not UNBOUND)
        compiler = Compiler(self.scopes, parsed.source, {}, plain_functions=True)
        self.frame = compiler.frame
        self.unset = self.frame[:]
        *body, last = script.body
        if not isinstance(last, tree.ExpressionStatement):
            body.append(last)
        self.body = compiler.body(tuple(body)) if body else None
        self.value = compiler.expression(last.value) if isinstance(last, tree.ExpressionStatement) else None

    def run(self, values: Mapping[str, Any]) -> tuple[dict[str, Any], Any]:
        """Return the values of the names, and of a last expression."""
        frame, slots = self.frame, self.scopes.module.slots
        for name, value in values.items():
            frame[slots[name]] = value
        try:
            if self.body is not None:
                self.body(frame)
            value = None if self.value is None else self.value(frame)
            made = {name: frame[slot] for name, slot in slots.items()}
        finally:
            if not self.scopes.scope_of:
                frame[:] = self.unset
        return {name: one for name, one in made.items() if one is not UNBOUND}, value


@lru_cache(maxsize=256)
def parse_once(text: str, is_expression: bool) -> FormulaText:
    return FormulaText(text, is_expression)


def run_text(
    text: str, names: Mapping[str, Any], is_expression: bool, records: bool = False
) -> tuple[dict[str, Any], Any]:
    """Run a text where names have these values; return the values of its names and of a last expression.

    With ``records`` there is a graph of what is computed from leaves. Methods such as ``x.std(0)`` are
    numpy's if ``runtime.prints_numbers`` says that the script's are.

    Raise an AutodiffError with its place in the text; for one in a function of the script, that of the call.
    """
    parsed = parse_once(text, is_expression)
    definitions = needed_definitions(parsed.read, names)
    read = parsed.read.union(*(one.reads for one in definitions.values()))
    making = {name: builtin_value(name) for name in MAKING & read}
    making |= {name: PRINTED[name] for name in PRINTED.keys() & read}
    on_paper = {name: builtin_value(CALLED_ON_PAPER[name]) for name in parsed.on_paper}
    names = {**making, **on_paper, **names}
    values = {name: value for name, value in names.items() if name in read and name not in definitions}
    if definitions or parsed.changes or any(value.__class__ is ScriptFunction for value in values.values()):
        copies: dict[int, Any] = {}  # a function may change its arguments
        values = {name: copied(value, copies) for name, value in values.items()}
    prints_numbers = runtime.prints_numbers
    with EngineSetup(Settings()):
        mode.record(records)
        runtime.prints_numbers = prints_numbers
        runtime.plain_functions = runtime.numbers_are_leaves = runtime.without_tensors = True
        runtime.write, runtime.warn = discard_text, discard_warning
        compiled = parsed.compiled(tuple(values), tuple(definitions.values()))
        try:
            return compiled.run(values)
        except (AutodiffError, *PYTHON_ERRORS) as raised:
            error = raised if isinstance(raised, AutodiffError) else convert_python_error(raised)
            if error.frames:
                error.span = error.frames[-1][1]
            elif mode.site is not None:
                error.at(mode.site)
            raise error from None


#: Functions of numpy that change their first argument; ``at`` is that of ``np.add.at``.
CHANGE_FIRST = frozenset(["at", "copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask"])
#: Methods that change their array or list, beside those whose names end in ``_``.
CHANGE_OWN = frozenset(["append", "extend", "fill", "insert", "sort"])


def changed_by(node: tree.SyntaxNode) -> list[tree.Expression]:
    """Return what a call changes: ``dx`` of ``dx.add_(1)``, ``np.add.at(dx, i, g)``, ``np.exp(a, out=dx)``.

    What other functions change is not known.
    """
    if not isinstance(node, tree.Call):
        return []
    found = [one.value for one in node.arguments if one.keyword == "out"]
    if isinstance(node.function, tree.Attribute):
        name = node.function.name
        if name in CHANGE_OWN or (name.endswith("_") and not name.endswith("__")):
            found.append(node.function.object)
        elif name in CHANGE_FIRST and node.arguments and node.arguments[0].keyword is None:
            found.append(node.arguments[0].value)
    return found


def is_changed(node: tree.SyntaxNode) -> bool:
    """Whether a statement assigns to entries, or a call changes a tensor or a list."""
    if isinstance(node, tree.Assign):
        return any(isinstance(target, tree.Subscript) for target in node.targets)
    return bool(changed_by(node))


def copied(value: Any, copies: dict[int, Any]) -> Any:
    """Return a tensor or a list that may be changed; what is the same object twice stays so."""
    if value.__class__ is Tensor:
        if id(value) not in copies:
            copies[id(value)] = Tensor.of(as_stored(np.array(value.data)))
        return copies[id(value)]
    if value.__class__ is list:
        if id(value) not in copies:
            copies[id(value)] = made = []
            made += [copied(entry, copies) for entry in value]
        return copies[id(value)]
    return value.__class__(copied(entry, copies) for entry in value) if value.__class__ is tuple else value


def in_reach(value: Any) -> Any:
    """Return the value of a name of the script as formulas see it: numpy and scipy take tensors too."""
    if value.__class__ is Namespace:
        return plain_namespace(value.name) or value
    return value


def function_names() -> list[str]:
    """Return the names that formulas know without the script: those of the language, of numpy and scipy."""
    numpy = plain_namespace("numpy")
    return [*builtin_names(), *(() if numpy is None else numpy.names())]
