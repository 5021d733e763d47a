"""Repairs of shapes that do not fit: sums, products, dimensions, reshapes, indices, rows."""

from __future__ import annotations

from autodiff.core.base.errors import Edit, Fix, Label
from autodiff.core.base.number_text import is_number_text
from autodiff.core.base.source import Span
from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.help.failure_scene import (
    Scene,
    called_name,
    edited_text,
    with_parentheses,
)
from autodiff.grammar.repair.proposals.library_words import LibraryWords
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

REDUCTIONS = frozenset(["sum", "mean", "amax", "amin", "prod", "std", "var", "norm", "logsumexp", "argmax"])


def rename_call(call: tree.Call, name: str) -> Edit:
    """Return the edit that calls another function of the same namespace, or another method."""
    function = call.function
    return Edit(function.name_span if isinstance(function, tree.Attribute) else function.span, name)


# -- elementwise operations ---------------------------------------------------------------------------


def fit_sum(scene: Scene) -> Iterator[Fix]:
    """Propose reshapes that make two shapes broadcast."""
    pairs = scene.operand_pair()
    for (a, node), (b, other) in (pairs, pairs[::-1]) if pairs else ():
        yield from keep_dimension(scene, node, b)
        text, beside = with_parentheses(scene.text(node)), scene.text(other)
        if a.ndim == 2 and a.shape[::-1] == b.shape:
            yield Fix(f"{text}.T has the shape of {beside}: {b.shape}", Edit(node.span, f"{text}.T"))
        elif a.ndim == 1 and b.ndim == 2 and a.shape[0] == b.shape[0]:
            column = f"{text}.unsqueeze(1)"
            yield Fix(f"{column} fits: {(a.shape[0], 1)} goes with {b.shape}", Edit(node.span, column))
        elif a.entry_count == b.entry_count:
            new = f"{text}.reshape({beside}.shape)"
            yield Fix(f"{new} has the shape of {beside}: {b.shape}", Edit(node.span, new))


def keep_dimension(scene: Scene, node: Any, b: Tensor) -> Iterator[Fix]:
    """Propose ``keepdim=True`` where a reduction made one operand too small."""
    if isinstance(node, tree.Name):
        made = scene.assignments(node.id)
        node = made[0].value if len(made) == 1 else node
    if called_name(node) in REDUCTIONS and node.arguments and scene.argument(node, "keepdim") is None:
        text = scene.text(node)
        yield Fix(
            f"keep the dimension: {text[:-1].rstrip(' ,')}, keepdim=True) goes with {b.shape}",
            scene.argument_edit(node, "keepdim=True"),
        )


# -- products, and tensors put together -----------------------------------------------------------------


def fit_product(scene: Scene) -> Iterator[Fix]:
    """Propose transposes that make a product fit, or another function; the same for ``cat``."""
    node, name = scene.node, called_name(scene.node)
    if name in ("cat", "concat", "concatenate", "stack"):
        yield from fit_joined_tensors(scene, node, name)
        return
    if name == "linear" and len(node.arguments) > 1:
        weight = with_parentheses(scene.text(node.arguments[1].value))
        yield Fix(
            f"pass {weight}.T: a weight has one row per output", Edit(node.arguments[1].span, weight + ".T")
        )
        return
    if name in ("mm", "mv", "dot", "bmm") and "cannot be multiplied" not in scene.error.message:
        yield Fix(
            f"{renamed_call_text(scene, node, 'matmul')} takes vectors and matrices",
            rename_call(node, "matmul"),
        )
    pairs = scene.operand_pair()
    if not pairs:
        return
    (x, left), (y, right) = pairs
    if isinstance(node, tree.Binary) and not (x.ndim and y.ndim):
        operator = scene.source.text.index("@", left.span.end, right.span.start)
        edit = Edit(Span(operator, operator + 1), "*")
        yield Fix(f"{edited_text(scene, node, edit)} multiplies by a number", edit)
    elif name in LOSSES or "arget" in scene.error.message:
        if x.entry_count == y.entry_count:
            text, beside = with_parentheses(scene.text(right)), scene.text(left)
            new = f"{text}.reshape({beside}.shape)"
            yield Fix(f"{new} has the shape of {beside}: {x.shape}", Edit(right.span, new))
    elif isinstance(node, tree.Binary) or name in PRODUCTS:
        yield from transposes(scene, (x, left), (y, right))


PRODUCTS = frozenset(["mm", "mv", "dot", "matmul", "inner", "addmm"])
LOSSES = frozenset(["binary_cross_entropy", "binary_cross_entropy_with_logits", "cross_entropy", "nll_loss"])


def renamed_call_text(scene: Scene, call: tree.Call, name: str) -> str:
    """Return the text of a call under another name."""
    return edited_text(scene, call, rename_call(call, name))


def transposes(scene: Scene, first: tuple[Tensor, Any], second: tuple[Tensor, Any]) -> Iterator[Fix]:
    (x, left), (y, right) = first, second
    for flip_x, flip_y in ((True, False), (False, True), (True, True)):
        if (flip_x and x.ndim != 2) or (flip_y and y.ndim != 2) or x.ndim > 2 or y.ndim > 2:
            continue
        a = x.shape[::-1] if flip_x else x.shape
        b = y.shape[::-1] if flip_y else y.shape
        if not a or not b or a[-1] != b[0]:
            continue
        texts = [
            with_parentheses(scene.text(node)) + (".T" if flip else "")
            for node, flip in ((left, flip_x), (right, flip_y))
        ]
        whole = scene.node
        is_operator = isinstance(whole, tree.Binary)
        edits = [
            Edit(scene.bracketed_span(node) if is_operator else node.span, text)
            for node, text, flip in zip((left, right), texts, (flip_x, flip_y), strict=True)
            if flip
        ]
        product = edited_text(scene, whole, *edits) if is_operator else f"{texts[0]} @ {texts[1]}"
        yield Fix(f"{product} fits: {a} @ {b} gives {(*a[:-1], *b[1:])}", *edits)


def fit_joined_tensors(scene: Scene, call: tree.Call, name: str) -> Iterator[Fix]:
    """Propose another dimension to join tensors along, or ``stack`` for ``cat`` and the reverse."""
    parts = scene.tensors
    other = "cat" if name == "stack" else "stack"
    if name == "stack" or not all(x.ndim for x in parts):
        yield Fix(f"{renamed_call_text(scene, call, other)} puts them together", rename_call(call, other))
        return
    if len({x.ndim for x in parts}) > 1:
        for x, node in scene.given():
            if node is not None and x.ndim == max(p.ndim for p in parts) - 1:
                is_array = LibraryWords(scene).module == "numpy"
                row = with_parentheses(scene.text(node)) + ("[None]" if is_array else ".unsqueeze(0)")
                yield Fix(f"{row} is a row of shape {(1, *x.shape)}", Edit(node.span, row))
        return
    for dim in range(parts[0].ndim if parts else 0):
        sizes = [x.shape[:dim] + x.shape[dim + 1 :] for x in parts]
        if len(set(sizes)) == 1:
            edit = scene.argument_edit(call, f"dim={dim}")
            if len(call.arguments) > 1 and call.arguments[1].keyword is None:
                edit = Edit(call.arguments[1].span, f"dim={dim}")
            yield Fix(f"put them together along the other dimension: dim={dim}", edit)


# -- dimensions and sizes -------------------------------------------------------------------------------


def valid_dim(scene: Scene) -> Iterator[Fix]:
    """Propose a dimension that exists."""
    node, error = scene.node, scene.error
    if not scene.tensors or not isinstance(node, tree.Call):
        return
    x = scene.tensors[0]
    if (
        called_name(node) in ("transpose", "swapaxes")
        and x.ndim == 1
        and isinstance(node.function, tree.Attribute)
    ):
        column = f"{scene.text(node.function.object)}.unsqueeze(1)"
        yield Fix(f"{column} makes a column of it", Edit(node.span, column))
    if called_name(node) == "t":
        yield Fix(
            "name the two dimensions: transpose(0, 1)",
            Edit(Span(node.span.end - 3, node.span.end), "transpose(0, 1)"),
        )
    _, found, wrong = error.message.rstrip(")").partition("range of [")[2].partition("but got ")
    if not found:
        return
    for argument in node.arguments:
        spelled = scene.text(argument.value)
        if spelled.replace(" ", "") != wrong:
            continue
        lead = "" if argument.keyword is None else f"{argument.keyword}="
        if not x.ndim and len(node.arguments) == 1:
            inside = Span(node.function.span.end, node.span.end)
            yield Fix("leave the dimension out: a single number has none", Edit(inside, "()"))
        for dim in sorted({x.ndim - 1, 0}, reverse=True) if x.ndim else ():
            which = "the only one" if x.ndim == 1 else "the last" if dim else "the first"
            yield Fix(f"dimensions count from 0: {lead}{dim} is {which}", Edit(argument.value.span, str(dim)))


def right_count(scene: Scene) -> Iterator[Fix]:
    """Propose sizes whose product is the number of entries."""
    call = scene.node
    if "Use .reshape" in scene.error.message and isinstance(call, tree.Call):
        yield Fix(
            f"{renamed_call_text(scene, call, 'reshape')} moves the entries", rename_call(call, "reshape")
        )
        return
    if called_name(call) not in ("reshape", "view") or not scene.tensors:
        return
    total = scene.tensors[0].entry_count
    nodes = [
        n for a in call.arguments for n in (a.value.elements if isinstance(a.value, DISPLAYS) else [a.value])
    ]
    sizes = [scene.value(n) for n in nodes]
    if any(n.span.start < 0 for n in nodes):
        return
    for at in range(len(nodes) - 1, -1, -1):
        rest = 1
        for i, size in enumerate(sizes):
            if i != at:
                if size.__class__ is not int or size <= 0:
                    break
                rest *= size
        else:
            if rest and total % rest == 0:
                edit = Edit(nodes[at].span, str(total // rest))
                yield Fix(f"{edited_text(scene, call, edit)} has {total} entries", edit)
    for node in nodes:
        edit = Edit(node.span, "-1")
        yield Fix(f"let one size be computed: {edited_text(scene, call, edit)}", edit)


DISPLAYS = (tree.ListDisplay, tree.TupleDisplay)


# -- conditions ------------------------------------------------------------------------------------------


def fit_condition(scene: Scene) -> Iterator[Fix]:
    """Propose ``.all()`` and ``.any()`` in a condition; ``&``, ``|`` and ``~`` for a tensor as result."""
    tests = (tree.If, tree.While, tree.Assert, tree.Conditional)
    boolean = next(
        (n for n in scene.path if isinstance(n, (tree.Boolean, tree.Comparison)) and len(chain_parts(n)) > 1),
        None,
    )
    denied = next((n for n in scene.path if isinstance(n, tree.Unary) and n.op == "not"), None)
    whole = boolean or denied or scene.node
    if boolean is not None:
        sign = " | " if isinstance(boolean, tree.Boolean) and boolean.op == "or" else " & "
        new = sign.join(enclosed(text) for text in chain_texts(scene, boolean))
    elif denied is not None:
        new = f"~{enclosed(scene.text(denied.operand))}"
    else:
        new = scene.text(whole)
    above = scene.path[scene.path.index(whole) - 1]
    if isinstance(above, tests) or (boolean is None and denied is None):
        numbers = scene.tensors and scene.tensors[0].dtype.kind != "b" and boolean is None and denied is None
        if numbers:
            new = f"{new} != 0"
        yield Fix(f"all of the entries: {enclosed(new)}.all()", Edit(whole.span, f"{enclosed(new)}.all()"))
        yield Fix(f"at least one of them: {enclosed(new)}.any()", Edit(whole.span, f"{enclosed(new)}.any()"))
    else:
        yield Fix(f"entry by entry: {new}", Edit(whole.span, new))


def enclosed(text: str) -> str:
    """Return an expression in parentheses, unless it is a name or has them."""
    return (
        text
        if text.isidentifier() or (text[0] == "(" and text[-1] == ")" and text.count("(") == 1)
        else f"({text})"
    )


def chain_parts(node: Any) -> list[Any]:
    """Return the conditions that a chain is made of."""
    return list(node.operands) if isinstance(node, tree.Boolean) else list(node.rest)


def chain_texts(scene: Scene, node: Any) -> list[str]:
    if isinstance(node, tree.Boolean):
        return [scene.text(operand) for operand in node.operands]
    found, left = [], node.first
    for op, right in node.rest:
        found.append(f"{scene.text(left)} {op} {scene.text(right)}")
        left = right
    return found


# -- indices and rows -----------------------------------------------------------------------------------


def fit_position(scene: Scene) -> Iterator[Fix]:
    """Explain an index past the end (E0208), and propose one that exists or a loop that ends there."""
    yield from fit_loop_bound(scene)
    yield from valid_index(scene)


def fit_loop_bound(scene: Scene) -> Iterator[Fix]:
    """Explain an index past the end; propose ``range(len(x))`` for a loop that counts too far."""
    node = scene.node
    if scene.error.message.startswith("Replacement index"):
        scene.error.caret = "there are more `{}` than values"
    if scene.error.message.startswith("Target "):
        number = scene.error.message.split()[1]
        if number.isdigit():
            scene.error.help = (f"class {number} would need {int(number) + 1} columns of scores",)
    if not isinstance(node, tree.Subscript) or not isinstance(node.index, tree.Name):
        return
    text = scene.text(node.object)
    index = scene.value(node.index)
    if index.__class__ is int:
        scene.error.caret += f", and `{node.index.id}` is {index}"
    for loop in reversed(scene.path):
        if not isinstance(loop, tree.For) or scene.text(loop.target) != node.index.id:
            continue
        counts = loop.iterable
        if isinstance(counts, tree.Call) and scene.text(counts.function) == "range" and counts.arguments:
            bound = counts.arguments[min(len(counts.arguments) - 1, 1)]
            before = "".join([f"{scene.text(start)}, " for start in counts.arguments[:-1][:1]])
            yield Fix(f"count to its length: range({before}len({text}))", Edit(bound.span, f"len({text})"))


def valid_index(scene: Scene) -> Iterator[Fix]:
    """Propose a position that exists, or an index of a type that tensors take."""
    node = scene.node
    if not isinstance(node, tree.Subscript):
        return
    index = node.index
    if isinstance(index, tree.Slice) and "step must be" in scene.error.message:
        flipped = f"{scene.text(node.object)}.flip(0)"
        yield Fix(f"{flipped} reverses it", Edit(node.span, flipped))
        return
    value = scene.value(index)
    text = scene.text(index)
    if value.__class__ is float:
        new = str(int(value)) if isinstance(index, tree.Number) and value.is_integer() else f"int({text})"
        yield Fix(f"positions are whole numbers: {scene.text(node.object)}[{new}]", Edit(index.span, new))
    elif "tensors used as indices" in scene.error.message:
        yield Fix(
            f"convert it: {with_parentheses(text)}.long()",
            Edit(index.span, f"{with_parentheses(text)}.long()"),
        )
    elif "can't assign" in scene.error.message and isinstance(scene.statement, tree.Assign):
        given = scene.statement.value
        made = f"torch.tensor({scene.text(given)})"
        yield Fix(f"assign a tensor: {scene.text(node)} = {made}", Edit(given.span, made))
    elif scene.tensors and not scene.tensors[0].ndim:
        yield Fix(f"leave the index out: {scene.text(node.object)}", Edit(node.span, scene.text(node.object)))
    elif "out of bounds" in scene.error.message and value.__class__ is int:
        yield Fix(f"the last position is -1: {scene.text(node.object)}[-1]", Edit(index.span, "-1"))
    elif "too many indices" in scene.error.message and isinstance(index, tree.TupleDisplay) and scene.tensors:
        kept = index.elements[: scene.tensors[0].ndim]
        new = ", ".join(scene.text(part) for part in kept)
        yield Fix(f"name fewer positions: {scene.text(node.object)}[{new}]", Edit(index.span, new))


def fit_rows(scene: Scene) -> Iterator[Fix]:
    """Label rows of different lengths; propose ``stack`` for tensors in a list."""
    call = scene.node
    if not isinstance(call, tree.Call) or not call.arguments:
        return
    data = call.arguments[0].value
    if "one element tensors" in scene.error.message or "integer tensors" in scene.error.message:
        for name in ("stack", "cat"):
            yield Fix(
                f"{renamed_call_text(scene, call, name)} puts tensors together", rename_call(call, name)
            )
        return
    if isinstance(data, tree.String) and is_number_text(data.value):
        yield Fix(f"without its quotes it is a number: {data.value}", Edit(data.span, data.value))
    rows = [
        n
        for n in walk(data)
        if isinstance(n, tree.ListDisplay) and not any(isinstance(e, tree.ListDisplay) for e in n.elements)
    ]
    counts = [len(row.elements) for row in rows]
    uneven = next((row for row in rows if len(row.elements) != counts[0]), None)
    if uneven is not None and scene.error.message.startswith("expected sequence"):
        for row in (rows[0], uneven):
            n = len(row.elements)
            scene.error.labels.append(Label(row.span, f"{n} number{'s' * (n != 1)}"))
    elif isinstance(data, tree.ListDisplay):
        wanted = isinstance(data.elements[0], tree.ListDisplay)
        for element in data.elements[1:]:
            if isinstance(element, tree.ListDisplay) is not wanted:
                scene.error.labels.append(Label(data.elements[0].span, "a row" if wanted else "a number"))
                scene.error.labels.append(Label(element.span, "not a row" if wanted else "a row"))
                if wanted:
                    yield Fix("make it a row of its own", Edit(element.span, f"[{scene.text(element)}]"))
                break


def fit_singular_matrix(scene: Scene) -> Iterator[Fix]:
    """Propose a small shift of a singular matrix."""
    for x, node in scene.given()[:1]:
        if node is not None:
            moved = f"{scene.text(node)} + 1e-6 * torch.eye({x.shape[-1]})"
            yield Fix(f"move it a little: {moved}", Edit(node.span, moved))
