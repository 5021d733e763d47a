"""The assignments and definitions of a script by name, collected in one walk for all proposals."""

from __future__ import annotations

from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

DISPLAYS = (tree.ListDisplay, tree.TupleDisplay)


class Bindings:
    """The statements that bind names, and the first definition of each function, by name.

    ``assigned`` has the statements ``name = ...``. ``shared`` has the tuple assignments and augmented
    assignments to a name. ``entries`` has the assignments to its entries, with the value and the index, and
    what is appended to it.
    """

    __slots__ = ("assigned", "entries", "functions", "shared")

    def __init__(self, script: tree.Script) -> None:
        self.assigned: dict[str, list[tree.Assign]] = {}
        self.shared: dict[str, list[Any]] = {}
        self.entries: dict[str, list[tuple[Any, Any]]] = {}
        self.functions: dict[str, tree.FunctionDef] = {}
        for node in walk(script):
            if isinstance(node, tree.Assign):
                self._add_assignment(node)
            elif isinstance(node, tree.AugmentedAssign):
                if isinstance(node.target, tree.Name):
                    self.shared.setdefault(node.target.id, []).append(node)
                self._enter(node, node.target)
            elif isinstance(node, tree.FunctionDef):
                self.functions.setdefault(node.name, node)
            elif isinstance(node, tree.ExpressionStatement):
                self._add_appended(node)

    def _add_assignment(self, statement: tree.Assign) -> None:
        alone = dict.fromkeys(one.id for one in statement.targets if isinstance(one, tree.Name))
        for name in alone:
            self.assigned.setdefault(name, []).append(statement)
        parts = [part for one in statement.targets if isinstance(one, DISPLAYS) for part in one.elements]
        for name in dict.fromkeys(part.id for part in parts if isinstance(part, tree.Name)):
            if name not in alone:
                self.shared.setdefault(name, []).append(statement)
        for target in statement.targets:
            self._enter(statement, target)

    def _add_appended(self, statement: tree.ExpressionStatement) -> None:
        """Record the value of ``name.append(value)``."""
        call = statement.value
        callee = call.function if isinstance(call, tree.Call) and len(call.arguments) == 1 else None
        if isinstance(callee, tree.Attribute) and callee.name == "append":
            assert isinstance(call, tree.Call)
            if isinstance(callee.object, tree.Name):
                value = call.arguments[0].value
                self.entries.setdefault(callee.object.id, []).append((statement, value))

    def _enter(self, statement: Any, target: Any) -> None:
        """Record the value and the index of a statement whose target is an entry ``name[index]``."""
        if isinstance(target, tree.Subscript) and isinstance(target.object, tree.Name):
            given = self.entries.setdefault(target.object.id, [])
            given += [(statement, statement.value), (statement, target.index)]
