"""The table of repairs of names, attributes, arguments and types, by error code.

The functions are in the modules that it imports.
"""

from __future__ import annotations

from autodiff.grammar.repair.proposals.arguments import fit_arguments
from autodiff.grammar.repair.proposals.attributes import fit_attribute
from autodiff.grammar.repair.proposals.numbers import compute_in_floats
from autodiff.grammar.repair.proposals.unassigned import assign_first
from autodiff.grammar.repair.proposals.value_uses import (
    fit_call,
    fit_loop,
    fit_number,
    fit_operation,
    fit_position,
    fit_types,
    fit_values,
    point_at_zero,
    show_values,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from autodiff.core.base.errors import Fix
    from autodiff.grammar.help.failure_scene import Scene

PROPOSALS: dict[str, Callable[[Scene], Iterator[Fix]]] = {
    "E0200": fit_operation,
    "E0202": assign_first,
    "E0203": fit_types,
    "E0204": fit_attribute,
    "E0205": fit_loop,
    "E0206": fit_values,
    "E0207": compute_in_floats,
    "E0208": fit_position,
    "E0209": fit_call,
    "E0210": show_values,
    "E0212": point_at_zero,
    "E0305": fit_number,
    "E0310": fit_arguments,
}
