"""The display names of the nodes of a graph, taken from the script.

A node assigned to a variable has its name, with a version if the variable was assigned again or its tensor
changed in place (``x``, ``x'2``). Others have their source text, with the line if it occurs twice
(``x*y (line 7)``), or a number within one line (``x*y (2nd)``). A node inside a composite function is named
like a call, ``norm(x)``, or if that is long by its op and place: ``sub in F.normalize(x)``.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter

from autodiff.core.base.limits import limits
from autodiff.core.base.source import Source
from autodiff.core.graph.node import Leaf, Node, OpNode
from autodiff.core.symbolic.expr import Expr, call, expr_text, infix, name_expr, neg, number_expr, postfix
from autodiff.core.symbolic.literals import entries_text
from autodiff.core.symbolic.op_names import reader_name
from autodiff.core.symbolic.symbol import as_symbol, is_custom

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from autodiff.core.base.source import Span
    from autodiff.core.graph.op import Op

    Kind = tuple[Span | None, str | None, str | None]

LONGEST_NAME = 40
PLAIN_NAME = re.compile(r"[^\W\d]\w*(?:'\d+)?")
PRODUCT_OPERATORS = re.compile(r" ?(\*\*|\*|//|/) ?")
WORDS = re.compile(r"[^\W\d]\w*")


class SlopeOrigins:
    """For nodes of a recorded backward pass: the node of the script whose rule made them.

    ``names`` are those of the script's nodes. ``starts`` has, in order, the number before the first node that
    each rule made, with the node of the rule.
    """

    def __init__(self, names: NodeNames, starts: Sequence[tuple[int, Node]]) -> None:
        self.names = names
        self.numbers = [number for number, _ in starts]
        self.nodes = [node for _, node in starts]

    def of(self, node: Node) -> Node | None:
        """Return the node whose slope ``node`` is part of; None for a node of the script."""
        at = bisect_left(self.numbers, node.number) - 1
        found = self.nodes[at] if at >= 0 and node.site is None else None
        below = self.names.origins  # of a third derivative: that node is part of a slope itself
        return found if found is None or below is None else below.of(found) or found


class NodeNames:
    """The names of the nodes of one graph. ``order`` are its tracked nodes, newest first.

    ``called`` gives names to nodes that have none in the script, or that are to be shown by another name.
    ``origins`` finds the ops whose slopes nodes of a recorded pass compute. If ``order`` is only a part of a
    graph, ``versions`` has the versions that the named nodes have in the whole.
    """

    def __init__(
        self,
        order: Sequence[Node],
        source: Source,
        called: Mapping[Node, str] | None = None,
        origins: SlopeOrigins | None = None,
        versions: Mapping[Node, int] | None = None,
    ) -> None:
        self.source = source
        self._versions = versions or {}
        self.called = called or {}
        self.origins = origins
        nodes = dict.fromkeys(order)
        for node in order:
            nodes.update((below, None) for below in node.inputs if below is not None)
        self._oldest_first = sorted(nodes, key=lambda node: node.number)
        self._named_by_place: set[Node] = set()  # nodes named by op and place
        self._last_at_site: set[Node] = set()  # the last node of each span, which gets the source text
        self.of: dict[Node, str] = {}
        self._taken: set[str] = set()
        self._words: set[str] | None = None  # of the script, once requested
        self._reassigned: set[str] = set()
        self._built_exprs: dict[Node, Expr] = {}  # the expressions of built names
        self._first_with_text: dict[str, Node] = {}
        self._text_without_suffix: dict[Node, str] = {}  # nodes with a suffix, and their text without it
        self._repeats: dict[tuple[str, str], int] = {}
        self._repeat_numbers: dict[Node, int] | None = None  # its number within its kind, once requested
        self._counts: Counter[Kind] = Counter()
        self._name_assigned()
        self._name_by_text()

    def __getitem__(self, node: Node) -> str:
        return self.of[node]

    def expr(self, node: Node) -> Expr:
        """The name as an expression; a built name as the expression it was built from."""
        known = None if node in self._text_without_suffix else self._built_exprs.get(node)
        return known or name_expr(self.of[node])

    def without_suffix(self, node: Node) -> str:
        """The name without the suffix that distinguishes nodes of the same text."""
        return self._text_without_suffix.get(node) or self.of[node]

    def which(self, node: Node) -> str:
        """A suffix for sentences that distinguishes nodes of one name: `` (308th time)``, `` (line 3)``.

        Many nodes of one place, made in a loop or function, are counted; only nodes of this graph count. A
        variable assigned in several lines gets the line.
        """
        number = self.visit(node)
        if self._counts[_repeat_key(node)] > 1:
            return f" ({ordinal(number)} time)"
        return f" (line {self.line(node)})" if node.name in self._reassigned else ""

    def visit(self, node: Node) -> int:
        """The number of the node among those of its name and op that the same code made, from 1."""
        if self._repeat_numbers is None:
            self._repeat_numbers, self._counts = {}, Counter()
            for one in self._oldest_first:
                self._counts[_repeat_key(one)] += 1
                self._repeat_numbers[one] = self._counts[_repeat_key(one)]
        return self._repeat_numbers[node]

    def quotient(self, above: Node, below: Node, alias: str = "") -> str:
        """A derivative as text: ``dL/dx5``, ``dx5/d(w2*x3)``. ``alias`` replaces the name of ``above``."""
        return f"d{bracketed(alias or self.of[above])}/d{bracketed(self.of[below])}"

    def line(self, node: Node) -> int | None:
        """The line where the node was made."""
        return None if node.site is None else self.source.position(node.site.start)[0]

    def source_line(self, node: Node) -> str:
        """The source text of the node on one line; empty if the script did not make it."""
        return "" if node.site is None else " ".join(self.source.excerpt(node.site).split())

    @property
    def values(self) -> dict[str, Any]:
        """The values of all variables that were assigned once."""
        return {
            node.name: node.out
            for node in self._oldest_first
            if node.name is not None and node.name not in self._reassigned and node.out is not None
        }

    def place_suffix(self, node: Node) -> str:
        """A suffix with the source text and line of a node: `` in x*f(3) (line 2)``."""
        if node.site is None:
            return ""
        spelled = self._source_text(node)
        return f"{spelled and ' in '}{spelled} (line {self.line(node)})"

    def has_versions(self, node: Node) -> bool:
        """Whether the node is one of several values of its variable."""
        return node.name in self._reassigned

    def is_free(self, candidate: str) -> bool:
        """Whether no node has this name."""
        return candidate not in self._taken

    def is_new(self, candidate: str) -> bool:
        """Whether no node has this name, and it is no word of the script either."""
        if self._words is None:
            self._words = set(WORDS.findall(self.source.text))
        return candidate not in self._taken and candidate not in self._words

    def _name_assigned(self) -> None:
        versions: dict[str, int] = {}
        for node in self._oldest_first:
            if node.name is None or node in self.called:
                continue
            version = self._versions.get(node) or versions.get(node.name, 0) + 1
            versions[node.name] = version
            self._give(node, node.name if version == 1 else f"{node.name}'{version}")
        self._reassigned = {name for name, version in versions.items() if version > 1}

    def _name_by_text(self) -> None:
        """Name the remaining nodes, inputs first, so that names can be built from those of inputs."""
        self._last_at_site = set({node.site: node for node in self._oldest_first}.values())
        for node in self._oldest_first:
            if node in self.of:
                continue
            if node in self.called:
                self._give(node, self.called[node])
                continue
            spelled = self._source_text(node) if node.site is not None and node in self._last_at_site else ""
            built = self._built_name(node)
            spelled = spelled or built
            if spelled in self._taken and isinstance(node, OpNode):
                self._text_without_suffix[node] = spelled
                spelled = self._with_suffix(spelled, node)
            else:
                self._first_with_text[spelled] = node
            self._give(node, spelled)

    def _with_suffix(self, spelled: str, node: Node) -> str:
        """A text that is already the name of another node, with a suffix: the line, a number, or both."""
        line = self.line(node)
        first = self._first_with_text.get(spelled)
        place = "" if line is None or (first is not None and self.line(first) == line) else f"line {line}"
        number = self._repeats[spelled, place] = self._repeats.get((spelled, place), 0 if place else 1) + 1
        return f"{spelled} ({', '.join([place] * bool(place) + [ordinal(number)] * (number > 1))})"

    def _source_text(self, node: Node) -> str:
        """The node's source text; empty if it is long or contains a variable with several versions."""
        assert node.site is not None
        if node.site.end - node.site.start > 4 * LONGEST_NAME:
            return ""
        spelled = PRODUCT_OPERATORS.sub(r"\1", self.source_line(node))
        if len(spelled) > LONGEST_NAME or self._reassigned.intersection(WORDS.findall(spelled)):
            return ""
        return spelled

    def _built_name(self, node: Node) -> str:
        """A name built from the op and its operands, or if that is too long from the op and its place."""
        if isinstance(node, Leaf):
            return short_constant(node)
        assert node.op is not None
        # Of a part of a graph, the inputs of the oldest nodes have no names.
        is_whole = all(below is None or below in self.of for below in node.inputs)
        written = self._application(node, node.op) if is_whole else None
        if written is not None and written.size <= LONGEST_NAME:
            built = expr_text(written, LONGEST_NAME + 1, limits.digits)
            if len(built) <= LONGEST_NAME:
                self._built_exprs[node] = written
                return built
        self._named_by_place.add(node)
        return reader_name(node.op.name).partition("(")[0] + self._inside_suffix(node)

    def _inside_suffix(self, node: Node) -> str:
        """The place of a node without a short name: `` in F.normalize(x)``, or only the line."""
        if node.site is None:
            return " in the backward pass"
        spelled = "" if node in self._last_at_site else self._source_text(node)
        return f" in {spelled}" if spelled else f" in line {self.line(node)}"

    def _application(self, node: Node, op: Op) -> Expr:
        operands = []
        for below, value in zip(node.inputs, node.operands, strict=True):
            if below is None:
                operands.append(as_symbol(value).expr)
            else:
                operands.append(self._built_exprs.get(below) or name_expr(self._nested_name(below)))
        if op.infix and len(operands) == 2 and not is_custom(op):
            return infix(op.infix, *operands)
        if op.name == "t" or (op.name == "permute" and node.params["dims"] == (1, 0)):
            return postfix(operands[0], ".T")
        return neg(*operands) if op.name == "neg" else call(reader_name(op.name), *operands)

    def _nested_name(self, node: Node) -> str:
        """The name of a node as part of another name. Equal constants are not distinguished there."""
        if node.name is None and isinstance(node, Leaf) and not node.tracked and node.out is not None:
            return short_constant(node)
        is_phrase = node in self._text_without_suffix or node in self._named_by_place
        return f"({self.of[node]})" if is_phrase else self.of[node]

    def _give(self, node: Node, candidate: str) -> None:
        spelled, version = candidate, 1
        while spelled in self._taken:
            version += 1
            spelled = f"{candidate}'{version}"
        self._taken.add(spelled)
        self.of[node] = spelled


def _repeat_key(node: Node) -> Kind:
    """The key that is equal for all nodes made by one piece of code that runs repeatedly."""
    return node.site, node.name, node.op.name if isinstance(node, OpNode) else None


def ordinal(number: int) -> str:
    """The ordinal number as text.

    >>> [ordinal(n) for n in (1, 2, 3, 4, 11, 22, 103, 112)]
    ['1st', '2nd', '3rd', '4th', '11th', '22nd', '103rd', '112th']
    """
    ending = "th" if number // 10 % 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def bracketed(spelled: str) -> str:
    """A name as written after the ``d`` of a derivative: in parentheses unless it is a plain variable."""
    return spelled if PLAIN_NAME.fullmatch(spelled) else f"({spelled})"


def short_constant(leaf: Leaf) -> str:
    """The text of an unnamed leaf: its entries, abbreviated where they are many."""
    if leaf.out.__class__ is float or leaf.out.size == 1:
        return short_number(leaf.out if leaf.out.__class__ is float else leaf.out.item())
    entries = entries_text(leaf.out, 8).replace(".0,", ",").replace(".0]", "]")
    return entries if len(entries) <= LONGEST_NAME else entries_text(leaf.out, 0)


def short_number(value: Any) -> str:
    return expr_text(number_expr(value), digits=limits.digits)
