"""Reports as one JSON document. ``json_schema.json`` has its keys; in a version of it, keys are only added.

All text is escaped to ASCII, so the bytes are the same everywhere and cannot control a terminal.
"""

from __future__ import annotations

from importlib.metadata import version
from json import dumps

from autodiff.cli.render.json_derivation import derivation_entry
from autodiff.cli.render.json_graph import event_entries, graph_entry
from autodiff.cli.render.json_graph import location as location_in
from autodiff.cli.render.json_values import count, plain
from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.source import Source
from autodiff.core.report.records import GradientReport, Variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from autodiff.core.report.tensor_states import TensorState, TensorStates

SCHEMA = 2


def schema_text() -> str:
    """The JSON Schema of all documents."""
    from importlib.resources import files

    return files("autodiff.cli.render").joinpath("json_schema.json").read_text("ascii")


def render_json(
    report: GradientReport,
    data: bytes,
    seed: int,
    warnings: Sequence[AutodiffError],
    source: Source,
    tensors: TensorStates | None = None,
    events: bool = False,
    failures: Sequence[AutodiffError] = (),
) -> str:
    """The document of a report, with the script's hash and warnings, and its ``events`` if asked for.

    ``failures`` are what ``--fail-on`` makes fail.
    """
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
        document["derivations"] = [
            derivation_entry(derivation, report.graph, source) for derivation in report.derivations
        ]
    if tensors is not None:
        document["tensors"] = [state_entry(state) for state in tensors.entries]
    document["notes"] = [*report.notes, *filter(None, [report.since])]
    document["diagnostics"] = in_order(warnings, failures, source)
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
    failures: Sequence[AutodiffError] = (),
) -> str:
    """The document of other ``numbers`` than gradients, each under its key."""
    document = {
        **opening(report, data, seed),
        "inputs": [variable_entry(variable) for variable in report.gradients],
        **{key: plain(value) for key, value in numbers.items()},
        "notes": list(report.notes),
        "diagnostics": in_order(warnings, failures, source),
    }
    return dumps(document, allow_nan=False) + "\n"


def render_curve(
    numbers: Mapping[str, Any],
    data: bytes,
    seed: int,
    warnings: Sequence[AutodiffError],
    source: Source,
) -> str:
    """The document of a curve, whose ``numbers`` are each under its key."""
    document = {
        "schema": SCHEMA,
        "version": version("autodiff"),
        "script": script_entry(source.name, data),
        "seed": count(seed),
        **{key: plain(value) for key, value in numbers.items()},
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


def diagnostic_entry(error: AutodiffError, source: Source | None, severity: str) -> dict[str, Any]:
    """A diagnostic; positions are null where there is none."""
    start, end = (None, None) if error.span is None else (error.span.start, error.span.end)
    source = error.source or source
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
