"""Lints for plain Python: comparisons that never hold, shared default values, unreachable code."""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError, Edit, Fix, Label
from autodiff.core.base.source import Span
from autodiff.grammar.interpret.scope import LIST_MUTATORS
from autodiff.grammar.lints.finding import INDENT, Lint, Subject, finding, is_name
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def is_nan(subject: Subject, node: tree.Expression) -> bool:
    """Whether the node is ``nan``, ``math.nan`` or ``float("nan")``."""
    if isinstance(node, tree.Name):
        return node.id == "nan" and node.id not in subject.names.module.slots
    if isinstance(node, tree.Attribute):
        return node.name == "nan"
    if isinstance(node, tree.Call) and len(node.arguments) == 1:
        word = node.arguments[0].value
        is_float = isinstance(node.function, tree.Name) and node.function.id == "float"
        return is_float and isinstance(word, tree.String) and word.value.strip().lower() == "nan"
    return False


def compares_nan(subject: Subject) -> Iterator[AutodiffError]:
    for event in subject.events("compare"):
        node = event.node
        if len(node.rest) != 1 or node.rest[0][0] not in ("==", "!=", "is", "is not"):
            continue
        ((op, right),) = node.rest
        if is_nan(subject, right):
            other, value = node.first, event.value
        elif is_nan(subject, node.first):
            other, value = right, event.other
        else:
            continue
        equal = op in ("==", "is")
        module, negation = ("torch", "~") if value.is_tensor else ("math", "not ")
        text = ("" if equal else negation) + f"{module}.isnan({subject.text(other)})"
        known = value.is_tensor or value.kind == "number"
        yield finding(
            node.span,
            f"nan equals nothing, so this is always {'False' if equal else 'True'}",
            "not even nan equals nan",
            fixes=[Fix("ask for nan", Edit(node.span, text))] if known else [],
            help=() if known else ("ask with isnan()",),
        )


def identity_of_numbers(subject: Subject) -> Iterator[AutodiffError]:
    for node in subject.nodes(tree.Comparison):
        left = node.first
        for op, right in node.rest:
            plain = (tree.Number, tree.String, tree.ListDisplay)
            operand = right.operand if isinstance(right, tree.Unary) else right
            if op in ("is", "is not") and (isinstance(operand, plain) or isinstance(left, plain)):
                between = Span(left.span.end, right.span.start)
                says = "==" if op == "is" else "!="
                text = subject.source.excerpt(between)
                start = between.start + text.index("is")
                end = start + (len("is") if op == "is" else text.index("not") + 3 - text.index("is"))
                yield finding(
                    Span(left.span.start, right.span.end),
                    f"`{op}` asks whether two values are one object, not whether they are equal",
                    "two equal numbers need not be one object",
                    fixes=[Fix("compare the values", Edit(Span(start, end), says))],
                )
            left = right


def shared_default(subject: Subject) -> Iterator[AutodiffError]:
    for function in subject.nodes(tree.FunctionDef):
        for parameter in function.parameters:
            default = parameter.default
            if not isinstance(default, tree.ListDisplay) or not changes(function, parameter.name):
                continue
            name, first = parameter.name, function.body[0]
            fixes = []
            if subject.stands_alone(first):
                lines = (f"if {name} is None:", f"{INDENT}{name} = {subject.text(default)}")
                fixes = [
                    Fix(
                        "make the list anew in each call",
                        Edit(default.span, "None"),
                        subject.insert_before(first, *lines),
                    )
                ]
            yield finding(
                parameter.span,
                f"all calls of `{function.name}` share the list `{name}`",
                "a default is made once, when the function is defined",
                fixes=fixes,
            )


def changes(function: tree.FunctionDef, name: str) -> bool:
    """Whether a function changes the list that a name refers to in place."""
    for node in walk(*function.body):
        if isinstance(node, tree.Attribute) and node.name in LIST_MUTATORS and is_name(node.object, name):
            return True
        if isinstance(node, tree.AugmentedAssign) and is_name(node.target, name):
            return True
        if isinstance(node, tree.Assign):
            for target in node.targets:
                if isinstance(target, tree.Subscript) and is_name(target.object, name):
                    return True
    return False


def unreachable(subject: Subject) -> Iterator[AutodiffError]:
    for body in subject.bodies():
        for at, statement in enumerate(body[:-1]):
            if isinstance(statement, (tree.Return, tree.Break, tree.Continue)):
                first, last = body[at + 1], body[-1]
                word = subject.text(statement).split()[0]
                fixes = []
                if all(subject.stands_alone(node) for node in (first, last)):
                    span = Span(subject.lines_of(first).start, subject.lines_of(last).end)
                    fixes = [Fix("delete what never runs", Edit(span, ""))]
                yield finding(
                    first.span,
                    f"nothing after `{word}` runs",
                    "this line is never reached",
                    fixes=fixes,
                    labels=[Label(statement.span, "here the block is left")],
                )
                break


def reused_variable(subject: Subject) -> Iterator[AutodiffError]:
    for outer in subject.nodes(tree.For):
        if not isinstance(outer.target, tree.Name):
            continue
        name = outer.target.id
        for at, inner in enumerate(outer.body):
            if not isinstance(inner, tree.For) or not is_name(inner.target, name):
                continue
            if not any(subject.reads(name, later) for later in outer.body[at + 1 :]):
                continue
            other = subject.unused_name("j" if name == "i" else f"inner_{name}", f"{name}_inside")
            places = [inner.target, *subject.reads(name, *inner.body)]
            yield finding(
                inner.target.span,
                f"the inner loop takes the name `{name}` from the outer one",
                f"after it `{name}` is not what the outer loop counts",
                fixes=[Fix(f"call it `{other}`", *(Edit(node.span, other) for node in places))],
                labels=[Label(outer.target.span, "the outer loop's")],
            )


LINTS = (
    Lint(
        "L040",
        "Something is compared with nan.",
        "nan is equal to nothing, not even to itself, so the comparison always has the same answer.",
        compares_nan,
        "x = torch.tensor([1.0, float('nan')])\nprint(x == float('nan'))\n",
    ),
    Lint(
        "L041",
        "`is` compares a number.",
        "`is` asks whether two values are the same object, which equal numbers need not be.",
        identity_of_numbers,
        "n = 1000\nif n is 1000:\n    print('a thousand')\n",
    ),
    Lint(
        "L042",
        "A default value is changed.",
        "A list that is a default is made once, so each call finds what earlier calls put into it.",
        shared_default,
        "def count(x, seen=[]):\n    seen.append(x)\n    return len(seen)\n\n\nprint(count(1), count(2))\n",
    ),
    Lint(
        "L043",
        "A line is never reached.",
        "return, break and continue leave the block, so the lines after them do not run.",
        unreachable,
        "def square(x):\n    return x * x\n    print(x)\n\n\nprint(square(3.0))\n",
    ),
    Lint(
        "L044",
        "An inner loop takes the name of the outer one.",
        "Loops have no names of their own, so the inner loop overwrites what the outer one counts.",
        reused_variable,
        "for i in range(2):\n    for i in range(3):\n        print(i)\n    print('row', i)\n",
    ),
)
