"""Reads a pasted Python program as a syntax tree, including syntax that scripts do not have.

The tree serves rewrites only and is never run. Keywords that the grammar lacks are read as others of the
same form: ``try`` as ``if``, a dictionary as a list of comparisons, ``raise`` as ``return``. The offsets
stay those of the source, so an excerpt always shows what was written.
"""

from __future__ import annotations

import re

from autodiff.core.base.errors import AutodiffError, Edit
from autodiff.core.base.source import Source, Span
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.tokenizer import Tokens, read_words
from autodiff.grammar.syntax.walk import children, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

#: A text of more characters is not taken for a pasted program.
MAX_PASTED_LENGTH = 200_000
#: Replaces the underscore that a name begins with. It is a letter that programs do not use in names.
UNDERSCORE_LETTER = "\u01c1"
_LEADING_UNDERSCORE = re.compile(r"\b_(?=\w)")
USUAL_ALIASES = {"torch": "torch", "F": "torch.nn.functional", "nn": "torch.nn", "optim": "torch.optim"}


class CannotRewriteError(Exception):
    """A part of a program has no rewrite: ``what`` names it, ``advice`` says what to do instead."""

    def __init__(self, node: tree.SyntaxNode, what: str, advice: str) -> None:
        super().__init__(what)
        self.node = node
        self.subject = what
        self.advice = advice


class PastedProgram:
    """A pasted program: its source, its syntax tree, and what its names stand for."""

    __slots__ = (
        *("aliases", "classes", "introduction", "masked", "names", "parents", "script", "source", "times"),
    )

    def __init__(self, source: Source, script: tree.Script, masked: str) -> None:
        self.source = source
        self.masked = masked  # the text that the tree was read from
        self.introduction = ""  # what is said before a rewrite, if not what the error has
        self.script = script
        self.aliases = dict(USUAL_ALIASES)
        self.classes: dict[str, tree.ClassDef] = {}
        self.names: set[str] = set()
        self.parents: dict[int, Any] = {}
        self.times: dict[str, int] = {}  # how often a name is assigned
        for node in walk(script):
            self.parents.update((id(child), node) for child in children(node))
            if isinstance(node, tree.Name):
                self.names.add(node.id)
                if is_target(self.parents.get(id(node)), node):
                    self.times[node.id] = self.times.get(node.id, 0) + 1
            elif isinstance(node, (tree.Parameter, tree.FunctionDef)):
                self.names.add(node.name)
            elif isinstance(node, tree.Comparison):  # includes the entries of dictionaries, with `:`
                node.rest = tuple([("==" if op == ":" else op, value) for op, value in node.rest])
            elif isinstance(node, tree.ClassDef):
                self.classes[node.name] = node
            elif isinstance(node, tree.Import):
                for module, alias in node.names:
                    self.aliases[alias or module.partition(".")[0]] = (
                        module if alias else module.partition(".")[0]
                    )
            elif isinstance(node, tree.ImportFrom):
                for name, alias in node.names:
                    self.aliases[alias or name] = f"{node.module}.{name}"

    def full(self, node: Any) -> str:
        """Return the full name of an expression such as ``nn.Linear``; empty if it is no dotted name."""
        parts: list[str] = []
        while isinstance(node, tree.Attribute):
            parts.append(node.name)
            node = node.object
        if not isinstance(node, tree.Name):
            return ""
        return ".".join([self.aliases.get(node.id, node.id), *reversed(parts)])

    def short(self, module: str) -> str:
        """Return the program's own name for a module: ``F`` for ``torch.nn.functional``."""
        found = [name for name, full in self.aliases.items() if full == module]
        return next((name for name in found if name not in USUAL_ALIASES), found[0] if found else module)

    def text(self, node: tree.SyntaxNode) -> str:
        return self.source.excerpt(node.span)

    def line(self, node: tree.SyntaxNode) -> int:
        return self.source.position(node.span.start)[0]

    def indentation(self, node: tree.SyntaxNode) -> str:
        """Return the leading blanks of the line on which a statement begins."""
        column = self.source.position(node.span.start)[1] - 1
        before = self.source.text[node.span.start - column : node.span.start]
        return before if not before.strip() else before[: len(before) - len(before.lstrip())]

    def parent(self, node: tree.SyntaxNode) -> Any:
        return self.parents.get(id(node))

    def statement(self, node: Any) -> Any:
        """Return the innermost statement around a node, or the script."""
        while not isinstance(node, (tree.Statement, tree.Script)):
            node = self.parents[id(node)]
        return node

    def inside(self, node: Any, kind: type) -> Any:
        """Return the innermost node of the class ``kind`` around a node, or None."""
        node = self.parent(node)
        while node is not None and not isinstance(node, kind):
            node = self.parent(node)
        return node

    def new_name(self, *wanted: str) -> str:
        """The first of the names that nothing is called yet, or the last with a number; it is taken then."""
        from autodiff.grammar.objects.builtins.namespaces import builtin_value
        from autodiff.grammar.objects.values import UNBOUND

        for name in wanted:
            if name not in self.names and builtin_value(name) is UNBOUND:
                break
        else:
            number = 2
            while f"{wanted[-1]}{number}" in self.names:
                number += 1
            name = f"{wanted[-1]}{number}"
        self.names.add(name)
        return name

    def list_name(self, model: str, method: str) -> str:
        """Return a new name for the list that replaces ``model.parameters()`` or another such method."""
        return self.new_name(f"{model}_{'named' if method == 'named_parameters' else method}")

    def is_constant(self, text: str) -> bool:
        """Whether a text keeps its value: it is no plain name, or a name assigned at most once."""
        return not text.isidentifier() or self.times.get(text, 0) <= 1

    def render(self, node: tree.SyntaxNode, replace: Callable[[Any], str | None]) -> str:
        """Return the source of a node, with each part replaced for which ``replace`` returns a text."""
        return self.render_span(node.span, [node], replace)

    def render_span(self, span: Span, nodes: list[Any], replace: Callable[[Any], str | None]) -> str:
        """Return the source of ``span``, which holds ``nodes``, with parts replaced as in ``render``."""
        pieces, at = [], span.start
        stack = list(reversed(nodes))
        while stack:
            node = stack.pop()
            text = replace(node)
            if text is None:
                below = sorted(children(node), key=lambda child: child.span.start, reverse=True)
                stack.extend(below)
            else:
                pieces += [self.source.text[at : node.span.start], text]
                at = node.span.end
        return "".join(pieces) + self.source.text[at : span.end]

    def removal(self, statement: tree.Statement) -> Edit:
        """Return the edit that removes a statement with its line.

        A statement that shares its line, or is the only one of its block, becomes ``pass``.
        """
        text, span = self.source.text, statement.span
        body = enclosing_block(self.parent(statement), statement)
        start = self.source.line_start(self.line(statement))
        end = self.source.line_start(self.source.position(span.end)[0] + 1)
        alone = not text[start : span.start].strip() and not text[span.end : end].split("#")[0].strip()
        if not alone or (len(body) == 1 and not isinstance(self.parent(statement), tree.Script)):
            return Edit(span, "pass")
        if isinstance(statement, tree.ClassDef):  # remove the blank lines after it too
            while text[end : end + 1] == "\n":
                end += 1
        return Edit(Span(start, end), "")

    def replacement(self, statement: tree.Statement, lines: list[str]) -> Edit:
        """Return the edit that writes ``lines`` in place of a statement, with its indentation."""
        if not lines:
            return self.removal(statement)
        lines = separate_functions(lines)
        if (
            lines[-1].startswith(" ")
            and ends_in_function(lines)
            and self.source.text[statement.span.end :].split("\n")[1:2] not in ([], [""])
        ):
            lines.append("")
        return Edit(statement.span, indented(lines, self.indentation(statement)).lstrip(" \t"))


def assigned_pairs(statement: Any) -> list[tuple[tree.Expression, tree.Expression]]:
    """Return the targets and values of an assignment; of ``a, b = f(), g()`` one pair for each name."""
    if not isinstance(statement, tree.Assign) or len(statement.targets) != 1:
        return []
    target, value = statement.targets[0], statement.value
    if not (isinstance(target, tree.TupleDisplay) and isinstance(value, tree.TupleDisplay)):
        return [(target, value)]
    same = len(target.elements) == len(value.elements)
    return list(zip(target.elements, value.elements, strict=True)) if same else []


def is_target(parent: Any, node: Any) -> bool:
    """Whether ``node`` is a target of the assignment or loop ``parent``."""
    if isinstance(parent, tree.Assign):
        return any(target is node for target in parent.targets)
    if isinstance(parent, (tree.AugmentedAssign, tree.For, tree.ComprehensionFor)):
        return parent.target is node
    return False


def enclosing_block(parent: Any, statement: tree.Statement) -> tuple[Any, ...]:
    """Return the block of ``parent`` that a statement belongs to."""
    bodies: list[tuple[Any, ...]] = []
    if isinstance(parent, tree.If):
        bodies = [*(body for _, body in parent.branches), parent.orelse]
    elif isinstance(parent, (tree.For, tree.While)):
        bodies = [parent.body, parent.orelse]
    elif isinstance(parent, (tree.With, tree.FunctionDef, tree.ClassDef, tree.Script)):
        bodies = [parent.body]
    return next((body for body in bodies if any(one is statement for one in body)), ())


def indented(lines: list[str], margin: str) -> str:
    """Return the lines as one text, all but empty ones behind a margin."""
    return "\n".join([margin + line if line else "" for line in lines])


def parse_pasted(source: Source) -> PastedProgram | None:
    """Read the program in a source; None if it is not Python, or too long to have been pasted."""
    from autodiff.grammar.syntax.parser import ScriptParser

    if len(source.text) > MAX_PASTED_LENGTH:
        return None
    masked = Source(_LEADING_UNDERSCORE.sub(UNDERSCORE_LETTER, source.text), source.name)
    reader = ScriptParser(masked)
    try:
        script = reader.drive(known_tokens_only(read_words(masked, reader.table)), "script")
    except AutodiffError:
        return None
    return PastedProgram(source, script, masked.text) if isinstance(script, tree.Script) else None


#: Keywords that the grammar lacks, each with one that is used in the same place.
SIMILAR_KEYWORDS = {"raise": "return", "yield": "return", "global": "del", "nonlocal": "del"}


def known_tokens_only(words: Tokens) -> Tokens:
    """Return the tokens of a program, with tokens of the grammar in place of those it lacks."""
    made = Tokens()
    made.error = words.error
    brackets: list[str] = []
    lambdas: list[int] = []
    skipping = False
    kinds = words.kinds
    for index, kind in enumerate(kinds):
        place = words.starts[index], words.ends[index]
        if skipping and kind not in (":", "_NEWLINE", "ERROR", "$END"):
            continue
        skipping = False
        if kind in ("(", "[", "{"):
            brackets.append(kind)
            kind = "[" if kind == "{" else kind
        elif kind in (")", "]", "}"):
            brackets[-1:] = []
            kind = "]" if kind == "}" else kind
        elif kind == "lambda":
            lambdas.append(len(brackets))
        elif kind == ":" and lambdas and lambdas[-1] == len(brackets):
            lambdas.pop()
        elif kind == ":" and brackets and brackets[-1] == "{":
            kind = "=="
        elif kind == "**" and brackets and kinds[index - 1] in ("(", "{", ","):
            kind = "*"
        elif kind in ("try", "except"):
            made.add("if" if kind == "try" else "elif", *place)
            kind, skipping = "True", True
        elif kind == "finally":
            kind = "else"
        kind = SIMILAR_KEYWORDS.get(kind, kind)
        made.add(kind, *place)
    return made


def statements_outside_classes(pasted: PastedProgram) -> Iterator[Any]:
    """Yield every statement outside of classes, in the order of the text."""
    for node in walk(pasted.script):
        if isinstance(node, tree.Statement) and pasted.inside(node, tree.ClassDef) is None:
            yield node


def separate_functions(lines: list[str]) -> list[str]:
    """Return the lines with an empty line after each function."""
    made: list[str] = []
    for line in lines:
        ends = made and made[-1].startswith("    ") and not line.startswith(" ") and line
        if ends and not made[-1].startswith("    with") and ends_in_function(made):
            made.append("")
        made.append(line)
    return made


def ends_in_function(lines: list[str]) -> bool:
    """Whether the last block of the lines belongs to a ``def``."""
    header = next((line for line in reversed(lines) if line and not line.startswith(" ")), "")
    return header.startswith("def ")
