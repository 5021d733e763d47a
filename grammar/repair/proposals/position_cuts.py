"""Where positions, counts or truth values are taken from values with a graph: they are whole numbers.

``torch.max(x, 1)`` and its like return values, which have a gradient, and their positions, which have none.
"""

from __future__ import annotations

from autodiff.grammar.help.bindings import DISPLAYS
from autodiff.grammar.help.failure_scene import Scene
from autodiff.grammar.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Functions and methods whose second result has the positions of the first.
PAIR_FUNCTIONS = frozenset(
    "max min sort topk kthvalue median nanmedian mode cummax cummin max_pool1d_with_indices"
    " max_pool2d_with_indices max_pool3d_with_indices".split()
)
#: Those of which this holds with ``return_indices=True``.
POOLS = frozenset(
    [f"{kind}_pool{n}d" for kind in ("max", "adaptive_max", "fractional_max") for n in (1, 2, 3)]
)
#: Functions and methods whose results after the first are positions and counts.
UNIQUES = frozenset(["unique", "unique_consecutive"])
#: Functions and methods that return positions, with the ones that return the values themselves.
POSITION_FUNCTIONS = {
    **{"argmax": "max", "argmin": "min", "argsort": "sort"},
    **dict.fromkeys(("nonzero", "argwhere", "searchsorted", "bucketize", "multinomial"), ""),
}
#: Functions and methods that count.
COUNTS = frozenset(["bincount", "count_nonzero", "histc", "histogram"])
COMPARISONS = frozenset(
    "eq ne gt ge lt le greater greater_equal less less_equal not_equal isclose isnan isinf isfinite isin"
    " logical_and logical_or logical_not logical_xor signbit".split()
)


def function_name(scene: Scene, node: Any) -> str:
    """Return the name of the function or method that a call calls, without what stands before the dot."""
    return scene.text(node.function).rpartition(".")[2] if isinstance(node, tree.Call) else ""


def pair_call(scene: Scene, node: Any) -> tree.Call | None:
    """Return the call that made values with their positions: the expression itself, or what a name holds."""
    if isinstance(node, tree.Name):
        made = scene.assignments(node.id)
        node = made[0].value if made else None
    if not isinstance(node, tree.Call):
        return None
    name = function_name(scene, node)
    given = scene.argument(node, "return_indices")
    is_pool = name in POOLS and given is not None
    return node if name in PAIR_FUNCTIONS or is_pool else None


def chosen_positions(scene: Scene, node: Any) -> tuple[tree.Call, str] | None:
    """Return the pair of which ``node`` takes the positions, and the text that takes the values instead."""
    if isinstance(node, tree.Attribute) and node.name == "indices":
        made = pair_call(scene, node.object)
        return None if made is None else (made, f"{scene.text(node.object)}.values")
    if isinstance(node, tree.Subscript) and scene.text(node.index) in ("1", "-1"):
        made = pair_call(scene, node.object)
        return None if made is None else (made, f"{scene.text(node.object)}[0]")
    return None


def bound_positions(scene: Scene, statement: Any, name: str) -> tuple[tree.Call, str] | None:
    """Return the pair whose positions ``values, name = ...`` binds, and the text of the values."""
    for target in statement.targets if isinstance(statement, tree.Assign) else ():
        if isinstance(target, DISPLAYS) and len(target.elements) == 2:
            first, second = target.elements
            if isinstance(second, tree.Name) and second.id == name and first is not second:
                made = pair_call(scene, statement.value)
                return None if made is None else (made, scene.text(first))
    return None


def bound_inverse(scene: Scene, statement: Any, name: str) -> Any:
    """Return the call of ``unique`` if its positions or counts are assigned to a name."""
    if not isinstance(statement, tree.Assign) or function_name(scene, statement.value) not in UNIQUES:
        return None
    later = [
        one for target in statement.targets if isinstance(target, DISPLAYS) for one in target.elements[1:]
    ]
    return statement.value if any(isinstance(one, tree.Name) and one.id == name for one in later) else None


def positions_reason(scene: Scene, made: tree.Call) -> str:
    return f"{function_name(scene, made)}() gives values and positions, and positions have no gradient"


def values_advice(text: str) -> str:
    return f"the values are differentiable: `{text}`"
