"""Inputs of scripts without tensors that are assigned more than once, as in ``x = 3; x = x + 1; L = x**2``.

Such a number is no leaf: it may be a counter or a sum. Where the output is made of no other input, those it
is made of are the inputs, by their first values. Elsewhere a note names them. Counters and sums of constants
are no inputs.
"""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError, UsageError
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.source import Span
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.node import OpNode
from autodiff.core.graph.topological_order import newest_first
from autodiff.core.paths.node_names import NodeNames
from autodiff.grammar.help.failure_scene import Scene
from autodiff.grammar.objects.runtime import discard_text, discard_warning
from autodiff.grammar.repair.proposals.value_origins import ValueOrigins, assignments_to
from autodiff.grammar.session.assignment_plan import matches_pattern
from autodiff.grammar.session.choose_target import choose_target
from autodiff.grammar.session.leaf_names import join_words
from autodiff.grammar.session.outputs import entries_of, is_output
from autodiff.grammar.session.run import run_once
from autodiff.grammar.session.versions import first_leaf, version_of
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.parser import parse_to_first_error
from autodiff.grammar.syntax.walk import assigned_names, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from autodiff.core.graph.node import Node
    from autodiff.core.report.records import ReportedPass
    from autodiff.grammar.session.run import Execution, Settings

#: What scripts call the result that a training loop makes small, in small letters.
LOSSES = frozenset("loss losses cost error err mse sse mae j l objective energy total_loss".split())
#: Values are not numbered in larger graphs.
MOST_NODES = 100_000
#: The operators by which a constant changes a counter or a sum.
STEPS = ("+", "-", "*", "/")


def with_reassigned_inputs(execution: Execution, settings: Settings) -> Execution:
    """Return a run in which the reassigned numbers are tracked, if the output is made of no other input.

    ``settings.wrt`` names them then. The script has printed before, so this run prints nothing. If it fails,
    as where such a number is an index, or computes another output, the first run is returned. Raises
    UsageError if the lists that ``settings.wrt`` names make the output another one.
    """
    if settings.sets or execution.last_passes.backwards:
        return execution
    if settings.wrt:
        check_lists(execution, settings)
        return execution
    behind = Origins(execution, settings)
    names = [] if any(map(behind.reaches, execution.leaves)) else behind.reassigned_names()
    if not names or is_made_of_counts(execution, settings):
        execution.origins = behind  # the notes ask it again
        return execution
    asked = settings.copy(wrt=names)
    try:
        again = run_once(execution.source, asked, discard_text, discard_warning, execution.script)
    except AutodiffError:
        return execution
    if not has_same_output(execution, again, settings):
        return execution
    settings.wrt = names
    return again


def is_made_of_counts(execution: Execution, settings: Settings) -> bool:
    """Whether the output is made of a number that is also a size or a number of turns: an input as well."""
    if not execution.positions:
        return False
    try:
        root = choose_target(execution, settings).node
    except AutodiffError:
        return False
    return any(node in execution.positions for node in newest_first([root]))


def check_lists(execution: Execution, settings: Settings) -> None:
    """Raise UsageError if an asked list that is changed is another one as an array, as with ``v.sort()``."""
    lists = [
        name
        for name, first in execution.reassigned.items()
        if first is None and name not in execution.list_entries
    ]
    asked = [name for name in lists if any(matches_pattern(name, entry) for entry in settings.wrt)]
    if not asked:
        return
    plain = run_once(execution.source, settings.copy(wrt=[]), discard_text, discard_warning, execution.script)
    if not has_same_output(plain, execution, settings):
        name = asked[0]
        raise UsageError(
            f"--wrt {name}: the script changes `{name}` as a list; with an array it computes another output",
            code="E0603",
            span=execution.scopes.module.first_binding.get(name),
            help=(f"give the input a name of its own, `{name}0`, and write `{name} = list({name}0)`",),
        )


def has_same_output(one: Execution, other: Execution, settings: Settings) -> bool:
    """Whether two runs compute the same numbers, up to rounding, as what ``other`` ends in."""
    values = []
    for execution in (one, other):
        name = settings.of if settings.of is not None and settings.of.isidentifier() else None
        value = execution.last_value if name is None else None
        if not is_output(value):
            value = execution.names.get(name or other.last_assigned or "")
        entries = [part for _, part in entries_of(value, "")]
        values.append([np.ravel(part.data if part.__class__ is Tensor else part) for part in entries])
    return len(values[0]) == len(values[1]) and all(
        x.shape == y.shape and (x.dtype.kind not in "biuf" or np.allclose(x, y, 1e-9, 1e-12, equal_nan=True))
        for x, y in zip(*values, strict=True)
    )


class Origins:
    """Answers which numbers the output of a run is made from, as far as the text shows."""

    __slots__ = ("execution", "origins", "output", "scene")

    def __init__(self, execution: Execution, settings: Settings) -> None:
        source = execution.source
        script = execution.script or parse_to_first_error(source)
        end = Span(len(source.text), len(source.text))
        self.execution = execution
        self.scene = Scene(AutodiffError(""), end, script, source, [], execution.names)
        self.origins = ValueOrigins(self.scene)
        self.output = output_expression(script, execution, settings)

    def reaches(self, name: str) -> bool:
        return self.output is not None and self.origins.depends_on(self.output, name)

    def reassigned_names(self) -> list[str]:
        """Return the reassigned numbers behind the output, as the text shows and not their values.

        A sum or a product is one only if there are no others and constants change it outside branches.
        """
        found = [name for name in self.execution.reassigned if self.reaches(name)]
        found = [name for name in found if not self.is_counter_or_result(name)]
        others = [name for name in found if not self.is_sum(name)]
        return others or [name for name in found if self.is_by_constants(name) and not self.is_output(name)]

    def is_output(self, name: str) -> bool:
        return isinstance(self.output, tree.Name) and self.output.id == name

    def changes(self, name: str) -> list[tuple[Any, Any]]:
        """Return the statements that assign a name after its first value, with what they assign."""
        return sorted(assignments_to(self.scene, name), key=lambda change: change[0].span.start)[1:]

    def is_by_constants(self, name: str) -> bool:
        """Whether only constants change a number, and it is no list that changes in place."""
        changes = self.changes(name)
        is_list = name in self.scene.bindings.entries or not changes
        return not is_list and all(self.is_constant_step(name, *one) for one in changes)

    def is_counter_or_result(self, name: str) -> bool:
        """Whether a number that only constants change is a counter, a step or the output: no input.

        A counter is a whole number that a loop or a branch changes by whole numbers. A step is a number that
        branches change before anything is made of it, beside other inputs, as an entry of a table.
        """
        if not self.is_by_constants(name):
            return False
        changes = self.changes(name)
        nested = [one for one, _ in changes if all(one is not part for part in self.scene.script.body)]
        last, value = changes[-1]
        if self.is_output(name):
            if self.is_growth(name):
                return False
            is_replaced = isinstance(last, tree.Assign) and not names_in(value)
            return bool(nested) or not (is_replaced and self.reads(name))  # else a result was made of it
        if not nested:
            return False
        if isinstance(self.execution.reassigned[name], int) and all(
            is_whole_step(name, *one) for one in changes
        ):
            return True
        loops = [part for part in walk(self.scene.script) if isinstance(part, (tree.For, tree.While))]
        in_loop = any(one is part for loop in loops for part in walk(loop) for one in nested)
        is_read_before = any(read.span.start < last.span.start for read in self.reads(name))
        return bool(self.execution.leaves) and not in_loop and not is_read_before

    def is_growth(self, name: str) -> bool:
        """Whether a number, not 0 or 1, is only multiplied and divided, and not by whole numbers alone."""
        first, changes = self.execution.reassigned[name], self.changes(name)
        return (
            first not in (None, 0, 1)
            and all(self.is_step_of(name, ("*", "/"), *one) for one in changes)
            and not (isinstance(first, int) and all(is_whole_step(name, *one) for one in changes))
        )

    def is_sum(self, name: str) -> bool:
        """Whether a number starts at 0 and is only added to, or at 1 and is only multiplied or divided."""
        first = self.execution.reassigned[name]
        signs = ("+", "-") if first == 0 else ("*", "/") if first == 1 else ()
        return bool(signs) and all(self.is_step_of(name, signs, *one) for one in self.changes(name))

    def is_step_of(self, name: str, signs: tuple[str, ...], statement: Any, value: Any) -> bool:
        """Whether a statement changes a number by one of the operators, by what is not made of it."""
        if isinstance(statement, tree.AugmentedAssign):
            return statement.op in signs and not self.origins.depends_on(value, name)
        if not isinstance(value, tree.Binary) or value.op not in signs:
            return False
        if is_name(value.left, name):
            return not self.origins.depends_on(value.right, name)
        is_either_way = value.op in ("+", "*") and is_name(value.right, name)
        return is_either_way and not self.origins.depends_on(value.left, name)

    def is_constant_step(self, name: str, statement: Any, value: Any) -> bool:
        """Whether a statement gives a number a constant, or adds one, or multiplies by one."""
        known = {*self.execution.leaves, *self.execution.reassigned} - {name}
        if any(self.origins.depends_on(value, other) for other in known):
            return False
        count = names_in(value).count(name)
        if isinstance(statement, tree.AugmentedAssign):
            return count == 0 and statement.op in STEPS
        if count == 0:
            return True
        return (
            count == 1
            and isinstance(value, tree.Binary)
            and value.op in STEPS
            and (is_name(value.left, name) or is_name(value.right, name))
        )

    def reads(self, name: str) -> list[tree.Name]:
        """Return where something else is made of a number."""
        bindings = self.scene.bindings
        return [
            part
            for other in {*bindings.assigned, *bindings.shared} - {name}
            for _, value in assignments_to(self.scene, other)
            for part in walk(value)
            if isinstance(part, tree.Name) and part.id == name
        ]


def is_name(node: Any, name: str) -> bool:
    return isinstance(node, tree.Name) and node.id == name


def is_whole_step(name: str, statement: Any, value: Any) -> bool:
    """Whether a statement adds a whole number to a name, or multiplies it by one."""
    if isinstance(statement, tree.AugmentedAssign):
        return statement.op in ("+", "-", "*") and is_whole(value)
    return (
        isinstance(value, tree.Binary)
        and value.op in ("+", "-", "*")
        and (is_name(value.left, name) or is_name(value.right, name))
        and (is_whole(value.left) or is_whole(value.right))
    )


def is_whole(node: Any) -> bool:
    return isinstance(node, tree.Number) and isinstance(node.value, int)


def names_in(node: Any) -> list[str]:
    return [part.id for part in walk(node) if isinstance(part, tree.Name)]


def output_expression(script: tree.Script, execution: Execution, settings: Settings) -> Any:
    """Return the expression of the output as the text says it; None if no statement has one."""
    if settings.of is not None and settings.of.isidentifier():
        return tree.Name(Span(0, 0), version_of(settings.of, execution.scopes.module.slots) or settings.of)
    last = script.body[-1] if script.body else None
    if isinstance(last, tree.ExpressionStatement) and not is_print(last.value):
        return last.value
    name = execution.last_assigned
    if name is not None:
        return tree.Name(Span(0, 0), name)
    return max(assigned_names(script), key=lambda name: name.span.start, default=None)


def is_print(node: Any) -> bool:
    return (
        isinstance(node, tree.Call) and isinstance(node.function, tree.Name) and node.function.id == "print"
    )


def reassigned_notes(
    execution: Execution, settings: Settings, subject: ReportedPass, is_asked: bool
) -> Iterator[str]:
    """Yield notes on names assigned again: which value of an input the slope is by, or that it is no input.

    A note says how to ask for the slope by the last value, which the gradients of training by hand are.
    With tensors only the names that ``--wrt`` asks for are told: marked leaves are meant as such.
    """
    if not execution.without_tensors:
        if is_asked:
            for name, node in subject.wrt:
                if execution.scopes.module.assignment_count(name) > 1:
                    yield from tensor_meant(name, node, execution, subject)
        return
    inputs = dict(subject.wrt)
    seen = set()
    for name in dict.fromkeys([*execution.reassigned, *execution.first_leaves, *inputs]):
        entries = [place for place, _ in execution.list_entries.get(name, ()) if place in inputs]
        if name in inputs or entries:
            seen.add(name)
            yield from value_meant(name, inputs[name if name in inputs else entries[0]], execution, subject)
    if is_asked or execution.chosen:
        return
    behind = execution.origins or Origins(execution, settings)
    groups: dict[tuple[str, str], list[str]] = {}
    for name in behind.reassigned_names():
        if name not in seen:
            is_replaced = any(not names_in(value) for _, value in behind.changes(name))
            which = "the first of its values that the output is made of" if is_replaced else "its first value"
            is_changed = execution.scopes.module.assignment_count(name) == 1
            what = "changed" if is_changed else "assigned more than once"
            slopes = "slopes by its first entries" if is_changed else f"slope by {which}"
            groups.setdefault((what, slopes), []).append(name)
    for (what, slopes), names in groups.items():
        if len(names) == 1:
            yield f"`{names[0]}` is {what}, so it is not listed: --wrt {names[0]} gives the {slopes}"
        else:
            listed = join_words([f"`{name}`" for name in names])
            asked = ",".join(names)
            one_by_one = (
                slopes.replace("slope by", "slopes by")
                .replace("its first value", "their first values")
                .replace(" its ", " their ")
            )
            yield f"{listed} are {what}, so they are not listed: --wrt {asked} gives the {one_by_one}"
    yield from training_notes(execution, settings, subject)


def value_meant(name: str, node: Node, execution: Execution, subject: ReportedPass) -> Iterator[str]:
    """Yield the note that says which value of a name the slope is by, if it has several."""
    assigned = execution.scopes.module.assignment_count(name)
    line, _ = execution.source.position(
        execution.first_offset(name) if node.site is None else node.site.start
    )
    if name in execution.list_entries or (name in execution.reassigned and assigned == 1):
        yield f"`{name}` is changed: the slopes are those by its entries of line {line}"
    elif name in execution.reassigned or name in execution.first_leaves:
        what = "assigned more than once" if assigned > 1 else "changed"
        last = last_value(name, node, execution, subject)
        yield f"`{name}` is {what}: the slope is that by its value of line {line}{last}"
    elif assigned > 1:
        yield from tensor_meant(name, node, execution, subject)


def last_value(name: str, node: Node, execution: Execution, subject: ReportedPass) -> str:
    """Return how to ask for the slope by the last value of a name; empty if ``node`` is that value."""
    values = versions_of(name, subject.root, execution)
    last = last_version(name, subject.root, execution)
    if last is None or last[1] is node:
        return ""
    own = execution.names.get(name)
    is_output = subject.root in values.values() or (own.__class__ is Tensor and own.node is subject.root)
    where = " before the output" if is_output else ""
    return f"; --wrt {last[0]} gives that by the last one{where}, of line {line_of(last[1], execution)}"


def tensor_meant(name: str, node: Node, execution: Execution, subject: ReportedPass) -> Iterator[str]:
    """Yield the note that says which of a tensor's values its name means, if there are several."""
    values = versions_of(name, subject.root, execution)
    if not values:
        return
    line = line_of(node, execution)
    if node not in values.values():
        which = f"value of line {line}{last_value(name, node, execution, subject)}"
    elif not last_value(name, node, execution, subject):
        which = f"last value, of line {line}"
        first = first_leaf(name, execution, newest_first([subject.root]))
        if first is not None:
            which += f"; --wrt {name}_0 gives that by its first, of line {line_of(first, execution)}"
    else:
        return
    yield f"`{name}` is assigned more than once: the slope is that by its {which}"


def line_of(node: Node, execution: Execution) -> int:
    return execution.source.position(0 if node.site is None else node.site.start)[0]


def last_version(name: str, root: Node, execution: Execution) -> tuple[str, Node] | None:
    """Return the last of several values of a name that ``root`` is made of, with what reports call it."""
    values = versions_of(name, root, execution).items()
    return next((one for one in reversed(values) if one[1] is not root), None)


def versions_of(name: str, root: Node, execution: Execution) -> dict[str, Node]:
    """Return the computed values of a name in the graph of ``root`` by what reports call them, oldest first.

    It is empty if there is only one value, or if the graph is large.
    """
    order = newest_first([root])
    if len(order) > MOST_NODES:
        return {}
    return NodeNames(order, execution.source, numbers_first=execution.first_numbers).versions(name)


def training_notes(execution: Execution, settings: Settings, subject: ReportedPass) -> Iterator[str]:
    """Yield the note on a script that ends in a training loop: how to ask for the gradients of the last turn.

    The last turn computes the gradient of the loss by the weights that the turn before has left.
    """
    output, loop = subject.name, execution.last_loop
    if loop is None:
        return
    changed = dict.fromkeys(
        name.id for name in sorted(assigned_names(*loop.body), key=lambda n: n.span.start)
    )
    weights = [name for name in changed if execution.first_offset(name) < loop.span.start]
    losses = [
        name
        for name in changed
        if name.lower() in LOSSES and name not in weights and is_number(execution.names.get(name))
    ]
    if output in weights and settings.of is None:
        losses = losses[:1]
    else:
        losses = [name for name in losses if name == output]
    for name in losses:
        loss = execution.names[name].node
        lasts = [found[0] for one in weights if (found := last_version(one, loss, execution)) is not None]
        if lasts:
            asked = f"--wrt {','.join(lasts)}" if name == output else f"--of {name} --wrt {','.join(lasts)}"
            slopes = "slope" if len(lasts) == 1 else "slopes"
            yield f"{asked} gives the {slopes} of `{name}` in the last turn of the loop"


def is_number(value: Any) -> bool:
    """Whether a value is a result of one number."""
    return value.__class__ is Tensor and value.entry_count == 1 and isinstance(value.node, OpNode)
