"""The events of a run and its backward pass, in the order in which they happened.

``core/events`` makes them; the terminal and the page play them. Nodes and edges are given by their ids in the
record of the graph (``graph_records.Graph``). Values are floats, arrays, or ArraySummary of large arrays.
"""

from __future__ import annotations

from autodiff.core.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Make(Record):
    """The script made ``node`` at ``line``; ``visit`` is that of the node."""

    node: int
    line: int | None
    visit: int


class Seed(Record):
    """Backward starts at ``node``: its gradient is ``sum``."""

    node: int
    line: int | None
    sum: Any


class Flow(Record):
    """A gradient flows along ``edge`` to its input ``node``.

    ``line`` is that of the node that uses it, whose gradient ``arriving`` is complete. ``local`` is the local
    derivative, None if it is not a factor: then the edge's symbol is the rule for ``give``, which is what
    ``node`` receives. ``before`` is the gradient of ``node`` up to now, None at the first time, and ``sum``
    the one from now on. ``last`` says that the gradient of ``node`` is complete with that.
    """

    edge: int
    node: int
    line: int | None
    arriving: Any
    local: Any
    give: Any
    before: Any
    sum: Any
    last: bool


class PathProduct(Record):
    """One path from the output to the input ``wrt`` (an id): ``product`` is what it contributes.

    ``index`` is its position among the derivation's paths. ``nodes`` and ``edges`` are ids, output first;
    ``symbol`` spells the product, ``locals`` are the local derivatives of the edges. ``so_far`` is the sum of
    the products of this path and those before it. The strongest paths come first.
    """

    wrt: int
    index: int
    nodes: tuple[int, ...]
    edges: tuple[int, ...]
    symbol: str
    locals: tuple[Any, ...]
    product: Any
    so_far: Any


class Events(Record):
    """All events: ``forward`` in the order of creation, ``backward`` in that of the pass, ``paths`` by input.

    Those of nodes that the record of the graph leaves out are left out.
    """

    forward: tuple[Make, ...]
    backward: tuple[Seed | Flow, ...]
    paths: tuple[PathProduct, ...]
