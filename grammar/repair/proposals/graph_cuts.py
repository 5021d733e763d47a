"""Finds where the graph was left on the way to a value, and proposes one fix that avoids these places.

It is left by a number, a copy, a comparison or a gradient: a cut. An expression is followed back through the
names it was made from. A place is a cut only if a value that requires a gradient went in. What to write there
instead is tried like every other repair, and cuts in branches that did not run are then left out.
"""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError, Edit, Fix, Label
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.source import Span
from autodiff.core.engine.public_functions import FUNCTIONS
from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.help.bindings import DISPLAYS
from autodiff.grammar.help.failure_scene import (
    Scene,
    called_name,
    edited_text,
    is_method,
    method_owner,
    with_parentheses,
)
from autodiff.grammar.objects.math_functions import DIFFERENTIATED
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.objects.values import Namespace
from autodiff.grammar.repair.proposals.position_cuts import (
    COMPARISONS,
    COUNTS,
    POSITION_FUNCTIONS,
    SMOOTH_ADVICE,
    bound_inverse,
    bound_positions,
    chosen_positions,
    function_name,
    is_value_method,
    position_advice,
    positions_reason,
    values_advice,
)
from autodiff.grammar.repair.proposals.recording_switches import enables_grad, is_switch, switched_off
from autodiff.grammar.repair.proposals.value_origins import assignments_to, depends_on_gradient
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import children, path_to, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

#: Methods that turn a tensor into Python numbers or a numpy array.
NUMBER_METHODS = ("item", "tolist", "numpy")
#: Methods that return whole numbers or truth values, and functions of whole numbers that keep the dtype.
INTEGER_METHODS = ("int", "long", "bool", "short")
ROUNDING = ("round", "floor", "ceil", "trunc", "sign")
#: Functions that draw random numbers from a distribution with parameters.
DRAWS = ("normal", "bernoulli", "multinomial", "poisson")
DRAW_ADVICE = "with p for what s was drawn from, p + (s - p).detach() passes a gradient on"
COPY_FUNCTIONS = ("tensor", "as_tensor", "Tensor", "FloatTensor", "DoubleTensor")
#: Python's functions that choose a value, with the argument of ``clamp`` that a number becomes.
CLAMP_BOUNDS = {"max": "min", "min": "max"}
#: Methods called before ``.numpy()``, which refuses tensors that require a gradient.
BEFORE_NUMPY = ("detach", "cpu")
NUMBER_REASON = "a number has no graph"
ARRAY_REASON = "a numpy array has no graph"
COPY_REASON = "this copies the numbers and leaves the graph"
UNRECORDED, UNRECORDED_FROM_HERE = "nothing is recorded under this", "nothing is recorded from here on"
#: The most cuts that are listed, and the most for which it is tried whether they ran.
MOST_LISTED_CUTS, MOST_TRIED_CUTS = 4, 20
#: An expression, also usable as a statement, that fails when it runs.
FAILING_CODE = "(1 // 0)"


class Cut:
    """A place where the graph was left.

    ``edit`` avoids the cut, and ``shown`` describes it. ``inside`` is an expression in which the graph may
    have been left earlier. ``unrecorded`` are the assignments, or the function, that a switch at ``node``
    does not record.
    """

    __slots__ = ("advice", "edit", "inside", "node", "reason", "shown", "unrecorded")

    def __init__(
        self,
        node: Any,
        why: str,
        edit: Edit | None = None,
        shown: str = "",
        advice: str = "",
        inside: Any = None,
        unrecorded: Any = None,
    ) -> None:
        self.inside = inside
        self.unrecorded = [] if unrecorded is None else [unrecorded]
        self.node = node
        self.reason = why
        self.edit = edit
        self.shown = shown
        self.advice = advice


def find_cuts(scene: Scene, start: Any, ends: Iterable[str] = ()) -> list[Cut]:
    """Return the cuts on the way to an expression, in the order of the script.

    Those in a condition or an index count only if there are no others: no gradient comes from there. What
    the names ``ends`` are made from is not followed.
    """
    found = cuts_on_the_way(scene, start, chosen_parts, ends)
    return found or cuts_on_the_way(scene, start, children, ends)


def chosen_parts(node: Any) -> list[Any]:
    """Return the children of a node without what chooses among them: a condition, an index."""
    if isinstance(node, tree.Subscript):
        return [node.object]
    if called_name(node) == "where" and len(node.arguments) > 1:
        condition = node.arguments[0]  # of `where(condition, x, y)` and of `x.where(condition, y)`
        return [part for part in children(node) if part is not condition]
    return children(node)


def cuts_on_the_way(
    scene: Scene, start: Any, parts_of: Callable[[Any], list[Any]], ends: Iterable[str]
) -> list[Cut]:
    """Return the cuts on the way to an expression through some parts of what is on the way."""
    found: list[Cut] = []
    seen = set(ends)
    todo = [start]
    while todo:
        node = todo.pop()
        cut = cut_at(scene, node)
        if cut is not None:
            found.append(cut)
            todo += nodes_before_cut(scene, cut, node)
            continue
        todo += [node.body, node.orelse] if isinstance(node, tree.Conditional) else parts_of(node)
        if not isinstance(node, tree.Name) or node.id in seen:
            continue
        seen.add(node.id)
        made = scene.function(node.id)
        found += [] if made is None else decorator_cuts(scene, made)
        for statement, value in assignments_to(scene, node.id) + returns_of(made):
            cut = recording_cut(scene, statement) or positions_cut(scene, statement, node.id)
            if cut is None:
                todo.append(value)
            else:
                found.append(cut)
    edited: dict[tuple[int, int], Cut] = {}
    for cut in found:
        place = cut.node.span.start, cut.node.span.end
        if place in edited:
            cut.unrecorded = [*edited[place].unrecorded, *cut.unrecorded]
        edited[place] = cut
    return [edited[place] for place in sorted(edited)]


def returns_of(made: tree.FunctionDef | None) -> list[tuple[Any, Any]]:
    """Return the return statements of a function of the script, each with its value."""
    returns = [] if made is None else [part for part in walk(*made.body) if isinstance(part, tree.Return)]
    return [(one, one.value) for one in returns if one.value is not None]


def nodes_before_cut(scene: Scene, cut: Cut, node: Any) -> list[Any]:
    """Return the expressions before a cut, in which the graph may have been left earlier."""
    if cut.inside is not None:
        return [cut.inside]
    return [] if cut.edit is None else [x for x in cut_operands(node) if has_lost_graph(scene, x)]


def cut_operands(node: Any) -> list[Any]:
    """Return what a method, an attribute or a function that cuts is applied to."""
    if isinstance(node, tree.Attribute):
        return [node.object]
    if not isinstance(node, tree.Call):
        return []
    owner = [node.function.object] if isinstance(node.function, tree.Attribute) else []
    return owner + [argument.value for argument in node.arguments]


def has_lost_graph(scene: Scene, node: Any) -> bool:
    """Whether a name stands for a tensor without a graph that was made from one with a graph."""
    value = scene.value(node) if isinstance(node, tree.Name) else None
    return value.__class__ is Tensor and not value.requires_grad and depends_on_gradient(scene, node)


# -- what cuts -------------------------------------------------------------------------------------------


def cut_at(scene: Scene, node: Any) -> Cut | None:
    """Return the cut that an expression itself makes, or None."""
    if isinstance(node, tree.Comparison) and depends_on_gradient(scene, node):
        return Cut(node, "a comparison has no gradient", advice=SMOOTH_ADVICE)
    positions = chosen_positions(scene, node)
    if positions is not None and depends_on_gradient(scene, positions[0]):
        return Cut(node, positions_reason(scene, positions[0]), advice=values_advice(scene, *positions))
    if isinstance(node, tree.Attribute):
        if node.name == "data" and depends_on_gradient(scene, node.object):
            return replaceable_cut(scene, node, scene.text(node.object), ".data is outside of the graph")
        is_gradient = node.name == "grad" and scene.value(node.object).__class__ is not Namespace
        return grad_attribute_cut(scene) if is_gradient else None
    if not isinstance(node, tree.Call):
        return None
    name = function_name(scene, node)
    if isinstance(node.function, tree.Name) and name in CLAMP_BOUNDS and name not in scene.values:
        return choice_cut(scene, node, name)
    if name == "grad" and node.arguments:
        return grad_call_cut(scene, node)
    if name in ("searchsorted", "bucketize", *COUNTS) and depends_on_gradient(scene, node):
        what = "counts, which have" if name in COUNTS else "positions, which have"
        return Cut(node, f"{name}() gives {what} no gradient", advice=SMOOTH_ADVICE)
    if name in DRAWS and depends_on_gradient(scene, node):
        return draw_cut(scene, node, name)
    inside = (
        method_owner(node)
        if is_value_method(scene, node)
        else node.arguments[0].value
        if node.arguments
        else None
    )
    if inside is None or not depends_on_gradient(scene, inside):
        return None
    if name in COPY_FUNCTIONS and not is_value_method(scene, node):
        return copy_cut(scene, node, inside)
    if makes_number(scene, node):
        return replaceable_cut(
            scene, node, tensor_text(scene, node), ARRAY_REASON if name == "numpy" else NUMBER_REASON
        )
    if name == "detach":
        return replaceable_cut(scene, node, scene.text(inside), "detach() leaves the graph")
    if name in INTEGER_METHODS and is_value_method(scene, node):
        return integer_cut(scene, node, inside)
    if name in POSITION_FUNCTIONS:
        why = f"{name}() gives a position, which has no gradient"
        return Cut(node, why, advice=position_advice(scene, node))
    if name in COMPARISONS:
        return Cut(node, "a comparison has no gradient", advice=SMOOTH_ADVICE)
    return None


def replaceable_cut(scene: Scene, node: Any, text: str, why: str) -> Cut:
    """Return the cut that is avoided by writing ``text`` for ``node``, with brackets where needed."""
    statement = path_to(scene.script, node.span)[-2]
    if not (isinstance(statement, (tree.Assign, tree.AugmentedAssign)) and statement.value is node):
        text = with_parentheses(text)
    return Cut(node, why, Edit(node.span, text), f"{text} for {scene.text(node)}")


def makes_number(scene: Scene, node: Any) -> bool:
    """Whether a call turns a tensor into a Python number; in a script without tensors few functions do."""
    if not isinstance(node, tree.Call):
        return False
    function = node.function
    if isinstance(function, tree.Attribute):
        owner = scene.value(function.object)
        if owner.__class__ is Namespace:
            is_kept = runtime.without_tensors and function.name in DIFFERENTIATED
            return bool(owner.name == "math") and f"torch.{function.name}" in FUNCTIONS and not is_kept
        is_kept = runtime.prints_numbers and function.name in ("item", "tolist")
        return function.name in NUMBER_METHODS and not node.arguments and not is_kept
    makers = ("int",) if runtime.without_tensors else ("float", "int")
    return isinstance(function, tree.Name) and function.id in makers and len(node.arguments) == 1


def integer_cut(scene: Scene, node: tree.Call, inside: Any) -> Cut:
    """Return the cut of ``x.long()``, which is left out only where that changes no value."""
    why = "whole numbers have no gradient"
    if isinstance(inside, tree.Call) and function_name(scene, inside) in ROUNDING:
        rounded = method_owner(inside) if is_value_method(scene, inside) else inside.arguments[0].value
        made, says = inside, f"{function_name(scene, inside)}() has slope 0 as well"
    elif has_fractions(scene.value(inside)):
        rounded, made = inside, node
        says = f"{scene.text(inside)} has fractions, which {function_name(scene, node)}() cuts off"
    else:
        return replaceable_cut(scene, node, scene.text(inside), why)
    text = with_parentheses(scene.text(rounded))
    passes_by = f"{text} + ({scene.text(made)} - {text}).detach()"
    return Cut(node, why, advice=f"{says}; a straight-through gradient passes by it: {passes_by}")


def has_fractions(value: Any) -> bool:
    """Whether a value is known to be a tensor with entries that are not whole."""
    return value.__class__ is Tensor and bool(np.any(np.asarray(value.value) % 1))


def positions_cut(scene: Scene, statement: Any, name: str) -> Cut | None:
    """Return the cut of ``values, positions = torch.max(x, 1)`` for the name of the positions, or None."""
    inverse = bound_inverse(scene, statement, name)
    if inverse is not None and depends_on_gradient(scene, inverse):
        why = f"{function_name(scene, inverse)}() gives positions and counts, which have no gradient"
        return Cut(inverse, why, advice=SMOOTH_ADVICE)
    positions = bound_positions(scene, statement, name)
    if positions is None or not depends_on_gradient(scene, positions[0]):
        return None
    return Cut(positions[0], positions_reason(scene, positions[0]), advice=values_advice(scene, *positions))


def choice_cut(scene: Scene, call: tree.Call, name: str) -> Cut | None:
    """Return the cut of ``max(x, 2)`` if it returns the number; None if the values are no longer known."""
    given = [argument.value for argument in call.arguments]
    values = [node.value if isinstance(node, tree.Number) else scene.value(node) for node in given]
    tensors = [value for value in values if value.__class__ is Tensor and value.requires_grad]
    if len(given) != 2 or len(tensors) != 1 or tensors[0].entry_count != 1:
        return None
    (tensor,) = tensors
    at = int(values[0] is not tensor)
    number = values[1 - at]
    if number.__class__ not in (int, float):
        return None
    text, bound = scene.text(given[at]), scene.text(given[1 - at])
    value = tensor.item()
    if (value >= number if name == "max" else value <= number) and (at == 0 or value != number):
        return None
    why = f"{name}() chooses {bound} here, a number that nothing connects to the inputs"
    return replaceable_cut(scene, call, f"torch.clamp({text}, {CLAMP_BOUNDS[name]}={bound})", why)


def tensor_text(scene: Scene, node: Any) -> str:
    """Return the text of an expression with tensors in place of the numbers made of them."""
    edits = []
    if makes_number(scene, node):
        function = node.function
        if isinstance(function, tree.Attribute) and function.name in NUMBER_METHODS:
            tensor: Any = function.object
            while any(is_method(tensor, name) for name in BEFORE_NUMPY):
                tensor = method_owner(tensor)
            return tensor_text(scene, tensor)
        if isinstance(function, tree.Name):
            return tensor_text(scene, node.arguments[0].value)
        edits.append(Edit(function.span, f"torch.{function.name}"))
    inner = node.arguments if isinstance(node, tree.Call) else children(node)
    for part in inner:
        text = (
            with_parentheses(tensor_text(scene, part))
            if makes_number(scene, part)
            else tensor_text(scene, part)
        )
        if text != scene.text(part):
            edits.append(Edit(part.span, text))
    return edited_text(scene, node, *edits)


def copy_cut(scene: Scene, call: tree.Call, data: Any) -> Cut:
    """Return the cut of ``torch.tensor(...)`` of tensors, or of numbers made of tensors."""
    text = tensor_text(scene, data)
    numbers = text != scene.text(data)
    if isinstance(data, (*DISPLAYS, tree.Comprehension)):
        text = f"torch.stack({text})"
    elif scene.value(data).__class__ in (list, tuple):  # what is in it may have left the graph before
        cut = replaceable_cut(scene, call, f"torch.stack({text})", COPY_REASON)
        cut.inside = data
        return cut
    elif isinstance(data, tree.Call) and isinstance(data.function, tree.Name):
        if scene.function(data.function.id) is not None:  # it may return a number made inside of it
            cut = replaceable_cut(scene, call, text, COPY_REASON)
            cut.inside = data
            return cut
    elif made_from_numbers(scene, data):
        cut = replaceable_cut(scene, call, text, COPY_REASON)
        cut.inside = data
        return cut
    elif not numbers:
        cut = replaceable_cut(scene, call, f"{with_parentheses(text)}.clone()", COPY_REASON)
        if not isinstance(data, tree.Name):
            cut.inside = data
        return cut
    return replaceable_cut(scene, call, text, NUMBER_REASON if numbers else COPY_REASON)


def draw_cut(scene: Scene, call: tree.Call, name: str) -> Cut:
    """Return the cut of a random draw: one of a normal distribution can be written with a gradient."""
    given = [scene.text(argument.value) for argument in call.arguments if argument.keyword is None]
    if name == "normal" and len(given) == 2:
        mean, deviation = given
        text = f"{mean} + {with_parentheses(deviation)} * torch.randn_like({mean})"
        return replaceable_cut(scene, call, f"({text})", "a random draw has no gradient")
    advice = DRAW_ADVICE
    if runtime.prints_numbers:  # no draw by a parameter, but numbers to begin with
        path = path_to(scene.script, call.span)
        made = next((one for one in reversed(path) if isinstance(one, tree.Assign)), None)
        names = [one.id for one in (made.targets if made else ()) if isinstance(one, tree.Name)]
        advice = f"--wrt {names[0]} takes it for an input" if names else ""
    return Cut(call, "a random draw has no gradient", advice=advice)


def made_from_numbers(scene: Scene, data: Any) -> bool:
    """Whether an expression contains no tensor, but a name whose value is a float."""
    values = [scene.value(part) for part in walk(data) if isinstance(part, tree.Name)]
    return any(value.__class__ is float for value in values) and not any(
        value.__class__ is Tensor for value in values
    )


# -- gradients, and what is not recorded -------------------------------------------------------------------


def creates_graph(call: tree.Call) -> bool:
    """Whether a call of ``grad`` or ``backward`` records what it computes."""
    given = [argument.value for argument in call.arguments if argument.keyword == "create_graph"]
    return bool(given) and not (isinstance(given[0], tree.Constant) and given[0].value is False)


def grad_call_cut(scene: Scene, call: tree.Call) -> Cut | None:
    """Return the cut of a ``torch.autograd.grad(y, x)`` without ``create_graph=True``, or None."""
    if creates_graph(call):
        return None
    edit = scene.argument_edit(call, "create_graph=True")
    return Cut(call, "without create_graph=True this has no graph", edit, edited_text(scene, call, edit))


def grad_attribute_cut(scene: Scene) -> Cut | None:
    """Return the cut of ``x.grad`` that was filled without ``create_graph=True``, or None."""
    passes = [
        part
        for part in walk(scene.script)
        if is_method(part, "backward") and part.span.end <= scene.span.start and not creates_graph(part)
    ]
    if not passes:
        return None
    edit = scene.argument_edit(passes[-1], "create_graph=True")
    return Cut(
        passes[-1], "without create_graph=True .grad has no graph", edit, edited_text(scene, passes[-1], edit)
    )


def recording_cut(scene: Scene, statement: Any) -> Cut | None:
    """Return the cut of ``no_grad()`` around a statement or ``set_grad_enabled(False)`` before it, or None.

    The statement is an assignment or a return. For a step along the gradient, the step itself is the cut.
    """
    if isinstance(statement, tree.AugmentedAssign) and not changes_constant(scene, statement):
        return None  # the changed tensor keeps its graph
    path = path_to(scene.script, statement.span)
    around = [
        context
        for node in path
        if isinstance(node, tree.With)
        for context, _ in node.items
        if is_switch(scene, context)
    ]
    if not around:
        off = switched_off(scene, path)
        on = "torch.set_grad_enabled(True)"
        if off is None:
            return None
        shown = f"{on} for {scene.text(off)}"
        return Cut(off, UNRECORDED_FROM_HERE, Edit(off.span, on), shown, unrecorded=statement)
    if enables_grad(scene, around[-1]):
        return None
    value: Any = statement.value
    if any(isinstance(node, tree.Attribute) and node.name == "grad" for node in walk(value)):
        target = step_target(statement)
        if target is None:
            return None
        step = f"{target.id} -= {scene.text(value.right)}"
        why = "under no_grad() this makes a tensor without a graph"
        return Cut(statement, why, Edit(statement.span, step), f"{step} for {scene.text(statement)}")
    context = around[-1]
    block = next(node for node in path_to(scene.script, context.span) if is_block_of(node, context))
    moved = moved_out(scene, block)
    if moved is not None:
        edit, text = moved
        shown = f"{text} outside of {scene.text(context)}"
    else:
        edit = Edit(context.span, "torch.enable_grad()")
        shown = f"{edit.text} for {scene.text(context)}"
    return Cut(context, UNRECORDED, edit, shown, unrecorded=statement)


def step_target(statement: Any) -> tree.Name | None:
    """Return the ``w`` of ``w = w - lr * w.grad``, the step of a training loop; else None."""
    if not isinstance(statement, tree.Assign) or len(statement.targets) != 1:
        return None
    target, value = statement.targets[0], statement.value
    if not isinstance(target, tree.Name) or not isinstance(value, tree.Binary) or value.op != "-":
        return None
    return target if isinstance(value.left, tree.Name) and value.left.id == target.id else None


def changes_constant(scene: Scene, statement: Any) -> bool:
    """Whether a statement such as ``h += w`` changes a tensor in place that has no graph of its own."""
    if not isinstance(statement, tree.AugmentedAssign) or not isinstance(statement.target, tree.Name):
        return False
    value = scene.value(statement.target)
    return value.__class__ is Tensor and not value.requires_grad


def is_block_of(node: Any, context: Any) -> bool:
    return isinstance(node, tree.With) and any(one is context for one, _ in node.items)


def moved_out(scene: Scene, block: tree.With) -> tuple[Edit, str] | None:
    """Return the edit, and its text, that moves statements out of a ``with`` block.

    Moved is what is made from values that require a gradient. None if it is between other statements, since
    their order would change.
    """
    body: list[Any] = list(block.body)
    wanted = [
        (isinstance(one, tree.Assign) or changes_constant(scene, one))
        and depends_on_gradient(scene, one.value)
        for one in body
    ]
    count = sum(wanted)
    first = not any(wanted[count:])
    if not count or len(block.items) > 1 or not (first or all(wanted[-count:])):
        return None
    moved = body[:count] if first else body[-count:]
    lines = scene.source.excerpt_lines(moved[0].span.extend_to(moved[-1].span))
    outer, inner = (scene.source.position(node.span.start)[1] - 1 for node in (block, body[0]))
    margin, lead = " " * outer, " " * (inner - outer)
    if count < len(body) and scene.line(block.span) == scene.line(body[0].span):
        return None
    text = "\n".join([lines[0], *(line.removeprefix(lead) for line in lines[1:])])
    shown = " and ".join(abbreviated([" ".join(scene.text(one).split()) for one in moved]))
    if count == len(body):
        return Edit(block.span.extend_to(moved[-1].span), text), shown
    if first:
        head = scene.source.excerpt(Span(block.span.start, body[0].span.start)).rstrip()
        return Edit(Span(block.span.start, moved[-1].span.end), f"{text}\n{margin}{head}"), shown
    return Edit(Span(body[-count - 1].span.end, moved[-1].span.end), f"\n{margin}{text}"), shown


def decorator_cuts(scene: Scene, made: tree.FunctionDef) -> list[Cut]:
    """Return the cuts of ``@torch.no_grad()`` above a function."""
    found = []
    for decorator in made.decorators:
        text = scene.text(decorator)
        if "no_grad" in text or "inference_mode" in text:
            edit = Edit(decorator.span, "torch.enable_grad()")
            found.append(Cut(decorator, UNRECORDED, edit, f"{edit.text} for {text}", unrecorded=made))
    return found


# -- the fix ----------------------------------------------------------------------------------------------


class StayConnected(Fix):
    """A fix that avoids some cuts, each of which has an edit."""

    __slots__ = ("cuts",)

    def __init__(self, cuts: Sequence[Cut]) -> None:
        shown = ", and ".join(abbreviated([cut.shown for cut in cuts]))
        super().__init__(
            f"stay in the graph: write {shown}", *[cut.edit for cut in cuts if cut.edit is not None]
        )
        self.cuts = tuple(cuts)

    def without_unrun_cuts(self, holds: Callable[[Fix], bool]) -> StayConnected:
        """Return the fix, which ``holds``, without the cuts in branches that did not run.

        Such a branch is recognised because the script still holds when the cut is made to fail.
        """
        if len(self.cuts) > MOST_TRIED_CUTS:
            return self
        ran = [cut for cut in self.cuts if len(self.cuts) == 1 or not holds(self.fail_at_cut(cut))]
        return StayConnected(ran) if 0 < len(ran) < len(self.cuts) else self

    def fail_at_cut(self, cut: Cut) -> Fix:
        others = [other.edit for other in self.cuts if other is not cut and other.edit is not None]
        return Fix("", *others, Edit(cut.node.span, FAILING_CODE))


def abbreviated(texts: list[str]) -> list[str]:
    """Return the texts, or the first few of them and how many more there are."""
    return (
        texts
        if len(texts) <= MOST_LISTED_CUTS
        else [*texts[: MOST_LISTED_CUTS - 1], f"{len(texts) - MOST_LISTED_CUTS + 1} more"]
    )


def connecting_fix(found: Sequence[Cut]) -> Iterator[StayConnected]:
    """Yield the fix that avoids all cuts, if each of them has an edit."""
    if found and all(cut.edit is not None for cut in found):
        yield StayConnected(found)


def explain_cuts(scene: Scene, found: list[Cut]) -> Iterator[Fix]:
    """Label the cuts on the way to a value, and propose to avoid them."""
    error = scene.error
    error.caret = "the graph was left on the way to this"
    error.help = tuple(dict.fromkeys([cut.advice for cut in found if cut.advice]))
    for cut in found:
        if cut.node.span != error.span:
            error.labels.append(Label(cut.node.span, cut.reason))
    yield from connecting_fix(found)


def drop_unrun_cuts(fix: Fix, error: AutodiffError, holds: Callable[[Fix], bool]) -> Fix:
    """Return a fix that ``holds`` without its cuts in branches that did not run, and drop their labels."""
    if not isinstance(fix, StayConnected):
        return fix
    narrow = fix.without_unrun_cuts(holds)
    left_out = [cut.node.span for cut in fix.cuts if cut not in narrow.cuts]
    error.labels = [label for label in error.labels if label.span not in left_out]
    return narrow
