"""Notes on values that the output is made of and that left the graph: ``x.detach()``, ``math.sin(x)``.

The derivative takes them for constants, and so does a check that replays the graph: both agree, and neither
is the slope of the whole script.
"""

from __future__ import annotations

import re

from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.source import Span
from autodiff.grammar.syntax.parser import parse_to_first_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from autodiff.core.report.records import ReportedPass
    from autodiff.grammar.session.run import Execution

#: Scripts without these words are not read again.
CUTTING = re.compile(r"\.(?:detach|item|tolist|numpy)\(|\.data\b|\bmath\.\w+\(|\b(?:float|int)\(")
MOST_NOTED = 3


def notes_on_cuts(execution: Execution, subject: ReportedPass) -> Iterator[str]:
    """Yield a note on each value made from an input that the output takes for a constant.

    Inputs that no path leads to are left out: what ``explain`` says of them names the cut.
    """
    source = execution.source
    if not CUTTING.search(source.text):
        return
    # The repairs take longer to import than a short script to explain.
    from autodiff.grammar.help.failure_scene import Scene
    from autodiff.grammar.repair.missing_path import output_expression, shortened_text
    from autodiff.grammar.repair.proposals.graph_cuts import ARRAY_REASON, NUMBER_REASON, find_cuts
    from autodiff.grammar.repair.proposals.value_origins import ValueOrigins
    from autodiff.grammar.session.leaf_names import base_name

    # The cuts that keep the value: comparisons, positions and updates without recording have no slope.
    reasons = (".data is outside of the graph", "detach() leaves the graph", ARRAY_REASON, NUMBER_REASON)
    end = Span(len(source.text), len(source.text))
    scene = Scene(AutodiffError(""), end, parse_to_first_error(source), source, [], execution.names)
    origins = ValueOrigins(scene)
    value = output_expression(scene, subject.name)
    cuts = [] if value is None else find_cuts(scene, value)
    names = [base_name(name) for name, node in subject.wrt if node in subject.cotangents]
    noted = 0
    for cut in cuts:
        made_from = [name for name in names if origins.depends_on(cut.node, name)]
        if cut.reason in reasons and made_from and noted < MOST_NOTED:
            noted += 1
            yield (
                f"`{shortened_text(scene, cut.node)}` in line {scene.line(cut.node.span)} is made from"
                f" {made_from[0]} outside of the graph: the derivative takes it for a constant"
            )
