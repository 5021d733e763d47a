"""Tries the repairs that an error proposes, and keeps only those with which the script goes on.

A repaired script is run from its start, without output, for about twice the steps that the script took to
its error. A repair holds if the script ends well, or gets past the place of the error. Other repairs are
dropped without a message; the advice beside the repairs explains the error and does not look like a repair.
"""

from __future__ import annotations

from contextlib import contextmanager

from autodiff.core.base.errors import AutodiffError, Fix
from autodiff.core.base.extra_work import try_extra
from autodiff.core.base.limits import limits, repair_callbacks
from autodiff.core.base.source import Source, Span
from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.help.failure_scene import Scene, is_method, method_owner
from autodiff.grammar.objects.runtime import discard_text, discard_warning, runtime
from autodiff.grammar.repair.mixed_floats import mixes_floats
from autodiff.grammar.repair.proposals.graph_cuts import drop_unrun_cuts, find_cuts
from autodiff.grammar.repair.proposals.value_origins import ValueOrigins
from autodiff.grammar.repair.unknown_names import is_near_name
from autodiff.grammar.session.run import Settings, run_once
from autodiff.grammar.syntax.parser import parse_to_first_error
from autodiff.grammar.syntax.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from autodiff.grammar.session.run import Execution

#: The most proposals of one error that are tried, and the most that are kept.
MOST_TRIALS, MOST_KEPT = 6, 2
SPARE_STEPS = 10_000
#: A repair that changes only an option: the default dtype is float64 here, and float32 in torch.
FLOAT32_FIX = Fix("run it with PyTorch's default numbers: --dtype float32")
#: No trial begins once earlier ones took so many steps; no trial may make results of more bytes.
MOST_STEPS, MOST_MEMORY = 2_000_000, 1 << 30
#: Errors about unknown names of variables, attributes and arguments.
NAME_ERROR_CODES = frozenset(["E0201", "E0204", "E0310"])


def keep_working_fixes(error: AutodiffError, source: Source, settings: Settings) -> None:
    """Drop the proposals with which the script fails at the same place; keep the first two others."""
    kept: list[Fix] = []
    try_extra("the search for repairs", lambda: add_working_fixes(kept, error, source, settings), None)
    error.fixes = tuple(kept)
    said = "E0120" <= error.code <= "E0149" or "E0301" <= error.code <= "E0415"
    if kept and said and error.code != "E0310":
        error.help = ()  # the help says the same as the repairs


def add_working_fixes(kept: list[Fix], error: AutodiffError, source: Source, settings: Settings) -> None:
    """Add the first two proposals with which the script does not fail at the same place."""
    taken = 0
    with trial_limits():
        narrow = float32_settings(error, settings)
        if narrow is not None and fix_works(FLOAT32_FIX, error, source, narrow):
            kept.append(FLOAT32_FIX)
        for fix in error.fixes[:MOST_TRIALS]:
            if len(kept) == MOST_KEPT or taken > MOST_STEPS:
                break
            if fix_works(fix, error, source, settings):
                kept.append(
                    drop_unrun_cuts(fix, error, lambda other: fix_works(other, error, source, settings))
                )
            taken += runtime.used


@contextmanager
def trial_limits() -> Iterator[None]:
    """Limit trials to about twice the steps that the script took, and to no more memory."""
    for call in repair_callbacks:
        call()
    all_steps, all_memory = limits.steps, limits.memory
    budget = 2 * runtime.used + SPARE_STEPS
    limits.steps = min(budget, all_steps or budget)
    limits.memory = min(MOST_MEMORY, all_memory or MOST_MEMORY)
    try:
        yield
    finally:
        limits.steps, limits.memory = all_steps, all_memory


def float32_settings(error: AutodiffError, settings: Settings) -> Settings | None:
    """Return the settings with torch's default dtype if tensors of both dtypes met, else None."""
    if settings.dtype == "float32" or not mixes_floats(error):
        return None
    return settings.copy(dtype="float32")


def loses_gradients(execution: Execution) -> bool:
    """Whether a leaf that ``backward()`` should reach has no gradient after the repair.

    A leaf should be reached if the text makes the output from it and does not leave the graph on the way. A
    change in place under ``no_grad()`` is no such way out: the changed tensor keeps its history.
    """
    passes = execution.last_passes.backward.roots
    leaves = [name for name, value in execution.names.items() if lacks_gradient(value)]
    if not passes or not leaves:
        return False
    source = execution.source
    end = Span(len(source.text), len(source.text))
    scene = Scene(AutodiffError(""), end, parse_to_first_error(source), source, [], execution.names)
    origins = ValueOrigins(scene)
    for call in [node for node in walk(scene.script) if is_method(node, "backward")]:
        output = method_owner(call)
        if find_cuts(scene, output):
            continue
        if any(origins.depends_on(output, name) for name in leaves):
            return True
    return False


def lacks_gradient(value: Any) -> bool:
    """Whether a value is a leaf that requires a gradient and has none, which the script has not cleared."""
    return (
        value.__class__ is Tensor
        and value.requires_grad
        and value.is_leaf
        and value.grad is None
        and (value.grad_slot is None or value.grad_slot.assigned_at is None)
    )


def failing_lines(error: AutodiffError, repaired: Source, fix: Fix) -> list[int]:
    """Return the line of the error in the repaired script, after those of the calls on the way to it.

    ``fix`` moves the places of the error to those of the repaired script.
    """
    spans = [span for _, span in reversed(error.frames)] if len(error.frames) == error.calls else []
    places = [fix.moves(span.start) for span in (*spans, error.span) if span is not None]
    return [repaired.position(min(max(place, 0), len(repaired.text)))[0] for place in places]


def is_further(lines: list[int], before: list[int]) -> bool:
    """Whether a script got further: to a later line of the same call, or out of a call."""
    for line, other in zip(lines, before, strict=False):
        if line != other:
            return line > other
    return len(lines) < len(before)


def fix_works(fix: Fix, error: AutodiffError, source: Source, settings: Settings) -> bool:
    """Whether the script with the repair made runs to its end, or at least beyond the error."""
    repaired = Source(fix.apply(source.text), source.name)
    try:
        execution = run_once(repaired, settings, discard_text, discard_warning)
    except AutodiffError as other:
        if other.code == "E0503":  # still running after twice the steps that led to the error
            return True
        if error.span is None or other.span is None:
            return False
        place = fix.moves(error.span.start)
        if (
            error.code < "E0202" and "E0140" <= other.code <= "E0149"
        ):  # it compiles, and then uses an absent feature
            return True
        if other.code == error.code == "E0201":  # another unknown name: they are reported in source order
            return other.span.start > place
        if error.code < "E0140":  # it parses, or fails further on
            return other.code >= "E0140" or other.span.start > place
        if error.code in NAME_ERROR_CODES and other.code.startswith("E04"):
            return True  # the name was right: the new error is about gradients
        line, _ = repaired.position(min(max(place, 0), len(repaired.text)))
        failed, _ = repaired.position(min(other.span.start, len(repaired.text)))
        if error.code == "E0201" and failed < line:  # the place is not reached: accept near names only
            return is_near_name(source.excerpt(error.span), fix.edits[0].text)
        return is_further(failing_lines(other, repaired, Fix("")), failing_lines(error, repaired, fix))
    return not error.code.startswith("E04") or not loses_gradients(execution)
