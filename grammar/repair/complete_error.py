"""Completes errors before they are shown: translates Python's errors, names operands, fills in help.

Core raises errors that know shapes and tensors. Here they get the script's names for them and the lines
where those tensors were made.
"""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.source import Source
from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.objects.values import UNBOUND
from autodiff.grammar.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# -- names for operands -----------------------------------------------------------------------------


def complete_error(error: AutodiffError, script: tree.Script, source: Source, names: dict[str, Any]) -> None:
    """Label the tensors an error is about and propose repairs; ``names`` are the script's values."""
    names = {**names, **{name: value for name, value in error.names.items() if value is not UNBOUND}}
    error.turns = runtime.turns
    if error.span is None:
        return
    from autodiff.grammar.help.failure_scene import Scene
    from autodiff.grammar.help.labels import add_labels
    from autodiff.grammar.repair.proposals.by_error_code import propose

    tensors = [operand for operand in error.operands if operand.__class__ is Tensor]
    scene = Scene(error, error.span, script, source, tensors, names)
    add_labels(scene)
    if not error.fixes:
        error.fixes = propose(scene)
    cover_dotted_name(error, scene.node)
    if runtime.prints_numbers:
        from autodiff.grammar.help.plain_words import speak_of_arrays

        speak_of_arrays(error, source.text)


def cover_dotted_name(error: AutodiffError, node: Any) -> None:
    """Extend the caret over all of ``torch.optim.SGD`` if its last part is what is missing."""
    if not isinstance(node, tree.Attribute) or error.span is None or error.span != node.name_span:
        return
    owner: Any = node.object
    while isinstance(owner, tree.Attribute):
        owner = owner.object
    if isinstance(owner, tree.Name):
        error.span = node.span
