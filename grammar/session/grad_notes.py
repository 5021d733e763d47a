"""Notes on how a script's final ``.grad`` and inputs differ from those of a report, with the lines at fault.

A report is about one pass over the graph. The script's ``.grad`` may hold the sum over several passes, a
gradient that hooks replaced, or a value set by later lines. Inputs may have been changed since.
"""

from __future__ import annotations

from autodiff.core.base.lazy_imports import np
from autodiff.core.base.limits import limits
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.node import Leaf
from autodiff.core.graph.topological_order import newest_first
from autodiff.grammar.session.leaf_names import is_same_leaf, join_words, tensors_in_lists

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from autodiff.core.base.source import Span
    from autodiff.core.graph.node import GradSlot, Node
    from autodiff.grammar.session.run import Execution

CHANGED, CHANGED_SUM, HOOKED, SUMMED, LEFT_OUT = "changed", "changed sum", "hooked", "summed", "left out"
#: What the only pass added to: a value that the script had written.
WRITTEN = "written"
#: What the last pass did not reach, but an earlier one.
EARLIER = "earlier"
#: States of a gradient that are one word for every shape.
ZERO_STATE, NONE_STATE = "0", "None"


class GradRemark:
    """A remark about one leaf's ``.grad``: its kind, the gradient's state, and the places that cause it."""

    __slots__ = ("kind", "sites", "state")

    def __init__(self, kind: str, sites: Iterable[Span | None] = (), state: str = "") -> None:
        self.kind = kind
        self.sites = [site for site in sites if site is not None]
        self.state = state


def grad_notes(execution: Execution, wrt: list[tuple[str, Node]], received: dict[Node, Any]) -> Iterator[str]:
    """Yield the notes on a report about the last ``backward()``; leaves with the same remark share a note."""
    said: dict[tuple[str, str], tuple[list[str], list[Span]]] = {}
    for name, node in wrt:
        if not isinstance(node, Leaf) or node.grad_slot is None:
            continue
        for remark in grad_remarks(execution, node, node.grad_slot, received.get(node)):
            if len(wrt) > 1 and remark.state not in (ZERO_STATE, NONE_STATE):
                remark.state = ""  # the numbers differ, and without them leaves can share a note
            names, sites = said.setdefault((remark.kind, remark.state), ([], []))
            names.append(f"{name}.grad")
            sites += remark.sites
    for (kind, state), (names, sites) in said.items():
        yield format_note(kind, state, names, format_lines(sites, execution), execution.last_passes.backwards)


def grad_remarks(execution: Execution, leaf: Leaf, cell: GradSlot, shown: Any) -> Iterator[GradRemark]:
    """Yield the reasons why one ``.grad`` holds another value than the gradient ``shown``, if it does.

    ``shown`` is None if the pass does not reach the leaf: its gradient is 0.
    """
    is_reached = shown is not None
    shown = shown if is_reached else 0.0
    last = execution.last_passes
    now = None if cell.grad is None else cell.grad.value
    if cell not in last.grads_before_after:
        if is_reached and last.is_partial and not grads_equal(now, shown):
            yield GradRemark(LEFT_OUT)
        elif last.backwards > 1 and cell.assigned_at is None and now is not None and np.any(now):
            yield GradRemark(EARLIER)
        return
    before, after = last.grads_before_after[cell]
    if not grads_equal(now, after):
        versions = None if cell.grad is None else cell.grad.version_counter
        at = cell.assigned_at or (None if versions is None else versions.changed_at)
        if not grads_equal(now, shown):
            held_some = last.backwards > 1 and before is not None and np.any(before)
            yield GradRemark(CHANGED_SUM if held_some else CHANGED, [at], grad_state(now))
        return
    if not grads_equal(after, shown) and last.hook_replacements:
        hook_sites = [site for node, site in last.hook_replacements if leaf in newest_first([node])]
        contribution = after if before is None else np.asarray(after) - np.asarray(before)
        if hook_sites and not grads_equal(contribution, shown):
            yield GradRemark(HOOKED, hook_sites)
    if before is not None and np.any(before):
        yield GradRemark(SUMMED if last.backwards > 1 else WRITTEN)


def retained_notes(execution: Execution) -> Iterator[str]:
    """Yield a note for each ``.grad`` that is None because its tensor was changed after ``retain_grad()``.

    The change gave the tensor a new history, while the output was computed from its old value.
    """
    reached = set(newest_first(execution.last_passes.backward.roots))
    for name, x in execution.names.items():
        if x.__class__ is not Tensor or not x.retains_grad or x.grad is not None:
            continue
        if x.source() not in reached and x.version_counter is not None:
            site = x.version_counter.changed_at
            lines = format_lines([site] if site is not None else [], execution)
            changed = "a change in place" + (f" ({lines})" if lines else "")
            yield (
                f"{name}.grad is None although {name} retains it: {changed} gave {name} a new history,"
                " and backward() passed through the old one"
            )


def grads_equal(held: Any, other: Any) -> bool:
    """Whether two gradients are equal up to rounding; None equals only None."""
    if held is other or held is None or other is None:
        return held is other
    if held.__class__ is float and held == other:  # scripts of scalars do not import numpy
        return True
    return bool(np.allclose(held, other, equal_nan=True))


def grad_state(held: Any) -> str:
    """Return a gradient as one word or number; ``""`` for an array that is not all zero."""
    if held is None:
        return NONE_STATE
    entries = np.asarray(held)
    if not entries.any():
        return ZERO_STATE
    return f"{entries.item():.{limits.digits}g}" if entries.size == 1 else ""


def changed_inputs_note(execution: Execution, root: Node, output: str, wrt: list[tuple[str, Node]]) -> str:
    """Return the note that names the inputs changed after the output was computed from them; "" if none."""
    kept: dict[str, Tensor] = {}
    if any(name.endswith("]") for name, _ in wrt):
        kept = tensors_in_lists(execution.names)
    changed, sites = [], []
    for name, node in wrt:
        tensor = execution.names.get(name, kept.get(name))
        if tensor.__class__ is not Tensor or tensor.node in (None, node) or tensor.node.number < root.number:
            continue
        if np.array_equal(tensor.value, node.out, equal_nan=True):
            continue
        changed.append(name)
        site = tensor.node.site
        if is_same_leaf(tensor, node) and site == node.site:  # a change in place keeps the site
            site = None if tensor.version_counter is None else tensor.version_counter.changed_at
        sites.append(site)
    if not changed:
        return ""
    lines = format_lines([site for site in sites if site is not None], execution)
    was = "was" if len(changed) == 1 else "were"
    return (
        f"values are those that {output} was computed from; {join_words(changed)} {was} changed afterwards"
        + (f" ({lines})" if lines else "")
    )


def format_lines(sites: list[Span], execution: Execution) -> str:
    """Return ``line 3``, or ``lines 3 and 5``; ``""`` without sites."""
    lines = sorted({execution.source.position(site.start)[0] for site in sites})
    numbers = [str(line) for line in lines]
    return f"line{'s' * (len(numbers) > 1)} {join_words(numbers)}" if numbers else ""


def format_note(kind: str, state: str, names: list[str], lines: str, passes: int) -> str:
    """Return the text of the note on these ``.grad``."""
    what, is_one = join_words(names), len(names) == 1
    where = f" ({lines})" if lines else ""
    if kind in (CHANGED, CHANGED_SUM):
        found = f"{'is' if is_one else 'are'} {state} in the end"
        if not state:
            found = f"{'was' if is_one else 'were'} changed after backward()"
        alone = kind == CHANGED_SUM
        gave = f"the last of {passes:,} backward() calls gave alone" if alone else "backward() gave"
        return f"{what} {found}{where}; this is what {gave}"
    if kind == HOOKED:
        hooks = f"the hooks of {lines}" if lines.startswith("lines") else f"the hook of {lines}"
        holds = "holds what" if is_one else "hold what"
        return f"{what} {holds} {hooks} made of it; this is the gradient without hooks"
    if kind == LEFT_OUT:
        return f"{what} got nothing: backward() was given other inputs"
    if kind == EARLIER:
        holds = "holds" if is_one else "hold"
        return (
            f"{what} {holds} what an earlier backward() gave; the last one, which this is about, adds nothing"
        )
    if kind == WRITTEN:
        had = "had a value" if is_one else "had values"
        return f"{what} {had} before backward(), to which it added; this is what backward() gave alone"
    holds = "holds the sum" if is_one else "hold the sums"
    return f"{what} in the script {holds} over several backward() calls; this is the last one alone"
