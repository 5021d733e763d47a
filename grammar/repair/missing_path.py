"""Explains why no path leads from the output to an input: the graph was left, or a value was not used.

The script has ended by then, so the reasons are read from its text. They hold whichever branches ran: a cut
that the value went through, a name that nothing reads, a name that was assigned again before anything read
it. Whether a branch ran is found out by running the script with a failing expression there.
"""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError, Edit
from autodiff.core.base.source import Span
from autodiff.core.engine.tensor import Tensor
from autodiff.core.fast.tape import existing_node
from autodiff.grammar.help.bindings import DISPLAYS
from autodiff.grammar.help.failure_scene import Scene, called_name, is_method, method_owner
from autodiff.grammar.repair.proposals.graph_cuts import FAILING_CODE, find_cuts
from autodiff.grammar.repair.proposals.recording_switches import is_switch, under_switch
from autodiff.grammar.repair.proposals.value_origins import (
    ValueOrigins,
    called_function,
    parameter_of,
    reads_name,
)
from autodiff.grammar.session.leaf_names import base_name
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.parser import parse_to_first_error
from autodiff.grammar.syntax.walk import children, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from autodiff.core.graph.node import Node
    from autodiff.core.report.cause import Cause
    from autodiff.grammar.session.run import Execution

#: A reason: the text that says what happened, and the place.
Reason = tuple[str, Span]
LONGEST_SHOWN = 50
#: Statements that contain other statements.
BLOCKS = (tree.Script, tree.FunctionDef, tree.For, tree.While, tree.If, tree.With)


def explain_disconnection(
    cause: Cause, wrt: str, output: str, execution: Execution, did_run: Callable[[Edit], bool]
) -> None:
    """Add the reason and its line to a cause of kind ``unconnected``; without a reason it stays as it is.

    ``did_run`` takes an edit that makes the script fail at some place, and returns whether that place ran.
    """
    source = execution.source
    end = Span(len(source.text), len(source.text))
    scene = Scene(AutodiffError(""), end, parse_to_first_error(source), source, [], execution.names)
    reader = NameReads(scene, did_run, execution.positions)
    name = base_name(wrt)
    reason = next(
        (found for find in REASON_FINDERS if (found := find(reader, name, output)) is not None),
        None,
    )
    if reason is not None:
        text, place = reason
        cause.text = f"{cause.text}: {text}"
        cause.line = scene.line(place)


class NameReads:
    """Where the names of a script are read, and which names its functions contain."""

    def __init__(
        self, scene: Scene, did_run: Callable[[Edit], bool], positions: Mapping[Node, Span | None]
    ) -> None:
        self.scene = scene
        self.positions = positions
        self.did_run = did_run
        self.origins = ValueOrigins(scene)
        targets = {id(target) for node in walk(scene.script) for target in bound_targets(node)}
        self.reads: dict[str, list[Any]] = {}
        for node in self.nodes_outside_prints():
            if isinstance(node, tree.Name) and id(node) not in targets:
                self.reads.setdefault(node.id, []).append(node)
        functions = [node for node in walk(scene.script) if isinstance(node, tree.FunctionDef)]
        self.names_in_functions = {
            part.id for made in functions for part in walk(*made.body) if isinstance(part, tree.Name)
        }

    def nodes_outside_prints(self) -> Iterator[Any]:
        """Yield all nodes, except for statements that only print."""
        stack: list[Any] = [self.scene.script]
        while stack:
            node = stack.pop()
            if isinstance(node, tree.ExpressionStatement) and called_name(node.value) == "print":
                continue
            yield node
            stack += children(node)

    def is_read_between(self, name: str, start: int, end: int) -> bool:
        """Whether a name is read between two places, or in a function, which may be called there."""
        return name in self.names_in_functions or any(
            start <= node.span.start < end for node in self.reads.get(name, ())
        )


def bound_targets(node: Any) -> list[Any]:
    """Return the targets that an assignment binds."""
    if not isinstance(node, tree.Assign):
        return []
    return [part for one in node.targets for part in (one.elements if isinstance(one, DISPLAYS) else [one])]


# -- reasons -------------------------------------------------------------------------------------------------


class Branch:
    """Statements or an expression that may not run, with a text about that and an edit that fails there."""

    def __init__(
        self, words: str, place: Span, parts: tuple[Any, ...], failing: Edit, is_loop: bool = False
    ) -> None:
        self.words = words
        self.place = place
        self.parts = parts
        self.failing_edit = failing
        self.is_loop = is_loop

    def holds(self, node: Any) -> bool:
        first, last = self.parts[0].span, self.parts[-1].span
        return bool(first.start <= node.span.start and node.span.end <= last.end)


def optional_branches(scene: Scene) -> Iterator[Branch]:
    """Yield everything that may not run, in the order of the script, outer branches before inner ones."""
    for node in walk(scene.script):
        if isinstance(node, tree.Conditional):
            for part, word in ((node.body, ""), (node.orelse, "else ")):
                failing = Edit(part.span, FAILING_CODE)
                yield Branch(
                    f"`{word}{shortened_text(scene, part)}` was not computed", node.span, (part,), failing
                )
            continue
        if isinstance(node, tree.Boolean):
            for part in node.operands[1:]:
                words = f"`{shortened_text(scene, part)}` was not computed"
                yield Branch(words, node.span, (part,), Edit(part.span, FAILING_CODE))
            continue
        blocks: list[tuple[str, Span, tuple[Any, ...]]] = []
        if isinstance(node, tree.If):
            for at, (test, body) in enumerate(node.branches):
                word = "elif" if at else "if"
                blocks.append((f"the branch under `{word} {shortened_text(scene, test)}`", test.span, body))
            asked = shortened_text(scene, node.branches[0][0])
            blocks.append((f"the else branch of `if {asked}`", node.span, node.orelse))
        elif isinstance(node, tree.For):
            turned = f"for {shortened_text(scene, node.target)} in {shortened_text(scene, node.iterable)}"
            blocks.append((f"the loop `{turned}`", node.span, node.body))
        elif isinstance(node, tree.While):
            blocks.append((f"the loop `while {shortened_text(scene, node.test)}`", node.span, node.body))
        for words, place, body in blocks:
            if body:
                failing = failing_assertion(scene, body[0])
                is_loop = not isinstance(node, tree.If)
                yield Branch(f"{words} did not run", place, tuple(body), failing, is_loop)


def failing_assertion(scene: Scene, statement: Any) -> Edit:
    """Return the edit that puts a failing assertion before a statement."""
    start = statement.span.start
    before = scene.source.text[scene.source.line_start(scene.line(statement.span)) : start]
    return Edit(Span(start, start), "assert False; " if before.strip() else f"assert False\n{before}")


def skipped_branch(reader: NameReads, name: str, output: str) -> Reason | None:
    """Return the branch that did not run and would have connected the input with the output."""
    scene = reader.scene
    made = output_expression(scene, output)
    if made is None or not reader.origins.depends_on(made, name):
        return None
    for branch in optional_branches(scene):
        if not reader.origins.depends_on(made, name, branch) and not reader.did_run(branch.failing_edit):
            return branch.words, branch.place
    return None


def cut_on_path(reader: NameReads, name: str, output: str) -> Reason | None:
    """Return the first cut that ran and that applies to a value made from the input."""
    scene = reader.scene
    made = output_expression(scene, output)
    for cut in [] if made is None else find_cuts(scene, made):
        if not any(reader.origins.depends_on(node, name) for node in nodes_under(scene, cut.node)):
            continue
        may_not_run = any(branch.holds(cut.node) for branch in optional_branches(scene))
        if not may_not_run or reader.did_run(Edit(cut.node.span, FAILING_CODE)):
            return f"{cut.reason}: {shortened_text(scene, cut.node)}", cut.node.span
    return None


def output_expression(scene: Scene, output: str) -> Any:
    """Return the owner of ``backward()`` if it is the output, else the expression assigned to the output."""
    passes = [node for node in walk(scene.script) if is_method(node, "backward")]
    owner = method_owner(passes[-1]) if passes else None
    if isinstance(owner, tree.Name) and scene.values.get(output) is scene.values.get(owner.id):
        return owner
    made = scene.assignments(output)
    return owner if output not in scene.values or not made else made[0].value


def nodes_under(scene: Scene, node: Any) -> list[Any]:
    """Return what a cut applies to: the expression itself, its block, or calls of the decorated function."""
    for one in walk(scene.script):
        if isinstance(one, tree.With) and any(context is node for context, _ in one.items):
            return list(one.body)
        if isinstance(one, tree.ExpressionStatement) and one.value is node:  # set_grad_enabled(False)
            return under_switch(scene, node) if is_switch(scene, node) else [node]
        if isinstance(one, tree.FunctionDef) and any(decorator is node for decorator in one.decorators):
            return [call for call in walk(scene.script) if called_name(call) == one.name]
    return [node]


def size_or_position(reader: NameReads, name: str, output: str) -> Reason | None:
    """Return the first place where an input of whole numbers picks entries, as labels do, or is a size."""
    value = reader.scene.values.get(name)
    node = existing_node(value) if value.__class__ is Tensor else None
    place = None if node is None else reader.positions.get(node)
    if node is None or place is None:
        return None
    shown = shortened_text(reader.scene, tree.Name(place, name))
    if node.shape:
        return f"{name} picks entries in `{shown}`, and a position has no gradient", place
    return f"{name} is a size or a position in `{shown}`, which has no gradient", place


def unread_input(reader: NameReads, name: str, output: str) -> Reason | None:
    """Return the assignment of an input that nothing reads."""
    made = reader.scene.assignments(name)
    if made and not reader.reads.get(name):
        return f"nothing uses {name}", made[0].span
    return None


def unused_argument(reader: NameReads, name: str, output: str) -> Reason | None:
    """Return the function that does not use the input, if the input is only passed to it."""
    scene = reader.scene
    read = reader.reads.get(name, [])
    for call in [node for node in walk(scene.script) if isinstance(node, tree.Call)]:
        made = called_function(scene, call)
        if made is None or len(read) != 1:
            continue
        for at, argument in enumerate(call.arguments):
            parameter = parameter_of(made, call, at)
            if argument.value is read[0] and parameter is not None and not reads_name(made, parameter, None):
                return f"{made.name} does not use its parameter {parameter}", made.span
    return None


def overwritten(reader: NameReads, name: str, output: str) -> Reason | None:
    """Return the second assignment of a name whose first value, made from the input, was never read."""
    scene = reader.scene
    for block in [node for node in walk(scene.script) if isinstance(node, BLOCKS)]:
        made: dict[str, Any] = {}  # by name: the statement that gave it a value made from the input
        for statement in children(block):
            for target in dict.fromkeys(
                one.id for one in bound_targets(statement) if isinstance(one, tree.Name)
            ):
                first = made.pop(target, None)
                if first is not None and not reader.is_read_between(
                    target, first.span.end, statement.span.end
                ):
                    text = f"{target}, made from it in line {scene.line(first.span)},"
                    return f"{text} is given another value before it is used", statement.span
                if reader.origins.depends_on(statement.value, name):
                    made[target] = statement
    return None


def dead_end(reader: NameReads, name: str, output: str) -> Reason | None:
    """Return the assignment of a name that is made from the input and that nothing reads."""
    scene = reader.scene
    for statement in walk(scene.script):
        for target in bound_targets(statement):
            if (
                isinstance(target, tree.Name)
                and target.id not in (output, name)
                and not reader.reads.get(target.id)
                and reader.origins.depends_on(statement.value, name)
            ):
                return f"nothing uses {target.id}, which is made from it", statement.span
    return None


def first_read(reader: NameReads, name: str, output: str) -> Reason | None:
    """Return the first line that reads the input, where nothing better is known."""
    read = sorted(reader.reads.get(name, []), key=lambda node: node.span.start)
    return (f"nothing that was made from it here was used for {output}", read[0].span) if read else None


def shortened_text(scene: Scene, node: Any) -> str:
    text = " ".join(scene.text(node).split())
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 4]} ..."


#: In the order in which they are tried.
REASON_FINDERS = (
    skipped_branch,
    cut_on_path,
    size_or_position,
    unread_input,
    unused_argument,
    overwritten,
    dead_end,
    first_read,
)
