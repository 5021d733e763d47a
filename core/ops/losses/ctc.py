"""Connectionist temporal classification: the loss of a label sequence that is not aligned with the input.

The probability of the labels is the sum over all alignments, computed in logarithms by the forward and the
backward recursion over the labels with blanks between them (Graves et al. 2006, equations 6 to 15).
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from autodiff.core.base.errors import ArgumentError, DtypeError, ScriptError, ShapeError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.public_functions import public
from autodiff.core.engine.tensor import Tensor
from autodiff.core.engine.value_checks import require_kind
from autodiff.core.graph.op import Op, primitive
from autodiff.core.ops.elementwise.arithmetic import missing_derivative_rule
from autodiff.core.ops.elementwise.comparison import where
from autodiff.core.ops.losses.regression import reduce_tensor
from autodiff.core.ops.shape.reshape import reshape, unsqueeze

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Labels = tuple[tuple[int, ...], ...]

CHECK_CONTEXT = "(while checking arguments for ctc_loss_allocate_outputs)"

# -- the recursions ---------------------------------------------------------------------------------------


def insert_blanks(labels: tuple[int, ...], blank: int) -> Any:
    """Return the labels with blanks around them: b l₁ b l₂ b ... b."""
    extended = np.full(2 * len(labels) + 1, blank)
    extended[1::2] = labels
    return extended


def forward_recursion(x: Any, extended: Any) -> Any:
    """Return log α_t(s), over all alignments of steps 0 to t that end at position s (equations 6 to 8)."""
    steps, places = len(x), len(extended)
    alpha = np.full((steps, places), -np.inf)
    alpha[0, :2] = x[0, extended[:2]]
    # Only a blank can be skipped, and not one between two equal labels.
    may_skip = np.zeros(places, bool)
    may_skip[2:] = (extended[2:] != extended[:-2]) & (np.arange(2, places) % 2 == 1)
    for t in range(1, steps):
        before = alpha[t - 1]
        reached = before.copy()
        reached[1:] = np.logaddexp(reached[1:], before[:-1])
        reached[2:] = np.where(may_skip[2:], np.logaddexp(reached[2:], before[:-2]), reached[2:])
        alpha[t] = reached + x[t, extended]
    return alpha


def alignment_log_probs(x: Any, labels: tuple[int, ...], blank: int) -> tuple[float, Any]:
    """Return -log p(labels), and for every step and class the log probability of passing through it."""
    extended = insert_blanks(labels, blank)
    alpha = forward_recursion(x, extended)
    loss = -float(np.logaddexp.reduce(alpha[-1, -2:]))
    beta = forward_recursion(x[::-1], extended[::-1])[::-1, ::-1]
    passing = np.full(x.shape, -np.inf)
    both = alpha + beta - x[:, extended]  # α and β both count the step itself
    for place, label in enumerate(extended):
        passing[:, label] = np.logaddexp(passing[:, label], both[:, place])
    return loss, passing


def ctc_forward(x: Any, *, labels: Labels, lengths: tuple[int, ...], blank: int) -> Any:
    """Return one loss per sequence of ``x``, which has shape (steps, sequences, classes)."""
    losses = []
    for row, (sequence, length) in enumerate(zip(labels, lengths, strict=True)):
        if length:
            alpha = forward_recursion(x[:length, row], insert_blanks(sequence, blank))
            losses.append(-np.logaddexp.reduce(alpha[-1, -2:]))
        else:
            losses.append(np.inf if sequence else -0.0)
    return np.asarray(losses, x.dtype)


def ctc_slope_forward(
    g: Any, x: Any, *, labels: Labels, lengths: tuple[int, ...], blank: int, zero_infinity: bool
) -> Any:
    """Return g · (exp(x) - the probability of passing through a class given the labels), 0 after the end.

    This is the derivative in the input of log_softmax (equation 16). torch returns it as the derivative in
    ``x``; after log_softmax, whose slopes add up to 0 in every step, both give the same gradient.
    """
    out = np.zeros_like(x)
    for row, (sequence, length) in enumerate(zip(labels, lengths, strict=True)):
        if not length:
            continue
        loss, passing = alignment_log_probs(x[:length, row], sequence, blank)
        if zero_infinity and loss == np.inf:
            continue
        out[:length, row] = (np.exp(x[:length, row]) - np.exp(passing + loss)) * g[row]
    return out


ctc_loss_op: Op = primitive(
    "ctc_loss",
    lambda x, zero_infinity, **params: ctc_forward(x, **params),
    lambda g, out, x, **params: ctc_slope(g, x, **params),
    grad_fn="CtcLossBackward0",
    kink="the gradient is that of what log_softmax was taken of, as in torch: exp(x) is part of it",
)
NO_SECOND_DERIVATIVE = missing_derivative_rule("derivative for aten::_ctc_loss_backward is not implemented")
ctc_slope: Op = primitive(
    "ctc_slope", ctc_slope_forward, NO_SECOND_DERIVATIVE, NO_SECOND_DERIVATIVE, grad_fn="NotImplemented"
)

# -- the function -----------------------------------------------------------------------------------------


def read_lengths(value: Any, batch: int, limit: int, name: str) -> tuple[int, ...]:
    """Return one length per sequence, from a tuple or a tensor of ints."""
    if value.__class__ is Tensor:
        if value.dtype.kind != "i":
            raise DtypeError(f"{name} must be integral", operands=(value,))
        lengths: tuple[Any, ...] = tuple(int(n) for n in value.data.reshape(-1))
    else:
        lengths = tuple(value) if isinstance(value, (tuple, list)) else (value,)
        if any(n.__class__ is not int for n in lengths) or not isinstance(value, (tuple, list)):
            raise ArgumentError(
                f"ctc_loss(): argument '{name}' must be tuple of ints, not {type(value).__name__}"
            )
    if len(lengths) != batch:
        raise ShapeError(
            f"{name} must be of size batch_size",
            caret=f"there are {batch} sequences and {len(lengths)} lengths",
        )
    for n in lengths:
        if n < 0:
            raise ScriptError(f"Expected {name} to have value at least 0, but got value {n} {CHECK_CONTEXT}")
        if n > limit:
            raise ScriptError(
                f"Expected {name} to have value at most {limit}, but got value {n} {CHECK_CONTEXT}"
            )
    return lengths


def read_labels(targets: Tensor, lengths: tuple[int, ...], classes: int) -> Labels:
    """Return the labels of each sequence; ``targets`` is a matrix of rows, or a vector of all labels."""
    if targets.ndim not in (1, 2):
        raise ShapeError(
            f"Expected 1 to 2 dimensions, but got {targets.ndim}-dimensional tensor for argument #2 'targets'"
            f" {CHECK_CONTEXT}",
            operands=(targets,),
        )
    values = targets.data.astype(np.int64)
    total, longest = 0, 0
    for n in lengths:
        total, longest = total + n, max(longest, n)
    if targets.ndim == 1:
        if total != targets.entry_count:
            raise ShapeError(
                f"Expected tensor to have size {total} at dimension 0, but got size {targets.entry_count} for"
                f" argument #2 'targets' {CHECK_CONTEXT}",
                operands=(targets,),
                caret=f"the target lengths add up to {total}",
            )
        ends = np.cumsum(lengths)
        rows = [values[end - n : end] for end, n in zip(ends, lengths, strict=True)]
    else:
        if targets.shape[0] != len(lengths):
            raise ShapeError(
                f"Expected tensor to have size {len(lengths)} at dimension 0, but got size {targets.shape[0]}"
                f" for argument #2 'targets' {CHECK_CONTEXT}",
                operands=(targets,),
            )
        if longest > targets.shape[1]:
            raise ShapeError(
                f"Expected tensor to have size at least {longest} at dimension 1, but got size"
                f" {targets.shape[1]} for argument #2 'targets' {CHECK_CONTEXT}",
                operands=(targets,),
            )
        rows = [row[:n] for row, n in zip(values, lengths, strict=True)]
    labels = tuple(tuple(int(label) for label in row) for row in rows)
    for label in (label for row in labels for label in row):
        if not 0 <= label < classes:  # torch reads memory outside the row instead
            raise ScriptError(
                f"Target {label} is out of bounds.",
                code="E0208",
                operands=(targets,),
                caret=f"there are {classes} classes, numbered from 0 to {classes - 1}",
            )
    return labels


@public(
    "F.ctc_loss(log_probs: tensor, targets: tensor, input_lengths: any, target_lengths: any, blank: int = 0,"
    " reduction: any = 'mean', zero_infinity: bool = False)",
    method=False,
    example="F.ctc_loss(logs, torch.tensor([[1]]), (2,), (1,))",
)
def ctc_loss(
    x: Tensor,
    targets: Tensor,
    input_lengths: Any,
    target_lengths: Any,
    blank: int,
    reduction: str,
    zero_infinity: bool,
) -> Tensor:
    """Minus the log probability that ``log_probs``, read step by step without blanks, spells the targets.

    ``log_probs`` has shape (steps, sequences, classes), or (steps, classes) for one sequence. ``targets`` has
    shape (sequences, labels), or holds all labels in one vector. "mean" first divides each loss by its number
    of labels.
    """
    tuples = (tuple, list)
    if (input_lengths.__class__ is Tensor) is not (target_lengths.__class__ is Tensor) and all(
        isinstance(lengths, (Tensor, *tuples)) for lengths in (input_lengths, target_lengths)
    ):
        given = f"{type(input_lengths).__name__}, {type(target_lengths).__name__}"
        raise ArgumentError(
            f"ctc_loss() received an invalid combination of arguments - got (Tensor, Tensor, {given}, int,"
            " int, bool), but expected one of:",
            caret="the lengths are two tensors, or two tuples of ints",
        )
    single = x.ndim == 2
    whole = x if x.ndim == 3 else unsqueeze(x, dim=1)
    require_kind(x, "ctc_loss_cpu", "f")
    if not x.entry_count:
        raise ShapeError("log_probs tensor must not be empty", operands=(x,), caret="this has no entries")
    if whole.ndim != 3:
        raise ShapeError(
            f"Expected 3-dimensional tensor, but got {whole.ndim}-dimensional tensor for argument #1"
            f" 'log_probs' {CHECK_CONTEXT}",
            operands=(x,),
        )
    steps, batch, classes = whole.shape
    if not 0 <= blank < classes:
        raise ScriptError(
            "blank must be in label range",
            caret=f"there are {classes} classes, numbered from 0 to {classes - 1}",
        )
    lengths = read_lengths(input_lengths, batch, steps, "input_lengths")
    counts = read_lengths(target_lengths, batch, 1 << 62, "target_lengths")
    labels = read_labels(targets, counts, classes)
    losses = ctc_loss_op(whole, labels=labels, lengths=lengths, blank=blank, zero_infinity=zero_infinity)
    if zero_infinity:
        losses = where(Tensor.of(losses.data == np.inf), 0.0, losses)
    if single and reduction == "none":
        return reshape.named("SqueezeBackward1")(losses, shape=())
    if reduction == "mean":
        losses = losses / Tensor.of(np.maximum(np.asarray(counts), 1).astype(losses.data.dtype))
    return reduce_tensor(losses, reduction)
