"""Recognises calls that turn recording on or off, such as ``no_grad()`` and ``set_grad_enabled(False)``.

Such a call applies to a ``with`` block or, as a statement, to what follows it.
"""

from __future__ import annotations

from autodiff.grammar.help.failure_scene import Scene
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import children, path_to

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def is_switch(scene: Scene, node: Any) -> bool:
    """Whether a call turns recording on or off, for its block or from there on."""
    if not isinstance(node, tree.Call):
        return False
    name = last_name(scene, node)
    return name in ("no_grad", "inference_mode", "enable_grad") or (
        name == "set_grad_enabled" and bool(node.arguments)
    )


def enables_grad(scene: Scene, switch: Any) -> bool:
    """Whether a switch turns recording on; assumed so if the script computes the argument."""
    name = last_name(scene, switch)
    if name == "set_grad_enabled":
        return scene.value(switch.arguments[0].value) is not False
    return name == "enable_grad"


def last_name(scene: Scene, call: tree.Call) -> str:
    return scene.text(call.function).rpartition(".")[2]


def switched_off(scene: Scene, path: list[Any]) -> Any:
    """Return the ``set_grad_enabled(False)`` that holds at a statement, in the same function, or None."""
    functions = [at for at, node in enumerate(path) if isinstance(node, tree.FunctionDef)]
    blocks = path[functions[-1] :] if functions else path
    said = [
        one.value
        for block in blocks
        for one in children(block)
        if is_statement_switch(scene, one) and one.span.end <= path[-1].span.start
    ]
    return said[-1] if said and not enables_grad(scene, said[-1]) else None


def under_switch(scene: Scene, switch: Any) -> list[Any]:
    """Return the statements after ``set_grad_enabled(False)`` in its block, up to the next switch."""
    block = path_to(scene.script, switch.span)[-3]
    found: list[Any] = []
    for one in children(block):
        if one.span.start > switch.span.start:
            if is_statement_switch(scene, one):
                break
            found.append(one)
    return found


def is_statement_switch(scene: Scene, statement: Any) -> bool:
    return isinstance(statement, tree.ExpressionStatement) and is_switch(scene, statement.value)
