"""Reads formulas in a syntax tree: which function is called, on what, and what a name stands for.

``stable`` and ``edges`` recognise formulas with it.
"""

from __future__ import annotations

from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.help.bindings import DISPLAYS
from autodiff.grammar.help.failure_scene import Scene, called_name
from autodiff.grammar.repair.proposals.library_words import LibraryWords
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: What functions are called of, under the usual names of modules.
NAMESPACES = (*("torch", "th", "F", "functional", "nn", "math", "np", "numpy", "scipy", "special", "linalg"),)


def is_method_call(node: tree.Call) -> bool:
    """Whether a call is of the form ``x.sqrt()``, and not ``torch.sqrt(x)``."""
    function = node.function
    if not isinstance(function, tree.Attribute):
        return False
    owner = function.object
    if isinstance(owner, tree.Name):
        return owner.id not in NAMESPACES
    return not (isinstance(owner, tree.Attribute) and owner.name in NAMESPACES)


def operand_of(node: Any) -> Any:
    """Return what a function of one tensor is applied to; None if that cannot be seen."""
    if not isinstance(node, tree.Call):
        return None
    if is_method_call(node):
        assert isinstance(node.function, tree.Attribute)
        return node.function.object
    return node.arguments[0].value if node.arguments and node.arguments[0].keyword is None else None


def options_of(node: tree.Call) -> list[tree.Argument]:
    """Return the arguments of a call other than the tensor it is applied to."""
    return list(node.arguments if is_method_call(node) else node.arguments[1:])


def option_value(node: tree.Call, *keywords: str) -> Any:
    """Return the value of the first argument after the tensor, or of that keyword; None if not given."""
    given = options_of(node)
    for argument in given:
        if argument.keyword in keywords:
            return argument.value
    return given[0].value if given and given[0].keyword is None else None


def edge_operand(node: Any) -> Any:
    """Return the operand that must not meet an edge: a divisor, a base, a function's argument."""
    if isinstance(node, tree.Binary):
        return node.right if node.op == "/" else node.left if node.op == "**" else None
    return operand_of(node)


def is_number(node: Any, value: float) -> bool:
    return isinstance(node, tree.Number) and node.value == value


class FormulaReader:
    """Reads expressions through names that are assigned once, and writes others in the script's words.

    ``visited`` are the nodes it has read.
    """

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.words = LibraryWords(scene)
        self.given = assigned_expressions(scene.script)
        self.visited: list[Any] = []

    def meaning(self, node: Any) -> Any:
        """Return the expression that a name assigned once stands for, else the node itself."""
        self.visited.append(node)
        while isinstance(node, tree.Name):
            given = self.given.get(node.id, [])
            if len(given) != 1 or given[0] is None:
                break
            node = given[0]
            self.visited.append(node)
        return node

    def operand(self, node: Any, name: str) -> Any:
        """Return the meaning of the operand if ``node`` means a call of ``name``, else None."""
        node = self.meaning(node)
        return self.meaning(operand_of(node)) if called_name(node) == name and operand_of(node) else None

    def written(self, node: Any) -> str:
        """Return the text of an expression; empty if one of its names is assigned more than once."""
        names = [part.id for part in walk(node) if isinstance(part, tree.Name)]
        return "" if any(len(self.given.get(name, ())) > 1 for name in names) else self.scene.text(node)

    def argument(self, node: Any, name: str) -> str:
        """Return the text of the operand if ``node`` means a call of ``name``, else an empty string."""
        node = self.meaning(node)
        if called_name(node) != name or operand_of(node) is None:
            return ""
        inner = operand_of(node)
        self.visited.append(inner)
        return self.written(inner)

    def rank(self, node: Any) -> int:
        """Return the number of dimensions of a tensor, 1 if it is unknown."""
        value = self.scene.value(node)
        return len(value.shape) if value.__class__ is Tensor else 1


def assigned_expressions(script: tree.Script) -> dict[str, list[Any]]:
    """Return what each name is assigned, in the order of the script: expressions, or None for others."""
    given: dict[str, list[Any]] = {}

    def give(target: Any, value: Any) -> None:
        if isinstance(target, DISPLAYS):
            values = value.elements if isinstance(value, DISPLAYS) else ()
            is_pairwise = len(values) == len(target.elements) and not any(
                isinstance(one, tree.Starred) for one in (*values, *target.elements)
            )
            for at, element in enumerate(target.elements):
                give(element, values[at] if is_pairwise else None)
        elif isinstance(target, tree.Subscript):
            give(target.object, None)
        elif isinstance(target, tree.Name):
            given.setdefault(target.id, []).append(value)

    for node in walk(script):
        if isinstance(node, tree.Assign):
            for one in node.targets:
                give(one, node.value)
        elif isinstance(node, (tree.AugmentedAssign, tree.For, tree.ComprehensionFor)):
            give(node.target, None)
        elif isinstance(node, tree.With):
            for _, target in node.items:
                give(target, None)
        elif isinstance(node, tree.Parameter):
            given.setdefault(node.name, []).append(None)
        elif called_name(node).endswith("_") and is_method_call(node):
            give(operand_of(node), None)
    return given
