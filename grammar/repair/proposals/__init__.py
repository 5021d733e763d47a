"""Proposes repairs by error code: each function reads the source where a script failed and yields edits.

A proposal is a guess from shapes, names and syntax; ``try_repairs`` runs the script with it and drops it if
it does not hold, so a proposal may be bold. A function that finds the reason of an error also writes it to
the error's caret.
"""

from __future__ import annotations

from autodiff.core.base.errors import Fix
from autodiff.grammar.help.failure_scene import Scene
from autodiff.grammar.repair.proposals import absent, gradients, leaves, names, numbers, shapes

FAMILIES = (
    names.PROPOSALS,
    absent.PROPOSALS,
    shapes.PROPOSALS,
    numbers.PROPOSALS,
    gradients.PROPOSALS,
    leaves.PROPOSALS,
)


def propose(scene: Scene) -> tuple[Fix, ...]:
    """Return repairs for an error of a script that ran, the most likely first; empty if there are none."""
    code = scene.error.code
    return tuple(fix for family in FAMILIES if code in family for fix in family[code](scene))
