"""A note on arrays that are drawn or filled with variables for sizes: they are no inputs unless asked for."""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.source import Span
from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.help.failure_scene import Scene
from autodiff.grammar.repair.missing_path import output_expression
from autodiff.grammar.repair.proposals.value_origins import ValueOrigins
from autodiff.grammar.session.assignment_plan import top_level_assignments
from autodiff.grammar.session.leaf_names import base_name
from autodiff.grammar.session.number_expressions import makes_numbers
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.parser import parse_to_first_error

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
    inputs = {base_name(name) for name, _ in subject.wrt}
    made = [
        name
        for name, value in top_level_assignments(script.body)
        if name.id not in inputs and is_drawn(name.id, value, execution)
    ]
    if not made:
        return
    end = Span(len(source.text), len(source.text))
    scene = Scene(AutodiffError(""), end, script, source, [], execution.names)
    target, origins = output_expression(scene, subject.name), ValueOrigins(scene)
    used = [name for name in made if target is not None and origins.depends_on(target, name.id)][:MOST_NAMED]
    if not used:
        return
    listed = [f"`{name.id}` in line {scene.line(name.span)}" for name in used]
    words = " and ".join([", ".join(listed[:-1])] * (len(listed) > 1) + listed[-1:])
    asked = ",".join(name.id for name in used)
    ends = "is a constant here, made" if len(used) == 1 else "are constants here, made"
    yield f"{words} {ends} with variables; for the derivative by {asked.replace(',', ' and ')}: --wrt {asked}"


def is_drawn(name: str, value: Any, execution: Execution) -> bool:
    """Whether a name has one value, an array of floats that a function draws or fills."""
    made = execution.names.get(name)
    return (
        name in execution.assigned_once
        and isinstance(value, (tree.Call, tree.Binary))
        and makes_numbers(value)
        and made.__class__ is Tensor
        and bool(made.shape)
        and made.dtype.is_floating_point
        and not made.requires_grad
    )
