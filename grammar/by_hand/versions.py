"""Names that a script assigns more than once: which of the values a formula means is said and tried.

After ``x = x*2`` a formula's ``x`` is the last one that the output is computed with, and ``dL/dx`` may be by
the first, the input. Where the formula is right with the first one it is right: so derivations call an input,
and so does one on paper. So it is with the value that the script gives a name after the output.
"""

from __future__ import annotations

from autodiff.core.base.errors import UsageError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.node import Leaf, Node
from autodiff.core.graph.values import as_stored
from autodiff.grammar.by_hand.points import all_known, broadcasts_to, values_equal
from autodiff.grammar.by_hand.runs import changed_later
from autodiff.grammar.by_hand.sentences import values_equal_in_shape
from autodiff.grammar.by_hand.upstream import jacobian_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from autodiff.grammar.by_hand.formula import Formula
    from autodiff.grammar.by_hand.points import SamplePoints
    from autodiff.grammar.by_hand.runs import ScriptRuns


class Versions:
    """The values that one name has in the graph, as nodes, the first one first."""

    def __init__(self, name: str, points: SamplePoints) -> None:
        self.name = name
        self._points = points
        order = points.subject.order
        known = dict.fromkeys([*order, *(node for _, node in points.subject.wrt)])
        known |= dict.fromkeys(below for node in order for below in node.inputs if below is not None)
        self.nodes = sorted((node for node in known if node.name == name), key=lambda node: node.number)

    def spelled(self, node: Node) -> str:
        """Return ``the last x (line 3)``."""
        line = self._points.node_names.line(node)
        place = "" if line is None else f" (line {line})"
        if node in (self.nodes[0], self.nodes[-1]):
            return f"the {'first' if node is self.nodes[0] else 'last'} {self.name}{place}"
        return f"the {self.name} of line {line}"


def versions_of(formula: Formula, points: SamplePoints) -> dict[str, Versions]:
    """Return the names of the formula and of its left side that have several values in the graph."""
    own = () if formula.workings is None else formula.workings.own_names
    names = (formula.names_read - set(own)) | set(formula.inputs) | inputs_by_name(formula, points).keys()
    found = {name: Versions(name, points) for name in sorted(names)}
    return {name: one for name, one in found.items() if len(one.nodes) > 1}


def inputs_by_name(formula: Formula, points: SamplePoints) -> dict[str, Node]:
    """Return the inputs by name; the one of a step ``dh`` about an earlier ``h``, ``h_1``, as ``h`` too."""
    known = dict(points.subject.wrt)
    found = {spelled: known[spelled] for spelled in formula.inputs if spelled in known}
    if formula.workings is not None and formula.workings.segment.spelled:
        key = formula.workings.segment.key
        found |= {
            str(node.name): node for node in found.values() if key in (f"d{node.name}", f"grad_{node.name}")
        }
    return found


def meant_versions(formula: Formula, points: SamplePoints, runs: ScriptRuns) -> list[str]:
    """Return the remark that says which value of each such name is meant, on the left and on the right."""
    remarks = []
    inputs = inputs_by_name(formula, points)
    for name, versions in versions_of(formula, points).items():
        by = inputs.get(name)
        value = runs.first.execution.names.get(name)
        read = value.node if isinstance(value, Tensor) and name in formula.names_read else None
        if by in versions.nodes:
            remarks.append(f"the derivative is by {versions.spelled(by)}")
        if read in versions.nodes and read is not by:
            remarks.append(f"`{name}` in the formula is {versions.spelled(read)}")
    for name, by in inputs.items():
        if by in runs.computed_again:
            lines = [points.node_names.line(node) for node in (runs.computed_again[by], by)]
            made = f"the {name} of line {lines[0]} is computed after {points.subject.name}"
            remarks.append(f"{made}: the derivative is by the equal value of line {lines[1]}")
    later = {} if formula.workings is not None else changed_later(points.subject, runs.first.execution)
    for name in sorted(formula.names_read & later.keys()):
        used = f"`{name}` in the formula is the {name} that {points.subject.name} is computed with"
        remarks.append(f"{used}, before the script changes it")
    return [", and ".join(remarks)] if remarks else []


def other_versions(
    formula: Formula, points: SamplePoints, computed: list[Any], runs: ScriptRuns
) -> list[str]:
    """Return the remark on a formula that is right for other values of a name; none if it is for no other.

    For another value on the left, names on the right may have what the script makes of them later.
    """
    if formula.is_second or (points.is_jacobian and (formula.place or (formula.left and formula.left.row))):
        return []
    later = values_with(later_values(formula, points, runs), formula, points)
    for name, versions in versions_of(formula, points).items():
        for node in versions.nodes:
            if name in formula.inputs and any(
                all(
                    is_gradient_at(value, run.subject, run.known.get(node, node), formula, points)
                    for value, run in zip(reading, points.runs, strict=True)
                )
                for reading in (computed, later)
                if reading
            ):
                own = points.node_names.of.get(node, name)
                quotient = f": d{points.subject.name}/d{own}" if own != name else ""
                return [f"it is the derivative by {versions.spelled(node)}{quotient}"]
            if name in formula.names_read and is_right_with({name: node}, formula, points):
                return [f"with {versions.spelled(node)} in the formula it is right"]
    return []


def updated_names(formula: Formula, points: SamplePoints) -> list[str]:
    """Return the remark on a step that is right with a name's value before a line that updates it."""
    if formula.workings is None:
        return []
    last, lines = formula.workings.segment.places[-1], formula.workings.derivation.lines
    for at in reversed(range(last)):
        for name in sorted(lines[at].changes & formula.names_read):
            node = next((one for one in points.subject.order if one.name == name), None)
            if node is not None and is_right_with({name: node}, formula, points):
                changed = f"`{name}` is changed before, in line {lines[at].number}"
                return [f"{changed}: with the value that {points.subject.name} was computed with it is right"]
    return []


def other_inputs(formula: Formula, points: SamplePoints, computed: list[Any]) -> list[str]:
    """Return the remark on a step of a derivation that is the gradient by another input, if it is."""
    if formula.workings is None or points.node is None or formula.place is not None or len(computed) < 2:
        return []
    for node in points.subject.order:
        alike = isinstance(node, Leaf) and node.name is not None and node is not points.node
        if alike and all(
            values_equal_in_shape(value, run.cotangent(node))
            for value, run in zip(computed, points.runs, strict=True)
        ):
            return [f"it is d{points.subject.name}/d{node.name}"]
    return []


def is_gradient_at(value: Any, subject: Any, node: Node, formula: Formula, points: SamplePoints) -> bool:
    """Whether a formula's value is the gradient, or the Jacobian, by a node."""
    if points.is_jacobian:
        return values_equal_in_shape(value, jacobian_of(subject.root, node))
    g = subject.cotangents.get(node)
    whole = np.zeros(node.shape) if g is None else np.asarray(g)
    return values_equal(value, whole if formula.place is None else whole[formula.place])


def first_versions(formula: Formula, points: SamplePoints, runs: ScriptRuns) -> list[str]:
    """Return the remark on a formula that is right with the first values of its names; none if it is not."""
    if formula.workings is not None:
        return []  # lines that are run: there a name has its last value
    execution = runs.first.execution
    chosen: dict[str, Node | float] = {
        name: first
        for name, number in execution.reassigned.items()
        if name in formula.names_read and (first := execution.first_leaves.get(name, number)) is not None
    }
    for name, one in versions_of(formula, points).items():
        if name in formula.names_read and points.node_names.of.get(one.nodes[0]) == name:
            chosen[name] = one.nodes[0]
    if not chosen or not is_right_with(chosen, formula, points):
        return last_versions(formula, points, runs)
    meant = []
    for name in sorted(chosen):
        line = execution.source.position(execution.first_offset(name))[0]
        meant.append(f"`{name}` in the formula is the first {name} (line {line})")
    return [", and ".join(meant)]


def last_versions(formula: Formula, points: SamplePoints, runs: ScriptRuns) -> list[str]:
    """Return the remark on a formula that is right with what names become after the output; or none."""
    chosen = later_values(formula, points, runs)
    if not chosen or not is_right_with(chosen, formula, points):
        return []
    after = f"what the script makes of it after {points.subject.name}"
    return [", and ".join(f"`{name}` in the formula is {after}" for name in chosen)]


def later_values(formula: Formula, points: SamplePoints, runs: ScriptRuns) -> dict[str, Node]:
    """Return the nodes of what the script makes of the formula's names after the output."""
    later = changed_later(points.subject, runs.first.execution)
    return {name: later[name] for name in sorted(formula.names_read & later.keys())}


def is_right_with(chosen: Mapping[str, Node | float], formula: Formula, points: SamplePoints) -> bool:
    """Whether the formula is right at every point where names have the values of these nodes, or numbers."""
    computed = values_with(chosen, formula, points)
    fits = [
        broadcasts_to(value.shape, np.shape(one))
        for value, one in zip(computed, points.gradients, strict=False)
    ]
    return bool(computed) and all(fits) and all_known(points.compare(computed)) is True


def values_with(chosen: Mapping[str, Node | float], formula: Formula, points: SamplePoints) -> list[Any]:
    """Return the formula's values where names have the values of these nodes, or numbers; [] if it has none.

    A node that the output is not computed from stands for the last value of the name.
    """
    computed: list[Any] = []
    first = points.runs[0].first
    known = {*first.order, *(below for node in first.order for below in node.inputs)}
    for names, run in zip(points.names, points.runs, strict=True):
        values: dict[str, Any] = {}
        for name, one in chosen.items():
            if not isinstance(one, Node):
                values[name] = one
            elif one in known:
                values[name] = Tensor.of(as_stored(np.asarray(run.known.get(one, one).out)))
            else:
                values[name] = run.execution.names[name]
        try:
            computed.append(np.asarray(formula.value({**names, **values})))
        except UsageError:
            return []
    return computed
