"""Derivations as JSON. docs/json.md describes the records."""

from __future__ import annotations

from itertools import chain

from autodiff.cli.render.json_graph import graph_entry, names_entry
from autodiff.cli.render.json_values import brief, count, plain, tree
from autodiff.cli.render.name_keys import MOST_NAMES
from autodiff.core.derivation.path_formula import LONGEST_PATH
from autodiff.core.symbolic.expr import Expr, expr_text, names_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from autodiff.core.base.source import Source
    from autodiff.core.report.cause import Cause
    from autodiff.core.report.entry_records import EntryDerivation
    from autodiff.core.report.graph_records import Graph
    from autodiff.core.report.kink import Kink
    from autodiff.core.report.records import Derivation, InputUse, Path


def derivation_entry(derivation: Derivation, graph: Graph | None, source: Source) -> dict[str, Any]:
    """A derivation. The edges of its causes are found in ``graph``, that of the document, or in its own."""
    graph = derivation.graph or graph
    return {
        "output": derivation.output,
        "wrt": derivation.wrt,
        "count": count(derivation.count),
        "followed": derivation.followed,
        "strongest": derivation.are_strongest,
        "paths": [path_entry(path) for path in derivation.paths],
        "steps": steps_entry(derivation),
        "formula": derivation.complete.text or None,
        "uses": [use_entry(use) for use in derivation.uses],
        "use_count": derivation.use_count,
        "magnitude": plain(derivation.magnitude),
        "words": derivation.words or None,
        "causes": [cause_entry(cause, graph) for cause in derivation.causes],
        "kinks": [kink_entry(kink) for kink in derivation.kinks],
        "order": derivation.order,
        "given": derivation.given or None,
        "weight": derivation.weight,
        "entry": None if derivation.entry is None else entry_entry(derivation.entry),
        "value": plain(derivation.value),
        "backward": plain(derivation.backward),
        "difference": plain(derivation.difference),
        "graph": None if derivation.graph is None else graph_entry(derivation.graph, source),
    }


def path_entry(path: Path) -> dict[str, Any]:
    return {
        "nodes": ends_of(path.nodes),
        "node_ids": list(path.node_ids),
        "edge_ids": list(path.edge_ids),
        "chain": list(path.chain),
        "factors": list(path.factors),
        "symbol": path.symbol,
        "contribution": brief(path.contribution),
        "expressions": {
            "chain": [[tree(above), tree(below)] for above, below in path.edges],
            "factors": [tree(factor) for factor in path.derivatives],
            "symbol": tree(path.product),
        },
    }


def ends_of(names: Sequence[str]) -> list[str]:
    """The names along a path; of a long one those that its chain has."""
    if len(names) <= LONGEST_PATH + 1:
        return list(names)
    ends = LONGEST_PATH // 2 + 1
    return [*names[:ends], "...", *names[-ends:]]


def steps_entry(derivation: Derivation) -> dict[str, Any]:
    named = () if derivation.expressions is None else derivation.expressions.named
    texts = chain(derivation.texts_without_paths, *(ends_of(path.nodes) for path in derivation.paths))
    return {
        "names": names_entry(derivation.key, texts, MOST_NAMES),
        "chain": list(derivation.chain),
        "local": list(derivation.local),
        "simplified": derivation.simplified,
        "factored": derivation.factored or None,
        "where": [list(pair) for pair in derivation.where],
        "named": [
            {
                "name": part.name,
                "formula": expr_text(part.expr),
                "expression": tree(part.expr),
                "value": brief(part.value),
            }
            for part in named
        ],
        "numbers": list(derivation.numbers),
        "value": plain(derivation.value),
        "expressions": formula_trees(derivation),
    }


def use_entry(use: InputUse) -> dict[str, Any]:
    return {
        "name": use.name,
        "line": use.line,
        "operand": use.operand,
        "paths": count(use.paths),
        "contribution": brief(use.contribution),
    }


def cause_entry(cause: Cause, graph: Graph | None) -> dict[str, Any]:
    """A reason; ``edge_ids`` are the edges that lost the gradient, where the document has the graph."""
    return {
        "kind": cause.kind,
        "text": cause.text,
        "name": cause.name,
        "op": cause.op or None,
        "line": cause.line,
        "edge_ids": [] if graph is None else cause.lost_edges(graph),
        "repairs": [repair.text for repair in cause.repairs],
        "repair_lines": [list(repair.lines) for repair in cause.repairs],
    }


def formula_trees(derivation: Derivation) -> dict[str, Any] | None:
    """The formulas of a derivation as expressions, with the values of the names in them and in its paths."""
    formulas = derivation.expressions
    if formulas is None:
        return None
    meanings = [meaning for _, meaning in formulas.where if isinstance(meaning, Expr)]
    shown = [formulas.simplified, formulas.factored, *meanings]
    shown += [factor for path in derivation.paths for factor in path.derivatives]
    shown += [part.expr for part in formulas.named]
    names = dict.fromkeys(name for expr in shown if expr is not None for name in names_in(expr))
    return {
        "simplified": tree(formulas.simplified),
        "factored": tree(formulas.factored),
        "where": [
            [name, tree(meaning) if isinstance(meaning, Expr) else meaning]
            for name, meaning in formulas.where
        ],
        "values": {str(name): brief(formulas.values[name]) for name in names if name in formulas.values},
    }


def entry_entry(entry: EntryDerivation) -> dict[str, Any]:
    return {
        "place": list(entry.place),
        "given": entry.given,
        "simplified": entry.formula or None,
        "formula": entry.complete.text or None,
        "numbers": list(entry.numbers),
        "where": [list(pair) for pair in entry.where],
        "chain": [
            {
                "name": step.name,
                "expansion": step.expansion or None,
                "local": step.local,
                "rate": plain(step.rate),
                "received": plain(step.received),
            }
            for step in entry.steps
        ],
        "unspelled": [list(pair) for pair in entry.unspelled],
        "value": plain(entry.value),
        "backward": plain(entry.backward),
        "difference": plain(entry.difference),
        "expression": tree(entry.expr),
        "values": plain(entry.values),
    }


def kink_entry(kink: Kink) -> dict[str, Any]:
    return {
        "kind": kink.kind,
        "text": kink.text,
        "name": kink.name,
        "op": kink.op or None,
        "line": kink.line,
        "where": kink.where,
        "entry": list(kink.entry),
        "count": kink.count,
        "size": kink.size,
        "convention": kink.convention,
        "elsewhere": kink.elsewhere or None,
        "formula": kink.formula or None,
    }
