"""The functions whose gradients are checked: the output, or its weighted gradient, over one input."""

from __future__ import annotations

from copy import copy
from functools import cached_property
from math import isfinite

from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.lazy_imports import np
from autodiff.core.check.gradient_rounding import gradient_rounding
from autodiff.core.check.replay import Replay
from autodiff.core.engine.backward import grad
from autodiff.core.engine.sweep import sweep
from autodiff.core.engine.tensor import Tensor, tensor
from autodiff.core.graph.topological_order import newest_first, nodes_leading_to
from autodiff.core.graph.values import as_stored
from autodiff.core.paths.use_contributions import max_abs
from autodiff.core.symbolic.symbol import is_custom

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from autodiff.core.graph.node import Node
    from autodiff.core.report.records import ReportedPass

#: The ops whose numpy functions compute the analytic continuation of complex numbers.
ANALYTIC_OPS = frozenset(
    """
    add sub mul div neg pow exp log sin cos tan tanh sinh cosh sqrt square reciprocal rsqrt expm1
    asin acos atan asinh acosh atanh matmul mm mv dot vm bmm outer sum mean sum_to expand reshape permute
    transpose t squeeze unsqueeze select slice index stack cat alias clone contiguous diagonal embed trace
    """.split()
)


class OutputFunction:
    """The output as a function of one input: ``x`` is the point, ``f`` the output there, ``g`` the gradient.

    All are in double precision whatever the script uses, so that small steps make a difference.
    ``largest_cotangent`` is the largest entry of the cotangents between the output and the input. ``weight``
    is the sum of ``|cotangent * value|`` over all nodes: the rounding of ``f`` in units of the last digit.
    ``largest_value`` is the largest entry of these values. ``swept`` has the nodes and cotangents of the
    pass, and its input.
    """

    def __init__(self, subject: ReportedPass, spelled: str, target: Node) -> None:
        self.subject = subject
        self.spelled = spelled
        self.target = target
        self.recording = Replay(subject.root, (target,), subject.order)
        self.is_number = target.out.__class__ is float
        self.precision = "float64" if self.is_number else target.out.dtype.name
        self.x = np.asarray(target.out, dtype=float)
        self.f = float((np.asarray(subject.root.out, dtype=float) * np.asarray(subject.seed)).sum())
        self.read_gradient()

    @property
    def rounding(self) -> float:
        """The possible rounding error of ``f`` in double precision."""
        return self.weight * 2.0**-53

    def read_gradient(self) -> None:
        """Set ``g`` and the attributes that ``measure`` computes."""
        g = self.subject.cotangents.get(self.target)
        self.g = np.zeros_like(self.x) if g is None else np.asarray(g, dtype=float)
        self.measure(self.subject.order, self.subject.cotangents, self.target)

    def measure(self, order: list[Node], cotangents: Mapping[Node, Any], target: Node | None) -> None:
        """Set ``largest_cotangent``, ``weight`` and ``largest_value``.

        Inputs are exact and do not count in ``weight``, unless an op that is not elementwise reads them: its
        rounding is as if its inputs were rounded.
        """
        self.swept = order, cotangents, target
        between = [] if target is None else nodes_leading_to(order, [target])
        sizes = [max_abs(cotangents[node]) for node in between if node in cotangents]
        self.largest_cotangent = max([size for size in sizes if isfinite(size)], default=0.0)
        self.weight = self.largest_value = 0.0
        mixed = {below for node in order if node.op and not node.op.is_elementwise for below in node.inputs}
        with np.errstate(all="ignore"):
            for node in order:
                self.largest_value = max(self.largest_value, max_abs(node.out))
                if node.op is None and node not in mixed:
                    continue
                share = float(np.abs(np.asarray(cotangents.get(node, 0.0)) * np.asarray(node.out)).sum())
                if isfinite(share):
                    self.weight += share

    @cached_property
    def path_size(self) -> float:
        """The size of what the paths contribute to ``g``; where this cancels, its rounding remains."""
        order, cotangents, target = self.swept
        sizes = 0.0 if target is None else gradient_rounding(order, cotangents, target)
        return float(np.max(np.where(np.isfinite(sizes), sizes, 0.0), initial=0.0))

    @property
    def is_connected(self) -> bool:
        """Whether the output depends on the input, or is the input itself."""
        return bool(self.recording.steps) or self.target is self.subject.root

    def in_run(self, subject: ReportedPass) -> OutputFunction | None:
        """The same function in another run of the script; None if the input is missing or has a new shape."""
        target = dict(subject.wrt).get(self.spelled)
        if target is None or target.shape != self.target.shape:
            return None
        return self.again(subject, target)

    def again(self, subject: ReportedPass, target: Node) -> OutputFunction:
        return OutputFunction(subject, self.spelled, target)

    def evaluate(self, x: Any) -> Any:
        """The output at ``x``, weighted with the seed of the backward pass; nan if it cannot be computed."""
        given = float(x) if self.is_number and x.dtype.kind != "c" else x
        try:
            out = np.asarray(self.recording.values({self.target: given})[self.subject.root])
        except (ArithmeticError, ValueError, AutodiffError):  # a matrix without an inverse
            return float("nan")
        return (out * np.asarray(self.subject.seed)).sum()

    @cached_property
    def gradient_in_double(self) -> Any:
        """The gradient by the same rules in double precision; None where these cannot be run."""
        return self.replayed_gradient(self.x)

    def replayed_gradient(self, x: Any) -> Any:
        """The gradient of the recorded graph at ``x``; None where that cannot be computed."""
        try:
            return np.asarray(self.gradient_at(x, create_graph=False)[0].data)
        except (ArithmeticError, ValueError, AutodiffError):
            return None

    def gradient_at(self, point: Any, create_graph: bool) -> tuple[Tensor, Tensor]:
        x = tensor(np.asarray(point, dtype=float), requires_grad=True)
        root = self.recording.tensors({self.target: x})[self.subject.root]
        if not root.requires_grad_flag:
            return Tensor.of(as_stored(np.zeros(x.shape))), x
        seed = Tensor.of(as_stored(np.asarray(self.subject.seed, dtype=float)))
        (g,) = grad(root, x, seed, create_graph=create_graph, allow_unused=True)
        return Tensor.of(as_stored(np.zeros(x.shape))) if g is None else g, x

    @property
    def is_analytic(self) -> bool:
        """Whether the function is analytic, so that it can be evaluated at complex numbers."""
        return self.precision == "float64" and all(
            node.op.name in ANALYTIC_OPS and not is_custom(node.op) for node in self.recording.steps
        )


class GradientFunction(OutputFunction):
    """The sum of the gradient times ``weights`` as a function; ``g`` is the gradient of that."""

    def __init__(self, subject: ReportedPass, spelled: str, target: Node, weights: Any) -> None:
        self.weights = weights
        super().__init__(subject, spelled, target)

    def again(self, subject: ReportedPass, target: Node) -> GradientFunction:
        return GradientFunction(subject, self.spelled, target, self.weights)

    @cached_property
    def gradient_in_double(self) -> Any:
        return self.g

    def read_gradient(self) -> None:
        slope, x = self.gradient_at(self.x, create_graph=True)
        self.f = float((slope.data * self.weights).sum())
        self.g = np.zeros_like(self.x)
        order: list[Node] = []
        cotangents: dict[Node, Any] = {}
        if slope.requires_grad_flag and slope.node is not None:
            order = newest_first([slope.node])
            cotangents = sweep(order, {slope.node: as_stored(np.asarray(self.weights, dtype=float))})
            self.g = np.asarray(cotangents.get(x.source(), self.g), dtype=float)
        self.measure(order, cotangents, x.source())

    def replayed_gradient(self, x: Any) -> Any:
        moved = copy(self)
        moved.x = x
        try:
            moved.read_gradient()
        except (ArithmeticError, ValueError, AutodiffError):
            return None
        return moved.g

    def evaluate(self, x: Any) -> Any:
        try:
            slope, _ = self.gradient_at(x, create_graph=False)
        except (ArithmeticError, ValueError, AutodiffError):
            return float("nan")
        return (np.asarray(slope.data) * self.weights).sum()

    @property
    def is_analytic(self) -> bool:
        return False  # not all rules take complex numbers
