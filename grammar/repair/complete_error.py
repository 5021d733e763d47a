"""Completes errors before they are shown: translates Python's errors, names operands, fills in help.

Core raises errors that know shapes and tensors. Here they get the script's names for them and the lines
where those tensors were made.
"""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError, LimitError, ScriptError
from autodiff.core.base.limits import call_once, when_full
from autodiff.core.base.source import Source
from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.objects.values import UNBOUND
from autodiff.grammar.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PYTHON_ERRORS = (
    ArithmeticError,
    TypeError,
    ValueError,
    RecursionError,
    MemoryError,
)


def translate(error: BaseException) -> AutodiffError:
    """Return our error for one that Python raised while it ran the script."""
    message = str(error)
    if isinstance(error, ZeroDivisionError):
        return ScriptError(
            message,
            code="E0212",
            caret="the divisor is 0",
            help=("tensors divide by zero without an error, giving inf or nan",),
        )
    if isinstance(error, RecursionError):
        return LimitError(
            "maximum recursion depth exceeded",
            code="E0501",
            caret="calls or lists are nested too deeply here",
        )
    if isinstance(error, MemoryError):
        call_once(when_full)
        return LimitError(
            "not enough memory", code="E0502", caret="there is no room for this", help=("use smaller shapes",)
        )
    if isinstance(error, OverflowError):
        return ScriptError(message, code="E0207", caret="the result is too large")
    for kind, code in ((TypeError, "E0310"), (ValueError, "E0206")):
        if isinstance(error, kind):
            return ScriptError(own_words(message), code=code)
    return ScriptError(message, code="E0206")


def own_words(message: str) -> str:
    """Return Python's message about one of our functions without the prefix of its qualified name."""
    head, call, tail = message.partition("() ")
    return head.rpartition(".")[2] + call + tail if call else message


# -- names for operands -----------------------------------------------------------------------------


def explain(error: AutodiffError, script: tree.Script, source: Source, names: dict[str, Any]) -> None:
    """Label the tensors an error is about and propose repairs; ``names`` are the script's values."""
    names = {**names, **{name: value for name, value in error.names.items() if value is not UNBOUND}}
    error.turns = runtime.turns
    if error.span is None:
        return
    from autodiff.grammar.help.failure_scene import Scene
    from autodiff.grammar.help.labels import add_labels
    from autodiff.grammar.repair.proposals import propose

    tensors = [operand for operand in error.operands if operand.__class__ is Tensor]
    scene = Scene(error, error.span, script, source, tensors, names)
    add_labels(scene)
    if not error.fixes:
        error.fixes = propose(scene)
    cover_dotted_name(error, scene.node)


def cover_dotted_name(error: AutodiffError, node: Any) -> None:
    """Extend the caret over all of ``torch.optim.SGD`` if its last part is what is missing."""
    if not isinstance(node, tree.Attribute) or error.span is None or error.span != node.name_span:
        return
    owner: Any = node.object
    while isinstance(owner, tree.Attribute):
        owner = owner.object
    if isinstance(owner, tree.Name):
        error.span = node.span
