"""The rounding error of a gradient: what the paths to an input may leave of a sum that cancels.

Each contribution that is passed on is off by a random part of itself, entry by entry, and the pass carries
these errors to the input. So the error has the units of the gradient, however large the cotangents on the way
are. This is stochastic arithmetic: J. Vignes, "Discrete stochastic arithmetic for validating results of
numerical software", Numerical Algorithms 37 (2004).
"""

from __future__ import annotations

from autodiff.core.base.lazy_imports import np, np_random
from autodiff.core.graph.node import ScalarNode
from autodiff.core.graph.op import Op
from autodiff.core.graph.topological_order import nodes_leading_to
from autodiff.core.graph.values import as_stored
from autodiff.core.graph.vjp import scalar_edge_pullback
from autodiff.core.paths.path_sum import edge_contribution
from autodiff.core.paths.use_contributions import max_abs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from autodiff.core.graph.node import Node

#: The number of random passes, and that for graphs of more than ``MANY_NODES``, where each takes seconds.
DRAWS, FEW_DRAWS = 5, 2
MANY_NODES = 50_000
#: Ops whose rules only multiply, so that their rounding is relative to what they pass on. Other rules, such
#: as 1 - tanh(x)**2, may cancel: their rounding is relative to the cotangent that they get.
PRODUCT_OPS = frozenset(
    """
    add sub mul div neg pow exp log sqrt square reciprocal rsqrt matmul mm mv dot vm bmm outer sum mean sum_to
    expand reshape permute transpose t squeeze unsqueeze select slice index stack cat alias clone contiguous
    diagonal embed trace
    """.split()
)


def gradient_rounding(order: list[Node], cotangents: Mapping[Node, Any], target: Node) -> Any:
    """Return the size of the rounding error of each entry of a gradient, relative to the rounding unit.

    ``order`` has the nodes of the pass, newest first, and ``cotangents`` what the pass has found. The result
    has the shape of ``target``; where nothing cancels, it is about the size of the gradient.
    """
    random = np_random.default_rng(0)
    between = nodes_leading_to(order, [target])
    kept = {target, *between}
    squares = np.zeros(target.shape)
    draws = DRAWS if len(between) <= MANY_NODES else FEW_DRAWS
    with np.errstate(all="ignore"):
        for _ in range(draws):
            squares += np.square(np.asarray(random_errors(between, kept, cotangents, target, random), float))
    return np.sqrt(squares / draws)


def random_errors(
    between: list[Node], kept: set[Node], cotangents: Mapping[Node, Any], target: Node, random: Any
) -> Any:
    """Return the error of a gradient if every contribution has a random error of its size."""
    errors: dict[Node, Any] = {}
    normal = random.standard_normal
    for node in between:
        g = cotangents.get(node)
        if g is None or node is target or node.op is None:
            continue
        if node.__class__ is ScalarNode:
            cancels = node.op.name not in PRODUCT_OPS
            for index, below in enumerate(node.inputs):
                if below is not None and below in kept:
                    number = scalar_edge_pullback(node, index, errors.get(node, 0.0) + g * normal())
                    number += abs(g) * normal() if cancels else 0.0
                    errors[below] = errors[below] + number if below in errors else number
            continue
        for index, below in enumerate(node.inputs):
            if below is None or not below.tracked or below not in kept:
                continue
            own = np.asarray(g) * random.standard_normal(np.shape(g)).astype(np.asarray(g).dtype)
            error = as_stored(np.asarray(errors.get(node, 0.0) + own, np.asarray(g).dtype))
            if node.op.__class__ is not Op:  # a custom function keeps what its backward gave
                node.op.reset_rule_cache()
            passed = edge_contribution((node, index), error)
            if node.op.__class__ is Op and node.op.name not in PRODUCT_OPS:
                shape = np.shape(passed)
                inner = max_abs(g) * random.standard_normal(shape)
                passed = as_stored(np.asarray(passed + inner, np.asarray(passed).dtype))
            errors[below] = passed if below not in errors else errors[below] + passed
    return errors.get(target, 0.0)
