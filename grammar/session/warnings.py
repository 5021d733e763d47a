"""Passes a script's warnings on, each once per line, and adds help that torch's text lacks."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from autodiff.core.base.source import Source, Span
    from autodiff.grammar.session.run import Execution

NO_LEAF = "The .grad attribute of a Tensor that is not a leaf"
BROADCAST = "that is different to the input size"
#: The help on each warning, by the warning's beginning or by a part of it that contains no numbers.
HELP = {
    NO_LEAF: ("only leaves keep .grad; `.retain_grad()` before backward() makes a result keep it too"),
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
    BROADCAST: "both are broadcast, and every pair is compared",
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


def help_on(warning: str, source: Source | None = None, span: Span | None = None) -> tuple[str, ...]:
    """Return the help on a warning at a place in a script; none if torch's text needs no addition."""
    if warning.startswith(NO_LEAF) and source is not None and span is not None:
        from autodiff.grammar.session.late_leaf import leaf_meant

        meant = leaf_meant(source, span)
        if meant is not None:
            return (f"only leaves keep .grad; make the result the leaf: `{meant}`",)
    if BROADCAST in warning and source is not None and span is not None:
        from autodiff.grammar.help.loss_shapes import paired

        meant = paired(warning, source, span)
        if meant is not None:
            return (f"{HELP[BROADCAST]}; `{meant}` pairs entry by entry",)
    return tuple([text for part, text in HELP.items() if part in warning])


class Warnings:
    """The warnings of a script, each once per line. They are passed on at once, even if an error follows."""

    __slots__ = ("execution", "teller", "told")

    def __init__(self, execution: Execution, teller: Callable[[str, Span], None]) -> None:
        self.execution = execution
        self.teller = teller
        self.told: set[tuple[str, int]] = set()

    def tell(self, text: str, span: Span) -> None:
        """Warn, unless this line has had the same warning: as in Python, a loop warns once."""
        line = self.execution.source.position(span.start)[0]
        if (text, line) in self.told:
            return
        self.told.add((text, line))
        self.execution.warnings.append((text, span))
        self.teller(text, span)
