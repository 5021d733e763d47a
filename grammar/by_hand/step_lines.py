"""The lines of a derivation: which derivative each one starts or changes, and which names it uses."""

from __future__ import annotations

import re
from copy import copy

from autodiff.core.base.errors import CompileError, UsageError
from autodiff.core.base.source import Source, Span
from autodiff.grammar.by_hand.evaluate import changed_by
from autodiff.grammar.by_hand.formula import (
    SIGN_TRANSLATION,
    inner_bodies,
    no_right_side,
    root_name,
    simple_statements,
    written_names,
)
from autodiff.grammar.by_hand.inner_names import inner_nodes, outer_names
from autodiff.grammar.by_hand.left_side import (
    DerivativeNames,
    no_derivative,
    split_equation,
    split_members,
)
from autodiff.grammar.by_hand.numbering import is_heading, without_label
from autodiff.grammar.by_hand.paper import as_typed, with_products
from autodiff.grammar.by_hand.paper_brackets import BESIDE
from autodiff.grammar.by_hand.placed_text import PlacedText, joined
from autodiff.grammar.objects.builtins.namespaces import plain_value
from autodiff.grammar.objects.values import UNBOUND
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.parser import parse_to_first_error
from autodiff.grammar.syntax.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

STRING_OR_COMMENT = re.compile(r"""('[^'\n]*'|"[^"\n]*")|#.*""")
#: A text that is a statement, as the ones that describe a file or a function.
LONE_STRING = re.compile(r"""^[ \t]*[rR]?(\"{3}|'{3}).*?\1[ \t]*$""", re.M | re.S)
#: What stands around the rows of ``align`` in LaTeX and before entries of lists; a remark at a row's end.
AROUND_ROWS = re.compile(
    r"\\(?:begin|end)\{(?:align|aligned|enumerate|equation|gather|itemize|split)\*?\}"
    r"|\\item(?![a-zA-Z])(?:\s*\[[^\]]*\])?|&&.*?(?=\\\\|$)"
)
#: Where cases and matrices begin and end, whose rows are none of the derivation's.
INNER_ROWS = re.compile(r"\\(begin|end)\{(?:cases|\w*matrix)\}")
#: A line of LaTeX that is a comment.
REMARK = re.compile(r"^[ \t]*%.*$", re.M)
ROW_END = re.compile(r"\\\\(?:\[[^\]]*\])?")
#: A string; what stands after a name is a prime.
STRING = re.compile(r"""(?<![\w'])'[^']*'|"[^"]*\"""")
#: The beginning of a row that goes on from the row before it; those with an equals sign do anyway.
NEXT_TERM = re.compile(r"\s*&(?:\s|\\q?quad|\\[,;:! ])*(?:[-+*]|\\(?:cdot|times|odot)\b)")
#: A statement with a body, and the parts that continue one.
BLOCK_START = re.compile(r"\s*(?:def|for|while|if|with|class|@)(?![\w.(])|\s*@")
BLOCK_PART = re.compile(r"\s*(?:elif|else)(?!\w)")
#: The body of such a block is read as if it stood alone: a backward pass by hand is often written in one.
WITHOUT_GRAD = re.compile(r"\s*with\s+(?:torch\s*\.\s*)?(?:no_grad|inference_mode)\(\)\s*:\s*$")
BLOCKS = (tree.For, tree.While, tree.If, tree.With)

#: What a line does: it starts a derivative, adds to all of it, changes it otherwise; or is run as it stands.
START, ADDITION, CHANGE, HELPER, BLOCK = "start", "addition", "change", "helper", "block"
#: What a line is that no step needs: a call such as ``cmp("dh", dh, h)``, which changes no name; a heading.
IDLE = "idle"
#: What bounds a gradient that is finished: ``np.clip(dW, -5, 5, out=dW)``, ``dW = dW.clamp(-1, 1)``.
CLIP = "clip"
CLIPS = frozenset(["clip", "clip_", "clamp", "clamp_"])


class Line:
    """A statement of a derivation and the ``number`` of its first line in the file.

    ``key`` is the derivative that it starts or changes, as written, and ``right`` the right side. ``entry``
    is the one entry of it, such as ``dW[0, 1]``, that an assignment gives a value. ``members`` are further
    right sides, as in ``dh == dz*w == 3``. ``binds`` are the names
    that it gives values, ``changes`` those that had one before, ``reads`` those that it reads
    and ``carried`` those that it reads before it binds them.
    """

    __slots__ = (
        *("binds", "carried", "changes", "entry", "key", "kind", "members", "node", "number", "op"),
        *("reads", "right", "statement", "value_node"),
    )

    def __init__(self, kind: str, number: int, statement: PlacedText, node: tree.SyntaxNode | None) -> None:
        self.kind = kind
        self.number = number
        self.statement = statement
        self.key = self.entry = self.op = ""
        self.right: PlacedText | None = None
        self.members: list[PlacedText] = []
        self.reads: set[str] = set()
        self.binds: set[str] = set()
        self.changes: set[str] = set()
        self.carried: set[str] = set()
        #: The value that an assignment gives, as written.
        self.value_node: tree.Expression | None = None
        self.node = node
        if node is not None:
            self.reads = {part.id for part in outer_names(node)}
            find_bindings([node], self)

    def number_of(self, key: str, given: Source) -> int:
        """Return the number of the line that changes a derivative, which may be inside a loop."""
        if self.kind == BLOCK and self.node is not None:
            for one in reversed(simple_statements([self.node])):
                if key in written_names(one):
                    return given.position(self.statement.origin(one.span.start))[0]
        return self.number

    def value(self) -> PlacedText:
        """Return the value of a derivative that begins with this line; raise a UsageError if it cannot."""
        if self.kind == START and self.right is not None:
            return self.right
        if self.kind == ADDITION and self.op in ("+", "-") and self.right is not None:
            sign = "-" if self.op == "-" else ""
            return PlacedText(f"{sign}(", []) + self.right + PlacedText(")", [])
        name = self.key.removeprefix("d")
        raise UsageError(
            f"`{self.key}` is changed before it has a value",
            code="E0610",
            help=(f"begin with a line for all of it, as in {self.key} = zeros_like({name})",),
        )

    def added_to(self, before: PlacedText) -> PlacedText:
        """Return the value of a derivative after this line, from that before it."""
        assert self.right is not None
        if self.op not in ("+", "-"):
            before = PlacedText("(", []) + before + PlacedText(")", [])
        return before + PlacedText(f" {self.op} (", []) + self.right + PlacedText(")", [])

    def change_right(self, change: Callable[[PlacedText], PlacedText]) -> None:
        """Change the right side, in the statement too, and further right sides."""
        assert self.right is not None
        before = self.right.text
        self.right = change(self.right)
        if self.statement.text.endswith(f"{before})"):
            start = len(self.statement.text) - len(before) - 1
            self.statement = self.statement[:start] + self.right + PlacedText(")", [])
        self.members = list(map(change, self.members))

    def take_signs(self, other: Line) -> None:
        """Take the right sides from the same line with signs in products that have none here."""
        if self.right is not None and other.right is not None and BESIDE in self.right.text:
            self.right, self.statement, self.members = other.right, other.statement, other.members

    def as_helper(self) -> Line:
        """Return the same statement as one that is no part of a step."""
        made = copy(self)
        made.kind, made.key = HELPER, ""
        return made

    @property
    def shown(self) -> str:
        """The change in few words: ``[z <= 0] = 0``."""
        text = " ".join(self.statement.text.split())
        return (
            f"the loop of line {self.number}" if self.kind == BLOCK else text.removeprefix(self.key).strip()
        )


def clips(node: tree.SyntaxNode | None) -> bool:
    """Whether an expression is a call that bounds a value."""
    return isinstance(node, tree.Call) and (
        isinstance(node.function, tree.Attribute) and node.function.name in CLIPS
    )


def leave_out_clips(lines: list[Line]) -> None:
    """Let lines be no part of a step that bound a gradient from which no other one is made."""
    for at, line in enumerate(lines):
        value = line.node.value if isinstance(line.node, tree.ExpressionStatement) else line.value_node
        is_begun = any(one.key == line.key for one in lines[:at])
        if line.kind in (START, CHANGE) and clips(value) and is_begun:
            line.kind = CLIP if is_finished(line.key, lines[at + 1 :]) else line.kind


def is_finished(key: str, later: list[Line]) -> bool:
    """Whether no step is made of a gradient in the lines behind it."""
    made = {key}
    for line in later:
        if line.reads & made or line.key == key:
            if line.key or line.kind == BLOCK:
                return False
            made |= line.binds | line.changes
    return True


def find_bindings(body: Collection[tree.SyntaxNode], line: Line) -> None:
    """Enter the names that statements bind and change, in their order."""
    for node in body:
        if isinstance(node, (tree.FunctionDef, tree.ClassDef)):
            line.binds.add(node.name)
            continue
        if isinstance(node, (tree.Import, tree.ImportFrom)):
            line.binds |= {alias or name.partition(".")[0] for name, alias in node.names}
            continue
        inner = inner_bodies(node)
        below = {id(part) for body in inner for statement in body for part in walk(statement)}
        parts = [part for part in walk(node) if id(part) not in below]
        targets: set[str] = set()
        changed: set[str] = set()
        for part in parts:
            if isinstance(part, tree.Assign):
                for target in part.targets:
                    (changed if adds_to(part, target) else targets).update(bound_names(target))
                    changed |= {root_name(target)} if isinstance(target, tree.Subscript) else set()
            elif isinstance(part, tree.AugmentedAssign):
                changed.add(root_name(part.target))
            elif isinstance(part, tree.For):
                targets |= bound_names(part.target)
            else:
                changed.update(map(root_name, changed_by(part)))
        stored = [target for part in parts if isinstance(part, tree.Assign) for target in part.targets]
        written = {id(one) for target in stored for one in bound_nodes(target)}
        written |= {id(part) for part in inner_nodes(node)}
        read = {part.id for part in parts if isinstance(part, tree.Name) and id(part) not in written}
        line.carried |= read - line.binds - (targets if isinstance(node, tree.For) else set())
        line.changes |= changed - line.binds - {""}
        line.binds |= targets - line.changes
        for one in inner:
            find_bindings(one, line)


def bound_names(target: tree.Expression) -> set[str]:
    """Return the names that a target binds; an entry or an attribute binds none."""
    return {one.id for one in bound_nodes(target)}


def bound_nodes(target: tree.Expression) -> Iterator[tree.Name]:
    if isinstance(target, (tree.TupleDisplay, tree.ListDisplay)):
        for one in target.elements:
            yield from bound_nodes(one)
    elif isinstance(target, tree.Starred):
        yield from bound_nodes(target.value)
    elif isinstance(target, tree.Name):
        yield target


def adds_to(node: tree.Assign, target: tree.Expression) -> bool:
    """Whether an assignment is ``dW = dW + ...``, which changes ``dW``."""
    value = node.value
    if not isinstance(target, tree.Name) or not isinstance(value, tree.Binary) or value.op not in ("+", "-"):
        return False
    return any(isinstance(side, tree.Name) and side.id == target.id for side in (value.left, value.right))


# -- from the text ----------------------------------------------------------------------------------


def read_lines(given: Source, derivatives: DerivativeNames, unreadable: dict[int, UsageError]) -> list[Line]:
    """Return the lines of a derivation; enter the errors about those that are none, by their numbers."""
    found: list[Line] = []
    for number, text in logical_lines(given.text):
        try:
            found += read_line(number, text, derivatives)
        except UsageError as error:
            if not BLOCK_START.match(text.text) and is_heading(text.text, derivatives):
                found.append(Line(IDLE, number, text, None))
                continue
            error.source = given if error.span is not None else error.source
            unreadable[number] = error
    return found


def mistake_in(text: PlacedText, error: CompileError) -> UsageError:
    """Return the error about a function or a loop that is not in the language, at its place."""
    made = UsageError(f"--formula: {error.message}", code="E0610", help=error.advice)
    made.caret = error.caret
    if error.span is not None:
        start = text.origin(error.span.start)
        made.span = Span(start, max(text.origin(max(error.span.end - 1, 0)) + 1, start + 1))
    return made


def read_line(number: int, text: PlacedText, derivatives: DerivativeNames) -> Iterator[Line]:
    try:
        body = parse_to_first_error(Source(text.text)).body
    except CompileError as error:
        if BLOCK_START.match(text.text):
            raise mistake_in(text, error) from None
        typed = without_label(as_typed(text, derivatives.words), derivatives, in_list=True)
        if derivatives.with_primes is not None:
            typed = derivatives.with_primes(typed)
        if typed.text != text.text and is_statement(typed):
            yield from read_line(number, typed, derivatives)
        else:  # no statement, as in dL/dw = 2*w, or a mistake on the right
            yield claim(number, typed, derivatives)
        return
    for node in body:
        part = text if len(body) == 1 else text[node.span.start : node.span.end]
        if isinstance(node, tree.ExpressionStatement):
            yield from read_expression(number, part, node, derivatives)
        elif isinstance(node, tree.Assign):
            for target, value in pairs(node):
                left, right = (text[one.span.start : one.span.end] for one in (target, value))
                results = results_of(target, value, derivatives)
                for place, one in results:  # dx, dw = backward(dout) is dx = backward(dout)[0], and so on
                    name = text[one.span.start : one.span.end]
                    result = PlacedText("(", []) + right + PlacedText(f")[{place}]", [])
                    yield read_assignment(number, part, node, one, name, result, derivatives)
                if not results:
                    yield read_assignment(number, part, node, target, left, right, derivatives)
        elif isinstance(node, tree.AugmentedAssign):
            left, right = (text[one.span.start : one.span.end] for one in (node.target, node.value))
            key = root_name(node.target) if isinstance(node.target, tree.Subscript) else left.text
            if key not in derivatives:
                yield Line(HELPER, number, part, node)
                continue
            line = Line(ADDITION if key == left.text else CHANGE, number, part, node)
            line.key, line.op, line.right = key, node.op, right
            yield line
        else:
            yield Line(BLOCK if isinstance(node, BLOCKS) else HELPER, number, part, node)


def is_statement(text: PlacedText) -> bool:
    try:
        parse_to_first_error(Source(text.text))
    except CompileError:
        return False
    return True


def pairs(node: tree.Assign) -> Iterator[tuple[tree.Expression, tree.Expression]]:
    """Yield the targets with their values; tuples of equal length entry by entry."""
    for target in node.targets:
        value = node.value
        if (
            isinstance(target, (tree.TupleDisplay, tree.ListDisplay))
            and isinstance(value, (tree.TupleDisplay, tree.ListDisplay))
            and len(target.elements) == len(value.elements)
        ):
            yield from zip(target.elements, value.elements, strict=True)
        else:
            yield target, value


def results_of(
    target: tree.Expression, value: tree.Expression, derivatives: DerivativeNames
) -> list[tuple[int, tree.Name]]:
    """Return the names that get the results of one call with their places, if some are derivatives.

    A name that the call reads is the last; there are none if it reads several.
    """
    if not isinstance(target, (tree.TupleDisplay, tree.ListDisplay)):
        return []
    names = [one for one in target.elements if isinstance(one, tree.Name)]
    if len(names) < len(target.elements) or all(one.id not in derivatives for one in names):
        return []
    read = {part.id for part in outer_names(value)}
    found = sorted(enumerate(names), key=lambda pair: pair[1].id in read)
    return found if sum(one.id in read for one in names) < 2 else []


def read_assignment(
    number: int,
    part: PlacedText,
    node: tree.Assign,
    target: tree.Expression,
    left: PlacedText,
    right: PlacedText,
    derivatives: DerivativeNames,
) -> Line:
    """Return the line for one target of an assignment."""
    if isinstance(target, (tree.TupleDisplay, tree.ListDisplay)):
        return Line(HELPER, number, part, node)
    key = root_name(target) if isinstance(target, tree.Subscript) else left.text
    right = with_products(right, derivatives.variables)
    statement = left + PlacedText(" = (", []) + right + PlacedText(")", [])
    kind = START if key == left.text else CHANGE
    is_empty_list = isinstance(node.value, tree.ListDisplay) and not node.value.elements
    if is_empty_list or key not in derivatives:  # gradients of layers are put into such a list
        kind = HELPER
    line = Line(kind, number, statement, None)
    line.key, line.right, line.value_node = "" if kind == HELPER else key, right, node.value
    line.reads = {one.id for one in outer_names(node.value)}
    bound = bound_names(target)
    line.binds, line.changes = bound, {root_name(target)} - bound - {""}
    if kind == CHANGE:
        line.entry = left.text if left.text in derivatives else ""
        line.statement = part if len(node.targets) == 1 else statement
    return line


def read_expression(
    number: int, part: PlacedText, node: tree.ExpressionStatement, derivatives: DerivativeNames
) -> Iterator[Line]:
    """Yield the line of an expression: ``dh == dz @ W.T``, or a call that changes a derivative.

    A text changes nothing, and neither does the call of ``print``, or of a function that only the course has.
    ``loss.backward()`` is the script's: it makes nothing that the derivation reads.
    """
    value = node.value
    if isinstance(value, tree.String):
        return
    if isinstance(value, tree.Call) and isinstance(value.function, tree.Attribute):
        given = [one for one in value.arguments if one.keyword is None]
        if value.function.name == "backward" and not given:
            yield Line(IDLE, number, part, node)
            return
    if isinstance(value, tree.Call) and isinstance(value.function, tree.Name):
        name = value.function.id
        if name == "print" or plain_value(name) is UNBOUND:
            yield Line(IDLE, number, part, node)
            return
        yield claim(number, part, derivatives)
        return
    if isinstance(value, tree.Call) and not split_equation(part.text)[1]:
        line = Line(HELPER, number, part, node)
        for key in map(root_name, changed_by(value)):
            if key in derivatives:
                line.kind, line.key = CHANGE, key
        yield line
        return
    yield claim(number, part, derivatives)


def claim(number: int, text: PlacedText, derivatives: DerivativeNames) -> Line:
    """Return the line of an equation that is no statement: ``dL/dh == dz @ W.T``."""
    before, equals, after = split_equation(text.text)
    key = before.strip()
    if not equals:
        raise UsageError(
            f"`{key}` has no left side",
            code="E0610",
            help=("write which derivative it is, as in dh == dz @ W.T",),
        )
    right = text[len(text.text) - len(after) :]
    if key not in derivatives:
        node = assignment_on_paper(key, equals, right, derivatives)
        if node is None:
            raise no_derivative(key)
        left = text[: len(before)].strip()
        return read_assignment(number, text, node, node.targets[0], left, right, derivatives)
    if not after.strip():
        raise no_right_side(key)
    right, *members = split_members(with_products(right, derivatives.variables))
    line = Line(START, number, PlacedText(f"{key} = (", []) + right + PlacedText(")", []), None)
    line.key, line.right, line.members = key, right, members
    line.reads = set(re.findall(r"[^\W\d]\w*", after))
    return line


def assignment_on_paper(
    key: str, equals: str, right: PlacedText, derivatives: DerivativeNames
) -> tree.Assign | None:
    """Return the assignment to a name of the derivation, as in ``r = X w - y``; None for another text."""
    if equals != "=" or not key.isidentifier() or key in derivatives.words:
        return None
    signed = with_products(right, derivatives.variables).text.replace(BESIDE, "*")
    try:
        [node] = parse_to_first_error(Source(f"{key} = ({signed})")).body
    except CompileError:
        return None
    return node if isinstance(node, tree.Assign) else None


def logical_lines(text: str) -> Iterator[tuple[int, PlacedText]]:
    """Yield the statements of a text without comments, each with the number of its first line.

    >>> found = list(logical_lines("dz == (dh  # of tanh\\n  *(1 - h**2))\\n\\ndb == dz"))
    >>> [(number, " ".join(line.text.split())) for number, line in found]
    [(1, 'dz == (dh *(1 - h**2))'), (4, 'db == dz')]
    """
    physical: list[tuple[int, str]] = []
    start = 0
    text = LONE_STRING.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    text = REMARK.sub(lambda found: " " * len(found[0]), text)
    for begin, end in inner_rows(text):
        text = text[:begin] + text[begin:end].replace("\n", " ") + text[end:]
    for line in text.translate(SIGN_TRANSLATION).split("\n"):
        read = STRING_OR_COMMENT.sub(lambda found: found[1] or " " * len(found[0]), line)
        physical.append((start, read))
        start += len(line) + 1
    physical = without_rows(physical)
    at = 0
    while at < len(physical):
        first = at
        at = end_of_statement(physical, at)
        if not physical[first][1].strip() or WITHOUT_GRAD.match(physical[first][1]):
            continue
        indent = indent_of(physical[first][1])
        is_block = BLOCK_START.match(physical[first][1]) is not None
        while is_block and at < len(physical):
            line = physical[at][1]
            is_decorated = physical[first][1].strip()[0] == "@" and BLOCK_START.match(line)
            goes_on = is_decorated or (BLOCK_PART.match(line) and indent_of(line) == indent)
            if line.strip() and indent_of(line) <= indent and not goes_on:
                break
            at = end_of_statement(physical, at)
        parts = [PlacedText(line[indent:], [(0, begins + indent)]) for begins, line in physical[first:at]]
        yield text.count("\n", 0, physical[first][0]) + 1, joined(parts, "\n").strip()


def without_rows(lines: list[tuple[int, str]]) -> list[tuple[int, str]]:
    r"""Return lines in which each row of LaTeX, as in ``dh &= dz*w \\``, is a line without these signs.

    A row that begins with ``& +`` goes on from the row before it.

    >>> without_rows([(0, r"dh &= dz \\ &+ 1 \\")])
    [(0, 'dh  = dz \\'), (11, '  + 1 ')]
    """
    bare = [without_inner_rows(STRING.sub(lambda match: "_" * len(match[0]), line)) for _, line in lines]
    if not any(ROW_END.search(line) or AROUND_ROWS.search(line) for line in bare):
        return lines
    found: list[tuple[int, str]] = []
    for (start, line), searched in zip(lines, bare, strict=True):
        line = AROUND_ROWS.sub(lambda match: " " * len(match[0]), line)
        ends = [(match.start(), match.end()) for match in ROW_END.finditer(searched)]
        for begin, end in zip([0, *(end for _, end in ends)], [*(at for at, _ in ends), None], strict=True):
            row, shown = line[begin:end], without_inner_rows(line)[begin:end]
            if begin and not row.strip():
                continue
            if NEXT_TERM.match(row) and found:
                found[-1] = (found[-1][0], found[-1][1] + "\\")
            columns = "".join(" " if sign == "&" else kept for sign, kept in zip(shown, row, strict=True))
            found.append((start + begin, columns))
    return found


def inner_rows(text: str) -> Iterator[tuple[int, int]]:
    r"""Yield where each ``\begin{cases}`` or matrix begins and ends, without those inside of others."""
    depth = start = 0
    for found in INNER_ROWS.finditer(text):
        start = start if depth else found.start()
        depth += 1 if found[1] == "begin" else -1
        if not depth:
            yield start, found.end()
        depth = max(depth, 0)


def without_inner_rows(text: str) -> str:
    for begin, end in inner_rows(text):
        text = text[:begin] + "_" * (end - begin) + text[end:]
    return text


def end_of_statement(physical: list[tuple[int, str]], at: int) -> int:
    """Return the place after the physical lines that brackets or a backslash join with the one ``at``.

    So are lines that begin with an equals sign. A bracket that no line closes joins none: the mistake is in
    its own line.
    """
    depth = 0
    for place in range(at, len(physical)):
        line = physical[place][1]
        depth += sum(line.count(sign) for sign in "([{") - sum(line.count(sign) for sign in ")]}")
        goes_on = place + 1 < len(physical) and physical[place + 1][1].lstrip().startswith("=")
        if depth <= 0 and not line.rstrip().endswith("\\") and not goes_on:
            return place + 1
    return at + 1 if depth > 0 else len(physical)


def indent_of(line: str) -> int:
    return len(line) - len(line.lstrip())
