"""Repairs of features that PyTorch has and the language lacks, one place at a time.

Features that concern a whole program - models, optimizers, loaders - are rewritten by ``grammar.translate``.
"""

from __future__ import annotations

from autodiff.core.base.errors import Edit, Fix
from autodiff.core.base.source import Span
from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.help.failure_scene import Scene
from autodiff.grammar.repair.proposals.random_draws import draw_with_torch
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def absent_use(scene: Scene) -> tuple[Any, tree.Call | None]:
    """Return the expression that names the absent feature, and its call if it is called."""
    node = scene.node
    if isinstance(node, tree.Call):
        return node.function, node
    parent = scene.parent
    return node, parent if isinstance(parent, tree.Call) and parent.function is node else None


def absent_name(scene: Scene) -> str:
    """Return the last part of the name of what is absent."""
    return str(scene.error.repair_context[0]).rpartition(".")[2] if scene.error.repair_context else ""


def deletion(scene: Scene, statement: tree.Statement) -> Edit:
    """Return the edit that removes a statement; inside a block it becomes ``pass``."""
    column = scene.source.position(statement.span.start)[1]
    return Edit(statement.span, "" if column == 1 else "pass")


def delete_line(scene: Scene) -> Iterator[Fix]:
    """Propose to delete a line that only uses what is absent."""
    if isinstance(scene.statement, tree.ExpressionStatement):
        yield Fix("delete the line", deletion(scene, scene.statement))


def write_weight_function(scene: Scene) -> Iterator[Fix]:
    """Propose functions that work on weights, such as those of ``nn.init``, written out in place."""
    _, call = absent_use(scene)
    name = absent_name(scene)
    if call is None:
        return
    full = str(scene.error.repair_context[0])
    if full.startswith("torch.nn.utils.clip_grad"):
        yield from write_clipping(scene, call, name)
    elif full.startswith("torch.nn.init."):
        yield from write_init(scene, call, name)


def write_clipping(scene: Scene, call: tree.Call, name: str) -> Iterator[Fix]:
    """Propose ``clip_grad_norm_(leaves, 1.0)`` written out as in torch; ``leaves`` may be one tensor."""
    from autodiff.grammar.translate.modules import argument_texts

    statement = scene.statement
    given, more = argument_texts(call, scene.text)
    settings = dict(zip(("parameters", "limit", "norm_type"), given, strict=False))
    limit = settings.get("limit", more.get("max_norm", more.get("clip_value", "")))
    leaves = settings.get("parameters", more.get("parameters", ""))
    whole = isinstance(statement, (tree.ExpressionStatement, tree.Assign)) and statement.value is call
    if not whole or not limit or not leaves or len(settings) > 2 or set(more) & {"norm_type"}:
        return
    if scene.value(call.arguments[0].value).__class__ is Tensor:
        leaves = f"[{leaves}]"
    limit = limit if limit.replace(".", "").isalnum() else f"({limit})"
    if name == "clip_grad_value_":
        lines = [f"for leaf in {leaves}:", f"    leaf.grad.clamp_(-{limit}, {limit})"]
    else:
        norm = scene.text(statement.targets[0]) if isinstance(statement, tree.Assign) else "norm"
        lines = [
            f"{norm} = torch.stack([leaf.grad.norm() for leaf in {leaves}]).norm()",
            f"for leaf in {leaves}:",
            f"    leaf.grad.mul_(({limit} / ({norm} + 1e-6)).clamp(max=1.0))",
        ]
    yield lines_fix(scene, statement, lines)


def write_init(scene: Scene, call: tree.Call, name: str) -> Iterator[Fix]:
    """Propose ``nn.init.xavier_uniform_(w)`` and the like written out."""
    from autodiff.grammar.translate.pasted_program import CannotRewriteError
    from autodiff.grammar.translate.weight_init import init_lines

    statement = scene.statement
    if not isinstance(statement, tree.ExpressionStatement) or statement.value is not call:
        return
    try:
        lines = init_lines("torch", call, name, scene.text)
    except CannotRewriteError as unable:
        scene.error.help = (f"{unable.subject} cannot be rewritten; {unable.advice}",)
        return
    yield lines_fix(scene, statement, lines)


def lines_fix(scene: Scene, statement: tree.Statement, lines: list[str]) -> Fix:
    """Return the fix that writes several lines in place of a statement."""
    column = scene.source.position(statement.span.start)[1] - 1
    margin = scene.source.text[statement.span.start - column : statement.span.start]
    text = "\n".join(["write:", *["    " + line for line in lines]])
    return Fix(text, Edit(statement.span, ("\n" + margin).join(lines)))


def use_cpu(scene: Scene) -> Iterator[Fix]:
    """Propose to leave ``.cuda()`` out, or "cpu" where another device is named."""
    node = scene.node
    method = node.function if isinstance(node, tree.Call) else None
    if isinstance(method, tree.Attribute) and method.name == "cuda":
        yield Fix("leave `.cuda()` out", Edit(Span(method.object.span.end, node.span.end), ""))
        return
    yield from replace_device_name(scene, node)
    yield from delete_line(scene)


def replace_device_name(scene: Scene, node: Any) -> Iterator[Fix]:
    """Propose "cpu" in the call itself, or where the name in the call was assigned."""
    if not isinstance(node, tree.Call):
        return
    for argument in node.arguments:
        places = [argument.value]
        if isinstance(argument.value, tree.Name):
            places = [assigned.value for assigned in scene.assignments(argument.value.id)]
        for part in walk(*places):
            if isinstance(part, tree.String) and part.value.partition(":")[0] != "cpu":
                where = f" in line {scene.line(part.span)}" if places[0] is not argument.value else ""
                yield Fix(f'write "cpu"{where}', Edit(part.span, '"cpu"'))
                return


def rename_keyword(scene: Scene, call: tree.Call, keyword: str, name: str) -> Edit:
    """Return the edit that gives an argument of a call another keyword."""
    argument = scene.argument(call, keyword)
    assert argument is not None
    return Edit(argument.span, f"{name}={scene.text(argument.value)}")


def nearest_dtype(scene: Scene) -> Iterator[Fix]:
    """Propose the nearest dtype that exists."""
    place, call = absent_use(scene)
    name = absent_name(scene)
    if not isinstance(place, tree.Attribute):
        return
    near = "int32" if name in ("int8", "int16", "short", "char", "uint16") else "float32"
    if call is not None and name in ("half", "bfloat16", "short", "char"):
        method = "int" if near == "int32" else "float"
        yield Fix(f"write `.{method}()`", Edit(place.name_span, method))
    elif call is None and "complex" not in name and name[0] != "c":
        if near == "float32" and name[0] in "uib":  # `uint64`, `byte` of numpy
            near = "int64"
        yield Fix(f"write `{scene.text(place.object)}.{near}`", Edit(place.name_span, near))


def replace_library_call(scene: Scene) -> Iterator[Fix]:
    """Propose a clone for a deep copy, and torch's random numbers."""
    _, call = absent_use(scene)
    full = str(scene.error.repair_context[0])
    if full.startswith("random.") and call is not None:
        yield from draw_with_torch(scene, full, call)
        return
    if call is None or not call.arguments:
        yield from delete_line(scene)
        return
    first = scene.text(call.arguments[0])
    if full == "copy.deepcopy" or full == "copy.copy":
        yield Fix(f"write `{first}.detach().clone()`", Edit(call.span, f"{first}.detach().clone()"))
    else:
        yield from delete_line(scene)
