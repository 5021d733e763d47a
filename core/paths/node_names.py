"""The display names of the nodes of a graph, taken from the script.

A node assigned to a variable has its name. If the variable was assigned again or its tensor changed in place,
its values are ``x_0``, ``x_1``, ``x_2``; a leaf stays ``x``. If a loop has assigned the first one too, they
begin with ``x_1``: a value has the number of its turn of the loop in either case. Others have their source
text, with the line if it occurs twice (``x*y (line 7)``), or a number within one line (``x*y (2nd)``). In
loops and inside composite functions they are named by op and operands: ``x_1*y``, ``norm(x)``. If that is
long, they are called ``t1``, ``t2``, ... in the order of execution, and the key of a report says what these
are. No made-up name is a word of the script.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import ChainMap, Counter, defaultdict
from functools import cache, cached_property
from itertools import chain
from operator import attrgetter

from autodiff.core.base.lazy_imports import np
from autodiff.core.base.limits import limits
from autodiff.core.base.source import Source
from autodiff.core.graph.node import Leaf, Node, OpNode
from autodiff.core.report.name_key import NameKey, NameMeaning, ValuesMeaning
from autodiff.core.symbolic.expr import Expr, call, expr_text, infix, name_expr, neg, number_expr, postfix
from autodiff.core.symbolic.literals import ArrayText, entries_text
from autodiff.core.symbolic.op_names import reader_name
from autodiff.core.symbolic.simplify import simplify
from autodiff.core.symbolic.symbol import Symbol, as_symbol, is_custom, symbolic_vjp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence, Set
    from typing import Any

    from autodiff.core.base.source import Span
    from autodiff.core.graph.op import Op
    from autodiff.core.symbolic.named_constants import NamedConstants

#: A longer text is no name for a result; a leaf and the output keep one of up to LONGEST_TEXT characters.
LONGEST_NAME = 28
LONGEST_TEXT = 40
LONGEST_MEANING = 200
#: The entries of an unnamed array stand in a name if they have at most so many characters.
LONGEST_ENTRIES = 12
#: One call of a function in a loop is recognized if it makes at most so many ops.
MOST_OPS = 50
#: Ops that are written as subscripts: ``w[0]``, ``w[1:]``, ``w[[0, 2]]``.
MINUS_ONE = (number_expr(-1), name_expr("-1"))  # as an operand, and as a constant that is a node
SUBSCRIPTS = frozenset(["select", "slice", "part", "index"])
PLAIN_NAME = re.compile(r"[^\W\d]\w*")
#: The letters of short names, the first that is no name of the script.
SHORT_NAMES = "tuvsrq"
PRODUCT_OPERATORS = re.compile(r" ?(\*\*|\*|//|/) ?")
WORDS = re.compile(r"[^\W\d]\w*")
CALL = re.compile(r"[^\W\d][\w.]*(\([^()]*\)|(\[[^\[\]]*\])+)")
#: Ops of the script whose rule is one choice between 0 and the slope that arrives.
SELECTING = ("relu", "hardtanh", "hardshrink", "softshrink", "threshold")
#: Where a script defines functions.
FUNCTIONS = re.compile(r"\bdef |\blambda\b")
PLACES = re.compile(r"(\[[^\[\]]*\])+$")


class SlopeOrigins:
    """For nodes of a recorded backward pass: the node of the script whose rule made them.

    ``names`` are those of the script's nodes. ``starts`` has, in order, the number before the first node that
    each rule made, with the node of the rule.
    """

    def __init__(self, names: NodeNames, starts: Sequence[tuple[int, Node]]) -> None:
        self.names = names
        self.numbers = [number for number, _ in starts]
        self.nodes = [node for _, node in starts]
        self._users: dict[Node, list[Node]] | None = None  # once requested

    def of(self, node: Node) -> Node | None:
        """Return the node whose slope ``node`` is part of; None for a node of the script."""
        at = bisect_left(self.numbers, node.number) - 1
        found = self.nodes[at] if at >= 0 and node.site is None else None
        below = self.names.origins  # of a third derivative: that node is part of a slope itself
        return found if found is None or below is None else below.of(found) or found

    def selection(self, node: Node) -> OpNode | None:
        """The op of the script whose whole rule is that ``node`` passes a slope on or stops it; else None.

        Such an op, as relu, has a sentence and a spelling of its own for that.
        """
        origin = self.of(node)
        if node.op is None or node.op.name != "where" or not isinstance(origin, OpNode):
            return None
        return origin if origin.op.name in SELECTING else None

    def users(self, node: Node) -> Sequence[Node]:
        """The nodes of the script that have ``node`` as an operand."""
        if self._users is None:
            self._users = {}
            for user in self.nodes:
                for below in user.inputs:
                    if below is not None:
                        self._users.setdefault(below, []).append(user)
        return self._users.get(node, ())


class NodeNames:
    """The names of the nodes of one graph. ``order`` are its tracked nodes, newest first.

    ``called`` gives names to nodes that have none in the script, or that are to be shown by another name.
    ``origins`` finds the ops whose slopes nodes of a recorded pass compute. If ``order`` is only a part of a
    graph, ``whole`` has all of its nodes, as in ``order``. ``constants`` are the names of constants,
    with their values: what ``xs[t]`` is in a loop is called ``xs[3]``.
    ``numbers_first`` are variables whose first value is a plain number and so no node: their recorded values
    are numbered from 1.
    """

    def __init__(
        self,
        order: Sequence[Node],
        source: Source,
        called: Mapping[Node, str] | None = None,
        origins: SlopeOrigins | None = None,
        numbers_first: Collection[str] = (),
        whole: Sequence[Node] | None = None,
        constants: Callable[[], Mapping[str, Any]] = dict,
    ) -> None:
        self.source = source
        self._constants = constants
        self._named_constants: NamedConstants | None = None  # once requested
        self._numbers_first = numbers_first
        self.called = called or {}
        self.origins = origins
        nodes = dict.fromkeys(order)
        for node in order:
            nodes.update((below, None) for below in node.inputs if below is not None)
        self._oldest_first = sorted(nodes, key=lambda node: node.number)
        self._whole = whole
        self._root = order[0] if order else None
        self._short: dict[Node, str] = {}  # the names t1, t2, ...
        self._shortened: dict[str, Node] = {}
        #: By the name x_2: its number, the name, the variable and the node, which sort by number.
        self._versioned: dict[str, tuple[int, str, str, Node]] = {}
        self._counted_from: dict[str, int] = {}  # the number of the first value of such a variable
        self._skipped = 0  # numbers of short names that are names of the script
        self._visits: dict[Node, int] | None = None  # once requested
        self._places: dict[Node, str] | None = None  # the places of short names, once requested
        self._last_at_site: set[Node] = set()  # the last node of each span, which gets the source text
        self.of: dict[Node, str] = {}
        self._taken: set[str] = set()
        self._words: set[str] | None = None  # of the script, once requested
        self._reassigned: set[str] = set()
        self._built_exprs: dict[Node, Expr] = {}  # the expressions of built names
        self._first_with_text: dict[str, Node] = {}
        self._text_without_suffix: dict[Node, str] = {}  # of nodes with a suffix; "" if not made yet
        self._repeats: dict[tuple[str, str], int] = {}
        self._same: dict[Node, Node] = {}  # nodes such as 1*a in a recorded pass, which have the name of a
        self._name_assigned()
        self._name_by_text()

    def __getitem__(self, node: Node) -> str:
        return self.of[node]

    def expr(self, node: Node) -> Expr:
        """The name as an expression; a built name as the expression it was built from."""
        node = self._same.get(node, node)
        known = None if node in self._text_without_suffix else self._built_exprs.get(node)
        return known or name_expr(self.of[node])

    def without_suffix(self, node: Node) -> str:
        """The name without the suffix that distinguishes nodes of the same text."""
        node = self._same.get(node, node)
        text = self._text_without_suffix.get(node)
        if text == "":
            text = self._text_without_suffix[node] = self._long_text(node)
        return text or self.of[node]

    def is_passing(self, node: Node) -> bool:
        """Whether a node of a recorded pass only passes its operand on, as ``1*a`` does: it has its name."""
        return node in self._same

    def in_full(self, node: Node) -> str:
        """The name; for a node that only passes its operand on, what it computes: ``1*a``."""
        if node not in self._same or node.op is None:
            return self.of[node]
        return expr_text(self._application(node, node.op), LONGEST_TEXT, limits.digits)

    def short_name(self, node: Node) -> str:
        """A name such as ``t7`` for a node, always the same: the name of a node whose text is long.

        It has another letter where the script has a ``t``: in mathematics ``t7`` is an entry of that.
        """
        known = self._short.get(node)
        if known is None:
            letter = next(filter(self.is_new, SHORT_NAMES), "t")
            number = len(self._short) + self._skipped + 1
            while not self.is_new(f"{letter}{number}"):
                number += 1
                self._skipped += 1
            known = self._short[node] = f"{letter}{number}"
            self._shortened[known] = node
        return known

    def is_short(self, node: Node) -> bool:
        """Whether the node is called ``t7`` or the like."""
        return self.of.get(node) == self._short.get(node, "")

    def visit(self, node: Node) -> int:
        """The number of the node among those of its name and op that the same code made, from 1."""
        if self._visits is None:
            self._visits = dict.fromkeys(self._oldest_first, 0)
            counts = dict.fromkeys(map(kind_of_visit, self._oldest_first), 0)
            for one in self._made_in_order():
                kind = kind_of_visit(one)
                if kind in counts:
                    counts[kind] += 1
                    if one in self._visits:
                        self._visits[one] = counts[kind]
        return self._visits[node]

    def meaning(self, spelled: str) -> NameMeaning | None:
        """What a made-up name stands for; None for any other name."""
        if spelled in self._versioned:
            number, _, variable, node = self._versioned[spelled]
            place, first = f"line {self.line(node)}", self._counted_from[variable]
            return NameMeaning(spelled, place, variable=variable, number=number, first=first)
        if spelled in self._parameters:
            node, line = self._parameters[spelled]
            return NameMeaning(spelled, f"line {line}", self.of[node], self.expr(node))
        short = self._shortened.get(spelled)
        if isinstance(short, Leaf):
            entries = short_constant(short)
            source = self._source_text(short)
            place = f"in {source}, line {self.line(short)}" if source else f"line {self.line(short)}"
            return NameMeaning(spelled, place, entries, name_expr(ArrayText(entries, short.out)))
        if not isinstance(short, OpNode) or short.op is None:
            return None
        expr = self._application(short, short.op, numbered=False)
        return NameMeaning(spelled, self._place(short), expr_text(expr, LONGEST_MEANING, limits.digits), expr)

    def key(self) -> NameKey:
        """The meanings of the made-up names, and of the parameters of functions in texts that are names."""
        both: ChainMap[str, Any] = ChainMap(self._shortened, self._parameters)
        short = both.keys()  # the first still grows
        return NameKey(self.meaning, short, self._versioned.keys(), self._values_meaning)

    @cached_property
    def _parameters(self) -> dict[str, tuple[Node, int | None]]:
        """The nodes that parameters of functions stand for in texts that are names, with the lines of these.

        After ``def f(u): return sqrt(u)`` and ``y = f(x**2)`` a node is called ``sqrt(u)``. Where a
        function is called several times nodes have no such names.
        """
        if not FUNCTIONS.search(self.source.text):
            return {}
        from autodiff.core.symbolic.source_exprs import parse_operation

        found: dict[str, tuple[Node, int | None]] = {}
        for node in self._oldest_first:
            if node not in self._last_at_site or self.of[node] != self._source_text(node):
                continue
            _, operands = parse_operation(self.source_line(node))
            for below, operand in zip(node.inputs, operands, strict=False):
                if below is None or operand is None or operand.head != "name" or below not in self.of:
                    continue
                if operand.value not in (below.name, self.of[below]) and self.is_free(operand.value):
                    found.setdefault(operand.value, (below, self.line(node)))
        return found

    @property
    def versioned(self) -> dict[str, Node]:
        """The single values of variables by their names, such as ``x_2``."""
        return {spelled: node for spelled, (_, _, _, node) in self._versioned.items()}

    def _values_meaning(self, spelled: Set[str]) -> list[ValuesMeaning]:
        """What names of values stand for, by variable."""
        found: defaultdict[str, list[tuple[int, str, str, Node]]] = defaultdict(list)
        for value in map(self._versioned.__getitem__, spelled):
            found[value[2]].append(value)
        meanings = []
        for variable, values in sorted(found.items()):
            by_site = {id(value[3].site): value[3] for value in values}  # a loop makes thousands at one place
            places = {f"line {self.line(node)}" for node in by_site.values()}
            first, last = min(values)[:2], max(values)[:2]
            counted_from = self._counted_from[variable]
            meanings.append(ValuesMeaning(variable, first, last, len(values), places, counted_from))
        return meanings

    def versions(self, variable: str) -> dict[str, Node]:
        """The values of a variable by the names ``x_2`` and so on; empty if it has one value."""
        return {
            spelled: node
            for spelled, (_, _, name, node) in self._versioned.items()
            if PLACES.sub("", name) == variable
        }

    def _place(self, node: OpNode) -> str:
        """The line of a node and its number among the equal ops of the line: ``line 21, 4th add``."""
        if self._places is None:
            self._places = {}
            counts: Counter[tuple[int | None, str]] = Counter()
            shown = set(self._oldest_first)
            called = cache(lambda name: reader_name(name).partition("(")[0])
            for one in self._made_in_order():
                if isinstance(one, OpNode):
                    kind = self.line(one), called(one.op.name)
                    counts[kind] += 1
                    if one in shown:
                        self._places[one] = f"{ordinal(counts[kind])} {kind[1]}"
        line = self.line(node)
        return "in the backward pass" if line is None else f"line {line}, {self._places[node]}"

    def _made_in_order(self) -> Sequence[Node]:
        """The nodes as they were made, of the whole graph if these are the names of a part."""
        if self._whole is None:
            return self._oldest_first
        others = (node for node in self._oldest_first if not node.tracked)
        return sorted([*self._whole, *others], key=attrgetter("number"))

    def quotient(self, above: Node, below: Node, alias: str = "") -> str:
        """A derivative as text: ``dL/dx5``, ``dx5/d(w2*x3)``. ``alias`` replaces the name of ``above``."""
        return f"d{bracketed(alias or self.of[above])}/d{bracketed(self.of[below])}"

    def line(self, node: Node) -> int | None:
        """The line where the node was made."""
        return None if node.site is None else self.source.line_number(node.site.start)

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

    def is_of_later_turn(self, node: Node) -> bool:
        """Whether the node is a value that a loop gave to its variable after the first turn."""
        return self.has_versions(node) and self.visit(node) > 1

    def is_free(self, candidate: str) -> bool:
        """Whether no node has this name."""
        return candidate not in self._taken

    def is_new(self, candidate: str) -> bool:
        """Whether no node has this name, and it is no word of the script either."""
        return candidate not in self._taken and candidate not in self._script_words()

    def _script_words(self) -> set[str]:
        if self._words is None:
            code = re.sub(r"""('[^'\n]*'|"[^"\n]*")|#[^\n]*""", r"\1", self.source.text)  # without comments
            self._words = set(WORDS.findall(code))
        return self._words

    def _name_assigned(self) -> None:
        shown = dict.fromkeys(self._oldest_first)
        others = () if self._whole is None else self._whole
        found = chain(shown, (node for node in others if node.name is not None and node not in shown))
        named = [node for node in found if node.name is not None and node not in self.called]
        values_of: dict[str, list[Node]] = {}
        for node in named if self._whole is None else sorted(named, key=lambda node: node.number):
            values_of.setdefault(node.name or "", []).append(node)
        aliased = {node.name for node in self.called} & set(self._numbers_first)  # of `--of h_3`
        self._reassigned = {name for name, values in values_of.items() if len(values) > 1 or name in aliased}
        for name, values in values_of.items():
            if name not in self._reassigned:
                self._give_unique_name(values[0], name)
                continue
            leaves = sum(isinstance(node, Leaf) for node in values)
            follows_number = name in self._numbers_first and not leaves
            first = 1 if follows_number else first_number(values)
            self._counted_from[name] = 0 if follows_number else first
            stays = leaves == 1 and isinstance(values[0], Leaf)
            used = range(first + stays, first + len(values))
            before, after = version_parts(name, used, self._script_words())
            for number, node in enumerate(values, first):
                if node is values[0] and stays:
                    self._give_unique_name(node, name)
                elif node in shown:
                    spelled = self._give_unique_name(node, f"{before}{number}{after}")
                    self._versioned[spelled] = number, spelled, name, node

    def _name_by_text(self) -> None:
        """Name the remaining nodes, inputs first, so that names can be built from those of inputs."""
        made_at: dict[Span | None, list[Node]] = {}
        for node in self._oldest_first:
            made_at.setdefault(node.site, []).append(node)
        self._last_at_site = {nodes[-1] for nodes in made_at.values() if not is_repeated(nodes)}
        for node in self._oldest_first:
            if node in self.of:
                continue
            if node in self.called:
                self._give_unique_name(node, self.called[node])
                continue
            operand = None if self.origins is None else passed_on(node)
            if operand is not None and operand in self.of:
                self._same[node] = self._same.get(operand, operand)
                self.of[node] = self.of[operand]
                continue
            longest = LONGEST_TEXT if node is self._root or isinstance(node, Leaf) else LONGEST_NAME
            spelled = self._source_text(node, longest) if node in self._last_at_site else ""
            text = spelled = spelled or self._built_name(node, longest)
            if text in self._taken and isinstance(node, OpNode):
                self._text_without_suffix[node] = text
                first = self._first_with_text.get(text)
                if first in self._built_exprs:  # in other names both are written alike
                    self._built_exprs.setdefault(node, self._built_exprs[first])
                spelled = self._with_suffix(text, node)
            elif text:
                self._first_with_text[text] = node
            if not spelled or (len(spelled) > longest and isinstance(node, OpNode)):
                self._text_without_suffix[node] = ""  # that of a part of a long sum is long: made at need
                spelled = self.short_name(node)
            self._give_unique_name(node, spelled)

    def _with_suffix(self, spelled: str, node: Node) -> str:
        """A text that is already the name of another node, with a suffix: the line, a number, or both."""
        line = self.line(node)
        first = self._first_with_text.get(spelled)
        place = "" if line is None or (first is not None and self.line(first) == line) else f"line {line}"
        number = self._repeats[spelled, place] = self._repeats.get((spelled, place), 0 if place else 1) + 1
        return f"{spelled} ({', '.join([place] * bool(place) + [ordinal(number)] * (number > 1))})"

    def _source_text(self, node: Node, longest: int = LONGEST_TEXT) -> str:
        """The node's source text; empty if it is long or contains a variable with several versions."""
        if node.site is None or node.site.end - node.site.start > 4 * LONGEST_TEXT:
            return ""
        spelled = PRODUCT_OPERATORS.sub(r"\1", self.source_line(node))
        if len(spelled) > longest or self._reassigned.intersection(WORDS.findall(spelled)):
            return ""
        return spelled

    def _built_name(self, node: Node, longest: int) -> str:
        """A name built from the op and its operands; empty if that is too long."""
        if isinstance(node, Leaf):
            return short_constant(node)
        assert node.op is not None
        # Of a part of a graph, the inputs of the oldest nodes have no names.
        if any(below is not None and below not in self.of for below in node.inputs):
            return ""
        written = self._application(node, node.op)
        if written.size > longest:
            return ""
        built = expr_text(written, longest + 1, limits.digits)
        if len(built) > longest:
            return ""
        self._built_exprs[node] = written
        return built

    def _long_text(self, node: Node) -> str:
        """The source text of a node without a short name, or its op and place: ``sub in F.normalize(x)``."""
        if node in self._last_at_site and node.site is not None:
            return PRODUCT_OPERATORS.sub(r"\1", self.source_line(node))
        assert node.op is not None
        op = reader_name(node.op.name).partition("(")[0]
        spelled = self._source_text(node) or f"line {self.line(node)}"
        return f"{op} in {'the backward pass' if node.site is None else spelled}"

    def _application(self, node: Node, op: Op, numbered: bool = True) -> Expr:
        """The op applied to the names of its operands, in full or without what numbers equal texts."""
        operands = []
        for index, (below, value) in enumerate(zip(node.inputs, node.operands, strict=True)):
            named = self._named_constant(node, index) if is_unnamed_constant(below) else None
            if named is not None:
                operands.append(named)
            elif below is None:
                operands.append(as_symbol(value).expr)
            else:
                below = self._same.get(below, below)
                operands.append(self._built_exprs.get(below) or name_expr(self._nested_name(below, numbered)))
        if op.name == "mul" and node.site is None and operands[0] in MINUS_ONE:
            return neg(operands[1])
        selecting = None if self.origins is None else self.origins.selection(node)
        if selecting is not None and self.origins is not None:
            below = selecting.inputs[0]
            assert below is not None
            out, operand = (
                Symbol(name_expr(self.origins.names[one]), node.shape) for one in (selecting, below)
            )
            given = Symbol(operands[2], node.shape)
            return simplify(symbolic_vjp(selecting, 0, given, out, (operand,)).expr)
        if op.infix and len(operands) == 2 and not is_custom(op):
            return infix(op.infix, *operands)
        if op.name in SUBSCRIPTS and np.size(node.operands[0]) > 1:
            whole = Symbol(operands[0], np.shape(node.operands[0]))
            written = op(whole, **node.params)
            assert isinstance(written, Symbol)
            return written.expr
        if op.name == "t" or (op.name == "permute" and node.params["dims"] == (1, 0)):
            return postfix(operands[0], ".T")
        return neg(*operands) if op.name == "neg" else call(reader_name(op.name), *operands)

    def _named_constant(self, node: Node, index: int) -> Expr | None:
        """The expression of a constant operand if the script writes it with names, else None."""
        if self._named_constants is None:
            from autodiff.core.symbolic.named_constants import NamedConstants

            self._named_constants = NamedConstants(self._constants())
        return self._named_constants.of_node(node, index, self.source)

    def _nested_name(self, node: Node, numbered: bool) -> str:
        """The name of a node as part of another name. Equal constants are not distinguished there.

        Of a part of a graph, the operands of the oldest nodes have no names and become dots.
        """
        if node.name is None and isinstance(node, Leaf) and not node.tracked and node.out is not None:
            entries = short_constant(node)
            is_long = len(entries) > LONGEST_ENTRIES and np.size(node.out) > 1 and node.site is not None
            return self.short_name(node) if is_long else entries
        if node not in self.of:
            return "..."
        is_phrase = node in self._text_without_suffix and not self.is_short(node)
        spelled = self.of[node] if numbered or not is_phrase else self._text_without_suffix[node]
        return f"({spelled})" if is_phrase and not CALL.fullmatch(spelled) else spelled

    def _give_unique_name(self, node: Node, candidate: str) -> str:
        spelled, version = candidate, 1
        while spelled in self._taken:
            version += 1
            spelled = f"{candidate} ({ordinal(version)})"
        self._taken.add(spelled)
        self.of[node] = spelled
        return spelled


def is_repeated(nodes: Sequence[Node]) -> bool:
    """Whether the ops of one place of the script are those of several turns of a loop or calls.

    Its text, such as ``x[t]``, means another value in each of them. The last two have made the same ops. One
    text that repeats an op, as ``x[0, 1]`` does, goes on with its own result.
    """
    last = nodes[-1].op
    for length in range(1, min(len(nodes) // 2, MOST_OPS) + 1):
        before, turn = nodes[-length - 1], nodes[-length:]
        if before.op is last and [node.op for node in nodes[-2 * length : -length]] == [x.op for x in turn]:
            goes_on = before.name is None and any(before in node.inputs for node in turn)
            if last is not None and (last.infix or not goes_on):
                return True
    return False


def is_unnamed_constant(node: Node | None) -> bool:
    """Whether the node of an operand has neither a gradient nor a name. A plain number has no node."""
    return node is None or (node.name is None and isinstance(node, Leaf) and not node.tracked)


def passed_on(node: Node) -> Node | None:
    """The operand that a node of a recorded pass has the value of, as ``1*a`` and ``a**1`` do; else None."""
    if node.site is not None or node.op is None or node.op.name not in ("mul", "div", "pow"):
        return None
    for one, other in ((1, 0), (0, 1)) if node.op.name == "mul" else ((1, 0),):
        constant, operand = node.inputs[one], node.inputs[other]
        is_constant = constant is None or (isinstance(constant, Leaf) and not constant.tracked)
        if operand is not None and is_constant and operand.shape == node.shape and is_one(node.operands[one]):
            return operand
    return None


def is_one(value: Any) -> bool:
    """Whether a value is the number 1."""
    return bool(value == 1) if isinstance(value, (float, int)) else np.size(value) == 1 and value.item() == 1


def first_number(values: Sequence[Node]) -> int:
    """The number of the first of several values of a variable: 1 if a loop made it as the others, else 0."""
    first = values[0]
    return 1 if any(node.site is first.site for node in values[1:]) else 0


def version_parts(name: str, numbers: range, words: Collection[str]) -> tuple[str, str]:
    """What stands before and after the number in the names of the values of a variable.

    They are ``x_1``, ``x_2``, or ``x_v1``, ``x_v2`` if such a name, or ``x1``, is one of the script's words.

    >>> version_parts("x", range(3), {"x", "L"}), version_parts("x", range(3), {"x", "x2"})
    (('x_', ''), ('x_v', ''))
    >>> version_parts("params[0]", range(3), {"params"})
    ('params_', '[0]')
    """
    base = PLACES.sub("", name)
    word = (WORDS.findall(base) or [""])[-1]
    joint = "_"
    if any(f"{word}{n}" in words or f"{word}_{n}" in words for n in numbers):
        joint = "_v"
        while any(f"{word}{joint}{n}" in words for n in numbers):
            joint += "v"
    return base + joint, name[len(base) :]


def ordinal(number: int) -> str:
    """The ordinal number as text.

    >>> [ordinal(n) for n in (1, 2, 3, 4, 11, 22, 103, 112)]
    ['1st', '2nd', '3rd', '4th', '11th', '22nd', '103rd', '112th']
    """
    ending = "th" if number // 10 % 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def bracketed(spelled: str) -> str:
    """A name as written after the ``d`` of a derivative: in parentheses unless it is a plain variable.

    One that looks like a derivative itself is in them too: ``d(d2f)/dx``.

    >>> [bracketed(name) for name in ("f", "f*x", "df", "d2f", "data", "dx1")]
    ['f', '(f*x)', '(df)', '(d2f)', 'data', 'dx1']
    """
    is_derivative = spelled[:1] == "d" and len(spelled[1:].lstrip("0123456789")) == 1
    return spelled if PLAIN_NAME.fullmatch(spelled) and not is_derivative else f"({spelled})"


def short_constant(leaf: Leaf) -> str:
    """The text of an unnamed leaf: its entries, abbreviated where they are many."""
    if leaf.out.__class__ is float or leaf.out.size == 1:
        return short_number(leaf.out if leaf.out.__class__ is float else leaf.out.item())
    entries = entries_text(leaf.out, 8).replace(".0,", ",").replace(".0]", "]")
    return entries if len(entries) <= LONGEST_TEXT else entries_text(leaf.out, 0)


def short_number(value: Any) -> str:
    return expr_text(number_expr(value), digits=limits.digits)


def kind_of_visit(node: Node) -> tuple[Span | None, str | None, str | None]:
    """What nodes have in common that the same code makes: place, name and op."""
    return node.site, node.name, node.op.name if isinstance(node, OpNode) else None
