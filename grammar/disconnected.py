"""Why no path leads from the output to an input: where the graph was left, what was overwritten or not used.

The script has ended by then, so this is read off its text. What is said holds whatever ran: a cut that the
value went through, a name that nothing reads, a name given another value before anything read it.
"""

from __future__ import annotations

from autodiff.core.errors import AutodiffError
from autodiff.core.span import Span
from autodiff.grammar import syntax
from autodiff.grammar.parser import read
from autodiff.grammar.places import base_of
from autodiff.grammar.proposals.cuts import cuts, given_to
from autodiff.grammar.proposals.formulas import called
from autodiff.grammar.proposals.scene import DISPLAYS, Scene, is_method, owner_of
from autodiff.grammar.walk import children, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from autodiff.core.cause import Cause
    from autodiff.grammar.run import Execution

#: A reason: what happened, and the place.
Reason = tuple[str, Span]
LONGEST = 50
#: Statements that hold others.
BLOCKS = (syntax.Script, syntax.FunctionDef, syntax.For, syntax.While, syntax.If, syntax.With)


def explain_disconnection(cause: Cause, wrt: str, output: str, execution: Execution) -> None:
    """Write the reason and its line into a cause of kind ``unconnected``; as it was where none is found."""
    source = execution.source
    end = Span(len(source.text), len(source.text))
    scene = Scene(AutodiffError(""), end, read(source), source, [], execution.names)
    reader = Uses(scene)
    name = base_of(wrt)
    reason = next(
        (
            found
            for find in (cut_on_the_way, unused, unused_argument, overwritten, dead_end, used_elsewhere)
            if (found := find(reader, name, output)) is not None
        ),
        None,
    )
    if reason is not None:
        text, place = reason
        cause.text = f"{cause.text}: {text}"
        cause.line = scene.line(place)


class Uses:
    """Where the names of a script are read."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        targets = {id(target) for node in walk(scene.script) for target in written(node)}
        self.reads: dict[str, list[Any]] = {}
        for node in self.read_nodes():
            if isinstance(node, syntax.Name) and id(node) not in targets:
                self.reads.setdefault(node.id, []).append(node)

    def read_nodes(self) -> Iterator[Any]:
        """All nodes but those of statements that only print."""
        stack: list[Any] = [self.scene.script]
        while stack:
            node = stack.pop()
            if isinstance(node, syntax.ExpressionStatement) and called(node.value) == "print":
                continue
            yield node
            stack += children(node)

    def between(self, name: str, start: int, end: int) -> bool:
        """Whether a name is read somewhere between two places, or in a function that may be called there."""
        in_functions = any(
            isinstance(made, syntax.FunctionDef)
            and any(isinstance(part, syntax.Name) and part.id == name for part in walk(*made.body))
            for made in walk(self.scene.script)
        )
        return in_functions or any(start <= node.span.start < end for node in self.reads.get(name, ()))


def written(node: Any) -> list[Any]:
    """The names an assignment binds anew."""
    if not isinstance(node, syntax.Assign):
        return []
    return [part for one in node.targets for part in (one.elements if isinstance(one, DISPLAYS) else [one])]


# -- reasons -------------------------------------------------------------------------------------------------


def cut_on_the_way(reader: Uses, name: str, output: str) -> Reason | None:
    """The first cut that a value made from the input went through."""
    scene = reader.scene
    made = made_by(scene, output)
    for cut in [] if made is None else cuts(scene, made):
        if comes_from(scene, cut.node, name):
            return f"{cut.why}: {shown(scene, cut.node)}", cut.node.span
    return None


def made_by(scene: Scene, output: str) -> Any:
    """The expression that gave the output its value, or that the script differentiates."""
    made = scene.assignments(output)
    if made:
        return made[0].value
    passes = [node for node in walk(scene.script) if is_method(node, "backward")]
    return owner_of(passes[-1]) if passes else None


def comes_from(scene: Scene, node: Any, name: str) -> bool:
    """Whether an expression was made from a name; of a context manager, whether anything under it was."""
    todo = under(scene, node)
    seen: set[str] = set()
    while todo:
        for part in walk(todo.pop()):
            if not isinstance(part, syntax.Name) or part.id in seen:
                continue
            if part.id == name:
                return True
            seen.add(part.id)
            todo += [value for _, value in given_to(scene, part.id)]
            todo += turned_through(scene, part.id)
    return False


def under(scene: Scene, node: Any) -> list[Any]:
    """The expression itself, the block that it opens, or what the function it decorates is given."""
    for one in walk(scene.script):
        if isinstance(one, syntax.With) and any(context is node for context, _ in one.items):
            return list(one.body)
        if isinstance(one, syntax.FunctionDef) and any(decorator is node for decorator in one.decorators):
            return [call for call in walk(scene.script) if called(call) == one.name]
    return [node]


def turned_through(scene: Scene, name: str) -> list[Any]:
    """What loops give a name its values from."""
    return [
        loop.iterable
        for loop in walk(scene.script)
        if isinstance(loop, (syntax.For, syntax.ComprehensionFor))
        and any(isinstance(part, syntax.Name) and part.id == name for part in walk(loop.target))
    ]


def unused(reader: Uses, name: str, output: str) -> Reason | None:
    """The input is read nowhere."""
    made = reader.scene.assignments(name)
    if made and not reader.reads.get(name):
        return f"nothing uses {name}", made[0].span
    return None


def unused_argument(reader: Uses, name: str, output: str) -> Reason | None:
    """The input is only given to functions that do not use it."""
    scene = reader.scene
    read = reader.reads.get(name, [])
    for call in [node for node in walk(scene.script) if isinstance(node, syntax.Call)]:
        made = scene.function(call.function.id) if isinstance(call.function, syntax.Name) else None
        if made is None or len(read) != 1:
            continue
        for at, argument in enumerate(call.arguments):
            if argument.value is not read[0]:
                continue
            given = [one for one in made.parameters if one.name == argument.keyword]
            given = given or list(made.parameters[at : at + 1])
            if given and given[0].name not in {
                part.id for part in walk(*made.body) if isinstance(part, syntax.Name)
            }:
                return f"{made.name} does not use its parameter {given[0].name}", made.span
    return None


def overwritten(reader: Uses, name: str, output: str) -> Reason | None:
    """A name given a value made from the input, and another value before anything reads it."""
    scene = reader.scene
    for block in [node for node in walk(scene.script) if isinstance(node, BLOCKS)]:
        body = list(children(block))
        for at, first in enumerate(body):
            for target in written(first):
                if not isinstance(target, syntax.Name) or not comes_from(scene, first.value, name):
                    continue
                for second in body[at + 1 :]:
                    if any(isinstance(one, syntax.Name) and one.id == target.id for one in written(second)):
                        if not reader.between(target.id, first.span.end, second.span.end):
                            made = f"{target.id}, made from it in line {scene.line(first.span)},"
                            return f"{made} is given another value before it is used", second.span
                        break
    return None


def dead_end(reader: Uses, name: str, output: str) -> Reason | None:
    """A name with a value made from the input that nothing reads."""
    scene = reader.scene
    for statement in walk(scene.script):
        for target in written(statement):
            if (
                isinstance(target, syntax.Name)
                and target.id not in (output, name)
                and not reader.reads.get(target.id)
                and comes_from(scene, statement.value, name)
            ):
                return f"nothing uses {target.id}, which is made from it", statement.span
    return None


def used_elsewhere(reader: Uses, name: str, output: str) -> Reason | None:
    """The first line that reads the input, where nothing better is known."""
    read = sorted(reader.reads.get(name, []), key=lambda node: node.span.start)
    return (f"nothing that was made from it here was used for {output}", read[0].span) if read else None


def shown(scene: Scene, node: Any) -> str:
    text = " ".join(scene.text(node).split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 4]} ..."
