"""Reports as one JSON document, which docs/json.md describes; within a version of it, keys are only added.

All text is escaped to ASCII, so the bytes are the same everywhere and cannot control a terminal.
"""

from __future__ import annotations

from importlib.metadata import version
from json import dumps

from autodiff.cli.render.json_graph import event_entries, graph_entry
from autodiff.cli.render.json_graph import location as location_in
from autodiff.cli.render.json_values import brief, count, plain, tree
from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.source import Source
from autodiff.core.report.entry_records import EntryDerivation
from autodiff.core.report.records import Derivation, GradientReport, Variable
from autodiff.core.symbolic.expr import Expr, expr_text, names_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from autodiff.core.report.kink import Kink
    from autodiff.core.report.tensor_states import TensorState, TensorStates

SCHEMA = 2


def render_json(
    report: GradientReport,
    data: bytes,
    seed: int,
    warnings: Sequence[AutodiffError],
    source: Source,
    tensors: TensorStates | None = None,
    events: bool = False,
) -> str:
    """The document of a report, with the script's hash and warnings, and its ``events`` if asked for."""
    document: dict[str, Any] = {
        **opening(report, data, seed),
        "gradients": [gradient_entry(variable) for variable in report.gradients],
    }
    # The output has no gradient and no path count here: its gradient is ``weight``, and paths start from it.
    if report.graph is not None or report.derivations:
        document["script"]["text"] = source.text
    if report.graph is not None:
        document["graph"] = graph_entry(report.graph, source)
    if events and report.events is not None:
        document["events"] = event_entries(report.events)
    if report.derivations:
        document["derivations"] = [derivation_entry(derivation) for derivation in report.derivations]
    if tensors is not None:
        document["tensors"] = [state_entry(state) for state in tensors.entries]
    document["notes"] = [*report.notes, *filter(None, [report.since])]
    document["diagnostics"] = in_order(warnings, (), source)
    return dumps(document, allow_nan=False) + "\n"


def opening(report: GradientReport, data: bytes, seed: int) -> dict[str, Any]:
    """What the documents of all commands that differentiate begin with."""
    return {
        "schema": SCHEMA,
        "version": version("autodiff"),
        "script": script_entry(report.script, data),
        "seed": count(seed),
        "output": variable_entry(report.output),
        "weight": report.weight,
    }


def render_numbers(
    report: GradientReport,
    numbers: Mapping[str, Any],
    data: bytes,
    seed: int,
    warnings: Sequence[AutodiffError],
    source: Source,
) -> str:
    """The document of other ``numbers`` than gradients, each under its key."""
    document = {
        **opening(report, data, seed),
        "inputs": [variable_entry(variable) for variable in report.gradients],
        **{key: plain(value) for key, value in numbers.items()},
        "notes": list(report.notes),
        "diagnostics": in_order(warnings, (), source),
    }
    return dumps(document, allow_nan=False) + "\n"


def render_json_error(
    error: AutodiffError, source: Source | None, data: bytes, warnings: Sequence[AutodiffError]
) -> str:
    """The document of a failed script, or of a request that failed before a script was read."""
    document = {
        "schema": SCHEMA,
        "version": version("autodiff"),
        "script": None if source is None else script_entry(source.name, data),
        "diagnostics": in_order(warnings, (error, *error.other_errors), source),
    }
    return dumps(document, allow_nan=False) + "\n"


def in_order(
    warnings: Iterable[AutodiffError], errors: Iterable[AutodiffError], source: Source | None
) -> list[dict[str, Any]]:
    """The diagnostics in the order of the script; those without a position come last."""
    found = [*((one, "warning") for one in warnings), *((one, "error") for one in errors)]
    found.sort(key=lambda pair: float("inf") if pair[0].span is None else pair[0].span.start)
    return [diagnostic_entry(one, source, severity) for one, severity in found]


def render_json_line(error: AutodiffError, source: Source | None, severity: str) -> str:
    """One diagnostic as a JSON object on one line."""
    return dumps(diagnostic_entry(error, source, severity), allow_nan=False) + "\n"


def script_entry(path: str, data: bytes) -> dict[str, Any]:
    from hashlib import sha256

    return {"path": path, "sha256": sha256(data).hexdigest()}


def variable_entry(variable: Variable) -> dict[str, Any]:
    return {
        "name": variable.name,
        "line": variable.line,
        "shape": list(variable.shape),
        "dtype": variable.dtype,
        "value": plain(variable.value),
    }


def gradient_entry(variable: Variable) -> dict[str, Any]:
    return {**variable_entry(variable), "grad": plain(variable.grad), "paths": count(variable.paths)}


def state_entry(state: TensorState) -> dict[str, Any]:
    return {
        "name": state.name,
        "line": state.line,
        "shape": list(state.shape),
        "dtype": state.dtype,
        "is_leaf": state.is_leaf,
        "requires_grad": state.requires_grad,
        "grad_fn": state.grad_fn,
        "grad_before": plain(state.before),
        "grad_after": plain(state.after),
        "why_none": state.no_grad_reason or None,
    }


def derivation_entry(derivation: Derivation) -> dict[str, Any]:
    named = () if derivation.expressions is None else derivation.expressions.named
    return {
        "output": derivation.output,
        "wrt": derivation.wrt,
        "count": count(derivation.count),
        "followed": derivation.followed,
        "strongest": derivation.are_strongest,
        "paths": [
            {
                "nodes": list(path.nodes),
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
            for path in derivation.paths
        ],
        "steps": {
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
        },
        "formula": derivation.complete.text or None,
        "uses": [
            {
                "name": use.name,
                "line": use.line,
                "operand": use.operand,
                "paths": count(use.paths),
                "contribution": brief(use.contribution),
            }
            for use in derivation.uses
        ],
        "use_count": derivation.use_count,
        "magnitude": plain(derivation.magnitude),
        "words": derivation.words or None,
        "causes": [
            {
                "kind": cause.kind,
                "text": cause.text,
                "name": cause.name,
                "op": cause.op or None,
                "line": cause.line,
                "repairs": [repair.text for repair in cause.repairs],
            }
            for cause in derivation.causes
        ],
        "kinks": [kink_entry(kink) for kink in derivation.kinks],
        "order": derivation.order,
        "given": derivation.given or None,
        "weight": derivation.weight,
        "entry": None if derivation.entry is None else entry_entry(derivation.entry),
        "value": plain(derivation.value),
        "backward": plain(derivation.backward),
        "difference": plain(derivation.difference),
    }


def formula_trees(derivation: Derivation) -> dict[str, Any] | None:
    """The formulas of a derivation as expressions, with the values of the names in them and in its paths."""
    formulas = derivation.expressions
    if formulas is None:
        return None
    meanings = [meaning for _, meaning in formulas.where if isinstance(meaning, Expr)]
    shown = [formulas.simplified, formulas.factored, *meanings]
    shown += [factor for path in derivation.paths for factor in path.derivatives]
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


def diagnostic_entry(error: AutodiffError, source: Source | None, severity: str) -> dict[str, Any]:
    """A diagnostic; positions are null where there is none."""
    start, end = (None, None) if error.span is None else (error.span.start, error.span.end)
    return {
        "code": error.code,
        "severity": severity,
        "message": error.message,
        "caret": error.caret,
        "filename": None if source is None else source.name,
        "location": location(source, start),
        "end_location": location(source, end),
        "labels": [
            {
                "text": label.text,
                "location": location(source, label.span.start),
                "end_location": location(source, label.span.end),
            }
            for label in error.labels
        ],
        "help": list(error.advice),
        "fixes": [
            {
                "text": fix.text,
                "edits": [
                    {
                        "location": location(source, edit.span.start),
                        "end_location": location(source, edit.span.end),
                        "text": edit.text,
                    }
                    for edit in fix.edits
                ],
            }
            for fix in error.fixes
            if fix.edits  # a fix without edits is a command-line option, which `help` describes
        ],
    }


def location(source: Source | None, offset: int | None) -> dict[str, int] | None:
    return None if offset is None or source is None else location_in(source, offset)
