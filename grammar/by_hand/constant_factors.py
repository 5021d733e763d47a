"""Explains a constant factor that a hand formula is off by, from the constants on the paths to the input."""

from __future__ import annotations

from itertools import combinations, product
from math import prod

from autodiff.core.base.lazy_imports import np
from autodiff.core.graph.node import Node, OpNode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.paths.node_names import NodeNames
    from autodiff.grammar.by_hand.runs import ScriptRun

#: How many nodes are searched, and how many constants are combined.
MAX_NODES, MAX_CONSTANTS = 500, 12
MAX_COMBINED, MAX_EXPLANATIONS = 3, 2
MAX_TEXT = 40


class ConstantFactor:
    """A factor that an op contributes to every derivative through it, and the text that describes it.

    ``value`` has its value in each of several runs.
    """

    __slots__ = ("text", "value")

    def __init__(self, value: Any, text: str) -> None:
        self.value = value
        self.text = text


def explain_ratio(
    ratios: list[float], runs: list[ScriptRun], path: list[Node], target: Node, names: NodeNames
) -> str:
    """Return in words which constants on the path explain a formula that is too large; else ``""``.

    It is ``ratios`` times too large in these ``runs``, where constants may have other values. A formula is
    too large if constants below 1 were left out, or if others were taken twice.
    """
    ratio, path = ratios[0], path[:MAX_NODES]
    other_counts = [other_count(ratio, node, names) for node in nodes_of_every_path(path, target)]
    causes = list(filter(None, other_counts))[:1]
    constants = path_constants(path, target, names, runs)
    if ratio > 0:
        constants = [constant for constant in constants if constant.value[0] > 0]
    chosen = constants[:MAX_CONSTANTS]
    for size in range(1, MAX_COMBINED + 1):
        left_out, twice = [], []
        for group in combinations(chosen, size):
            for powers in product((1, -1), repeat=size):
                made = prod(one.value**power for one, power in zip(group, powers, strict=True))
                if np.any(np.abs(made * np.array(ratios) - 1) > 1e-6):
                    continue
                if min(powers) > 0:
                    left_out.append(group)
                elif max(powers) < 0:
                    twice.append(group)
        for groups, done in ((left_out, "left out"), (twice, "taken twice")):
            if groups:
                texts = " or ".join(join_texts(group) for group in groups[:MAX_EXPLANATIONS])
                return f", as if {', or '.join([*causes, f'{texts} had been {done}'])}"
    return f", as if {causes[0]}" if causes else ""


def other_count(ratio: float, node: Node, names: NodeNames) -> str:
    """Return in words that a mean over all entries was taken for one over rows or columns; "" if not."""
    if not isinstance(node, OpNode) or node.op.name != "mean":
        return ""
    shape = np.shape(node.operands[0])
    count = np.size(node.operands[0]) // max(np.size(node.out), 1)
    meant = next((size for size in shape if abs(count / ratio - size) < 1e-6 and size != count), None)
    if meant is None:
        return ""
    line = names.line(node)
    place = "" if line is None else f" (line {line})"
    return f"the mean over {count} entries{place} were one over {meant}"


def join_texts(group: tuple[ConstantFactor, ...]) -> str:
    return " and ".join(constant.text for constant in group)


def path_constants(
    path: list[Node], target: Node, names: NodeNames, runs: list[ScriptRun]
) -> list[ConstantFactor]:
    """Return the constants of the nodes that every path passes, those nearest to the output first.

    A constant of some paths only is no factor of the gradient.
    """
    found: dict[str, ConstantFactor] = {}
    on_way = {*path, target}
    for node in nodes_of_every_path(path, target):
        if isinstance(node, OpNode) and node is not target:
            known = [(run.known[node], {run.known[one] for one in on_way}) for run in runs]
            in_runs = [node_constants(one, way) for one, way in known if isinstance(one, OpNode)]
            for at, (value, what) in enumerate(in_runs[0]):
                line = names.line(node)
                place = "" if line is None else f" (line {line})"
                text = f"{what.format(node_text(node, names))}{place}"
                if value not in (0.0, 1.0) and np.isfinite(value):
                    values = np.array([constants[at][0] for constants in in_runs])
                    found.setdefault(text, ConstantFactor(values, text))
    return list(found.values())


def nodes_of_every_path(nodes: list[Node], target: Node) -> list[Node]:
    """Return the nodes between the first of ``nodes``, newest first, and an input that all paths pass."""
    to: dict[Node, int] = {nodes[0]: 1} if nodes else {}
    onwards: dict[Node, int] = {target: 1}
    for node in nodes:
        for below in node.inputs if node is not target else ():
            if below is not None:
                to[below] = to.get(below, 0) + to.get(node, 0)
    for node in reversed(nodes):
        if node is not target:
            onwards[node] = sum(onwards.get(below, 0) for below in node.inputs if below is not None)
    return [node for node in nodes if to.get(node, 0) * onwards.get(node, 0) == to.get(target, 0)]


def node_constants(node: OpNode, path_nodes: set[Node]) -> list[tuple[float, str]]:
    """Return the constant factors in a node's derivatives, with texts where {} is the node's expression."""
    name, operands = node.op.name, node.operands
    ours = [index for index, below in enumerate(node.inputs) if below in path_nodes]
    sizes = [np.size(x) for x in operands]
    found: list[tuple[float, str]] = []
    if name == "mean" and ours:
        count = sizes[0] // max(np.size(node.out), 1)
        found.append((1 / max(count, 1), f"the 1/{count} of the mean over {count} entries"))
    elif node.params.get("reduction") == "mean" and ours:
        count = round(node.params.get("total", sizes[ours[0]]))
        if count:
            found.append((1 / count, f"the 1/{count} of the mean over {count} in {{}}"))
    if name in ("mse_loss", "square"):
        found.append((2.0, "the 2 of the square {}"))
    if name == "sqrt":
        found.append((0.5, "the 1/2 of {}"))
    if name == "neg":
        found.append((-1.0, "the minus of {}"))
    if name == "sub" and 1 in ours and 0 not in ours:
        found.append((-1.0, "the minus of {}"))
    if name == "pow" and ours == [0] and (power := constant_operand(node, 1)) is not None:
        found.append((power, f"the {power:g} of {{}}"))
    if name in ("mul", "div") and len(operands) == 2:
        if len(ours) == 2 and node.inputs[0] is node.inputs[1] and name == "mul":
            found.append((2.0, "the 2 of the square {}"))
        elif len(ours) == 1 and (factor := constant_operand(node, 1 - ours[0])) is not None:
            if name == "mul":
                found.append((factor, f"the factor {factor:g} of {{}}"))
            elif ours == [0] and factor:
                found.append((1 / factor, f"the divisor {factor:g} of {{}}"))
    if node.op.is_elementwise and len(ours) == 1 and sizes[ours[0]] < np.size(node.out):
        times = np.size(node.out) // max(sizes[ours[0]], 1)
        found.append((float(times), f"the sum over the {times} entries of {{}}"))
    return found


def constant_operand(node: OpNode, index: int) -> float | None:
    """Return the value of an operand that is a single constant number; None for other operands."""
    below, value = node.inputs[index], node.operands[index]
    return float(np.asarray(value).item()) if below is None and np.size(value) == 1 else None


def node_text(node: OpNode, names: NodeNames) -> str:
    """Return the script's expression for a node if it is short, else the node's name."""
    text = names[node] if node.site is None else names.source.excerpt(node.site)
    return text if len(text) <= MAX_TEXT and "\n" not in text else names[node]
