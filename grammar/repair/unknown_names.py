"""Makes the error for a name that nothing binds: where it does exist, and what it may have meant.

Imported only when there is such a name. A proposal edits every place that reads the name; the script is run
with it before the proposal is shown.
"""

from __future__ import annotations

import re
from itertools import pairwise

from autodiff.core.base.did_you_mean import FOREIGN_CONSTANTS, edit_distance, fold_name, similar_names
from autodiff.core.base.errors import CompileError, Edit, Fix, Label
from autodiff.core.base.source import Source, Span
from autodiff.core.engine.public_functions import FUNCTIONS, PublicFunction
from autodiff.grammar.help.other_libraries import advice_on, synonyms
from autodiff.grammar.interpret.scope import Scope, ScriptScopes
from autodiff.grammar.objects.builtins.namespaces import builtin_names, builtin_value
from autodiff.grammar.objects.values import UNBOUND, Builtin
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.imports import functional_prefix
from autodiff.grammar.syntax.walk import path_to

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Read = tuple[tree.Name, Scope]

MOST_CANDIDATES = 4

#: Names that other libraries are usually imported as.
LIBRARIES = frozenset(["tf", "jnp", "jax", "numpy", "th", "K", "scipy", "pt", "T", "ag", "anp"])

#: Functions of textbooks and calculators in terms of others, and the names of their arguments.
FORMULAS = {
    "sec": ("(1/cos({}))", "x"),
    **dict.fromkeys(("csc", "cosec"), ("(1/sin({}))", "x")),
    **dict.fromkeys(("cot", "cotan", "ctg"), ("(1/tan({}))", "x")),
    "sech": ("(1/cosh({}))", "x"),
    "csch": ("(1/sinh({}))", "x"),
    "coth": ("(1/tanh({}))", "x"),
    "arccot": ("atan(1/({}))", "x"),
    "lg": ("log10({})", "x"),
    "tg": ("tan({})", "x"),
    **dict.fromkeys(("derivative", "deriv", "differentiate"), ("grad({0}({1}), {1})[0]", "f", "x")),
}

#: Names often used for the result of a script.
RESULTS = frozenset(["loss", "l", "cost", "error", "err", "j", "out", "output", "y", "result"])
MOST_NAMES = 10


def unknown_name_error(
    unknown: list[Read], names: ScriptScopes, script: tree.Script, source: Source
) -> CompileError:
    """Return the error for the first unknown name in the text, with the other names in ``other_errors``."""
    firsts: dict[str, Read] = {}
    unknown = sorted(unknown, key=lambda read: read[0].span.start)
    for read in unknown:
        firsts.setdefault(read[0].id, read)
    first, *others = [
        single_name_error(read, unknown, names, script, source) for read in list(firsts.values())[:MOST_NAMES]
    ]
    for other in others:  # their repairs cannot be tried alone, so only very likely ones are kept
        assert other.span is not None
        name = source.excerpt(other.span)
        is_word = name.lower() in FOREIGN_CONSTANTS or name in FORMULAS
        likely = [fix for fix in other.fixes if is_word or is_near_name(name, fix.edits[0].text.strip('"'))]
        if other.fixes and not likely and not other.help:
            other.help = ("assign it above",)
        other.fixes = tuple(likely[:1])
    first.other_errors = list(others)
    return first


def single_name_error(
    read: Read, unknown: list[Read], names: ScriptScopes, script: tree.Script, source: Source
) -> CompileError:
    name, scope = read
    if name.id in ("open", "input"):
        return absent_function_error(name)
    everywhere = [read for read in unknown if read[0].id == name.id]
    reader = UnknownName(name, scope, everywhere, names, script, source)
    error = CompileError(
        f"name '{name.id}' is not defined",
        code="E0201",
        caret=f"there is no {'function' if reader.is_called else 'variable'} `{name.id}`",
        fixes=tuple(reader.proposals()),
        span=name.span,
    )
    if reader.explain_other_scope(error):
        return error
    if DERIVATIVE_SIGN.match(source.text, name.span.start):
        error.fixes, error.help = (), (DERIVATIVE_ADVICE,)
        return error
    error.help = advice_on(name.id, reader.member)
    if not error.help and not error.fixes:
        error.fixes = tuple(reader.as_text())
        what = f"define it above: `def {name.id}(x): ...`" if reader.is_called else "assign it above"
        if not reader.is_called and not reader.has_attributes:
            what += f", or give it a value: --set {name.id}=1"
        error.help = (what,)
    return error


def absent_function_error(name: tree.Name) -> CompileError:
    """Return the error for a function of Python that the language lacks."""
    from autodiff.grammar.objects.absent_table import absence_error

    missing = absence_error(name.id, name.span)
    assert missing is not None
    return CompileError(
        missing.message, code=missing.code, caret=missing.caret, help=missing.help, span=missing.span
    )


#: `d/dx(...)`, as mathematics writes a derivative.
DERIVATIVE_SIGN = re.compile(r"d[ \t]*/[ \t]*d[^\W\d]\w*\b")
DERIVATIVE_ADVICE = "write the function alone, as in `y = x**2`: `autodiff grad` prints its derivative"


def is_near_name(name: str, other: str) -> bool:
    """Whether two names differ in no more than one letter, apart from case and underscores."""
    return fold_name(name) == fold_name(other) or edit_distance(name.lower(), other.lower(), 1) <= 1


def initials(name: str) -> str:
    """Return ``lr`` for ``learning_rate``, and ``-`` for a name of one word."""
    words = [word for word in name.split("_") if word]
    return "".join([word[0] for word in words]) if len(words) > 1 else "-"


class UnknownName:
    """The first read of an unknown name, with its other reads and the call or node around it."""

    __slots__ = ("all_reads", "call", "name", "names", "scope", "script", "source")

    def __init__(
        self,
        name: tree.Name,
        scope: Scope,
        everywhere: list[Read],
        names: ScriptScopes,
        script: tree.Script,
        source: Source,
    ) -> None:
        self.name = name
        self.scope = scope
        self.all_reads = everywhere
        self.names = names
        self.script = script
        self.source = source
        around = path_to(script, name.span)
        parent = around[-2] if len(around) > 1 else None
        self.call = parent if isinstance(parent, tree.Call) and parent.function is name else None

    @property
    def is_called(self) -> bool:
        return self.call is not None

    def rename(self, text: str, is_known: bool) -> Fix:
        """Return the fix that writes ``text`` for every read; ``is_known`` if the script binds that name."""
        line = ""
        if is_known:
            home = self.scope.find(text)
            assert home is not None
            line = f" (line {self.source.position(home[0].first_binding[text].start)[0]})"
        reads = [name for name, scope in self.all_reads if not is_known or scope.find(text) is not None]
        return Fix(f"did you mean `{text}`{line}?", *(Edit(name.span, text) for name in reads))

    def proposals(self) -> Iterator[Fix]:
        """Yield what the name may mean: a keyword, a name of the script, then names of the language."""
        name = self.name.id
        yield from self.as_keyword()
        if self.begins_statement() and sorted(name) in (sorted("return"), sorted("assert"), sorted("print")):
            word = next(word for word in ("return", "assert", "print") if sorted(word) == sorted(name))
            yield self.rename(word, False)
            return
        if name.lower() in FOREIGN_CONSTANTS:
            yield self.rename(FOREIGN_CONSTANTS[name.lower()], False)
            return
        if name in FORMULAS:
            yield from self.by_other_functions(*FORMULAS[name])
            return
        own: set[str] = set()
        scope: Scope | None = self.scope
        while scope is not None:
            own.update(scope.slots)
            scope = scope.outer
        short = [other for other in own if initials(name) == other or initials(other) == name]
        for near in list(dict.fromkeys([*short, *similar_names(name, own)]))[:MOST_CANDIDATES]:
            yield self.rename(near, True)
        others = [other for other in synonyms(name) if builtin_value(other.partition(".")[0]) is not UNBOUND]
        methods = [*self.as_method()]
        if not others and not methods and not advice_on(name, self.member):
            others = similar_names(name, self.fitting_builtins())[:1]
        for other in others:
            yield self.rename(self.script_spelling(other), False)
        if name == "nn":
            yield self.rename("torch.nn", False)
        if name in LIBRARIES:
            yield from self.as_torch_names()
        yield from methods
        if name.lower() in RESULTS:
            yield from self.as_last_result()

    def by_other_functions(self, *parts: str) -> Iterator[Fix]:
        """Propose what a function such as the secant is in terms of others, in every call."""
        edits = []
        for name, _ in self.all_reads:
            call = path_to(self.script, name.span)[-2]
            if not isinstance(call, tree.Call) or call.function is not name:
                return
            given = [self.source.excerpt(one.span) for one in call.arguments if one.keyword is None]
            if len(given) != len(call.arguments) or len(given) != len(parts) - 1:
                return
            edits.append(Edit(call.span, parts[0].format(*given)))
        if any(one.span.end > other.span.start for one, other in pairwise(edits)):
            return  # a call within a call
        shown = parts[0].format(*parts[1:])
        shown = shown[1:-1] if shown.startswith("(") else shown
        yield Fix(f"`{self.name.id}({', '.join(parts[1:])})` is written `{shown}`", *edits)

    def as_keyword(self) -> Iterator[Fix]:
        """Propose one ``=`` in ``torch.tensor(1., requires_grad==True)``, to pass it by name."""
        *_, call, argument, comparison, _ = [None, None, None, None, *path_to(self.script, self.name.span)]
        if (
            isinstance(call, tree.Call)
            and isinstance(argument, tree.Argument)
            and argument.keyword is None
            and isinstance(comparison, tree.Comparison)
            and comparison.first is self.name
            and [op for op, _ in comparison.rest] == ["=="]
        ):
            between = Span(self.name.span.end, comparison.rest[0][1].span.start)
            value = self.source.excerpt(comparison.rest[0][1].span)
            yield Fix(f"an argument is given with one `=`: {self.name.id}={value}", Edit(between, "="))

    def begins_statement(self) -> bool:
        """Whether the line begins with the name, as in `retrun (x + 1)`."""
        around = path_to(self.script, self.name.span)
        statement = next((node for node in reversed(around) if isinstance(node, tree.Statement)), None)
        return statement is not None and statement.span.start == self.name.span.start

    def fitting_builtins(self) -> Iterator[str]:
        """Yield the language's functions if the name is called, else its other names."""
        for name in builtin_names():
            value = builtin_value(name)
            if isinstance(value, (PublicFunction, Builtin)) is self.is_called:
                yield name

    def script_spelling(self, name: str) -> str:
        """Return a function's name as this script writes it, with ``torch.`` or ``F.`` if it uses torch."""
        reads_torch = any(read == "torch" for read, _ in self.names.reads)
        if reads_torch and f"torch.{name}" in FUNCTIONS:
            return f"torch.{name}"
        if not reads_torch or f"F.{name}" not in FUNCTIONS:
            return name
        return f"{functional_prefix(self.script) or 'F.'}{name}"

    def as_method(self) -> Iterator[Fix]:
        """Propose ``L.backward()`` for ``backward(L)``."""
        from autodiff.core.engine.tensor import Tensor
        from autodiff.grammar.objects.attributes import METHODS

        call = self.call
        if call is None or not call.arguments or (Tensor, self.name.id) not in METHODS:
            return
        first, *rest = call.arguments
        if first.keyword is None and not first.star:
            owner = self.source.excerpt(first.value.span)
            if not isinstance(first.value, (tree.Name, tree.Call, tree.Attribute, tree.Subscript)):
                owner = f"({owner})"
            others = ", ".join([self.source.excerpt(argument.span) for argument in rest])
            text = f"{owner}.{self.name.id}({others})"
            yield Fix(f"it is a method: `{text}`", Edit(call.span, text))

    def as_torch_names(self) -> Iterator[Fix]:
        """Propose torch's names for ``tf.reduce_sum(x)`` and ``jnp.sum(x)``, if torch has all of them."""
        from autodiff.grammar.repair.proposals.attributes import qualified_name

        edits, names = [], []
        for read, _ in self.all_reads:
            member = path_to(self.script, read.span)[-2]
            if not isinstance(member, tree.Attribute):
                return
            full = next(filter(None, map(qualified_name, (member.name, *synonyms(member.name)))), "")
            if not full:
                return
            edits.append(Edit(member.span, full))
            names.append(full)
        listed = ", ".join([f"`{name}`" for name in dict.fromkeys(names)])
        yield Fix(f"write it with PyTorch's names: {listed}", *edits)

    def as_last_result(self) -> Iterator[Fix]:
        """Propose the script's last result, such as ``y``, for the unknown name in ``loss.backward()``."""
        before = [
            node
            for node in self.script.body
            if isinstance(node, tree.Assign) and node.span.end < self.name.span.start
        ]
        if before and self.has_attributes and isinstance(before[-1].targets[0], tree.Name):
            last = before[-1].targets[0].id
            if not isinstance(before[-1].value, tree.Number):
                fix = self.rename(last, True)
                fix.text += " It is the last result."
                yield fix

    def as_text(self) -> Iterator[Fix]:
        """Propose quotes for the word in ``print(done)``."""
        around = path_to(self.script, self.name.span)
        call = next((node for node in reversed(around) if isinstance(node, tree.Call)), None)
        if call is None or not isinstance(call.function, tree.Name) or call.function.id != "print":
            return
        if isinstance(around[-2], (tree.Argument, tree.Call)) and not self.is_called:
            text = f'"{self.name.id}"'
            yield Fix(f"to print the word, put it in quotes: {text}", Edit(self.name.span, text))

    @property
    def member(self) -> str:
        """The attribute that is read of the name: ``Linear`` in ``nn.Linear``; empty if there is none."""
        parent = path_to(self.script, self.name.span)[-2]
        return parent.name if isinstance(parent, tree.Attribute) else ""

    @property
    def has_attributes(self) -> bool:
        """Whether an attribute or entry of the name is read, which a number does not have."""
        return isinstance(path_to(self.script, self.name.span)[-2], (tree.Attribute, tree.Subscript))

    def explain_other_scope(self, error: CompileError) -> bool:
        """Complete the error and return True if the name exists in another scope."""
        name = self.name.id
        for node, scope in self.names.scope_of.items():
            if name not in scope.slots:
                continue
            where = scope.first_binding[name]
            found: Any = node
            if isinstance(node, tree.FunctionDef):
                is_parameter = any(parameter.name == name for parameter in node.parameters)
                what = "a parameter of" if is_parameter else "local to"
                error.caret = f"`{name}` is {what} the function `{found.name}` and exists only inside it"
                error.help = (
                    f"return it: `return {name}` in `{found.name}`, and `{name} = {found.name}(...)` here",
                )
                if is_parameter:
                    error.help = ("give the value a name here, before the function is called with it",)
            elif isinstance(node, tree.ClassDef):
                error.caret = f"`{name}` belongs to the class `{found.name}`"
                error.help = (f"call the class: `{found.name}.apply(...)`",)
            else:
                kind = "lambda" if isinstance(node, tree.Lambda) else "list"
                error.caret = f"`{name}` exists only inside the {kind} it belongs to"
                error.help = ("assign it here first, or use a `for` loop, whose name stays",)
                if kind == "lambda":
                    error.help = ("assign it here first",)
            error.labels.append(Label(where, "this one is seen only there"))
            return True
        return False
