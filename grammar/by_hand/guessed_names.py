"""Names of a derivation that are near to one of the script: ``dhidden`` for that of ``hidden_layer``."""

from __future__ import annotations

from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.by_hand.left_side import DerivativeNames
from autodiff.grammar.by_hand.step_lines import HELPER, read_lines
from autodiff.grammar.by_hand.steps import Derivation, Guess, find_segments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.core.graph.node import Node
    from autodiff.grammar.by_hand.runs import ScriptRuns

#: A name is not guessed from fewer letters: ``h1`` does not stand for ``h1_mean``.
SHORTEST = 3


def add_guessed_names(derivation: Derivation, runs: ScriptRuns) -> Derivation:
    """Return the derivation where such names are steps too; each has the shape of the value that is meant.

    The values that are meant become inputs of the first of the ``runs``.
    """
    guessed: dict[str, Guess] = {}
    for name in derivation.uncompared:
        node = meant_node(name, derivation, runs)
        if node is not None and not any(node is guess.node for guess in guessed.values()):
            guessed[name] = Guess(node, str(node.name), f"the script has no `{name[1:]}`")
    if not guessed:
        return derivation
    lines = read_lines(derivation.given, DerivativeNames(derivation.words, guessed), {})
    subject = runs.first.subject
    known = dict(subject.wrt)
    subject.wrt += tuple(
        (guess.spelled, guess.node) for guess in guessed.values() if guess.spelled not in known
    )
    segments = find_segments(lines)
    return Derivation(
        lines, derivation.name, derivation.given, derivation.words, segments, derivation.unreadable, guessed
    )


def meant_node(name: str, derivation: Derivation, runs: ScriptRuns) -> Node | None:
    """Return the only value of the graph whose name begins with that of a derivative, or has it as a part."""
    part = name[1:]
    places = [at for at, line in enumerate(derivation.lines) if name in line.binds]
    if len(part) < SHORTEST or part in derivation.words or derivation.lines[places[-1]].kind != HELPER:
        return None
    value = (derivation.values(places[-1] + 1, runs.first, runs.first) or {}).get(name)
    found = {
        str(node.name): node
        for node in reversed(runs.first.subject.order)
        if node.name is not None and (node.name.startswith(part) or part in node.name.split("_"))
    }
    if len(found) != 1 or not isinstance(value, Tensor):
        return None
    [(whole, node)] = found.items()
    is_free = f"d{whole}" not in derivation.keys and node in runs.first.subject.cotangents
    return node if is_free and np.shape(value.data) == node.shape else None
