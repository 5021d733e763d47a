"""P13: the exact number of paths and the ten strongest ones of a graph of 10^5 scalar nodes.

The anchor is what torch takes to build the same graph and go backward through it, which is less to ask
for. The graph stands when our clock starts: ``explain`` has it from the run of the script. networkx is
asked for the longest path alone, of a graph whose edges carry the logarithms already.
"""

from __future__ import annotations

import random
from math import log
from typing import Any

from benchmarks.cases import Case, sized, worker
from benchmarks.scalars import STARTS, program
from benchmarks.worker import Run, answer

SHOWN = 10


KINDS = ("dag", "random graph")


def cases(scale: float) -> list[Case]:
    n = sized(100_000, scale, least=30)
    return [
        Case(
            "P13",
            f"path count and {SHOWN} strongest paths, {kind} of {n:,} nodes",
            0.4,
            worker("strongest_paths", "ours", kind, n),
            worker("strongest_paths", "torch", kind, n),
            peers={"networkx": worker("strongest_paths", "networkx", kind, n, answers=False)},
        )
        for kind in KINDS
    ]


def growth(scale: float) -> list[Case]:
    made = []
    for kind in KINDS:
        for size in (1_000, 10_000, 100_000, 1_000_000):
            n = sized(size, scale, least=30)
            sides = [worker("strongest_paths", side, kind, n, units=n) for side in ("ours", "torch")]
            work = f"{kind} of {n:,} nodes, path count and {SHOWN} strongest paths, time per node"
            made.append(Case("paths", work, None, *sides))
    return made


def mixed(size: int, x: Any, a: Any, b: Any) -> Any:
    """Three ops at a time: a weighted mean of two nodes drawn from the latest, so that values stay small."""
    rng = random.Random(0)
    nodes = [x, a, b]
    for _ in range(size // 3):
        p, q = nodes[-1 - rng.randrange(min(8, len(nodes)))], nodes[-1 - rng.randrange(min(50, len(nodes)))]
        nodes.append((p - q) * rng.uniform(0.1, 0.9) + q)
    return nodes[-1]


def built(kind: str, size: int, leaves: list[Any], sin: Any) -> Any:
    return program("dag", size, *leaves, sin) if kind == "dag" else mixed(size, *leaves)


def graph(kind: str, size: int) -> tuple[Any, Any]:
    """Our graph: the root and the leaf asked about."""
    from autodiff.core import tensor
    from autodiff.core.graph.op import OPS

    leaves = [tensor(value, requires_grad=True) for value in STARTS["dag"]]
    root = built(kind, size, leaves, OPS["sin"])
    return root.node, leaves[0].node


def ours(kind: str, size: int) -> Run:
    from autodiff.core.graph.topological_order import newest_first
    from autodiff.core.paths.path_sum import count_paths
    from autodiff.core.paths.strongest_paths import ScalarEdges

    root, leaf = graph(kind, size)

    def run() -> list[Any]:
        order = newest_first([root])
        count = count_paths(root, [leaf], order)[leaf]
        found = ScalarEdges(order).strongest(leaf, 1.0, SHOWN)
        return [log(count), *(contribution for _, contribution in found)]

    return run


def torchs(kind: str, size: int) -> Run:
    import torch

    def run() -> list[Any]:
        leaves = [torch.tensor(value, dtype=torch.float64, requires_grad=True) for value in STARTS["dag"]]
        built(kind, size, leaves, torch.sin).backward()
        return [leaves[0].grad.item()]

    return run


def networkxs(kind: str, size: int) -> Run:
    import networkx
    from autodiff.core.graph.topological_order import newest_first
    from autodiff.core.paths.strongest_paths import ScalarEdges

    root, leaf = graph(kind, size)
    found = networkx.DiGraph()
    order = newest_first([root])
    edges = ScalarEdges(order)
    for node in order:
        for _, below, derivative in edges.of(node):
            if derivative:
                found.add_edge(node.number, below.number, weight=log(abs(derivative)) + 50.0)
    del leaf
    return lambda: [len(networkx.dag_longest_path(found))]


def gradient(kind: str, size: int) -> Run:
    """What our pass finds for the leaf: torch's, if the graphs are the same."""
    from autodiff.core.engine.sweep import sweep
    from autodiff.core.graph.topological_order import newest_first

    root, leaf = graph(kind, size)
    return lambda: [sweep(newest_first([root]), {root: 1.0})[leaf]]


SIDES = {"ours": ours, "torch": torchs, "networkx": networkxs}
GRADIENTS = {"ours": gradient, "torch": torchs}

if __name__ == "__main__":
    answer(SIDES, GRADIENTS)
