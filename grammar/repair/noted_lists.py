"""Notes on sums and multiples of lists: here they are of the entries, in Python they join and repeat."""

from __future__ import annotations

from autodiff.core.graph.node import Leaf, OpNode
from autodiff.grammar.session.assignment_plan import top_level_assignments
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.parser import parse_to_first_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from autodiff.core.report.records import ReportedPass
    from autodiff.grammar.session.run import Execution


def notes_on_lists(execution: Execution, subject: ReportedPass) -> Iterator[str]:
    """Yield a note on the first sum of two lists of a script without tensors, or multiple of one."""
    source = execution.source
    script = parse_to_first_error(source)
    written = {name.id: value for name, value in top_level_assignments(script.body)}

    def is_list(node: object) -> bool:
        return isinstance(node, Leaf) and isinstance(written.get(str(node.name)), tree.ListDisplay)

    def is_whole(node: object, operand: object) -> bool:
        value = written.get(str(node.name)) if isinstance(node, Leaf) else operand
        return isinstance(value.value if isinstance(value, tree.Number) else value, int)

    for node in reversed(subject.order):
        if not isinstance(node, OpNode) or node.site is None or not any(map(is_list, node.inputs)):
            continue
        joins = node.op.name == "add" and all(map(is_list, node.inputs))
        if joins or (node.op.name == "mul" and any(map(is_whole, node.inputs, node.operands))):
            line, _ = source.position(node.site.start)
            does, would = ("adds", "join the lists") if joins else ("multiplies", "repeat the list")
            yield f"`{source.excerpt(node.site)}` in line {line} {does} the entries; Python would {would}"
            return
