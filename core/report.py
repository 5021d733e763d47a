"""What can be said about a gradient, as plain data. ``describe`` builds it, the cli spells it.

Values are Python floats or ndarrays. A renderer is a function of these classes and of nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from autodiff.core.node import Node


@dataclass(frozen=True)
class Subject:
    """What a report is about: one backward pass, as the engine ran it.

    ``order`` holds the tracked nodes below ``root``, newest first; ``cotangents`` what each received.
    ``weight`` is the gradient the pass started with, None for the 1 of a scalar. ``wrt`` are the inputs
    asked about, in source order. ``notes`` are remarks for the reader's stderr.
    """

    name: str
    root: Node
    seed: Any
    weight: str | None
    wrt: tuple[tuple[str, Node], ...]
    order: tuple[Node, ...]
    cotangents: dict[Node, Any]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Variable:
    """A named tensor with its gradient. ``paths`` counts the paths that reach it from the output."""

    name: str
    line: int | None
    shape: tuple[int, ...]
    dtype: str
    value: Any
    grad: Any
    paths: int


@dataclass(frozen=True)
class GraphNode:
    """A vertex: ``id`` is its topological rank (inputs before outputs), ``inputs`` the ids of its operands.

    ``op`` is ``"leaf"`` for what no op made; an operand that is a plain number or is not tracked does not
    appear. ``name`` is the script's own name, or the source text of an unnamed result.
    """

    id: int
    name: str
    op: str
    grad_fn: str | None
    line: int | None
    shape: tuple[int, ...]
    dtype: str
    value: Any
    grad: Any
    inputs: tuple[int, ...]


@dataclass(frozen=True)
class GraphEdge:
    """One use of ``input`` by ``output`` as operand number ``operand``, with the local derivative.

    ``local`` is d output/d input where that is a number or an array of the output's shape (elementwise
    ops), else None; ``symbol`` spells it (``"x3"``, ``"cos(z)"``), or spells the map from the incoming
    gradient for other ops (``"X.T @ G"``).
    """

    output: int
    input: int
    operand: int
    local: Any
    symbol: str


@dataclass(frozen=True)
class Graph:
    """The graph below ``root`` (an id), nodes in order of id."""

    root: int
    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]


@dataclass(frozen=True)
class Path:
    """One way from the output down to an input.

    ``nodes`` are the names passed, output first. ``chain`` spells each factor as a quotient
    (``"dL/dx5"``), ``factors`` as a local derivative (``"-1"``, ``"w2"``; for tensors the map applied),
    ``symbol`` the whole product simplified; ``contribution`` is its value.
    """

    nodes: tuple[str, ...]
    chain: tuple[str, ...]
    factors: tuple[str, ...]
    symbol: str
    contribution: Any


@dataclass(frozen=True)
class Derivation:
    """The gradient of the output with respect to one input, as a sum over paths.

    The five steps are lists of summands, one per path shown: ``chain``, ``local``, ``numbers`` (each a
    printable term without its sign's separator), while ``simplified`` is one line for the whole gradient.
    ``value`` is the gradient, ``difference`` the largest deviation of the sum of all contributions from
    what backward gave; None when not all paths were followed. ``is_scalar`` tells whether every node on
    the way is a single number. ``count`` is exact, ``paths`` are those that were followed.
    """

    output: str
    output_line: int | None
    wrt: str
    wrt_line: int | None
    count: int
    paths: tuple[Path, ...]
    chain: tuple[str, ...]
    local: tuple[str, ...]
    simplified: str
    numbers: tuple[str, ...]
    value: Any
    backward: Any
    difference: float | None
    is_scalar: bool
    where: tuple[tuple[str, str], ...] = ()
    entry: str | None = None


@dataclass(frozen=True)
class GradientReport:
    """Everything ``run`` shows; ``graph`` and ``derivations`` are there when they were asked for."""

    script: str
    output: Variable
    weight: str | None
    gradients: tuple[Variable, ...]
    graph: Graph | None
    derivations: tuple[Derivation, ...]
    notes: tuple[str, ...]
