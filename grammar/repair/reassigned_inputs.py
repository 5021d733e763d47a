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
from autodiff.grammar.help.failure_scene import Scene
from autodiff.grammar.objects.runtime import discard_text, discard_warning
from autodiff.grammar.repair.proposals.value_origins import ValueOrigins, assignments_to
from autodiff.grammar.session.assignment_plan import matches_pattern
from autodiff.grammar.session.outputs import entries_of, is_output
from autodiff.grammar.session.run import run_once
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.parser import parse_to_first_error
from autodiff.grammar.syntax.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from autodiff.core.report.records import ReportedPass
    from autodiff.grammar.session.run import Execution, Settings

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
    if not names:
        return execution
    asked = settings.copy(wrt=names)
    try:
        again = run_once(execution.source, asked, discard_text, discard_warning)
    except AutodiffError:
        return execution
    if not has_same_output(execution, again, settings):
        return execution
    settings.wrt = names
    return again


def check_lists(execution: Execution, settings: Settings) -> None:
    """Raise UsageError if an asked list that is changed is another one as an array, as with ``v.sort()``."""
    lists = [name for name, first in execution.reassigned.items() if first is None]
    asked = [name for name in lists if any(matches_pattern(name, entry) for entry in settings.wrt)]
    if not asked:
        return
    plain = run_once(execution.source, settings.copy(wrt=[]), discard_text, discard_warning)
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
    """Answers which numbers the output of a run is made from, as far as the text tells."""

    __slots__ = ("execution", "origins", "output", "scene")

    def __init__(self, execution: Execution, settings: Settings) -> None:
        source = execution.source
        script = parse_to_first_error(source)
        end = Span(len(source.text), len(source.text))
        self.execution = execution
        self.scene = Scene(AutodiffError(""), end, script, source, [], execution.names)
        self.origins = ValueOrigins(self.scene)
        self.output = output_expression(script, execution, settings)

    def reaches(self, name: str) -> bool:
        return self.output is not None and self.origins.depends_on(self.output, name)

    def reassigned_names(self) -> list[str]:
        """Return the reassigned numbers behind the output.

        Those that begin with 0 or 1 are mostly sums, products and counters, and count if there are no others.
        """
        first = self.execution.reassigned
        found = [name for name in first if self.reaches(name) and not self.is_count(name)]
        return [name for name in found if first[name] not in (0, 1)] or found

    def is_count(self, name: str) -> bool:
        """Whether a number is a counter or a sum of constants, whose first value is no input.

        Only constants change it, and it is the output, or a branch or a loop changes it.
        """
        changes = sorted(assignments_to(self.scene, name), key=lambda change: change[0].span.start)[1:]
        if name in self.scene.bindings.entries or not all(
            self.is_by_constants(name, *one) for one in changes
        ):
            return False
        script = self.scene.script
        if any(all(one is not part for part in script.body) for one, _ in changes):
            return True
        if not (isinstance(self.output, tree.Name) and self.output.id == name):
            return False
        last, value = changes[-1]
        is_replaced = isinstance(last, tree.Assign) and not names_in(value)
        return not (is_replaced and self.is_read(name))  # else a result was made of it before

    def is_by_constants(self, name: str, statement: Any, value: Any) -> bool:
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
            and any(isinstance(side, tree.Name) and side.id == name for side in (value.left, value.right))
        )

    def is_read(self, name: str) -> bool:
        """Whether something else is made of a number."""
        bindings = self.scene.bindings
        return any(
            name in names_in(value)
            for other in {*bindings.assigned, *bindings.shared} - {name}
            for _, value in assignments_to(self.scene, other)
        )


def names_in(node: Any) -> list[str]:
    return [part.id for part in walk(node) if isinstance(part, tree.Name)]


def output_expression(script: tree.Script, execution: Execution, settings: Settings) -> Any:
    """Return the expression of the output as the text says it; None if no statement has one."""
    if settings.of is not None and settings.of.isidentifier():
        return tree.Name(Span(0, 0), settings.of)
    last = script.body[-1] if script.body else None
    if isinstance(last, tree.ExpressionStatement) and not is_print(last.value):
        return last.value
    name = execution.last_assigned
    if name is not None:
        return tree.Name(Span(0, 0), name)
    assigned = [
        target
        for node in walk(script)
        if isinstance(node, (tree.Assign, tree.AugmentedAssign))
        for part in (node.targets if isinstance(node, tree.Assign) else [node.target])
        for target in walk(part)
        if isinstance(target, tree.Name)
    ]
    return max(assigned, key=lambda name: name.span.start, default=None)


def is_print(node: Any) -> bool:
    return (
        isinstance(node, tree.Call) and isinstance(node.function, tree.Name) and node.function.id == "print"
    )


def reassigned_notes(
    execution: Execution, settings: Settings, subject: ReportedPass, is_asked: bool
) -> Iterator[str]:
    """Yield notes on reassigned numbers: which value of an input the slope is by, or that it is no input."""
    inputs = dict(subject.wrt)
    for name in execution.reassigned:
        if name in inputs:
            site = inputs[name].site
            line, _ = execution.source.position(execution.first_offset(name) if site is None else site.start)
            yield f"`{name}` is assigned more than once: the slope is that by its value of line {line}"
    if is_asked:
        return
    for name in Origins(execution, settings).reassigned_names():
        if name not in inputs and execution.reassigned[name] not in (0, 1):
            yield (
                f"`{name}` is assigned more than once, so it is not listed:"
                f" --wrt {name} gives the slope by its first value"
            )
