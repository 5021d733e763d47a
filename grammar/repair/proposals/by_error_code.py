"""The function that proposes repairs for each error code."""

from __future__ import annotations

from autodiff.core.base.errors import Fix
from autodiff.grammar.help.failure_scene import Scene
from autodiff.grammar.repair.proposals import (
    absent_features,
    arguments,
    arrays,
    attributes,
    custom_functions,
    gradients,
    leaves,
    numbers,
    shapes,
    transforms,
    unassigned,
    value_uses,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: The function of each error code.
PROPOSALS: dict[str, Callable[[Scene], Iterator[Fix]]] = {
    "E0140": absent_features.write_weight_function,
    "E0142": absent_features.use_cpu,
    "E0143": absent_features.delete_line,
    "E0145": arrays.tensors_for_arrays,
    "E0146": absent_features.nearest_dtype,
    "E0147": transforms.write_transform,
    "E0148": absent_features.replace_library_call,
    "E0149": attributes.fit_attribute,
    "E0200": value_uses.fit_operation,
    "E0202": unassigned.assign_first,
    "E0203": value_uses.fit_types,
    "E0204": attributes.fit_attribute,
    "E0205": value_uses.fit_loop,
    "E0206": value_uses.fit_values,
    "E0207": numbers.compute_in_floats,
    "E0208": shapes.fit_position,
    "E0209": value_uses.fit_call,
    "E0210": value_uses.show_values,
    "E0212": value_uses.point_at_zero,
    "E0301": shapes.fit_sum,
    "E0302": shapes.fit_product,
    "E0303": shapes.valid_dim,
    "E0304": shapes.right_count,
    "E0305": value_uses.fit_single_number,
    "E0306": shapes.fit_condition,
    "E0307": shapes.valid_index,
    "E0308": shapes.fit_rows,
    "E0310": arguments.fit_arguments,
    "E0311": shapes.fit_singular_matrix,
    "E0312": numbers.fit_dtypes,
    "E0401": gradients.start_backward,
    "E0402": gradients.keep_graph,
    "E0403": gradients.change_a_copy,
    "E0404": numbers.require_floats,
    "E0405": leaves.detach_instead,
    "E0406": leaves.require_gradient,
    "E0407": leaves.change_of_leaf,
    "E0408": leaves.require_input,
    "E0409": leaves.allow_unused,
    "E0410": leaves.require_gradient,
    "E0411": gradients.fit_weight,
    "E0412": custom_functions.fit_function_class,
    "E0413": custom_functions.fit_gradient_count,
    "E0414": leaves.detach_first,
    "E0415": gradients.avoid_view_change,
}


def propose(scene: Scene) -> tuple[Fix, ...]:
    """Return repairs for an error of a script that ran, the most likely first; empty if there are none."""
    proposal = PROPOSALS.get(scene.error.code)
    return () if proposal is None else tuple(proposal(scene))
