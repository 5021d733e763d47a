"""Backward passes through deferred formulas: values and gradients of many nodes in one loop over tiles.

A region is a node and all nodes below it that only the region uses. Their rules, applied to cells instead of
arrays, record a program for the cotangents that leave the region to leaves and other nodes. Cotangents inside
the region are never written to memory.
"""

from __future__ import annotations

from heapq import heappop, heappush
from math import prod

from autodiff.core.base.lazy_imports import np
from autodiff.core.fused.deferred import REDUCTIONS, LazyValue, cell_of, is_uncomputed, request_value
from autodiff.core.fused.tile_program import NotTileableError, TileCell, TileProgram
from autodiff.core.graph.node import ArrayNode
from autodiff.core.graph.op import PLAIN_NUMBERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.graph.node import Node

#: The most nodes of one region.
MOST_NODES = 60


class Regions:
    """The nodes of a backward pass with deferred ops, and how many times each is used in it."""

    __slots__ = ("uses",)

    def __init__(self, order: list[Node]) -> None:
        self.uses: dict[Node, int] = {
            node: 0 for node in order if node.__class__ is ArrayNode and node.lazy_value is not None
        }
        for node in order:
            for operand in node.inputs:
                if operand in self.uses:
                    self.uses[operand] += 1

    def pass_back(self, root: Any, g: Any, cotangents: dict[Node, Any]) -> bool:
        """Add the cotangents that leave the region of ``root``, which receives ``g``; False if it cannot."""
        if root.lazy_value.__class__ is not LazyValue:
            done: bool = root.lazy_value.pass_back(root, g, cotangents)
            return done
        try:
            region = Region(root, g)
            for node in self.members(root):
                region.pull(node)
        except (ArithmeticError, NotTileableError):
            return False
        region.run(cotangents)
        return True

    def members(self, root: ArrayNode) -> list[ArrayNode]:
        """The nodes of a region, newest first: the root and all below it that only they use."""
        members: list[ArrayNode] = []
        shape = root.lazy_operands[0].shape if root.op.name in REDUCTIONS else root.shape
        seen: dict[Node, int] = {}
        ready: list[tuple[int, ArrayNode]] = [(-root.number, root)]
        while ready and len(members) < MOST_NODES:
            _, node = heappop(ready)
            members.append(node)
            operand: Any
            for operand in node.inputs:
                if operand not in self.uses:
                    continue
                seen[operand] = seen.get(operand, 0) + 1
                is_like_root = operand.lazy_value.__class__ is LazyValue and operand.lazy_value.shape == shape
                if is_like_root and seen[operand] == self.uses[operand] and has_no_retained_grad(operand):
                    heappush(ready, (-operand.number, operand))
        return members


def has_no_retained_grad(node: Node) -> bool:
    """Whether the gradient of the node itself is not retained, so that a pass need not compute it."""
    return node.status is None or node.status.grad_slot is None


def shape_without_value(node: Node) -> tuple[int, ...]:
    """The shape of a node's value, without computing a deferred one."""
    lazy = node.lazy_value if node.__class__ is ArrayNode else None
    return node.shape if lazy is None else lazy.shape


class Region:
    """Nodes that a backward pass takes in one loop: their program and the cotangents that leave them."""

    __slots__ = ("known", "lazy_value", "outgoing", "program", "root")

    def __init__(self, root: ArrayNode, g: Any) -> None:
        assert root.lazy_value is not None
        self.root = root
        lazy = self.lazy_value = root.lazy_value
        self.known: dict[LazyValue, TileCell] = {}
        #: The cotangents of nodes that were not pulled yet; at the end, of nodes outside the region.
        self.outgoing: dict[Node, TileCell] = {}
        if root.op.name in REDUCTIONS:
            [x] = root.lazy_operands
            self.program = TileProgram(x.shape, x.dtype)
            each = float(g) / prod(x.shape) if root.op.name == "mean" else float(g)
            self.outgoing[root] = self.program.constant(each)
        else:
            self.program = TileProgram(lazy.shape, lazy.dtype)
            self.outgoing[root] = self.program.array(np.asarray(g))

    def pull(self, node: ArrayNode) -> None:
        """Add the cotangents of a node's operands to the program."""
        node.check_saved()
        g = self.outgoing.pop(node)
        if node.op.name in REDUCTIONS:
            [below] = node.inputs
            assert below is not None
            self.outgoing[below] = g
            return
        operands = tuple(
            x if x.__class__ in PLAIN_NUMBERS else cell_of(self.program, x, self.known)
            for x in node.lazy_operands
        )
        out = cell_of(self.program, node.lazy_value, self.known)
        for index, operand in enumerate(node.inputs):
            if operand is not None and operand.tracked:
                c = node.op.contribution(index, g, out, operands, {})
                before = self.outgoing.get(operand)
                self.outgoing[operand] = c if before is None else before + c

    def run(self, cotangents: dict[Node, Any]) -> None:
        """Run the program and add its results to ``cotangents``."""
        shapes = {node: shape_without_value(node) for node in self.outgoing}
        for node, cell in self.outgoing.items():
            self.program.request(cell, is_sum=not shapes[node])
        lazy = self.lazy_value
        is_total_open = self.root.op.name in REDUCTIONS and is_uncomputed(lazy)
        if is_total_open:
            request_value(self.program, lazy, self.known)
        values = self.program.run()
        if is_total_open:
            total = values.pop()
            lazy.set_value(total / prod(self.program.shape) if lazy.op.name == "mean" else total)
        for node, value in zip(self.outgoing, values, strict=True):
            before = cotangents.get(node)
            if not shapes[node] and node.out.__class__ is not float:
                value = np.asarray(value, node.out.dtype)
            cotangents[node] = value if before is None else before + value
