"""Rewrites dictionaries that go from function to function, ``parameters = {"W1": W1}``, as variables.

The entries have their keys as names everywhere: what returned the dictionary returns the entries, and what
took it takes them.
"""

from __future__ import annotations

from autodiff.core.base.errors import Edit
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import children, walk
from autodiff.grammar.translate.dictionaries import Dictionaries
from autodiff.grammar.translate.pasted_program import PastedProgram, is_target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def variable_edits(pasted: PastedProgram) -> list[Edit]:
    """Return the edits that make all entries variables; raise CannotRewriteError if that is not certain."""
    found = SharedDictionaries(pasted)
    removed = [one for one in walk(pasted.script) if found.is_taken_out(one) or found.is_made(one)]
    edits = []
    for statement in removed:
        lines = found.lines(statement) if found.is_made(statement) else []
        edits.append(pasted.replacement(statement, lines))
    gone = {id(one) for one in removed}
    for node in walk(pasted.script):
        if isinstance(node, tree.Parameter) and node.name in found.keys:
            edits.append(Edit(node.span, found.entries(node.name)))
        elif found.is_name(node) and id(pasted.statement(node)) not in gone:
            edits.append(found.edit(node))
    return edits


class SharedDictionaries(Dictionaries):
    """The dictionaries of a program whose entries can be variables."""

    def __init__(self, pasted: PastedProgram) -> None:
        super().__init__(pasted)
        self.functions = {one.name: one for one in walk(pasted.script) if isinstance(one, tree.FunctionDef)}
        for display in self.displays:
            self.check_entries(display)
            if not self.is_made(self.pasted.statement(display)):
                raise self.refuse(display)
        for name, keys in self.keys.items():
            if not keys or not all(key.isidentifier() and key[0] != "_" for key in keys):
                raise self.refuse(next(one for one in self.displays if self.names[id(one)] == name))
        for node in walk(pasted.script):
            if self.is_name(node):
                self.check_use(node)
            elif isinstance(node, tree.FunctionDef):
                self.check_parameters(node)
            elif isinstance(node, tree.Call):
                self.check_call(node)
        for name in self.uses():
            if name.id not in self.keys:  # a dictionary under another name
                raise self.refuse(name)
        for scope in (pasted.script, *self.functions.values()):
            self.check_names(scope)

    def is_name(self, node: Any) -> bool:
        """Whether a node is the name of a dictionary."""
        return isinstance(node, tree.Name) and node.id in self.keys

    def entries(self, name: str) -> str:
        return ", ".join(self.keys[name])

    def is_made(self, statement: Any) -> bool:
        """Whether a statement is ``parameters = {...}``."""
        return isinstance(statement, tree.Assign) and id(statement.value) in self.names

    def is_taken_out(self, statement: Any) -> bool:
        """Whether a statement is ``W1 = parameters["W1"]``."""
        if not isinstance(statement, tree.Assign) or len(statement.targets) != 1:
            return False
        target: Any = statement.targets[0]
        value: Any = statement.value
        return self.is_entry(value) and isinstance(target, tree.Name) and target.id == value.index.value

    def is_entry(self, node: Any) -> bool:
        """Whether an expression is ``parameters["W1"]``."""
        is_read = isinstance(node, tree.Subscript) and isinstance(node.object, tree.Name)
        return is_read and node.object.id in self.keys and isinstance(node.index, tree.String)

    def lines(self, statement: Any) -> list[str]:
        """The assignments of the entries of a display that are no variables yet."""
        found = []
        for one in statement.value.elements:
            text = self.pasted.render(one.rest[0][1], self.entry_text)
            if text != one.first.value:
                found.append(f"{one.first.value} = {text}")
        return found

    def entry_text(self, node: Any) -> str | None:
        return node.index.value if self.is_entry(node) else None

    def edit(self, name: Any) -> Edit:
        outer = self.pasted.parent(name)
        if self.is_entry(outer):
            return Edit(outer.span, outer.index.value)
        return Edit(name.span, self.entries(name.id))

    # -- what makes it uncertain ------------------------------------------------------------------

    def check_use(self, name: Any) -> None:
        """Raise CannotRewriteError unless a dictionary is read by a word, or is passed on under its name."""
        outer = self.pasted.parent(name)
        place = outer if isinstance(outer, tree.TupleDisplay) else name
        around = self.pasted.parent(place)
        if self.is_entry(outer) and outer.object is name:
            is_fine = not self.is_changed_outside(name, outer)
        elif isinstance(outer, tree.Argument):
            is_fine = self.parameter_of(outer) == name.id
        elif isinstance(around, tree.Assign) and is_target(around, place):
            is_fine = id(around.value) in self.names or self.is_returned(around, place, name)
        else:
            is_fine = isinstance(around, tree.Return)
        if not is_fine:
            raise self.refuse(name)

    def is_changed_outside(self, name: Any, entry: Any) -> bool:
        """Whether a function sets an entry of a dictionary that it neither makes nor returns."""
        function = self.pasted.inside(name, tree.FunctionDef)
        if function is None or not is_target(self.pasted.parent(entry), entry):
            return False
        return not (self.has_own(function, name.id) or self.returns(function, name.id))

    def parameter_of(self, argument: Any) -> str:
        """The name of the parameter that takes an argument, "" if the function is not of the program."""
        call = self.pasted.parent(argument)
        function = self.functions.get(call.function.id) if isinstance(call.function, tree.Name) else None
        at = next(at for at, one in enumerate(call.arguments) if one is argument)
        if function is None or argument.keyword or argument.star or at >= len(function.parameters):
            return ""
        return str(function.parameters[at].name)

    def is_returned(self, statement: Any, place: Any, name: Any) -> bool:
        """Whether a statement takes a dictionary by its name from a function that returns it there."""
        call = statement.value
        is_call = isinstance(call, tree.Call) and isinstance(call.function, tree.Name)
        function = self.functions.get(call.function.id) if is_call else None
        if function is None or len(statement.targets) != 1:
            return False
        at = next((at for at, one in enumerate(getattr(place, "elements", ())) if one is name), None)
        returned = [one.value for one in walk(*function.body) if isinstance(one, tree.Return)]
        parts = [one if at is None else getattr(one, "elements", (None,) * (at + 1))[at] for one in returned]
        return bool(parts) and all(isinstance(one, tree.Name) and one.id == name.id for one in parts)

    def has_own(self, function: Any, name: str) -> bool:
        """Whether a function makes a dictionary of this name."""
        return any(self.is_made(one) and self.names[id(one.value)] == name for one in walk(*function.body))

    @staticmethod
    def returns(function: Any, name: str) -> bool:
        returned = [one for one in walk(*function.body) if isinstance(one, tree.Return)]
        return any(isinstance(part, tree.Name) and part.id == name for part in walk(*returned))

    def check_parameters(self, function: Any) -> None:
        """Raise CannotRewriteError if a parameter has a default, or a name would be there twice."""
        names = []
        for one in function.parameters:
            if one.name in self.keys and one.default is not None:
                raise self.refuse(function)
            names += self.keys.get(one.name, [one.name])
        if len(set(names)) < len(names):
            raise self.refuse(function)

    def check_names(self, scope: Any) -> None:
        """Raise CannotRewriteError if a key is the name of something else in the scope."""
        nodes = list(own_nodes(scope))
        parameters = {one.name for one in getattr(scope, "parameters", ())}
        used = {node.id for node in nodes if self.is_name(node)} | (parameters & self.keys.keys())
        names: dict[str, list[Any]] = {}
        for node in nodes:
            if isinstance(node, tree.Name):
                names.setdefault(node.id, []).append(node)
        for name in used:
            own, set_here = self.keys_made(nodes, name)
            read = {node.index.value for node in nodes if self.is_read(node, name)}
            for key in self.keys[name]:
                others = [node for node in names.get(key, ()) if not self.is_taken(node, name)]
                is_taken = len(others) < len(names.get(key, ()))
                bound = any(is_bound(self.pasted, node) for node in others)
                if key in own:
                    is_fine = not (bound and key in read)
                elif key in set_here:
                    is_fine = not names.get(key)
                else:
                    is_fine = not others or (is_taken and not bound)
                if key in parameters or not is_fine:
                    raise self.refuse((names.get(key) or [scope])[0])

    def keys_made(self, nodes: list[Any], name: str) -> tuple[set[str], set[str]]:
        """The keys of a dictionary whose values are variables of that name, and others that are set."""
        own: set[str] = set()
        others: set[str] = set()
        for node in nodes:
            if self.is_made(node) and self.names[id(node.value)] == name:
                for entry in node.value.elements:
                    is_own = self.pasted.text(entry.rest[0][1]) == entry.first.value
                    (own if is_own else others).add(entry.first.value)
            elif self.is_entry(node) and node.object.id == name and is_target(self.pasted.parent(node), node):
                others.add(node.index.value)
        return own, others

    def is_read(self, node: Any, name: str) -> bool:
        """Whether a node reads an entry of a dictionary elsewhere than in ``W1 = parameters["W1"]``."""
        is_own = self.is_entry(node) and node.object.id == name
        return is_own and not self.is_taken_out(self.pasted.statement(node))

    def is_taken(self, node: Any, name: str) -> bool:
        """Whether a name is bound as the entry of a dictionary: with it, or by ``W1 = parameters["W1"]``."""
        statement = self.pasted.statement(node)
        with_it = [part for part in walk(*getattr(statement, "targets", ())) if self.is_name(part)]
        return self.is_taken_out(statement) or any(part.id == name for part in with_it)

    def check_call(self, call: Any) -> None:
        """Raise CannotRewriteError unless a call passes and takes dictionaries under their names."""
        function = self.functions.get(call.function.id) if isinstance(call.function, tree.Name) else None
        if function is None:
            return
        for at, one in enumerate(function.parameters):
            if one.name in self.keys and (
                at >= len(call.arguments)
                or self.parameter_of(call.arguments[at]) != one.name
                or not self.is_name(call.arguments[at].value)
                or call.arguments[at].value.id != one.name
            ):
                raise self.refuse(call)
        returned = [
            part for one in walk(*function.body) if isinstance(one, tree.Return) for part in walk(one)
        ]
        if any(
            self.is_name(part) and isinstance(self.pasted.parent(part), (tree.Return, tree.TupleDisplay))
            for part in returned
        ):
            outer = self.pasted.parent(call)
            targets = outer.targets if isinstance(outer, tree.Assign) else ()
            if not any(self.is_name(part) for part in walk(*targets)):
                raise self.refuse(call)


def own_nodes(scope: Any) -> Iterator[Any]:
    """Yield the nodes of a scope without those of the functions in it."""
    waiting = list(scope.body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, tree.FunctionDef):
            waiting += children(node)


def is_bound(pasted: PastedProgram, name: Any) -> bool:
    """Whether a name is bound where it stands: a target, also in a tuple."""
    outer = pasted.parent(name)
    if isinstance(outer, tree.TupleDisplay):
        return is_target(pasted.parent(outer), outer)
    return is_target(outer, name)
