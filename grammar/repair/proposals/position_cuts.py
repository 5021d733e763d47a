"""Where positions, counts or truth values are taken from values with a graph: they are whole numbers.

``torch.max(x, 1)`` and its like return values, which have a gradient, and their positions, which have none.
"""

from __future__ import annotations

from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.help.bindings import DISPLAYS
from autodiff.grammar.help.failure_scene import Scene, method_owner
from autodiff.grammar.objects.values import Namespace
from autodiff.grammar.repair.proposals.value_origins import gradient_names
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import walk

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
SMOOTH_ADVICE = "start from a value that changes smoothly with the input, such as a loss"
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


def values_advice(scene: Scene, made: tree.Call, text: str) -> str:
    return class_loss_advice(scene, made) or f"the values are differentiable: `{text}`"


def position_advice(scene: Scene, call: tree.Call) -> str:
    """What to take in place of the positions that a function of ``POSITION_FUNCTIONS`` returns."""
    value = POSITION_FUNCTIONS[function_name(scene, call)]
    plain = f"`{value}` is differentiable: it gives the entry itself" if value else SMOOTH_ADVICE
    return class_loss_advice(scene, call) or plain


def is_value_method(scene: Scene, call: tree.Call) -> bool:
    """Whether a call calls a method of a value, and not a function in a namespace."""
    function = call.function
    return isinstance(function, tree.Attribute) and scene.value(function.object).__class__ is not Namespace


def operands_of(scene: Scene, call: tree.Call) -> list[Any]:
    """The values that a call is given by position, a method's object first."""
    owner = [method_owner(call)] if is_value_method(scene, call) else []
    return owner + [argument.value for argument in call.arguments if argument.keyword is None]


def class_loss_advice(scene: Scene, call: tree.Call) -> str:
    """The loss to take in place of the positions of the largest scores, if there are labels for it."""
    operands = operands_of(scene, call)
    if function_name(scene, call) not in ("argmax", "max") or not operands:
        return ""
    scores = before_softmax(scene, operands[0])
    value = next((x for x in map(scene.value, (operands[0], scores)) if x.__class__ is Tensor), None)
    if value is None or value.ndim not in (1, 2):
        return ""
    given = scene.argument(call, "dim") or scene.argument(call, "axis")
    dims = [*operands[1:], *([given.value] if given is not None else [])]
    along = scene.text(dims[0]) if dims else "-1" if value.ndim == 1 else ""
    labels = labels_for(scene, value) if along in ("-1", str(value.ndim - 1)) else []
    if len(labels) != 1:
        return ""
    has_short_name = any(
        (isinstance(part, tree.Import) and ("torch.nn.functional", "F") in part.names)
        or (isinstance(part, tree.Name) and part.id == "F")
        for part in walk(scene.script)
    )
    loss = (
        f"{'F' if has_short_name else 'torch.nn.functional'}.cross_entropy({scene.text(scores)}, {labels[0]})"
    )
    return f"a loss for classes takes the scores themselves: `{loss}`"


def before_softmax(scene: Scene, node: Any) -> Any:
    """The scores that an expression, or a name's value, is the softmax of; the expression if it is none."""
    made = scene.assignments(node.id) if isinstance(node, tree.Name) else []
    call = made[0].value if made else node
    if not isinstance(call, tree.Call) or function_name(scene, call) not in ("softmax", "log_softmax"):
        return node
    return next(iter(operands_of(scene, call)), node)


def labels_for(scene: Scene, scores: Tensor) -> list[str]:
    """The tensors of the script that hold a class for each row of scores, as ``cross_entropy`` takes them."""
    names = {part.id for part in walk(scene.script) if isinstance(part, tree.Name)}
    found = []
    for name in sorted(names - gradient_names(scene)):
        x = scene.values.get(name)
        if x.__class__ is not Tensor or x.shape != scores.shape[:-1]:
            continue
        entries = np.asarray(x.value)
        if np.isin(entries, range(scores.shape[-1])).all():
            found.append(name if entries.dtype == np.int64 else f"{name}.long()")
    return found
