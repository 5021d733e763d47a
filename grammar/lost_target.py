"""Why a script that calls no ``backward()`` left nothing to differentiate: where the graph was left.

A failed ``backward()`` is explained while the script stands still at it. Here the script has ended, and its
names are those it ended with; a repair holds when the repaired script leaves something to differentiate.
"""

from __future__ import annotations

from autodiff.core.errors import AutodiffError, Fix, GradientError
from autodiff.core.span import Source, Span
from autodiff.core.tensors import Tensor
from autodiff.grammar import syntax
from autodiff.grammar.parser import read
from autodiff.grammar.proposals.cuts import cuts, explain_cuts
from autodiff.grammar.proposals.scene import Scene
from autodiff.grammar.runtime import ignore, ignore_warning
from autodiff.grammar.target import choose_target, name_assigned_last

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.grammar.run import Execution, Settings


def explain_lost(error: GradientError, execution: Execution, settings: Settings) -> None:
    """Point at what left the graph on the way to the target; what nothing explains stays as it is."""
    source = execution.source
    end = Span(len(source.text), len(source.text))
    scene = Scene(error, end, read(source), source, [], execution.names)
    target = made_last(scene, execution, settings)
    found = [] if target is None else cuts(scene, target)
    if not found:
        return
    scene.span = error.span = target.span
    others = tuple(text for text in error.help if "--of" in text)
    said = error.caret
    proposed = list(explain_cuts(scene, found))
    name = settings.of or name_assigned_last(execution)
    is_named = name is not None and any(node.value is target for node in scene.assignments(name))
    here = [cut.why for cut in found if cut.node.span == target.span]
    if is_named and name is not None and execution.names[name].__class__ is not Tensor:
        error.caret = said  # a plain number, which is the better reason
    elif here:
        error.caret = here[0]
    elif is_named:
        error.caret = f"the graph was left on the way to `{name}`"
    error.fixes = tuple(fix for fix in proposed if leaves_a_target(fix, source, settings))
    error.help = (*others, *error.help)


def made_last(scene: Scene, execution: Execution, settings: Settings) -> Any:
    """The expression that gave the target its value; None where no statement is seen to give it."""
    name = settings.of or name_assigned_last(execution)
    if settings.of is None and execution.last_value.__class__ is Tensor:
        last = scene.script.body[-1]
        assert isinstance(last, syntax.ExpressionStatement)
        if not isinstance(last.value, syntax.Name):
            return last.value
        name = last.value.id
    made = scene.assignments(name) if name else []
    return made[0].value if made else None


def leaves_a_target(fix: Fix, source: Source, settings: Settings) -> bool:
    """Whether the repaired script runs and leaves something to differentiate."""
    from autodiff.grammar.run import attempt

    repaired = Source(fix.apply(source.text), source.name)
    try:
        choose_target(attempt(repaired, settings, ignore, ignore_warning), settings)
    except AutodiffError:
        return False
    return True
