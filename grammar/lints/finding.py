"""The class of a lint, the script it examines, and helpers that build the edits of repairs."""

from __future__ import annotations

from itertools import chain

from autodiff.core.base.errors import AutodiffError, Edit, Fix, Label
from autodiff.core.base.source import Source, Span
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import WITH_BLOCKS, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from autodiff.grammar.interpret.scope import ScriptScopes
    from autodiff.grammar.lints.flow import Event, Flow

INDENT = "    "


class Lint:
    """One lint: its code, its title, a one-sentence reason why it matters, and the function that finds it."""

    __slots__ = ("code", "example", "find", "reason", "title")

    def __init__(
        self,
        code: str,
        title: str,
        reason: str,
        find: Callable[[Subject], Iterator[AutodiffError]],
        example: str,
    ) -> None:
        self.code = code
        self.title = title
        self.reason = reason
        self.find = find
        self.example = example


class Subject:
    """The script that lints examine: its source, its syntax tree, its scopes and its recorded events."""

    __slots__ = ("_answers", "_by_class", "flow", "names", "script", "source")

    def __init__(self, source: Source, script: tree.Script, names: ScriptScopes, flow: Flow) -> None:
        self.source = source
        self.script = script
        self.names = names
        self.flow = flow
        self._answers: dict[Callable[[Subject], Any], Any] = {}
        #: The syntax nodes of each class, in the order of the text.
        self._by_class: dict[type, list[Any]] = {}
        for node in walk(script):
            self._by_class.setdefault(node.__class__, []).append(node)

    def once(self, ask: Callable[[Subject], Any]) -> Any:
        """What ``ask`` says about this script; several lints ask, and it is worked out for the first."""
        if ask not in self._answers:
            self._answers[ask] = ask(self)
        return self._answers[ask]

    def events(self, kind: str) -> Iterator[Event]:
        """The events of one kind, in the order of execution."""
        return (event for event in self.flow.events if event.kind == kind)

    def nodes(self, *kinds: type) -> list[Any]:
        """Every syntax node of the given classes, in the order of the text."""
        found = [self._by_class[kind] for kind in kinds if kind in self._by_class]
        if len(found) == 1:
            return found[0]
        return sorted(chain(*found), key=lambda node: (node.span.start, -node.span.end))

    def bodies(self) -> Iterator[tuple[tree.Statement, ...]]:
        """Every block of statements, the top level of the script first."""
        yield self.script.body
        for node in self.nodes(*WITH_BLOCKS):
            if isinstance(node, tree.If):
                for _, body in node.branches:
                    yield body
            else:
                yield node.body
            if isinstance(node, (tree.If, tree.For, tree.While)) and node.orelse:
                yield node.orelse

    def text(self, node: tree.SyntaxNode) -> str:
        """The source text of a node."""
        return self.source.excerpt(node.span)

    def line(self, node: tree.SyntaxNode) -> int:
        """The line a node starts on."""
        return self.source.position(node.span.start)[0]

    def indentation(self, node: tree.SyntaxNode) -> str:
        """The text before a statement on its line."""
        text = self.source.text
        start = text.rfind("\n", 0, node.span.start) + 1
        return text[start : node.span.start]

    def stands_alone(self, node: tree.SyntaxNode) -> bool:
        """Whether no other statement shares its lines, so that lines can be inserted before and after it."""
        text = self.source.text
        end = text.find("\n", node.span.end)
        after = text[node.span.end : len(text) if end < 0 else end].strip()
        return not self.indentation(node).strip() and (not after or after.startswith("#"))

    def lines_of(self, node: tree.SyntaxNode) -> Span:
        """The span of a statement's whole lines, including the last newline."""
        text = self.source.text
        end = text.find("\n", node.span.end)
        return Span(text.rfind("\n", 0, node.span.start) + 1, len(text) if end < 0 else end + 1)

    def insert_before(self, node: tree.Statement, *lines: str) -> Edit:
        """The edit that inserts lines before a statement."""
        start = self.lines_of(node).start
        indent = self.indentation(node)
        return Edit(Span(start, start), "".join(f"{indent}{line}\n" for line in lines))

    def insert_after(self, node: tree.Statement, *lines: str) -> Edit:
        """The edit that inserts lines after a statement."""
        end = self.lines_of(node).end
        indent = self.indentation(node)
        lead = "" if self.source.text[:end].endswith("\n") else "\n"
        return Edit(Span(end, end), lead + "".join(f"{indent}{line}\n" for line in lines))

    def remove(self, node: tree.Statement) -> Edit:
        """The edit that deletes a statement with its lines."""
        return Edit(self.lines_of(node), "")

    def under_no_grad(self, node: tree.Statement, *lines: str) -> tuple[Edit, ...]:
        """The edits that replace a statement by lines in a ``with torch.no_grad():`` block."""
        inner = "\n" + self.indentation(node) + INDENT
        return (Edit(node.span, "with torch.no_grad():" + inner + inner.join(lines)),)

    def dedent(self, node: tree.With) -> tuple[Edit, ...]:
        """The edits that remove a ``with`` and dedent its block; none where the lines cannot be moved."""
        first = node.body[0]
        outer, inner = self.indentation(node), self.indentation(first)
        if outer.strip() or inner.strip() or not inner.startswith(outer):
            return ()
        start = self.lines_of(node).start
        edits = [Edit(Span(start, self.lines_of(first).start), "")]
        at = self.lines_of(first).start
        end = self.lines_of(node.body[-1]).end
        text = self.source.text
        while at < end:
            if text.startswith(inner, at):
                edits.append(Edit(Span(at + len(outer), at + len(inner)), ""))
            line_end = text.find("\n", at)
            at = end if line_end < 0 else line_end + 1
        return tuple(edits)

    def reads(self, name: str, *within: tree.SyntaxNode) -> list[tree.Name]:
        """The occurrences of a name below the given nodes, whether read or bound."""
        return [node for node in walk(*within) if isinstance(node, tree.Name) and node.id == name]

    def unused_name(self, *wishes: str) -> str:
        """The first of the proposed names that the script does not use."""
        used = {node.id for node in self.nodes(tree.Name)}
        used.update(node.name for node in self.nodes(tree.Parameter))
        return next((wish for wish in wishes if wish not in used), wishes[-1] + "_")


def contains(outer: tree.SyntaxNode, inner: tree.SyntaxNode) -> bool:
    """Whether one node's text lies within another's."""
    return outer.span.start <= inner.span.start and inner.span.end <= outer.span.end


def is_name(node: tree.SyntaxNode, name: str) -> bool:
    return isinstance(node, tree.Name) and node.id == name


def finding(
    span: Span,
    message: str,
    caret: str,
    *,
    fixes: Iterable[Fix] = (),
    help: tuple[str, ...] = (),
    labels: Iterable[Label] = (),
) -> AutodiffError:
    """A finding without a code; ``grammar.lint`` sets the code."""
    made = AutodiffError(message, caret=caret, fixes=tuple(fixes), help=help, span=span)
    made.labels.extend(labels)
    return made


def atom(subject: Subject, node: tree.Expression) -> str:
    """The text of an expression, in parentheses where it needs them before a dot or as a factor."""
    text = subject.text(node)
    simple = (tree.Name, tree.Call, tree.Attribute, tree.Subscript, tree.Number)
    return text if isinstance(node, simple) else f"({text})"
