"""Sums of squares: the residuals in a graph, and the standard errors of what was fitted to data.

Sources. For a least-squares fit the inputs' covariance is s^2 (J'J)^-1, with s^2 the variance of a residual:
known, or estimated as the sum of squares over the degrees of freedom. For a log-likelihood with its sign
changed it is the inverse of the Hessian (Seber and Wild, Nonlinear Regression, 1989, sections 2.1 and 2.2).
"""

from __future__ import annotations

from autodiff.core.base.lazy_imports import np
from autodiff.core.graph.node import Node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from typing import Any


#: What is subtracted from residuals that are the entries of one node.
NOTHING = 0.0
#: The part of the largest singular value, or of the largest curvature, that counts as none: rounding.
FLAT_SLOPE = 1e-12
FLAT_CURVATURE = 1e-13
#: The part of the largest move in a flat direction that counts as none.
NO_MOVE = 1e-6


class Residuals:
    """Entries of a graph whose squares, times ``weight``, are a part of an objective: ``plus`` - ``minus``.

    ``minus`` is a node or a constant array. ``weight`` is a number, or an array of the shape of ``plus``.
    Entries of weight 0 do not count: ``counted`` are the flat positions of the others.
    """

    __slots__ = ("counted", "minus", "plus", "weight")

    def __init__(self, plus: Node, weight: Any, minus: Any = NOTHING) -> None:
        self.plus = plus
        self.minus = minus
        self.weight = weight
        self.counted = np.flatnonzero(np.broadcast_to(weight, plus.shape))

    def nodes(self) -> dict[Node, float]:
        """The nodes, with their signs."""
        return {self.plus: 1.0, **({self.minus: -1.0} if isinstance(self.minus, Node) else {})}

    def value(self) -> Any:
        """The residuals that count times the roots of their weights, one after the other."""
        minus = self.minus.out if isinstance(self.minus, Node) else self.minus
        return self.roots() * np.ravel(np.asarray(self.plus.out, "float64") - minus)[self.counted]

    def roots(self) -> Any:
        """The roots of the weights of the residuals that count."""
        return np.sqrt(np.broadcast_to(self.weight, self.plus.shape)).ravel()[self.counted]


def squares_in(root: Node, moved: Collection[Node]) -> list[Residuals] | None:
    """Return the residuals whose weighed squares add up to a number, or None if it is no sum of squares.

    ``moved`` are the nodes that depend on the inputs. With any other term, even a constant one as the log of
    a known deviation, the number is taken for a log-likelihood, whose squares have their scale.
    """
    found: list[Residuals] = []
    terms: list[tuple[Node, Any]] = [(root, 1.0)]
    while terms:
        node, weight = terms.pop()
        parts = term_parts(node, weight, moved)
        if parts is None:
            return None
        found += [part for part in parts if isinstance(part, Residuals)]
        terms += [part for part in parts if isinstance(part, tuple)]
    if not found or any((np.asarray(one.weight) < 0).any() for one in found):
        return None
    return found[::-1]


def common_weight(parts: Iterable[Residuals]) -> float:
    """Return the weight of all residuals, as 1/n of a mean; 1 if they have different ones."""
    weights = np.unique(np.concatenate([np.ravel(part.weight) for part in parts]))
    weights = weights[weights > 0]
    return float(weights[0]) if len(weights) == 1 else 1.0


def term_parts(node: Node, weight: Any, moved: Collection[Node]) -> list[Any] | None:
    """Return the terms and residuals that ``weight`` times a node consists of; None for another form."""
    name = "" if node.op is None else node.op.name
    inputs = node.inputs
    at = [index for index, below in enumerate(inputs) if below is not None and below in moved]
    if not at:
        return None
    below = inputs[at[0]]
    assert below is not None
    if name in ("pow", "square", "mul", "dot") and is_square(node, name, at):
        weight = weight if name == "dot" or not below.shape else np.broadcast_to(weight, below.shape)
        return [Residuals(below, scaled(weight, chosen_entries(below, moved)))]
    if name in ("sum", "mean") and node.params.get("dim") is None:
        return [(below, weight / (np.size(below.out) if name == "mean" else 1))]
    if name == "mse_loss" and node.params.get("reduction") in ("sum", "mean"):
        other: Any = inputs[1 - at[0]] if len(at) == 2 else node.operands[1 - at[0]]
        size = np.size(below.out) if node.params["reduction"] == "mean" else 1
        is_alike = np.shape(other.out if isinstance(other, Node) else other) == below.shape
        return [Residuals(below, weight / size, other)] if is_alike else None
    if any(one is not None and one.shape != node.shape for one in (inputs[index] for index in at)):
        return None  # an operand was broadcast
    if name == "without_nan" or (name == "where" and np.ndim(chosen_entries(node, moved))):
        return [(below, weight * chosen_entries(node, moved))]
    if name in ("add", "sub"):
        if len(at) == 1 and np.any(np.asarray(node.operands[1 - at[0]])):
            return None  # the 0 that sum() and loops start from is no term
        signs = (1.0, 1.0 if name == "add" else -1.0)
        return [(inputs[index], weight * signs[index]) for index in at]
    if len(at) == 1 and (name == "mul" or (name == "div" and at == [0])):
        constant = np.asarray(node.operands[1 - at[0]], "float64")
        return [(below, scaled(weight, constant if name == "mul" else 1 / constant))]
    return None


def scaled(weight: Any, factor: Any) -> Any:
    """A weight times a factor; 0 stays 0, whatever the factor is."""
    return np.where(np.equal(weight, 0), 0.0, weight * factor)


def chosen_entries(node: Node, moved: Collection[Node]) -> Any:
    """Which entries of a node depend on inputs, if ``where`` or ``nansum`` has 0 in the others; else 1."""
    name = "" if node.op is None else node.op.name
    if name == "without_nan":
        return ~np.isnan(node.operands[0])
    if name == "where":
        at = [index for index in (1, 2) if node.inputs[index] in moved]
        if len(at) == 1 and not np.any(np.asarray(node.operands[3 - at[0]])):
            chosen = np.asarray(node.operands[0], bool)
            return np.broadcast_to(chosen if at == [1] else ~chosen, node.shape)
    return 1.0


def is_square(node: Node, name: str, at: list[int]) -> bool:
    """Whether a node is the square of its first operand; ``at`` are the operands that are moved."""
    if name == "pow":
        return at == [0] and np.ndim(node.operands[1]) == 0 and float(node.operands[1]) == 2
    return name == "square" or (len(at) == 2 and node.inputs[0] is node.inputs[1])


def covariance_of_fit(jacobian: Any, variance: float) -> Any:
    """Return the covariance of fitted inputs (n x n) from the residuals' Jacobian (m x n) and their variance.

    The residuals determine the inputs: m >= n, and there are no flat directions.
    """
    lengths = np.sqrt((jacobian**2).sum(axis=0))
    _, values, right = np.linalg.svd(jacobian / lengths, full_matrices=False)
    inverse = right.T / values
    return variance * (inverse @ inverse.T) / np.outer(lengths, lengths)


def covariance_of_likelihood(hessian: Any) -> Any:
    """Return the inverse of a Hessian; None if it is not positive definite, as it is at a minimum."""
    diagonal = np.diag(hessian)
    if not (np.isfinite(hessian).all() and (diagonal > 0).all()):
        return None
    scale = np.sqrt(diagonal)
    values, vectors = np.linalg.eigh((hessian + hessian.T) / (2 * np.outer(scale, scale)))
    if values[0] <= FLAT_CURVATURE * values[-1]:
        return None
    return (vectors / values) @ vectors.T / np.outer(scale, scale)


def flat_directions_of_fit(jacobian: Any) -> Any:
    """Return the moves of the inputs (k x n) that do not change residuals with this Jacobian (m x n)."""
    lengths = np.sqrt((jacobian**2).sum(axis=0))
    scale = np.where(lengths > 0, lengths, 1.0)
    rows, columns = jacobian.shape
    _, values, right = np.linalg.svd(jacobian / scale, full_matrices=rows < columns)
    rank = int((values > FLAT_SLOPE * values.max(initial=0.0)).sum())
    return simplest(right[rank:], scale)


def flat_directions(hessian: Any) -> Any:
    """Return the moves of the inputs (k x n) along which a Hessian has no curvature; none at a saddle."""
    diagonal = np.abs(np.diag(hessian))
    scale = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    values, vectors = np.linalg.eigh((hessian + hessian.T) / (2 * np.outer(scale, scale)))
    limit = FLAT_CURVATURE * np.abs(values).max(initial=0.0)
    return simplest(vectors.T[np.abs(values) <= limit] if (values >= -limit).all() else vectors[:0], scale)


def simplest(rows: Any, scale: Any) -> Any:
    """Return the space of ``rows``, in units of 1/scale, by Gauss's and Jordan's elimination.

    The first move of each row is 1, and another row has none there.
    """
    rows = rows.copy()
    for at in range(len(rows)):
        row, column = np.unravel_index(np.argmax(np.abs(rows[at:])), rows[at:].shape)
        rows[[at, at + row]] = rows[[at + row, at]]
        rows[at] /= rows[at, column]
        others = np.arange(len(rows)) != at
        rows[others] -= np.outer(rows[others, column], rows[at])
    rows[np.abs(rows) < NO_MOVE] = 0
    moves = rows / scale
    first = [row[np.flatnonzero(row)[0]] for row in moves]
    found = moves / np.reshape(first, (-1, 1))
    return found[np.argsort([np.flatnonzero(row)[0] for row in found], kind="stable")]
