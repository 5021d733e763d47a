"""Repairs to try, by error code: each looks at the source where a script failed and writes it anew.

What is proposed here is a guess that knows shapes, names and syntax; ``repair`` runs the script with it
and drops what does not hold, so a proposal may be bold. Whoever finds the reason of an error on the way
writes it at the error's caret.
"""

from __future__ import annotations

from autodiff.core.errors import AutodiffError, Fix
from autodiff.core.span import Source
from autodiff.core.tensors import Tensor
from autodiff.grammar import syntax
from autodiff.grammar.proposals import gradients, names, shapes
from autodiff.grammar.proposals.scene import Scene

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PROPOSALS = {**names.PROPOSALS, **shapes.PROPOSALS, **gradients.PROPOSALS}


def propose(
    error: AutodiffError,
    script: syntax.Script,
    source: Source,
    tensors: list[Tensor],
    values: dict[str, Any],
) -> tuple[Fix, ...]:
    """Repairs for an error of a script that ran, the most likely first; empty if none comes to mind."""
    find = PROPOSALS.get(error.code)
    if find is None or error.span is None:
        return ()
    return tuple(find(Scene(error, error.span, script, source, tensors, values)))
