"""Functions of functions of ``torch.func``, as in ``vmap(grad(f))(xs)``, written as derivatives at a point.

Several transforms around each other are one expression: the inner ones alone are another derivative.
"""

from __future__ import annotations

from autodiff.core.base.errors import Edit, Fix
from autodiff.grammar.repair.proposals.absent_features import absent_name, absent_use
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from autodiff.grammar.help.failure_scene import Scene

#: What gives each derivative at a point.
AT_A_POINT = {"grad": "jacobian", "jacrev": "jacobian", "jacfwd": "jacobian", "hessian": "hessian"}
MODULES = frozenset(["torch", "torch.func", "functorch"])
#: Names of variables that the script may not have.
LETTERS = ("t", "u", "v", "s", "r", "p", "q", "a", "b", "c", "d", "e")


def write_transform(scene: Scene) -> Iterator[Fix]:
    """Propose the derivative at a point for ``torch.func.grad(f)(x)`` and the like."""
    _, call = absent_use(scene)
    name = absent_name(scene)
    if call is None or not call.arguments:
        return
    if name in ("compile", "script"):
        function = scene.text(call.arguments[0])
        yield Fix(f"use the function itself: {function}", Edit(call.span, function))
        return
    writer = TransformWriter(scene)
    around = [node for node in scene.path[: scene.path.index(call)] if isinstance(node, tree.Call)]
    for outer in reversed(around):
        if writer.transform(outer) and outer.arguments[0].value is call:
            call = outer
    applied = next((node for node in around if node.function is call), None)
    if applied is None:
        text = writer.as_function(call)
    elif all(one.keyword is None and not one.star for one in applied.arguments):
        text = writer.applied(call, [scene.text(one) for one in applied.arguments], False)
    else:
        text = None
    if text is not None:
        yield Fix(f"write `{text}`", Edit((applied or call).span, text))


class TransformWriter:
    """Writes calls of transforms; ``names`` are those that the script imports, and what each is."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.names = {
            alias or name: name
            for node in walk(scene.script)
            if isinstance(node, tree.ImportFrom) and node.module in MODULES
            for name, alias in node.names
        }
        used = {part.id for part in walk(scene.script) if isinstance(part, tree.Name)}
        self.letters = [letter for letter in LETTERS if letter not in used]

    def transform(self, node: Any) -> str:
        """Return which transform a call makes: ``grad``; "" for another expression."""
        if not isinstance(node, tree.Call) or not node.arguments:
            return ""
        name = (
            node.function.name
            if isinstance(node.function, tree.Attribute)
            else self.names.get(self.scene.text(node.function), "")
        )
        return name if name in AT_A_POINT or name == "vmap" else ""

    def option(self, node: tree.Call, name: str) -> Any:
        """Return the option of a transform, as ``argnums`` or ``in_dims``: its second argument; or None."""
        found = [one.value for at, one in enumerate(node.arguments) if one.keyword == name or at == 1]
        return found[0] if found else None

    def has_other_options(self, node: tree.Call, name: str) -> bool:
        return len(node.arguments) > 2 or any(one.keyword not in (None, name) for one in node.arguments)

    def letter(self) -> str:
        return self.letters.pop(0) if self.letters else "argument"

    def as_function(self, node: tree.Call) -> str | None:
        """Return a transform that is called elsewhere as a function, recorded if others differentiate it."""
        function: Any = node
        while self.transform(function):
            function = function.arguments[0].value
        parameters = self.parameters_of(function)
        statement = self.scene.statement
        of = [self.scene.text(one) for one in statement.targets] if isinstance(statement, tree.Assign) else []
        again = any(
            self.transform(one) in AT_A_POINT and self.scene.text(one.arguments[0]) in of
            for one in walk(self.scene.script)
        )
        text = self.applied(node, parameters, again)
        return None if text is None else f"lambda {', '.join(parameters)}: {text}"

    def parameters_of(self, function: Any) -> list[str]:
        if isinstance(function, tree.Name):
            made: Any = self.scene.function(function.id)
            assigned = self.scene.assignments(function.id)
            function = made if made is not None or not assigned else assigned[0].value
        if isinstance(function, (tree.Lambda, tree.FunctionDef)):
            return [one.name for one in function.parameters if one.default is None]
        return ["x"]

    def applied(self, node: Any, given: list[str], is_inner: bool) -> str | None:
        """Return what an expression for a function gives for these arguments; None if that is not known.

        A derivative is recorded if it is ``is_inner``: another derivative is taken of it.
        """
        name = self.transform(node)
        if name == "vmap":
            return self.stacked(node, given, is_inner)
        if name:
            return self.derivative(node, name, given, is_inner)
        text = self.scene.text(node)
        return (
            f"({text})({', '.join(given)})"
            if isinstance(node, tree.Lambda)
            else f"{text}({', '.join(given)})"
        )

    def derivative(self, node: tree.Call, name: str, given: list[str], is_inner: bool) -> str | None:
        argnums, inner = self.option(node, "argnums"), node.arguments[0].value
        place = int(argnums.value) if isinstance(argnums, tree.Number) else 0
        is_one = argnums is None or isinstance(argnums, tree.Number)
        if self.has_other_options(node, "argnums") or not is_one or place >= len(given):
            return None
        function: str | None = self.scene.text(inner)
        if len(given) > 1 or self.transform(inner):
            by = self.letter()
            body = self.applied(inner, [*given[:place], by, *given[place + 1 :]], True)
            if body is None:
                return None
            function = f"lambda {by}: {body}"
        recorded = ", create_graph=True" if is_inner else ""
        return f"torch.autograd.functional.{AT_A_POINT[name]}({function}, {given[place]}{recorded})"

    def stacked(self, node: tree.Call, given: list[str], is_inner: bool) -> str | None:
        """Return the results for the rows of the arguments; one with ``in_dims`` None is the same for all."""
        dims = self.option(node, "in_dims")
        parts = dims.elements if isinstance(dims, tree.TupleDisplay) else [dims] * len(given)
        texts = ["0" if part is None else self.scene.text(part) for part in parts]
        if self.has_other_options(node, "in_dims") or len(texts) != len(given) or set(texts) - {"0", "None"}:
            return None
        row = "row" if "row" not in given else self.letter()
        rows = {
            at: row if texts.count("0") == 1 else self.letter() for at, one in enumerate(texts) if one == "0"
        }
        body = self.applied(
            node.arguments[0].value, [rows.get(at, one) for at, one in enumerate(given)], is_inner
        )
        mapped = [given[at] for at in rows]
        over = mapped[0] if len(mapped) == 1 else f"zip({', '.join(mapped)})"
        return None if body is None else f"torch.stack([{body} for {', '.join(rows.values())} in {over}])"
