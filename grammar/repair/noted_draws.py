"""A note on arrays that are drawn or filled with variables for sizes: they are no inputs unless asked for."""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.source import Span
from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.help.failure_scene import Scene, called_name
from autodiff.grammar.repair.missing_path import output_expression
from autodiff.grammar.repair.proposals.value_origins import ValueOrigins
from autodiff.grammar.session.assignment_plan import top_level_assignments
from autodiff.grammar.session.leaf_names import base_name, join_words
from autodiff.grammar.session.number_expressions import makes_numbers
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.parser import parse_to_first_error
from autodiff.grammar.syntax.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from autodiff.core.report.records import ReportedPass
    from autodiff.grammar.session.run import Execution

MOST_NAMED = 5


def notes_on_draws(execution: Execution, subject: ReportedPass) -> Iterator[str]:
    """Yield one note that names the drawn and filled arrays that the output is made of, if there are any."""
    source = execution.source
    script = parse_to_first_error(source)
    end = Span(len(source.text), len(source.text))
    scene = Scene(AutodiffError(""), end, script, source, [], execution.names)
    target = output_expression(scene, subject.name)
    inputs = {base_name(name) for name, _ in subject.wrt}
    used = [name for name in used_draws(scene, target, execution) if name.id not in inputs][:MOST_NAMED]
    if not used:
        return
    words = join_words([f"`{name.id}` in line {scene.line(name.span)}" for name in used])
    asked = ",".join(name.id for name in used)
    is_own = [makes_by_function(scene, scene.assignments(name.id)[0].value) for name in used]
    made = " or ".join(["with variables"] * (not all(is_own)) + ["by a function of the script"] * any(is_own))
    ends = f"is a constant here, made {made}" if len(used) == 1 else f"are constants here, made {made}"
    yield f"{words} {ends}; for the derivative by {asked.replace(',', ' and ')}: --wrt {asked}"


def used_draws(scene: Scene, target: Any, execution: Execution) -> list[tree.Name]:
    """Return the names of drawn and filled arrays that the expression of the output is made of, in order."""
    made = [
        name
        for name, value in top_level_assignments(scene.script.body)
        if is_drawn(scene, name.id, value, execution)
    ]
    origins = ValueOrigins(scene) if made and target is not None else None
    return [name for name in made if origins is not None and origins.depends_on(target, name.id)]


def is_drawn(scene: Scene, name: str, value: Any, execution: Execution) -> bool:
    """Whether a name has one value, an array of floats that a function draws or fills."""
    made = execution.names.get(name)
    return (
        name in execution.assigned_once
        and isinstance(value, (tree.Call, tree.Binary))
        and made.__class__ is Tensor
        and bool(made.shape)
        and made.dtype.is_floating_point
        and not made.requires_grad
        and (makes_numbers(value) or makes_by_function(scene, value))
    )


def makes_by_function(scene: Scene, value: Any) -> bool:
    """Whether an expression calls a function of the script that draws or fills arrays, as ``init(2)`` may."""
    functions = [scene.function(called_name(part)) for part in walk(value) if isinstance(part, tree.Call)]
    return any(makes_numbers(part) for made in functions if made is not None for part in made.body)
