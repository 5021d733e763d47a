"""The functions whose gradients are checked: the output, or its weighted gradient, over one input."""

from __future__ import annotations

from functools import cached_property
from math import isfinite

from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.lazy import np
from autodiff.core.check.replay import Recording
from autodiff.core.engine.backward import grad
from autodiff.core.engine.sweep import sweep
from autodiff.core.engine.tensor import Tensor, tensor
from autodiff.core.graph.topological_order import leading_to, newest_first
from autodiff.core.graph.values import settle
from autodiff.core.paths.use_contributions import size_of
from autodiff.core.symbolic.symbol import is_custom

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from autodiff.core.graph.node import Node
    from autodiff.core.report.records import Subject

#: The ops whose numpy functions compute the analytic continuation of complex numbers.
ANALYTIC = frozenset(
    """
    add sub mul div neg pow exp log sin cos tan tanh sinh cosh sqrt square reciprocal rsqrt expm1
    asin acos atan asinh acosh atanh matmul mm mv dot vm bmm outer sum mean sum_to expand reshape permute
    transpose t squeeze unsqueeze select slice index stack cat alias clone contiguous diagonal embed trace
    """.split()
)


class Scalar:
    """The output as a function of one input: ``x`` is the point, ``f`` the output there, ``g`` the gradient.

    All are in double precision whatever the script uses, so that small steps make a difference.
    ``largest`` is the largest entry of the cotangents between the output and the input; where these cancel,
    rounding of this size remains.
    ``weight`` is the sum of ``|cotangent * value|`` over all nodes: the rounding of ``f`` in units of the
    last digit. ``tallest`` is the largest entry of these values.
    """

    def __init__(self, subject: Subject, spelled: str, target: Node) -> None:
        self.subject = subject
        self.spelled = spelled
        self.target = target
        self.recording = Recording(subject.root, (target,), subject.order)
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
        """Set ``largest``, ``weight`` and ``tallest``.

        Inputs are exact and do not count in ``weight``, unless an op that is not elementwise reads them: its
        rounding is as if its inputs were rounded.
        """
        between = [] if target is None else leading_to(order, [target])
        sizes = [size_of(cotangents[node]) for node in between if node in cotangents]
        self.largest = max([size for size in sizes if isfinite(size)], default=0.0)
        self.weight = self.tallest = 0.0
        mixed = {below for node in order if node.op and not node.op.is_elementwise for below in node.inputs}
        with np.errstate(all="ignore"):
            for node in order:
                self.tallest = max(self.tallest, size_of(node.out))
                if node.op is None and node not in mixed:
                    continue
                share = float(np.abs(np.asarray(cotangents.get(node, 0.0)) * np.asarray(node.out)).sum())
                if isfinite(share):
                    self.weight += share

    @property
    def is_reached(self) -> bool:
        """Whether the output depends on the input, or is the input itself."""
        return bool(self.recording.steps) or self.target is self.subject.root

    def like(self, subject: Subject) -> Scalar | None:
        """The same function in another run of the script; None if the input is missing or has a new shape."""
        target = dict(subject.wrt).get(self.spelled)
        if target is None or target.shape != self.target.shape:
            return None
        return self.again(subject, target)

    def again(self, subject: Subject, target: Node) -> Scalar:
        return Scalar(subject, self.spelled, target)

    def at(self, x: Any) -> Any:
        """The output at ``x``, weighted with the seed of the backward pass; nan if it cannot be computed."""
        given = float(x) if self.is_number and x.dtype.kind != "c" else x
        try:
            out = np.asarray(self.recording.values({self.target: given})[self.subject.root])
        except (ArithmeticError, ValueError, AutodiffError):  # a matrix without an inverse
            return float("nan")
        return (out * np.asarray(self.subject.seed)).sum()

    @cached_property
    def doubled(self) -> Any:
        """The gradient by the same rules in double precision; None where these cannot be run."""
        try:
            slope, _ = self.slope_at(self.x, create_graph=False)
        except (ArithmeticError, ValueError, AutodiffError):
            return None
        return np.asarray(slope.data)

    def slope_at(self, point: Any, create_graph: bool) -> tuple[Tensor, Tensor]:
        x = tensor(np.asarray(point, dtype=float), requires_grad=True)
        root = self.recording.recorded({self.target: x})[self.subject.root]
        if not root.requires_grad:
            return Tensor.of(settle(np.zeros(x.shape))), x
        seed = Tensor.of(settle(np.asarray(self.subject.seed, dtype=float)))
        (g,) = grad(root, x, seed, create_graph=create_graph, allow_unused=True)
        return Tensor.of(settle(np.zeros(x.shape))) if g is None else g, x

    @property
    def is_analytic(self) -> bool:
        """Whether the function is analytic, so that it can be evaluated at complex numbers."""
        return self.precision == "float64" and all(
            node.op.name in ANALYTIC and not is_custom(node.op) for node in self.recording.steps
        )


class Gradient(Scalar):
    """The sum of the gradient times ``weights`` as a function; ``g`` is the gradient of that."""

    def __init__(self, subject: Subject, spelled: str, target: Node, weights: Any) -> None:
        self.weights = weights
        super().__init__(subject, spelled, target)

    def again(self, subject: Subject, target: Node) -> Gradient:
        return Gradient(subject, self.spelled, target, self.weights)

    @cached_property
    def doubled(self) -> Any:
        return self.g

    def read_gradient(self) -> None:
        slope, x = self.slope_at(self.x, create_graph=True)
        self.f = float((slope.data * self.weights).sum())
        self.g = np.zeros_like(self.x)
        order: list[Node] = []
        cotangents: dict[Node, Any] = {}
        if slope.requires_grad and slope.node is not None:
            order = newest_first([slope.node])
            cotangents = sweep(order, {slope.node: settle(np.asarray(self.weights, dtype=float))})
            self.g = np.asarray(cotangents.get(x.source(), self.g), dtype=float)
        self.measure(order, cotangents, x.source())

    def at(self, x: Any) -> Any:
        try:
            slope, _ = self.slope_at(x, create_graph=False)
        except (ArithmeticError, ValueError, AutodiffError):
            return float("nan")
        return (np.asarray(slope.data) * self.weights).sum()

    @property
    def is_analytic(self) -> bool:
        return False  # not all rules take complex numbers
