"""Warnings on their way to the reader: each once a line, and with what torch's words leave out."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from autodiff.core.errors import AutodiffError
    from autodiff.core.span import Span
    from autodiff.grammar.run import Execution

#: By the beginning of the warning, or by a part of it that names no numbers.
HELP = {
    "The .grad attribute of a Tensor that is not a leaf": (
        "only leaves keep .grad; `.retain_grad()` before backward() makes a result keep it too"
    ),
    "Converting a tensor with requires_grad=True to a scalar": (
        "the number has no graph; `.item()` says that this is meant, torch's functions take the tensor itself"
    ),
    "To copy construct from a tensor": (
        "`torch.tensor(x)` leaves the graph; `x.clone()` stays in it, and `x.detach()` leaves it openly"
    ),
    "Using backward() with create_graph=True": (
        "`torch.autograd.grad(loss, w, create_graph=True)` gives the same gradients and fills no .grad"
    ),
    "Implicit dimension choice for": "`dim=-1` makes each row a distribution, `dim=0` each column",
    "that is different to the input size": (
        "both are broadcast, and every pair is compared; `target.view_as(y)` pairs entry by entry"
    ),
    "The use of `x.T` on tensors of dimension other than 2": (
        "of a vector `.T` is the vector itself; `x.unsqueeze(1)` is its column"
    ),
    "degrees of freedom is <= 0": (
        "one value has no spread of a sample; `correction=0` divides by the number of values"
    ),
    "torch.meshgrid: in an upcoming release": '`indexing="ij"` says what happens now',
    "Using torch.cross without specifying": "`dim=-1` takes the vectors along the last dimension",
    "reduction: 'mean' divides the total loss": (
        '`reduction="batchmean"` is the divergence of one distribution'
    ),
}


def help_on(warning: str) -> tuple[str, ...]:
    """The sentence for a warning; none where torch's own says it all."""
    return tuple([text for part, text in HELP.items() if part in warning])


class Warnings:
    """What a script is warned of, each once a line, and none just before an error that says the same.

    The last one waits for what comes next: something to print, another warning, the end or an error.
    """

    __slots__ = ("execution", "pending", "printer", "teller", "told")

    def __init__(
        self, execution: Execution, printer: Callable[[str], None], teller: Callable[[str, Span], None]
    ) -> None:
        self.execution = execution
        self.printer = printer
        self.teller = teller
        self.told: set[tuple[str, int]] = set()
        self.pending: tuple[str, Span] | None = None

    def remember(self, text: str, span: Span) -> None:
        """Warn, unless the line was warned of this: as in Python a loop warns once."""
        line = self.execution.source.position(span.start)[0]
        if (text, line) in self.told:
            return
        self.flush()
        self.told.add((text, line))
        self.execution.warnings.append((text, span))
        self.pending = (text, span)

    def write(self, text: str) -> None:
        self.flush()
        self.printer(text)

    def flush(self) -> None:
        """Pass on the warning that waits."""
        if self.pending is not None:
            text, span = self.pending
            self.pending = None
            self.teller(text, span)

    def forget(self, error: AutodiffError) -> None:
        """Drop the warning that waits if the error is about the same place."""
        if self.pending is not None and error.span is not None and self.pending[1] == error.span:
            self.pending = None
