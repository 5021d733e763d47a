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
from autodiff.grammar.objects.runtime import ignore, ignore_warning
from autodiff.grammar.repair.proposals.connected import explain_cuts, narrowed
from autodiff.grammar.repair.proposals.cuts import A_NUMBER, AN_ARRAY, cuts
from autodiff.grammar.repair.proposals.origins import Origins
from autodiff.grammar.session.leaves import assignments, is_written_number
from autodiff.grammar.session.target import choose_target, name_assigned_last
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.parser import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.grammar.session.run import Execution, Settings


def explain_lost(error: GradientError, execution: Execution, settings: Settings) -> None:
    """Point at the cut on the way to the target; an error without such a cut stays as it is."""
    source = execution.source
    end = Span(len(source.text), len(source.text))
    scene = Scene(error, end, read(source), source, [], execution.names)
    target = made_last(scene, execution, settings)
    found = [] if target is None else cuts(scene, target)
    if not found:
        if target is not None and execution.without_tensors:
            explain_numbers(error, scene, target, execution, settings)
        return
    scene.span = error.span = target.span
    others = tuple(text for text in error.help if "--of" in text)
    said = error.caret
    proposed = list(explain_cuts(scene, found))
    name = settings.of or name_assigned_last(execution)
    is_named = name is not None and any(node.value is target for node in scene.assignments(name))
    here = [cut.why for cut in found if cut.node.span == target.span]
    if is_named and name is not None and execution.names[name].__class__ is not Tensor:
        error.caret = here[0] if here and here[0] not in (A_NUMBER, AN_ARRAY) else said
    elif here:
        error.caret = here[0]
    elif is_named:
        error.caret = f"the graph was left on the way to `{name}`"
    error.fixes = tuple(
        narrowed(fix, error, lambda other: leaves_a_target(other, source, settings))
        for fix in proposed
        if leaves_a_target(fix, source, settings)
    )
    error.help = (*others, *error.help)


def explain_numbers(
    error: GradientError, scene: Scene, target: Any, execution: Execution, settings: Settings
) -> None:
    """Say which number is no input because it is assigned again, if the target depends on one."""
    names = execution.scopes
    origins = Origins(scene)
    for name, value in assignments(scene.script.body):
        if value is None or not is_written_number(value, names) or names.module.writes[name.id] == 1:
            continue
        if not (value is target or origins.comes_from(target, name.id)):
            continue
        output = settings.of or name_assigned_last(execution)
        about = "" if output == name.id else f"`{output}` is made from plain numbers: "
        error.caret = (
            f"{about}`{name.id}` is assigned more than once, and a number is an input only where it is"
            " assigned once"
        )
        own = next(made for at in count() if (made := f"{name.id}{at}") not in names.module.slots)
        text = scene.text(value)
        fix = Fix(
            f"give the input a name of its own: {own} = {text}, and {name.id} = {own}",
            Edit(value.span, f"{text}\n{name.id} = {own}"),
            Edit(name.span, own),
        )
        error.fixes = tuple(one for one in [fix] if leaves_a_target(one, scene.source, settings))
        error.help = tuple(text for text in error.help if "--of" in text)
        return


def made_last(scene: Scene, execution: Execution, settings: Settings) -> Any:
    """Return the expression that gave the target its value; None if no statement is found."""
    name = settings.of or name_assigned_last(execution)
    is_last = execution.last_value.__class__ is Tensor or execution.number_chosen is not None
    if settings.of is None and is_last:
        last = scene.script.body[-1]
        assert isinstance(last, tree.ExpressionStatement)
        if not isinstance(last.value, tree.Name):
            return last.value
        name = last.value.id
    made = scene.assignments(name) if name else []
    return made[0].value if made else None


def leaves_a_target(fix: Fix, source: Source, settings: Settings) -> bool:
    """Whether the repaired script runs and leaves something to differentiate."""
    from autodiff.grammar.session.run import attempt

    repaired = Source(fix.apply(source.text), source.name)
    try:
        choose_target(attempt(repaired, settings, ignore, ignore_warning), settings)
    except AutodiffError:
        return False
    return True
