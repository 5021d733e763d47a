"""What ``import`` may bring in: names that are in reach anyway, under the name the script likes."""

from __future__ import annotations

from autodiff.core.closest import closest
from autodiff.core.errors import CompileError
from autodiff.core.span import Span
from autodiff.grammar.values import UNBOUND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MODULES = (
    "torch",
    "torch.autograd",
    "torch.autograd.functional",
    "torch.nn",
    "torch.nn.functional",
    "torch.linalg",
    "torch.special",
    "math",
    "numpy",
    "IPython",
    "IPython.display",
    "__future__",
)


def imported(module: str, name: str | None, span: Span, written: str) -> Any:
    """The namespace ``module``, or its member ``name``; ``*`` brings in what is there already."""
    from autodiff.grammar.namespaces import namespace

    if written not in MODULES:
        raise CompileError(
            f"No module named '{written}'",
            code="E0211",
            caret=f"`{written}` cannot be imported",
            help=advice(written),
            span=span,
        )
    if module == "__future__":
        return None
    found = namespace(module)
    if name is None or name == "*":
        return found
    value = found.find(name)
    if value is UNBOUND and f"{module}.{name}" in MODULES:
        value = namespace(f"{module}.{name}")
    if value is UNBOUND:
        meant = closest(name, found.names())
        raise CompileError(
            f"cannot import name '{name}' from '{module}'",
            code="E0211",
            caret=f"`{module}` has no `{name}` here",
            help=(f"did you mean `{meant}`?",) if meant else (),
            span=span,
        )
    return value


def advice(module: str) -> tuple[str, ...]:
    top = module.partition(".")[0]
    if module.startswith("torch.optim"):
        return ("write the step itself: `with no_grad(): w -= lr * w.grad`, then `w.grad.zero_()`",)
    if top in ("matplotlib", "pylab"):
        return ("leave plots out: the command line draws the graph, with `autodiff graph`",)
    listed = ", ".join(m for m in MODULES if m not in ("IPython", "__future__"))
    return (f"these can be imported: {listed}",)
