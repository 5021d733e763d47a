"""The results of ``check`` as one JSON document."""

from __future__ import annotations

from importlib.metadata import version
from json import dumps

from autodiff.cli.render.answers import cuts_remark
from autodiff.cli.render.json import SCHEMA, in_order, script_entry
from autodiff.cli.render.json_derivation import kink_entry
from autodiff.cli.render.json_values import count, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.cli.requests.answers import Answers
    from autodiff.core.base.errors import AutodiffError
    from autodiff.core.base.source import Source
    from autodiff.core.check.custom_functions import FunctionFault
    from autodiff.core.report.verdict import GradientCheck
    from autodiff.grammar.by_hand.check import HandCheck


def render_answers(
    answers: Answers,
    data: bytes,
    seed: int,
    warnings: list[AutodiffError],
    failures: list[AutodiffError],
    source: Source,
) -> str:
    """The document, with keys in a fixed order; ``failures`` are what ``--fail-on`` makes fail."""
    document = {
        "schema": SCHEMA,
        "version": version("autodiff"),
        "script": script_entry(answers.script, data),
        "seed": count(seed),
        "output": answers.output,
        "order": answers.order,
        "right": answers.is_right if answers.checks or answers.formulas else None,
        "undecided": answers.open_questions,
        "checks": [check_entry(check, answers) for check in answers.checks],
        "formulas": [formula_entry(check) for check in answers.formulas],
        "notes": [
            *answers.notes,
            *(cuts_remark(check) for check in answers.checks if check.cuts),
        ],
        "diagnostics": in_order(warnings, failures, source),
    }
    return dumps(document, allow_nan=False) + "\n"


def check_entry(check: GradientCheck, answers: Answers) -> dict[str, Any]:
    derivation = answers.derivations.get(check.name)
    return {
        "wrt": check.name,
        "order": check.order,
        "verdict": check.verdict,
        "reason": check.reason,
        "worst": list(check.worst),
        "second": None if check.second is None else list(check.second),
        "saved_constants": [
            {"function": one.name, "text": one.text, "line": one.line} for one in check.constants
        ],
        "backward": plain(check.given),
        "differences": plain(check.expected),
        "apart": plain(check.difference),
        "step": plain(check.step),
        "complex_step_apart": plain(check.complex_difference),
        "taylor_slope": plain(check.slope),
        "taylor_linear": check.is_linear,
        "sides": plain(check.sides),
        "outputs": plain(check.outputs),
        "ties": list(check.ties),
        "function": None if check.fault is None else fault_entry(check.fault),
        "kinks": [kink_entry(kink) for kink in check.kinks],
        "entries": check.entries,
        "size": check.size,
        "paths": None if derivation is None else count(derivation.count),
        "paths_apart": None if derivation is None else plain(derivation.difference),
    }


def fault_entry(fault: FunctionFault) -> dict[str, Any]:
    found = fault.check
    return {
        "name": fault.name,
        "line": fault.line,
        "called": fault.called,
        "operand": fault.spelled,
        "incoming": "another" if fault.is_right_here else "own",
        "worst": list(found.worst),
        "backward": plain(found.given),
        "differences": plain(found.expected),
    }


def formula_entry(check: HandCheck) -> dict[str, Any]:
    return {
        "output": check.output,
        "wrt": check.by[0] if check.by else "",
        "by": check.by,
        "entry": None if check.place is None else list(check.place),
        "formula": check.formula,
        "verdict": check.verdict,
        "right": check.is_right,
        "right_here": check.is_right_here,
        "times": None if check.own_scale is None else check.own_scale.factor,
        "value": plain(check.value),
        "gradient": plain(check.gradient),
        "points": check.points,
        "varied": check.varied,
        "file": None if check.step is None else check.step[0],
        "line": None if check.step is None else check.step[1],
        "remarks": check.remarks if check.error is None else [check.error.message],
    }
