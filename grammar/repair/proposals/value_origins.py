"""Follows what the value of a name or an expression was made from, as far as the script's text shows.

``cuts`` and ``no_path`` ask it which values depend on an input.
"""

from __future__ import annotations

from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.help.failure_scene import Scene
from autodiff.grammar.objects.values import UNBOUND, Namespace
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import children, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from autodiff.grammar.repair.missing_path import Branch


def assignments_to(scene: Scene, name: str) -> list[tuple[Any, Any]]:
    """Return the statements that assign a name, alone or among others, or add to it, each with its value.

    Statements that assign entries of it, or add to these, come last, with the value and the index.
    """
    bindings = scene.bindings
    given = [(node, node.value) for node in [*scene.assignments(name), *bindings.shared.get(name, [])]]
    return given + bindings.entries.get(name, [])


def depends_on_gradient(scene: Scene, node: Any) -> bool:
    """Whether an expression was made from something that requires a gradient, as far as the text shows."""
    if scene.leading is None:
        scene.leading = gradient_names(scene)
    return any(isinstance(part, tree.Name) and part.id in scene.leading for part in walk(node))


def gradient_names(scene: Scene, inputs: Iterable[str] = ()) -> set[str]:
    """Return the names whose values require a gradient, those of ``inputs``, and what was made from these."""
    users: dict[str, list[str]] = {}
    todo = list(inputs)
    parameters = {
        one.name
        for made in walk(scene.script)
        if isinstance(made, tree.FunctionDef)
        for one in made.parameters
    }
    for name, node in {part.id: part for part in walk(scene.script) if isinstance(part, tree.Name)}.items():
        value, given = scene.value(node), assignments_to(scene, name)
        # As for a local name of a function; a parameter may have the name of a built-in function.
        is_gone = not given and (value is UNBOUND or (name in parameters and name not in scene.values))
        if is_gone or (value.__class__ is Tensor and value.requires_grad):
            todo.append(name)
        elif value.__class__ is not Namespace:
            for part in walk(*[other for _, other in given]):
                if isinstance(part, tree.Name):
                    users.setdefault(part.id, []).append(name)
    return transitive_users(todo, users)


def transitive_users(names: list[str], users: Mapping[str, Iterable[str]]) -> set[str]:
    """Return the names with all their direct and indirect ``users``."""
    found = set(names)
    todo = list(found)
    while todo:
        new = set(users.get(todo.pop(), ())) - found
        found |= new
        todo += new
    return found


class ValueOrigins:
    """Answers what was made from a name; the script is read only once for all questions."""

    __slots__ = ("_dependents_cache", "_given", "scene")

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self._dependents_cache: dict[tuple[str, Branch | None], set[str]] = {}
        bindings = scene.bindings
        names = {**bindings.assigned, **bindings.shared, **bindings.entries}
        #: By name: the expressions that its values, its entries, or its tuple are made from.
        self._given = {name: [value for _, value in assignments_to(scene, name)] for name in names}
        for node in walk(scene.script):
            if isinstance(node, (tree.For, tree.ComprehensionFor)):
                for part in walk(node.target):
                    if isinstance(part, tree.Name):
                        self._given.setdefault(part.id, []).append(node.iterable)
            elif isinstance(node, tree.Call) and (called := called_function(scene, node)) is not None:
                for at, argument in enumerate(node.arguments):
                    parameter = parameter_of(called, node, at)
                    if parameter is not None:
                        self._given.setdefault(parameter, []).append(argument.value)

    def depends_on(self, node: Any, name: str, left: Branch | None = None) -> bool:
        """Whether an expression or a statement was made from a name.

        Code in the branch ``left`` does not count.
        """
        made = self._dependents(name, left)
        return any(part.id == name or part.id in made for part in names_computed_from(self.scene, node, left))

    def _dependents(self, name: str, left: Branch | None) -> set[str]:
        """Return the names whose values were made from a name."""
        if (name, left) in self._dependents_cache:
            return self._dependents_cache[name, left]
        users: dict[str, list[str]] = {}
        for user, expressions in self._given.items():
            for expression in expressions:
                for part in names_computed_from(self.scene, expression, left):
                    users.setdefault(part.id, []).append(user)
        made = transitive_users(users.get(name, []), users)
        self._dependents_cache[name, left] = made
        return made


def names_computed_from(
    scene: Scene, expression: Any, left: Branch | None, inside: tuple[tree.FunctionDef, ...] = ()
) -> Iterator[tree.Name]:
    """Yield the names an expression is computed from, without tests and unused arguments.

    Those that the functions of the script return are among them, except for functions that are followed
    already, which are ``inside``.
    """
    stack = [expression]
    while stack:
        node = stack.pop()
        if left is not None and left.holds(node):
            continue
        if isinstance(node, tree.Name):
            yield node
        if isinstance(node, tree.Conditional):
            stack += [node.body, node.orelse]
        elif isinstance(node, tree.Call) and (made := called_function(scene, node)) is not None:
            for at, argument in enumerate(node.arguments):
                parameter = parameter_of(made, node, at)
                if parameter is None or reads_name(made, parameter, left):
                    stack.append(argument.value)
            if made not in inside:
                yield from free_names_returned(scene, made, left, (*inside, made))
        else:
            stack += children(node)


def free_names_returned(
    scene: Scene, made: tree.FunctionDef, left: Branch | None, inside: tuple[tree.FunctionDef, ...]
) -> Iterator[tree.Name]:
    """Yield the names that the results of a function are computed from, except for its parameters."""
    parameters = {one.name for one in made.parameters}
    for node in walk(*made.body):
        if isinstance(node, tree.Return) and node.value is not None and not (left and left.holds(node)):
            for name in names_computed_from(scene, node.value, left, inside):
                if name.id not in parameters:
                    yield name


def called_function(scene: Scene, call: tree.Call) -> tree.FunctionDef | None:
    return scene.function(call.function.id) if isinstance(call.function, tree.Name) else None


def parameter_of(made: tree.FunctionDef, call: tree.Call, at: int) -> str | None:
    """Return the name of the parameter that gets the argument at a position, or None."""
    keyword = call.arguments[at].keyword
    given = [one.name for one in made.parameters if one.name == keyword]
    given = given or [one.name for one in made.parameters[at : at + 1]]
    return given[0] if given else None


def reads_name(made: tree.FunctionDef, name: str, left: Branch | None) -> bool:
    """Whether a function reads a name; with a branch ``left``, tests and that branch do not count."""
    tested: set[int] = set()
    if left is not None:
        for node in walk(*made.body):
            if isinstance(node, (tree.While, tree.Conditional)):
                tested.update(map(id, walk(node.test)))
            elif isinstance(node, tree.If):
                tested.update(id(part) for test, _ in node.branches for part in walk(test))
    return any(
        isinstance(part, tree.Name)
        and part.id == name
        and id(part) not in tested
        and (left is None or not left.holds(part))
        for part in walk(*made.body)
    )
