"""Jacobians, Hessians and their products with vectors, by passes over the graph of one run.

The target and the inputs are chosen as for a gradient. All inputs together are one vector: their entries in
the order of the report, each input's row by row.
"""

from __future__ import annotations

from autodiff.core.base.errors import GradientError
from autodiff.core.base.fast_paths import fusion_settings, is_fast
from autodiff.core.base.lazy_imports import LazyModule, np
from autodiff.core.base.limits import check_allocation
from autodiff.core.derivation.fixed_entries import fixed_entries
from autodiff.core.engine.entries_read import unread_entries
from autodiff.core.engine.sweep import numpy_warnings_off, sweep
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.node import Leaf
from autodiff.core.graph.state import mode
from autodiff.core.graph.topological_order import newest_first, nodes_leading_to
from autodiff.core.graph.values import as_stored
from autodiff.core.report.records import gradient_or_zeros
from autodiff.grammar.session.choose_target import find_target
from autodiff.grammar.session.run import EngineSetup
from autodiff.grammar.session.target import make_subject

number_curvature = LazyModule("autodiff.core.fast.number_curvature")
target_on_tape = LazyModule("autodiff.grammar.session.target_on_tape")

#: Second derivatives of so many rounding units apart are the same number, derived in another order.
ROUNDING_UNITS = 8

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from autodiff.core.graph.node import Node
    from autodiff.core.report.records import ReportedPass
    from autodiff.grammar.session.run import Execution, Settings


def whole_subject(execution: Execution, settings: Settings) -> ReportedPass:
    """Return the pass from all entries of the output, which may be a tensor."""
    with EngineSetup(settings):
        entry = None if settings.of else target_on_tape.output_on_tape(execution)
        if entry is not None and entry[3] == 1.0:  # a number, by a pass that needs no nodes
            subject = make_subject(execution, settings)
            settings.grad_output = 1.0
            return subject
        target = find_target(execution, settings)
        settings.grad_output = "ones" if np.ndim(target.node.out) or target.listed else 1.0
        return make_subject(execution, settings)


def jacobian(subject: ReportedPass) -> Any:
    """Return the derivatives of the output's entries (rows) by those of the inputs (columns)."""
    root = subject.root
    rows, columns = np.size(root.out), input_size(subject)
    check_allocation((rows, columns))
    if rows == 1 and np.ravel(subject.seed)[0] == 1:  # then the pass of the subject has the only row
        return flat_gradients(subject, subject.received).reshape(rows, columns)
    found = [flat_gradients(subject, sweep(subject.order, {root: seed})) for seed in unit_seeds(root)]
    return np.reshape(found, (rows, columns))


def exact_jacobian(subject: ReportedPass) -> tuple[Any, bool]:
    """Return ``jacobian``, and whether ``fixed_entries`` had to be left out of it to make a row finite.

    A row that is not finite is computed again without the entries that it does not read: 0 times their slopes
    may be nan.
    """
    found = jacobian(subject)
    is_broken = ~np.isfinite(found).all(axis=1)
    if not is_broken.any():
        return found, False
    fixed = fixed_entries(subject.order, nodes_of(subject))
    outputs, leaves_out = np.ravel(subject.root.out), False
    for at, seed in enumerate(unit_seeds(subject.root)):
        if is_broken[at]:
            found[at] = row_without_unread(subject, seed, {})
            if fixed and np.isfinite(outputs[at]) and not np.isfinite(found[at]).all():
                found[at] = row_without_unread(subject, seed, fixed)
                leaves_out |= bool(np.isfinite(found[at]).all())
    return found, leaves_out


def row_without_unread(subject: ReportedPass, seed: Any, fixed: Mapping[Node, Any]) -> Any:
    """The slopes of what a seed chooses, without the entries that it does not read and the ``fixed`` ones."""
    seeds = {subject.root: seed}
    masks = unread_entries(subject.order, seeds, fixed)
    return flat_gradients(subject, sweep(subject.order, seeds, fixed=masks))


def exactly(subject: ReportedPass, slopes: Callable[[Mapping[Node, Any] | None], Any]) -> tuple[Any, bool]:
    """Return slopes, and whether ``fixed_entries`` had to be left out of them to make them finite.

    They are what ``slopes`` returns for None or, if that is not finite, for entries that pass nothing on;
    then those that the output does not read do not, either. It gets none first, then the ``fixed_entries``.
    """
    found = slopes(None)
    if not np.isfinite(found).all():
        found = slopes({})
        if not np.isfinite(found).all():
            found = slopes(fixed_entries(subject.order, nodes_of(subject)))
            return found, bool(np.isfinite(found).all())
    return found, False


def exact_hessian(subject: ReportedPass) -> Any:
    """Return ``hessian``, without the entries that the output does not read where they make it nan."""
    return exactly(subject, lambda fixed: hessian(subject, fixed))[0]


def exact_hvp(subject: ReportedPass, vector: Any) -> Any:
    """Return ``hvp``, without the entries that the output does not read where they make it nan."""
    return exactly(subject, lambda fixed: hvp(subject, vector, fixed))[0]


def hessian(subject: ReportedPass, fixed: Mapping[Node, Any] | None = None) -> Any:
    """Return the second derivatives of the output, weighed as for the gradient: a square matrix.

    With ``fixed``, these entries pass nothing on, nor do those that the output does not read.
    """
    size = input_size(subject)
    check_allocation((size, size))
    made = np.zeros((size, size), flat_gradients(subject, {}).dtype)
    if fixed is None and all(fill_row(subject, made, at) for at in range(size)):
        return made_symmetric(made)
    made[:] = 0
    first = 0
    masks = unread_or_none(subject.order, {subject.root: subject.seed}, fixed)
    for node, gradient in zip(nodes_of(subject), recorded_gradients(subject, fixed=masks), strict=True):
        if gradient is not None and gradient.requires_grad_flag and gradient.node is not None:
            order = nodes_leading_to(newest_first([gradient.node]), nodes_of(subject))
            for at, seed in enumerate(unit_seeds(gradient.node)):
                if order:
                    seeds = {gradient.node: seed}
                    masks = unread_or_none(order, seeds, fixed)
                    received = sweep(order, seeds, keep_inner=keeps_inner(subject), fixed=masks)
                    made[first + at] = flat_gradients(subject, received)
        first += np.size(node.out)
    return made_symmetric(made)


def fill_row(subject: ReportedPass, matrix: Any, at: int) -> bool:
    """Fill a row of the second derivatives of a long program of numbers; False where a pass is recorded."""
    unit = [0.0] * len(matrix)
    unit[at] = 1.0
    row = product_without_recording(subject, unit)
    if row is not None:
        matrix[at] = row
    return row is not None


def product_without_recording(subject: ReportedPass, vector: Any) -> list[float] | None:
    """Return the Hessian times a vector for a long program of numbers, else None."""
    inputs = nodes_of(subject)
    if not is_fast or len(vector) != len(inputs):
        return None
    found: list[float] | None = number_curvature.hessian_times(subject.order, subject.seed, inputs, vector)
    return found


def made_symmetric(matrix: Any) -> Any:
    """The matrix, changed in place: entries only rounding keeps apart from their mirror images are equal.

    >>> made = made_symmetric(np.array([[1.0, 0.1 + 0.2], [0.3, 2.0]]))
    >>> bool(made[1, 0] == made[0, 1])
    True
    """
    close = ROUNDING_UNITS * np.finfo(matrix.dtype).eps
    for at in range(1, len(matrix)):
        row, column = matrix[at, :at], matrix[:at, at]
        with np.errstate(invalid="ignore"):
            is_close = np.abs(row - column) <= close * np.abs(row)
        is_close &= np.isfinite(row)
        row[is_close] = column[is_close]
    return matrix


def jvp(subject: ReportedPass, vector: Any) -> Any:
    """Return the Jacobian times a vector, in the shape of the output.

    The pass from a weight ``u`` gives ``u J``, which is linear in ``u``; its derivative by ``u`` along the
    vector is the product (two passes, however many entries there are).
    """
    root = subject.root
    weight = Tensor.of(as_stored(np.ones_like(root.out)))
    weight.set_requires_grad()
    seeds = weigh(subject, vector, recorded_gradients(subject, {root: weight}))
    product = np.zeros_like(root.out)
    order = newest_first(list(seeds))
    leaf = weight.source()
    if leaf in order:
        product = gradient_or_zeros(sweep(order, seeds), leaf)
    return as_stored(np.asarray(product))


def hvp(subject: ReportedPass, vector: Any, fixed: Mapping[Node, Any] | None = None) -> Any:
    """Return the Hessian times a vector: one flat vector. ``fixed`` is as for ``hessian``."""
    product = product_without_recording(subject, vector) if fixed is None else None
    if product is not None:
        return np.array(product)
    masks = unread_or_none(subject.order, {subject.root: subject.seed}, fixed)
    seeds = weigh(subject, vector, recorded_gradients(subject, fixed=masks))
    order = newest_first(list(seeds))
    received = sweep(order, seeds, fixed=unread_or_none(order, seeds, fixed)) if seeds else {}
    return flat_gradients(subject, received)


def unread_or_none(
    order: list[Node], seeds: Mapping[Node, Any], fixed: Mapping[Node, Any] | None
) -> dict[Node, Any] | None:
    """Return what passes nothing on in a sweep: ``fixed`` and what the seeds do not read; None for None."""
    return None if fixed is None else unread_entries(order, seeds, fixed)


def keeps_inner(subject: ReportedPass) -> bool:
    """Whether gradients of results are asked for. Those of a million results take 400 MB."""
    return not all(isinstance(node, Leaf) for node in nodes_of(subject)) or fusion_settings.has_begun


def recorded_gradients(
    subject: ReportedPass,
    seeds: Mapping[Node, Tensor] | None = None,
    fixed: Mapping[Node, Any] | None = None,
) -> list[Tensor | None]:
    """Return the inputs' gradients from a pass that was recorded, so that they can be differentiated.

    ``seeds`` are what the pass starts from, by default what the subject's did. ``fixed``: see ``sweep``.
    """
    order = nodes_leading_to(subject.order, nodes_of(subject))
    if not order:
        return [None for _ in subject.wrt]
    starts = {subject.root: Tensor.of(as_stored(subject.seed))} if seeds is None else dict(seeds)
    site, mode.site = mode.site, None  # the rules have no position in the script
    try:
        with numpy_warnings_off(order):
            keeps = keeps_inner(subject)
            received = sweep(order, starts, create_graph=True, keep_inner=keeps, fixed=fixed)
    except GradientError as error:
        error.at(subject.root.site) if subject.root.site is not None else None
        raise
    finally:
        mode.site = site
    return [received.get(node) for node in nodes_of(subject)]


def weigh(subject: ReportedPass, vector: Any, gradients: list[Tensor | None]) -> dict[Node, Any]:
    """Return the parts of a vector as seeds of the gradients that depend on anything."""
    seeds: dict[Node, Any] = {}
    first = 0
    for node, gradient in zip(nodes_of(subject), gradients, strict=True):
        size = np.size(node.out)
        if gradient is not None and gradient.requires_grad_flag and gradient.node is not None:
            out = np.asarray(gradient.node.out)
            part = np.asarray(vector[first : first + size]).reshape(out.shape).astype(out.dtype)
            known = seeds.get(gradient.node)
            seeds[gradient.node] = as_stored(part) if known is None else known + as_stored(part)
        first += size
    return seeds


def nodes_of(subject: ReportedPass) -> list[Node]:
    return [node for _, node in subject.wrt]


def input_size(subject: ReportedPass) -> int:
    """Return the number of entries of all inputs."""
    return sum(int(np.size(node.out)) for node in nodes_of(subject))


def unit_seeds(root: Node, entries: Iterable[int] | None = None) -> Iterator[Any]:
    """Yield the seeds that select one entry each, of all or of the ``entries`` at these flat positions."""
    out = np.asarray(root.out)
    for at in range(out.size) if entries is None else entries:
        seed = np.zeros_like(out)
        seed.flat[at] = 1
        yield as_stored(seed)


def flat_gradients(subject: ReportedPass, received: dict[Node, Any]) -> Any:
    """Return the gradients of all inputs as one vector; 0 where nothing arrived."""
    parts = [np.ravel(gradient_or_zeros(received, node)) for node in nodes_of(subject)]
    return np.concatenate(parts) if parts else np.zeros(0)
