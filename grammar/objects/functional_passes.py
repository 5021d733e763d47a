"""Backward passes through the internal graphs of ``torch.autograd.functional``."""

from __future__ import annotations

from autodiff.core.engine.backward import grad as core_grad
from autodiff.core.graph.state import mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.engine.tensor import Tensor
    from autodiff.core.graph.node import GradSlot, Node
    from autodiff.core.graph.state import Recorder, Tape


class FunctionalRecorder:
    """Forwards to the recorder of the passes, and marks each pass as one of ``torch.autograd.functional``."""

    __slots__ = ("recorder",)

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder

    def grads_gathered(self, before: list[tuple[GradSlot, Any]], is_partial: bool) -> None:
        self.recorder.grads_gathered(before, is_partial)

    def slopes_made(self, slopes: dict[Node, tuple[Node, str]]) -> None:
        self.recorder.slopes_made(slopes)

    def derivatives_made(self, result: Any, inputs: list[Tensor], order: int) -> None:
        """Discard the derivatives that a function computes while it is differentiated itself."""

    def written_pass_ran(self, kind: str, tape: Tape, at: int, value: Any, seed: Any, retain: bool) -> None:
        self.recorder.written_pass_ran("functional", tape, at, value, seed, retain)

    def pass_ran(self, kind: str, roots: list[Node], seeds: list[object], order: list[Node]) -> None:
        self.recorder.pass_ran("functional", roots, seeds, order)


def input_gradients(
    outputs: list[Tensor], inputs: list[Tensor], weights: list[Any], **options: Any
) -> tuple[Any, ...]:
    """Return the gradients of the inputs, from those outputs that require a gradient.

    ``weights`` are the gradients of the outputs. The result has None for an input that no output depends on.
    """
    pairs = [(y, w) for y, w in zip(outputs, weights, strict=True) if y is not None and y.requires_grad]
    if not pairs:
        return (None,) * len(inputs)
    ys, ws = [y for y, _ in pairs], [w for _, w in pairs]
    recorder = mode.recorder
    if recorder is not None:
        mode.recorder = FunctionalRecorder(recorder)
    try:
        return tuple(core_grad(ys, inputs, ws, allow_unused=True, **options))
    finally:
        mode.recorder = recorder
