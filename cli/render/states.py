"""The table of ``run --show tensors``: ``is_leaf``, ``grad_fn`` and ``grad`` of every tensor."""

from __future__ import annotations

from autodiff.cli.process.streams import cells
from autodiff.cli.render.numbers import inline, is_array, spell_range, spell_shape, spell_size
from autodiff.cli.render.page import (
    EMPTY,
    GRADIENT,
    MUTED,
    NAME,
    NUMBER,
    PLAIN,
    Page,
    Table,
    fit,
    left_out,
    muted,
    prose,
    with_remark,
)
from autodiff.cli.render.prose import fold
from autodiff.core.report.tensor_states import NoGradReason, TensorState, TensorStates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from autodiff.cli.render.page import Line

WIDEST_NAME, WIDEST_VALUE = 24, 24
INDENT = 4
FACTS = ("is_leaf", "requires_grad", "grad_fn")
BEFORE, AFTER = "grad before", "grad after"
MOST_NAMED = 6
#: Why grad is None, worded for one tensor and for several; ``{output}`` is the start of the backward pass.
REASONS = {
    NoGradReason.NOT_REQUIRED: ("has requires_grad=False", "have requires_grad=False"),
    NoGradReason.NO_FLOATS: (
        "holds no floats, so it has no gradient",
        "hold no floats, so they have no gradients",
    ),
    NoGradReason.NO_PASS: ("had no backward()", "had no backward()"),
    NoGradReason.NO_LEAF: (
        "is not a leaf, and retain_grad() was not called",
        "are not leaves, and retain_grad() was not called",
    ),
    NoGradReason.NOT_USED: ("is not on any path from {output}", "are not on any path from {output}"),
    NoGradReason.NOT_ASKED: (
        "is on a path, but got nothing: inputs= names others, or a custom backward returned None",
        "are on a path, but got nothing: inputs= names others, or a custom backward returned None",
    ),
    NoGradReason.CHANGED: (
        "was changed in place since: {output} was computed from the old value",
        "were changed in place since: {output} was computed from the old values",
    ),
    NoGradReason.TOO_LATE: (
        "got retain_grad() only after backward()",
        "got retain_grad() only after backward()",
    ),
}


def state_lines(states: TensorStates, page: Page) -> Iterator[Line]:
    """The states as one table, as two on a narrower page, or as a few lines per tensor."""
    count = len(states.entries)
    shown = states.entries[: page.shown_rows(count)]
    if not shown:
        yield muted("the script keeps no tensor under a name")
        return
    whole = table_of(shown, ("line", "shape", *FACTS, BEFORE, AFTER), page)
    facts = table_of(shown, ("line", "shape", *FACTS), page)
    grads = table_of(shown, (BEFORE, AFTER), page)
    if whole.width <= page.width:
        yield from whole.lines()
    elif max(facts.width, grads.width) <= page.width:
        yield from facts.lines()
        yield EMPTY
        yield from grads.lines()
    else:
        for state in shown:
            yield from entry_lines(state, page)
    if len(shown) < count:
        yield left_out(count - len(shown), "tensor")
    yield from prose(which_pass(states), page.width, 2)
    for text in reasons(shown, states):
        yield from prose(text, page.width, 2)


COLUMNS: dict[str, tuple[str, bool, Callable[[TensorState, int], str]]] = {
    "line": (MUTED, True, lambda state, digits: "" if state.line is None else str(state.line)),
    "shape": (MUTED, False, lambda state, digits: spell_shape(state.shape)),
    "is_leaf": (PLAIN, False, lambda state, digits: str(state.is_leaf)),
    "requires_grad": (PLAIN, False, lambda state, digits: str(state.requires_grad)),
    "grad_fn": (PLAIN, False, lambda state, digits: fit(str(state.grad_fn), WIDEST_NAME)),
    BEFORE: (NUMBER, False, lambda state, digits: in_short(state.before, digits)),
    AFTER: (GRADIENT, False, lambda state, digits: in_short(state.after, digits)),
}


def table_of(shown: Sequence[TensorState], columns: Sequence[str], page: Page) -> Table:
    rows = [
        [[fit(state.name, WIDEST_NAME)], *([COLUMNS[name][2](state, page.digits)] for name in columns)]
        for state in shown
    ]
    styles = [NAME, *(COLUMNS[name][0] for name in columns)]
    return Table(["tensor", *columns], rows, styles, [False, *(COLUMNS[name][1] for name in columns)])


def in_short(value: Any, digits: int) -> str:
    """A gradient on one line: in full if it is short, else its range."""
    text = inline(value, digits)
    return spell_range(value) if is_array(value) and len(text) > WIDEST_VALUE else text


def entry_lines(state: TensorState, page: Page) -> Iterator[Line]:
    """The lines for one tensor over the full width."""
    line = "" if state.line is None else f", line {state.line}"
    about = spell_size(state.shape) + line
    yield from with_remark(((PLAIN, "  "), (NAME, fit(state.name, WIDEST_NAME))), about, page.width)
    facts = "  ".join(f"{name} {COLUMNS[name][2](state, page.digits)}" for name in FACTS)
    first, *rest = fold(facts, page.width, INDENT, INDENT)
    yield ((PLAIN, " " * INDENT + first),)
    for text in rest:
        yield ((PLAIN, text),)
    before, after = in_short(state.before, page.digits), in_short(state.after, page.digits)
    label = f"    {BEFORE} "
    if cells(before) + cells(after) + len(label) + len("  after ") <= page.width:
        yield ((MUTED, label), (NUMBER, before), (MUTED, "  after "), (GRADIENT, after))
    else:
        yield ((MUTED, label), (NUMBER, before))
        yield ((MUTED, f"    {AFTER}  "), (GRADIENT, after))


def which_pass(states: TensorStates) -> str:
    """Before and after which backward pass the gradients are shown."""
    if states.output is None:
        return "no backward() ran, so no grad has changed"
    name = fit(states.output, WIDEST_NAME)
    if states.is_own:
        return f"grad before and after the script's last backward(), from {name}"
    return f"grad before and after a backward() from {name}, which the script does not call itself"


def reasons(shown: Sequence[TensorState], states: TensorStates) -> Iterator[str]:
    """Why gradients are None after the pass, one line per reason."""
    missing: dict[str, list[str]] = {}
    for state in shown:
        if state.no_grad_reason:
            missing.setdefault(state.no_grad_reason, []).append(fit(state.name, WIDEST_NAME))
    for reason, names in missing.items():
        text = REASONS[reason][len(names) > 1].format(output=fit(states.output or "", WIDEST_NAME))
        left = len(names) - MOST_NAMED
        listed = names[:MOST_NAMED] + ([f"{left:,} more"] if left > 0 else [])
        who = listed[0] if len(listed) == 1 else f"{', '.join(listed[:-1])} and {listed[-1]}"
        yield f"None after: {who} {text}"
