"""Functions that a script writes out with exp, sums and logarithms and that have a name: softmax, its loss.

A derivation follows one edge of such a function in place of its inner paths, of which some cancel: softmax is
the same whatever is subtracted from all entries that it adds up, so nothing arrives through a maximum.
"""

from __future__ import annotations

from autodiff.core.base.lazy_imports import np
from autodiff.core.base.source import Source, Span
from autodiff.core.engine.sweep import sweep
from autodiff.core.graph.node import ArrayNode, Node, OpNode
from autodiff.core.graph.op import OPS
from autodiff.core.graph.topological_order import newest_first
from autodiff.core.report.records import ReportedPass
from autodiff.core.why.sentences import shorten_middle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeGuard

#: Of larger graphs no paths are written out in full anyway.
MOST_NODES = 2_000
#: A graph without all ops of one of these has no such function.
WRITTEN_OUT = ({"exp", "sum", "div"}, {"softmax", "log"})
#: Ops that pick entries, of which the logarithm may be taken before.
PICKING = ("index", "gather", "pick", "select", "part")
REDUCTIONS = ("mean", "sum")
LOSSES = [{"neg", name} for name in REDUCTIONS]
#: By how many rounding units a function may differ from what the script computed, of 1 or its value.
ROUNDING_UNITS = 4096


def with_known_functions(subject: ReportedPass, source: Source) -> ReportedPass:
    """The pass with one node for each function that is written out; the same pass if there is none."""
    ops = {node.op.name for node in subject.order if node.op is not None}
    if len(subject.order) > MOST_NODES or not any(needed <= ops for needed in WRITTEN_OUT):
        return subject
    rewriter = Rewriter(source)
    with np.errstate(all="ignore"):  # values that are not finite are no known function's
        for node in reversed(subject.order):
            rewriter.enter(node)
    root = rewriter.made.get(subject.root, subject.root)
    order = newest_first([root])
    kept = {rewriter.made.get(node, node) for _, node in subject.wrt if node in subject.cotangents}
    if not rewriter.remarks or not kept <= set(order):
        return subject
    return rewritten_pass(subject, root, order, rewriter)


def rewritten_pass(subject: ReportedPass, root: Node, order: list[Node], rewriter: Rewriter) -> ReportedPass:
    """The pass along the rewritten graph. The gradients of inputs are those that backward() gave."""
    made, given = rewriter.made, subject.cotangents
    received = sweep(order, {root: subject.seed})
    wrt = tuple((spelled, made.get(node, node)) for spelled, node in subject.wrt)
    received |= {made.get(node, node): given[node] for _, node in subject.wrt if node in given}
    variables = {name: made.get(node, node) for name, node in (subject.variables or {}).items() if node}
    rewritten = ReportedPass(
        subject.name,
        root,
        subject.seed,
        subject.weight,
        wrt,
        order,
        received,
        (*subject.notes, *rewriter.remarks),
        variables=None if subject.variables is None else lambda: variables,
        constants=lambda: subject.constants,
        since=subject.since,
        adds_up=subject.adds_up,
    )
    rewritten.numbers_first = subject.numbers_first
    return rewritten


class Rewriter:
    """Makes the nodes of a rewritten graph. Nodes below which nothing changes stay.

    ``made`` has the new nodes by the old ones, ``remarks`` what was recognised.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.made: dict[Node, Node] = {}
        self.remarks: list[str] = []

    def enter(self, node: Node) -> None:
        """Enter the new node for an old one, whose inputs have been entered, if it changes."""
        if not isinstance(node, OpNode):
            return
        new = self._softmax(node) or self._logarithm(node) or self._loss(node)
        inputs = tuple(None if below is None else self.made.get(below, below) for below in node.inputs)
        if new is None and inputs != node.inputs:
            new = ArrayNode(node.op, inputs, node.operands, node.params, node.out, node.site)
        if new is not None:
            new.number, new.name = node.number, node.name
            self.made[node] = new

    def _below(self, node: OpNode) -> Node | None:
        """The new node of the first operand."""
        below = node.inputs[0]
        return None if below is None else self.made.get(below, below)

    def _remark(self, node: OpNode, text: str) -> None:
        line = "" if node.site is None else f"line {self.source.position(node.site.start)[0]}: "
        self.remarks.append(f"{line}`{self._text(node)}` {text}")

    def _text(self, node: Node) -> str:
        return "" if node.site is None else shorten_middle(" ".join(self.source.excerpt(node.site).split()))

    def _softmax(self, node: OpNode) -> ArrayNode | None:
        """The node of a softmax that ``node`` is the quotient of; None for any other node."""
        found = softmax_parts(node)
        if found is None:
            return None
        scores, dim, shift = found
        cancels = ""
        if shift is not None and shift.tracked:
            cancels = f"; the paths through {self._text(shift)} cancel"
        self._remark(node, f"is softmax along dimension {dim}, one step here{cancels}")
        new = self.made.get(scores, scores)
        return ArrayNode(OPS["softmax"], (new,), (scores.out,), {"dim": dim}, node.out, node.site)

    def _logarithm(self, node: OpNode) -> ArrayNode | None:
        """The node of the logarithm of a softmax, or of the entries that it picks from one."""
        below = self._below(node) if node.op.name == "log" else None
        if not isinstance(below, OpNode):
            return None
        whole = below.inputs[0] if below.op.name in PICKING else below
        if not is_made_by(whole, "softmax"):
            return None
        found = scores = self._log_softmax(whole, node.site)
        if whole is not below:
            out = below.op.forward(scores.out, **below.params)
            found = ArrayNode(below.op, (scores,), (scores.out,), below.params, out, node.site)
        if not is_close(found.out, node.out):  # where softmax rounds to 0, its logarithm is -inf
            return None
        self._remark(node, "is a logarithm of softmax, log_softmax in one step here")
        return found

    def _loss(self, node: OpNode) -> ArrayNode | None:
        """The node of a sum or mean of negative logarithms at the class of each row; None for others."""
        inner = self._below(node) if node.op.name in ("neg", *REDUCTIONS) else None
        if not isinstance(inner, OpNode) or {node.op.name, inner.op.name} not in LOSSES:
            return None
        picked = inner.inputs[0]
        reduction = node if inner.op.name == "neg" else inner
        if not is_made_by(picked, "index") or node.shape or reduction.params["dim"] is not None:
            return None
        scores, classes = picked.inputs[0], classes_of_rows(picked)
        if classes is None or not is_made_by(scores, "log_softmax") or scores.params["dim"] != 1:
            return None
        rows = {
            "target": classes[:, None],
            "weight": np.ones((len(classes), 1)),
            "total": float(len(classes)),
        }
        params = {**rows, "reduction": reduction.op.name}
        return ArrayNode(OPS["nll_loss"], (scores,), (scores.out,), params, node.out, node.site)

    def _log_softmax(self, softmax: OpNode, site: Any) -> ArrayNode:
        [scores] = softmax.operands
        out = OPS["log_softmax"].forward(scores, **softmax.params)
        start = None if site is None else Span(site.start, site.start)  # of its line, but it is no text there
        new = ArrayNode(OPS["log_softmax"], softmax.inputs, (scores,), softmax.params, out, start)
        new.number = softmax.number
        return new


def softmax_parts(node: OpNode) -> tuple[Node, int, Node | None] | None:
    """The scores and the dimension of the softmax that a quotient is, and what is subtracted from the scores.

    It is the quotient of exponentials and their sum over that dimension; None for any other node.
    """
    if node.op.name != "div":
        return None
    exponentials, total = node.inputs
    if isinstance(total, OpNode) and total.op.name in ("unsqueeze", "reshape"):
        total = total.inputs[0]
    if not is_made_by(exponentials, "exp") or not is_made_by(total, "sum"):
        return None
    if not is_same(total.inputs[0], exponentials):
        return None
    dim = dimension_of(total, node)
    scores, shift = exponentials.inputs[0], None
    if dim is None or scores is None:
        return None
    if is_made_by(scores, "sub") and is_constant_along(scores.operands[1], dim, scores.shape):
        shift = scores.inputs[1]
        scores = scores.inputs[0]
    if scores is None or not scores.tracked or scores.shape != node.shape:
        return None
    expected = OPS["softmax"].forward(scores.out, dim=dim)
    return (scores, dim, shift) if is_close(expected, node.out) else None


def is_close(expected: Any, computed: Any) -> bool:
    """Whether a function gives what the script computed, but for rounding."""
    tolerance = ROUNDING_UNITS * np.finfo(np.asarray(computed).dtype).eps
    apart: Any = np.abs(expected - computed) - tolerance * (1 + np.abs(expected))
    return not np.size(apart) or bool(np.max(apart) <= 0)


def is_made_by(node: Node | None, name: str) -> TypeGuard[OpNode]:
    return isinstance(node, OpNode) and node.op.name == name


def is_same(one: Node | None, other: Node | None) -> bool:
    """Whether two nodes compute the same of the same nodes, as ``exp(z)`` does if it is written twice."""
    if one is other:
        return True
    if not isinstance(one, OpNode) or not isinstance(other, OpNode) or one.op is not other.op:
        return False
    if one.params != other.params or len(one.inputs) != len(other.inputs):
        return False
    return all(a is not None and is_same(a, b) for a, b in zip(one.inputs, other.inputs, strict=True))


def dimension_of(total: OpNode, quotient: Node) -> int | None:
    """The dimension along which a sum of a shape adds up the parts of a quotient; None if it is not one."""
    dims = total.params["dim"]
    if len(quotient.shape) == 1:
        return 0
    if dims is None or len(dims) != 1:
        return None
    dim = int(dims[0]) % len(quotient.shape)
    sizes = np.shape(quotient.operands[1])
    return dim if sizes == (*quotient.shape[:dim], 1, *quotient.shape[dim + 1 :]) else None


def classes_of_rows(picked: OpNode) -> Any:
    """The columns of ``z[range(n), y]``, which takes one entry of each row; None for other entries."""
    keys = picked.params["indices"]
    if len(keys) != 2 or any(np.ndim(key) != 1 or np.asarray(key).dtype.kind != "i" for key in keys):
        return None
    rows, columns = (np.asarray(key) for key in keys)
    count, classes = np.shape(picked.operands[0])
    return columns % classes if rows.tolist() == list(range(count)) else None


def is_constant_along(value: Any, dim: int, shape: tuple[int, ...]) -> bool:
    """Whether an operand has one entry along a dimension of the result, which is of ``shape``."""
    sizes = (1,) * (len(shape) - np.ndim(value)) + np.shape(value)
    return bool(sizes[dim] == 1)
