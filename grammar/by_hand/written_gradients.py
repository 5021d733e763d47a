"""The gradients that a script computes by hand, such as ``dw = x.T @ e``, which ``--formula @`` judges."""

from __future__ import annotations

import re

from autodiff.core.base.errors import AutodiffError
from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.by_hand.left_side import parse_left_side
from autodiff.grammar.by_hand.read_derivation import read_derivation
from autodiff.grammar.by_hand.steps import Derivation
from autodiff.grammar.session.hand_gradients import FILE_NAME, differentiated_by, is_gradient
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.core.report.records import ReportedPass
    from autodiff.grammar.session.run import Execution

#: How many names the note has.
MOST_NAMES = 4
#: The beginning of a call that compares: ``torch.testing.assert_close``.
ASSERTING = "assert_"


def note_on_written_gradients(execution: Execution, subject: ReportedPass) -> str:
    """Return the note on gradients that a script computes by hand and no assertion reads; "" without any."""
    names = written_gradients(execution, subject)
    if not names:
        return ""
    script = execution.source.name
    command = f"autodiff check {script} --formula @" if FILE_NAME.fullmatch(script) else "--formula @"
    what = "gradient" if len(names) == 1 else f"{len(names)} gradients"
    shown = [f"`{name}`" for name in names[:MOST_NAMES]]
    more = [f"{len(names) - MOST_NAMES} more"] if len(names) > MOST_NAMES else []
    return f"`{command}` judges the {what} written in it: {', '.join([*shown, *more])}"


def written_gradients(execution: Execution, subject: ReportedPass) -> list[str]:
    """Return the names of the gradients that a script computes by hand, in the order of their lines.

    Left out are those that an assertion reads, and values that the output is made of, such as ``dt`` beside
    ``t``. In a training loop weights are made of gradients, and so is the output.
    """
    text = execution.source.text
    words = set(re.findall(r"[^\W\d]\w*", text))
    if not any(parse_left_side(word, words) for word in words):
        return []
    try:
        derivation = read_derivation(text, execution.source.name, execution.source)
    except AutodiffError:
        return []
    is_made = derivation.turn is None and not is_gradient(subject.name, execution)
    left_out = {str(node.name) for node in subject.order} if is_made else set()
    left_out |= asserted_names(derivation)
    computed = [one for one in derivation.segments if any(derivation.lines[at].reads for at in one.places)]
    found = dict.fromkeys(one.key for one in computed if one.key.isidentifier())
    return [name for name in found if name not in left_out and has_shape(name, execution)]


def has_shape(name: str, execution: Execution) -> bool:
    """Whether a gradient has the shape of the value that it is by, as far as both are known."""
    pair = [execution.names.get(one) for one in (name, differentiated_by(name, execution.names))]
    shapes = [value.shape if isinstance(value, Tensor) else () for value in pair if value is not None]
    return len(set(shapes)) < 2


def asserted_names(derivation: Derivation) -> set[str]:
    """Return the names that the assertions among the lines of a script read."""
    found = [part for line in derivation.lines if line.node is not None for part in walk(line.node)]
    read = [part for one in found if is_assertion(one) for part in walk(one)]
    return {part.id for part in read if isinstance(part, tree.Name)}


def is_assertion(node: tree.SyntaxNode) -> bool:
    if isinstance(node, tree.Call) and isinstance(node.function, tree.Attribute):
        return node.function.name.startswith(ASSERTING)
    return isinstance(node, tree.Assert)
