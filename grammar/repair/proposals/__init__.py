"""Proposes repairs by error code: each function reads the source where a script failed and yields edits.

What is proposed here is a guess that knows shapes, names and syntax; ``repair`` runs the script with it
and drops what does not hold, so a proposal may be bold. Whoever finds the reason of an error on the way
writes it at the error's caret.

May import core.base, core.engine, core.graph, grammar.help, grammar.objects, grammar.objects.builtins,
grammar.session, grammar.syntax, grammar.syntax.tree and grammar.translate. Imported by grammar.repair.
"""

from __future__ import annotations

from autodiff.core.base.errors import Fix
from autodiff.grammar.help.failure_scene import Scene
from autodiff.grammar.repair.proposals import absent_features, gradients, leaves, names, numbers, shapes

FAMILIES = (
    names.PROPOSALS,
    absent_features.PROPOSALS,
    shapes.PROPOSALS,
    numbers.PROPOSALS,
    gradients.PROPOSALS,
    leaves.PROPOSALS,
)


def propose(scene: Scene) -> tuple[Fix, ...]:
    """Return repairs for an error of a script that ran, the most likely first; empty if there are none."""
    code = scene.error.code
    return tuple(fix for family in FAMILIES if code in family for fix in family[code](scene))
