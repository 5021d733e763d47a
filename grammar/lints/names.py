"""Lints for names: values that hide functions or modules, values overwritten or never read."""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError, Edit, Fix, Label
from autodiff.core.base.source import Span
from autodiff.core.engine.public_functions import FUNCTIONS
from autodiff.grammar.lints.effects import tensor_names
from autodiff.grammar.lints.finding import Lint, Subject, contains, finding
from autodiff.grammar.lints.values import GRAPH, LEAF, LIST, NAMESPACES, NUMBER, PLAIN
from autodiff.grammar.objects.builtins.namespaces import builtin_value
from autodiff.grammar.objects.values import UNBOUND
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

VALUES = (LEAF, GRAPH, PLAIN, NUMBER, LIST)
#: The Python builtins that scripts call most. Other function names, such as torch's `mean`, are common names
#: of values and not reported.
EVERYBODYS = frozenset("sum max min abs len list tuple range print float int pow round sorted zip".split())
OTHER_NAMES = {"sum": "total", "max": "largest", "min": "smallest", "len": "length", "list": "items"}


def hidden_builtin(subject: Subject) -> Iterator[AutodiffError]:
    called = set()
    for event in subject.events("call"):
        function = event.node.function
        if not isinstance(function, tree.Name) or event.value.kind not in VALUES:
            continue
        name = function.id
        if builtin_value(name) is UNBOUND or not event.value.names:
            continue
        called.add(name)
        statement = event.value.names[0][1]
        yield finding(
            function.span,
            f"`{name}` is no longer a function",
            f"this calls a value that was given the name `{name}`",
            fixes=[rename(subject, name, (subject.script,))],
            labels=[Label(statement.span, f"here the name `{name}` is taken")],
        )
    for event in subject.events("bind"):
        name = event.node.id
        if name in EVERYBODYS and name not in called and event.value.kind in VALUES:
            called.add(name)
            within = enclosing_function(subject, event.node) or subject.script
            yield finding(
                event.node.span,
                f"`{name}` is the name of a function, which this hides",
                f"`{name}(...)` cannot be called any more",
                fixes=[rename(subject, name, (within,))],
            )


def rename(subject: Subject, name: str, within: tuple[tree.SyntaxNode, ...]) -> Fix:
    """The repair that renames a value everywhere except where the name is called."""
    calls = {id(node.function) for node in subject.nodes(tree.Call)}
    places = [node for node in subject.reads(name, *within) if id(node) not in calls]
    other = subject.unused_name(OTHER_NAMES.get(name, f"{name}_value"), f"the_{name}")
    return Fix(f"call the value `{other}`", *(Edit(node.span, other) for node in places))


def enclosing_function(subject: Subject, node: tree.SyntaxNode) -> tree.FunctionDef | None:
    """The innermost function that contains a node."""
    around = [function for function in subject.nodes(tree.FunctionDef) if contains(function, node)]
    return max(around, key=lambda function: function.span.start, default=None)


def hidden_namespace(subject: Subject) -> Iterator[AutodiffError]:
    for node in subject.nodes(tree.FunctionDef, tree.Lambda):
        body = node.body if isinstance(node, tree.FunctionDef) else (node.body,)
        for parameter in node.parameters:
            name = parameter.name
            if name not in NAMESPACES:
                continue
            meant = [
                part
                for part in walk(*body)
                if isinstance(part, tree.Attribute)
                and isinstance(part.object, tree.Name)
                and part.object.id == name
                and part.name not in tensor_names()
                and is_member(name, part.name)
            ]
            if not meant:
                continue
            kept = {id(part.object) for part in meant}
            places = [read for read in subject.reads(name, *body) if id(read) not in kept]
            other = subject.unused_name(f"{name.lower()}_value", "value")
            start = parameter.span.start + len(parameter.star)
            edits = [Edit(Span(start, start + len(name)), other)]
            edits += [Edit(read.span, other) for read in places]
            yield finding(
                meant[0].name_span,
                f"`{name}` is a parameter here, and not the module",
                f"`{meant[0].name}` is looked for in what the function is called with",
                fixes=[Fix(f"call the parameter `{other}`", *edits)],
                labels=[Label(parameter.span, f"this hides the module `{name}`")],
            )


def is_member(module: str, name: str) -> bool:
    """Whether a module has a member of this name."""
    if module in ("math", "np"):
        return builtin_value(module).find(name) is not UNBOUND
    return f"{module}.{name}" in FUNCTIONS


def is_pure(node: tree.SyntaxNode) -> bool:
    """Whether an expression has no side effects: it calls only functions of the language other than print."""
    for part in walk(node):
        if isinstance(part, tree.Call):
            function = part.function
            owner = function.object if isinstance(function, tree.Attribute) else None
            if isinstance(function, tree.Name):
                if function.id in ("print", "display") or builtin_value(function.id) is UNBOUND:
                    return False
            elif not isinstance(owner, tree.Name) or owner.id not in NAMESPACES:
                return False
    return True


def assigned_name(statement: tree.SyntaxNode) -> str:
    """The name that ``x = value`` binds; "" for any other statement."""
    if isinstance(statement, tree.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
        return target.id if isinstance(target, tree.Name) else ""
    return ""


def overwritten(subject: Subject) -> Iterator[AutodiffError]:
    in_functions = {
        part.id
        for node in subject.nodes(tree.FunctionDef, tree.Lambda)
        for part in walk(node)
        if isinstance(part, tree.Name)
    }
    for body in subject.bodies():
        for statement, again in assigned_twice(body):
            name = assigned_name(statement)
            if name.startswith("_") or (name in in_functions and body is subject.script.body):
                continue
            fixes = []
            if subject.stands_alone(statement):
                fixes = [Fix("delete the first of the two", subject.remove(statement))]
            yield finding(
                statement.span,
                f"`{name}` is given a value that is never used",
                f"line {subject.line(again)} gives it another",
                fixes=fixes,
            )


def assigned_twice(body: Sequence[tree.Statement]) -> list[tuple[tree.Assign, tree.Assign]]:
    """The assignments that are overwritten before they may have been read, each with the next one."""
    pairs = []
    following: dict[str, tree.Assign] = {}
    for statement in reversed(body):
        if isinstance(statement, (tree.Return, tree.Break, tree.Continue)):
            following.clear()
        if isinstance(statement, (tree.FunctionDef, tree.ClassDef)):
            following.pop(statement.name, None)
        name = assigned_name(statement)
        again = following.get(name)
        # The target of such an assignment is replaced below, or stays.
        below = walk(statement.value if isinstance(statement, tree.Assign) and name else statement)
        read = {node.id for node in below if isinstance(node, tree.Name)}
        for one in read:
            following.pop(one, None)
        if isinstance(statement, tree.Assign) and name:
            if again is not None and is_pure(statement.value):
                pairs.append((statement, again))
            if name not in read:
                following[name] = statement
    return pairs


def unused_local(subject: Subject) -> Iterator[AutodiffError]:
    for function in subject.nodes(tree.FunctionDef):
        targets = {
            id(target)
            for node in walk(*function.body)
            if isinstance(node, tree.Assign)
            for target in node.targets
        }
        for statement in function.body:
            name = assigned_name(statement)
            if not name or name.startswith("_"):
                continue
            if any(id(read) not in targets for read in subject.reads(name, *function.body)):
                continue
            assert isinstance(statement, tree.Assign)
            yield finding(
                statement.span,
                f"`{name}` is never used in `{function.name}`",
                "it is gone when the function returns",
                fixes=list(without_local(subject, statement, function.body)),
            )


def without_local(subject: Subject, statement: tree.Assign, body: Sequence[tree.Statement]) -> Iterator[Fix]:
    name = assigned_name(statement)
    returns = any(isinstance(node, tree.Return) for node in walk(*body))
    if statement is body[-1] and not returns and subject.stands_alone(statement):
        yield Fix("return it", subject.insert_after(statement, f"return {name}"))
    elif not is_pure(statement.value):
        text = subject.source.text
        start = text.index("=", statement.targets[0].span.end) + 1
        while text[start] in " \t":
            start += 1
        yield Fix("call it without a name", Edit(Span(statement.span.start, start), ""))
    elif len(body) == 1:
        yield Fix("delete it", Edit(statement.span, "pass"))
    elif subject.stands_alone(statement):
        yield Fix("delete it", subject.remove(statement))


LINTS = (
    Lint(
        "L030",
        "A name hides a function.",
        "A value that is given the name of a function hides the function.",
        hidden_builtin,
        "x = torch.tensor([1.0, 2.0])\nsum = 0\nprint(sum)\nL = sum(x)\nprint(L)\n",
    ),
    Lint(
        "L031",
        "A parameter hides a module.",
        "Inside the function the name means the argument, so the module's functions are not found.",
        hidden_namespace,
        "def force(F):\n    return F.softplus(F * 2)\n\n\nprint([force(x) for x in torch.ones(2)])\n",
    ),
    Lint(
        "L032",
        "A value is overwritten before it is used.",
        "The first value is computed for nothing, which often means that one of the names is wrong.",
        overwritten,
        "x = torch.tensor(2.0)\ny = x * 2\ny = x + 1\nprint(y)\n",
    ),
    Lint(
        "L033",
        "A function gives a name to something it never uses.",
        "Names inside a function are gone when it returns.",
        unused_local,
        "def double(x):\n    half = x / 2\n    return x * 2\n\n\nprint(double(torch.tensor(1.0)))\n",
    ),
)
