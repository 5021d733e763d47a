"""Local derivatives as texts that can be written in a formula, as the hints on wrong factors show them."""

from __future__ import annotations

from autodiff.core.base.errors import UsageError
from autodiff.core.base.lazy_imports import np
from autodiff.core.graph.node import OpNode
from autodiff.core.paths.operand_symbols import OperandSymbols
from autodiff.grammar.by_hand.formula import evaluate_formula
from autodiff.grammar.by_hand.points import SamplePoints, values_equal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.graph.node import Node


class FormulaSymbols(OperandSymbols):
    """The symbols of operands in formulas, where a result whose name has several values is written out."""

    def __init__(self, points: SamplePoints) -> None:
        super().__init__(points.node_names, None, points.subject.constants)

    def is_written_out(self, node: Node) -> bool:
        is_one_of_several = isinstance(node, OpNode) and self._names.has_versions(node)
        return is_one_of_several or super().is_written_out(node)


def has_values(text: str, values: list[Any], points: SamplePoints) -> bool:
    """Whether a text has these values in formulas at the points."""
    try:
        found = [np.asarray(evaluate_formula(text, names), dtype=float) for names in points.names]
    except (UsageError, TypeError, ValueError):
        return False
    return all(map(values_equal, found, values))
