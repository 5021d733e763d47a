"""Explains why a script without ``backward()`` left nothing to differentiate: where the graph was left.

A failed ``backward()`` is explained at the point of failure. Here the script has ended, so its names have
their final values. A repair holds if the repaired script leaves something to differentiate.
"""

from __future__ import annotations

from itertools import count

from autodiff.core.base.errors import AutodiffError, Edit, Fix, GradientError
from autodiff.core.base.source import Source, Span
from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.help.failure_scene import Scene
from autodiff.grammar.objects.runtime import discard_text, discard_warning
from autodiff.grammar.repair.constant_output import constant_reason, is_step
from autodiff.grammar.repair.noted_draws import used_draws
from autodiff.grammar.repair.proposals.graph_cuts import (
    ARRAY_REASON,
    NUMBER_REASON,
    drop_unrun_cuts,
    explain_cuts,
    find_cuts,
)
from autodiff.grammar.repair.proposals.value_origins import ValueOrigins, gradient_names
from autodiff.grammar.session.assignment_plan import matches_pattern, top_level_assignments
from autodiff.grammar.session.choose_target import WITHOUT_INPUT, ConstantOutputError, choose_target
from autodiff.grammar.session.inputs import default_inputs
from autodiff.grammar.session.leaf_names import base_name, join_words
from autodiff.grammar.session.number_expressions import is_literal_number
from autodiff.grammar.session.outputs import is_output
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.parser import parse_to_first_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.grammar.session.run import Execution, Settings


def explain_missing_target(error: ConstantOutputError, execution: Execution, settings: Settings) -> str:
    """Return why the target is a constant of slope 0; or complete the error, and return "".

    The error points at the cut on the way to the target, such as ``.item()``.
    """
    source = execution.source
    end = Span(len(source.text), len(source.text))
    scene = Scene(error, end, parse_to_first_error(source), source, [], execution.names)
    target = target_expression(scene, execution, settings)
    if not execution.without_tensors:
        scene.leading = gradient_names(scene, input_names(execution, settings))
    found = [] if target is None else find_cuts(scene, target)
    steps = [cut for cut in found if is_step(scene, cut)] if execution.without_tensors else []
    if len(steps) == len(found):
        if execution.first_leaves:  # the first values are inputs, and may take no part
            reason = constant_reason(error, scene, target, steps, execution, settings)
            if reason:
                return reason
        if target is not None and execution.without_tensors:
            explain_reassigned_number(error, scene, target, execution, settings)
        reason = constant_reason(error, scene, target, steps, execution, settings)
        if not reason and execution.without_tensors:
            name_drawn_arrays(error, scene, target, execution)
        return reason
    scene.span = error.span = target.span
    others = tuple(text for text in error.help if "--of" in text)
    said = error.caret
    proposed = list(explain_cuts(scene, found))
    name = settings.of or execution.last_assigned
    is_named = name is not None and any(node.value is target for node in scene.assignments(name))
    here = [cut.reason for cut in found if cut.node.span == target.span]
    if is_named and name is not None and execution.names[name].__class__ is not Tensor:
        error.caret = here[0] if here and here[0] not in (NUMBER_REASON, ARRAY_REASON) else said
    elif here:
        error.caret = here[0]
    elif is_named:
        error.caret = f"the graph was left on the way to `{name}`"
    error.fixes = tuple(
        drop_unrun_cuts(fix, error, lambda other: leaves_a_target(other, source, settings))
        for fix in proposed
        if leaves_a_target(fix, source, settings)
    )
    error.help = (*others, *error.help)
    return ""


def explain_reassigned_number(
    error: GradientError, scene: Scene, target: Any, execution: Execution, settings: Settings
) -> None:
    """Say which number is no input because it is assigned again, if the target depends on one."""
    names = execution.scopes
    origins = ValueOrigins(scene)
    for name, value in sorted(top_level_assignments(scene.script.body), key=begins_sum):
        is_list = isinstance(value, tree.ListDisplay)
        is_input = names.module.assignment_count(name.id) == 1 and not (is_list and name.id in names.changed)
        if value is None or not is_literal_number(value, scene.source, names) or is_input:
            continue
        if not (value is target or origins.depends_on(target, name.id)):
            continue
        output = settings.of or execution.last_assigned
        if output == name.id and begins_sum((name, value)):
            continue  # the derivative of a sum by the 0 that it begins with is not meant
        about = "" if output == name.id else f"`{output}` is made from plain numbers: "
        what = (
            "changed, and a list is an input only where nothing changes it"
            if is_list
            else "assigned more than once, and a number is an input only where it is assigned once"
        )
        error.caret = f"{about}`{name.id}` is {what}"
        own = next(made for at in count() if (made := f"{name.id}{at}") not in names.module.slots)
        text, again = scene.text(value), f"list({own})" if is_list else own
        fix = Fix(
            f"give the input a name of its own: {own} = {text}, and {name.id} = {again}",
            Edit(value.span, f"{text}\n{name.id} = {again}"),
            Edit(name.span, own),
        )
        error.fixes = tuple(one for one in [fix] if leaves_a_target(one, scene.source, settings))
        error.help = tuple(text for text in error.help if "--of" in text)
        asked = settings.copy(wrt=[name.id])
        if output != name.id and not is_list and has_target(scene.source, asked):
            error.help += (f"--wrt {name.id} gives the slope by its first value",)
        return
    if not error.help:
        error.help = ("give a number that it is made of a name, as in `x = 2.0`, or name another --of",)


def begins_sum(assigned: tuple[tree.Name, tree.Expression | None]) -> bool:
    """Whether a name gets 0 or 1, as sums and products do first: another number is more likely an input."""
    value = assigned[1]
    return isinstance(value, tree.Number) and value.value in (0, 1)


def name_drawn_arrays(error: ConstantOutputError, scene: Scene, target: Any, execution: Execution) -> None:
    """Complete the help of a script without an input by the arrays that could be one."""
    used = used_draws(scene, target, execution)
    if not used or not any(text.startswith(WITHOUT_INPUT) for text in error.help):
        return
    what = join_words([f"`{name.id}` of line {scene.line(name.span)}" for name in used])
    asked = f"--wrt {','.join(name.id for name in used)} takes {what} as input"
    others = tuple(text for text in error.help if not text.startswith(WITHOUT_INPUT))
    error.help = (f"{WITHOUT_INPUT}: {asked}", *others)


def input_names(execution: Execution, settings: Settings) -> list[str]:
    """Return the names that the report would be by: those of ``--wrt``, else the inputs in variables."""
    if settings.wrt:
        return [name for name in execution.names for entry in settings.wrt if matches_pattern(name, entry)]
    return [base_name(name) for name, _ in default_inputs(execution, [])]


def target_expression(scene: Scene, execution: Execution, settings: Settings) -> Any:
    """Return the expression that gave the target its value; None if no statement is found."""
    name = settings.of or execution.last_assigned
    is_named = settings.of is not None and settings.of.isidentifier()  # else `--of` is the script's last line
    if not is_named and is_output(execution.last_value):
        last = scene.script.body[-1]
        assert isinstance(last, tree.ExpressionStatement)
        if not isinstance(last.value, tree.Name):
            return last.value
        name = last.value.id
    made = scene.assignments(name) if name else []
    return made[0].value if made else None


def leaves_a_target(fix: Fix, source: Source, settings: Settings) -> bool:
    """Whether the repaired script runs and leaves something to differentiate."""
    return has_target(Source(fix.apply(source.text), source.name), settings)


def has_target(source: Source, settings: Settings) -> bool:
    """Whether a script runs and leaves something to differentiate."""
    from autodiff.grammar.session.run import run_once

    try:
        choose_target(run_once(source, settings, discard_text, discard_warning), settings)
    except AutodiffError:
        return False
    return True
