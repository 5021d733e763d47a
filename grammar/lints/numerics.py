"""Lints for formulas that are mathematically right but lose digits, or the gradient, in floating point."""

from __future__ import annotations

import math
from fractions import Fraction

from autodiff.core.base.errors import AutodiffError, Edit, Fix, Label
from autodiff.grammar.lints.calls import last_word
from autodiff.grammar.lints.evaluate import in_namespace
from autodiff.grammar.lints.finding import Lint, Subject, finding
from autodiff.grammar.lints.values import GRAPH, Value
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


SIMPLE = (tree.Name, tree.Number, tree.Constant)
#: Functions without a slope or a value at 0 or below, each with a safe argument to use there instead.
HARMLESS = {
    **dict.fromkeys(("sqrt", "rsqrt", "log", "log2", "log10", "reciprocal"), "1.0"),
    **dict.fromkeys(("asin", "acos", "arcsin", "arccos", "atanh", "log1p"), "0.0"),
}


def applied(subject: Subject, *names: str) -> Iterator[tuple[Any, str, tuple[Value, ...], Value]]:
    """The recorded calls of the named functions: the node, the function's name, the inputs and the result."""
    for event in subject.events("apply"):
        name, inputs = event.other
        if name in names:
            yield event.node, name, inputs, event.value


def operation_of(value: Value) -> str:
    """The name of the function or method that made a value; "" where no call made it."""
    return last_word(value.node.function) if isinstance(value.node, tree.Call) else ""


def arguments_of(subject: Subject, call: tree.Call) -> list[str]:
    """The source text of a call's arguments; a method's tensor comes first."""
    texts = [subject.text(argument) for argument in call.arguments]
    function = call.function
    if isinstance(function, tree.Attribute) and is_method(subject, function):
        return [subject.text(function.object), *texts]
    return texts


def is_method(subject: Subject, function: tree.Attribute) -> bool:
    """Whether a called attribute is a method of a value, not a function of a module."""
    return not in_namespace(function)


def first_input(subject: Subject, call: tree.Call) -> Any:
    """The node of the tensor that a function or method is applied to."""
    function = call.function
    if isinstance(function, tree.Attribute) and is_method(subject, function):
        return function.object
    return next((one.value for one in call.arguments if one.keyword in (None, "input")), None)


def twice(subject: Subject, loss: str, inner: str, message: str, caret: str) -> Iterator[AutodiffError]:
    """Findings for a loss that applies a function itself, given a result of that same function."""
    for call, _, inputs, _ in applied(subject, loss):
        given = first_input(subject, call)
        if not inputs or given is None or operation_of(inputs[0]) != inner:
            continue
        made = inputs[0].node
        scores = first_input(subject, made)
        fixes, labels = [], []
        if made is given or isinstance(scores, tree.Name):
            fixes = [Fix("give it the scores", Edit(given.span, subject.text(scores)))]
        if made is not given:
            labels = [Label(made.span, f"{inner} is applied here")]
        yield finding(given.span, message, caret, fixes=fixes, labels=labels)


def softmax_twice(subject: Subject) -> Iterator[AutodiffError]:
    message = "cross_entropy() applies softmax to what it is given, and this is softmax already"
    return twice(subject, "cross_entropy", "softmax", message, "it wants the scores before softmax")


def sigmoid_twice(subject: Subject) -> Iterator[AutodiffError]:
    loss = "binary_cross_entropy_with_logits"
    message = f"{loss}() applies sigmoid to what it is given, and this is sigmoid already"
    return twice(subject, loss, "sigmoid", message, "it wants the scores before sigmoid")


def probabilities_for_logarithms(subject: Subject) -> Iterator[AutodiffError]:
    for call, _, inputs, _ in applied(subject, "nll_loss"):
        given = first_input(subject, call)
        if not inputs or given is None or operation_of(inputs[0]) != "softmax":
            continue
        name = inputs[0].node.function
        word = name.name_span if isinstance(name, tree.Attribute) else name.span
        direct = inputs[0].node is given
        yield finding(
            given.span,
            "nll_loss() wants logarithms of probabilities, and softmax gives the probabilities",
            "without the logarithm this is no likelihood",
            fixes=[Fix("take log_softmax", Edit(word, "log_softmax"))],
            labels=[] if direct else [Label(inputs[0].node.span, "softmax is applied here")],
        )


def is_method_call(subject: Subject, call: tree.Call) -> bool:
    return isinstance(call.function, tree.Attribute) and is_method(subject, call.function)


# -- roots and branches that give nan -----------------------------------------------------------------


def norm_by_hand(subject: Subject) -> Iterator[AutodiffError]:
    for call, _, inputs, made in applied(subject, "sqrt", "**"):
        total = inputs[0].node if inputs else None
        if made.kind != GRAPH or operation_of(inputs[0]) != "sum" or under_root(subject, call) is not total:
            continue
        vector = squared(subject, first_input(subject, total))
        if vector is None:
            continue
        places = [one.keyword for one in total.arguments if one.value is not first_input(subject, total)]
        fixes = []
        if all(keyword in ("dim", "keepdim") for keyword in places):
            given = [subject.text(one) for one in total.arguments if one.keyword in ("dim", "keepdim")]
            text = f"torch.linalg.norm({', '.join([subject.text(vector), *given])})"
            fixes = [Fix("take the norm, whose slope at 0 is 0", Edit(call.span, text))]
        yield finding(
            call.span,
            "this norm has no gradient at 0: a root is infinitely steep there",
            "where all entries are 0 the gradient is nan",
            fixes=fixes,
        )


def under_root(subject: Subject, node: Any) -> Any:
    """The operand ``x`` of ``sqrt(x)``, ``x.sqrt()`` or ``x ** 0.5``."""
    if isinstance(node, tree.Call):
        return first_input(subject, node)
    is_half = isinstance(node.right, tree.Number) and node.right.value == 0.5
    return node.left if is_half else None


def squared(subject: Subject, node: Any) -> Any:
    """The operand ``x`` of ``x ** 2``, ``x * x`` or ``x.pow(2)``; None for other nodes."""
    if isinstance(node, tree.Binary):
        two = isinstance(node.right, tree.Number) and node.right.value == 2
        if (node.op == "**" and two) or (
            node.op == "*" and subject.text(node.left) == subject.text(node.right)
        ):
            return node.left
    if isinstance(node, tree.Call) and last_word(node.function) in ("square", "pow"):
        exponents = [one.value for one in node.arguments if one.value is not first_input(subject, node)]
        if all(isinstance(one, tree.Number) and one.value == 2 for one in exponents):
            return first_input(subject, node)
    return None


def branch_not_taken(subject: Subject) -> Iterator[AutodiffError]:
    for call, _, inputs, _ in applied(subject, "where"):
        condition = call.arguments[0].value if call.arguments else None
        if len(inputs) != 3 or not isinstance(condition, tree.Comparison):
            continue
        compared = {subject.text(one) for one in (condition.first, *(part for _, part in condition.rest))}
        for position, branch in ((1, inputs[1]), (2, inputs[2])):
            danger = unsafe(subject, branch.node, compared)
            if danger is None or not branch.requires_grad:
                continue
            argument, harmless = danger
            taken = (subject.text(argument), harmless)
            text = ", ".join([subject.text(condition), *(taken if position == 1 else taken[::-1])])
            inside = call.span.start <= argument.span.start < call.span.end
            yield finding(
                argument.span,
                "where() hides the values of the other branch, but not its gradient",
                "where this has no slope, 0 times inf gives the gradient nan",
                fixes=[Fix("put in a harmless number first", Edit(argument.span, f"torch.where({text})"))],
                labels=[] if inside else [Label(call.span, "here the values are chosen")],
            )


def unsafe(subject: Subject, node: Any, compared: set[str]) -> tuple[Any, str] | None:
    """The compared argument of a root, logarithm or quotient, with a safe replacement for it."""
    for part in walk(node) if node is not None else ():
        if isinstance(part, tree.Call) and last_word(part.function) in HARMLESS:
            inside = first_input(subject, part)
            if inside is not None and subject.text(inside) in compared:
                return inside, HARMLESS[last_word(part.function)]
        elif isinstance(part, tree.Binary) and part.op == "/" and subject.text(part.right) in compared:
            return part.right, "1.0"
    return None


# -- comparisons ----------------------------------------------------------------------------------------


def compares_floats(subject: Subject) -> Iterator[AutodiffError]:
    for event in subject.events("compare"):
        node = event.node
        if len(node.rest) != 1 or node.rest[0][0] not in ("==", "!="):
            continue
        ((op, right),) = node.rest
        for number, other, value in ((right, node.first, event.value), (node.first, right, event.other)):
            if not is_rounded(subject, number) or isinstance(other, tree.Number) or not is_computed(value):
                continue
            text = f"math.isclose({subject.text(other)}, {subject.text(number)})"
            if value.is_tensor:
                text = f"torch.isclose({subject.text(other)}, torch.tensor({subject.text(number)}))"
            text = ("" if op == "==" else "~" if value.is_tensor else "not ") + text
            yield finding(
                node.span,
                f"a computed value is compared with {subject.text(number)} to the last digit",
                "both are rounded, so they may differ where they are equal on paper",
                fixes=[Fix("ask whether they are close", Edit(node.span, text))],
            )
            break


def is_rounded(subject: Subject, node: Any) -> bool:
    """Whether a decimal number is not exactly representable as a float, as 0.1 is not."""
    if isinstance(node, tree.Unary):
        node = node.operand
    if not isinstance(node, tree.Number) or not isinstance(node.value, float):
        return False
    text = subject.text(node).replace("_", "")
    return math.isfinite(node.value) and Fraction(text) != Fraction(node.value)


def is_computed(value: Value) -> bool:
    """Whether a value is the result of a computation, not a literal."""
    made = isinstance(value.node, (tree.Binary, tree.AugmentedAssign, tree.Call))
    return made and bool(value.inputs) and (value.is_tensor or value.kind == "number")


SCORES = "z = torch.tensor([[1.0, 2.0, 0.5]], requires_grad=True)\ntarget = torch.tensor([2])\n"
VECTOR = "x = torch.tensor([3.0, 4.0], requires_grad=True)\n"
LINTS = (
    Lint(
        "L050",
        "cross_entropy() is given softmax.",
        "cross_entropy() takes scores and applies softmax itself, so softmax before it is applied twice.",
        softmax_twice,
        SCORES + "loss = F.cross_entropy(torch.softmax(z, dim=1), target)\nloss.backward()\nprint(z.grad)\n",
    ),
    Lint(
        "L051",
        "A loss with logits is given sigmoid.",
        "binary_cross_entropy_with_logits() applies sigmoid itself, so sigmoid before it is applied twice.",
        sigmoid_twice,
        "z = torch.tensor([0.5, -1.0], requires_grad=True)\ntarget = torch.tensor([1.0, 0.0])\n"
        "loss = F.binary_cross_entropy_with_logits(torch.sigmoid(z), target)\nloss.backward()\n",
    ),
    Lint(
        "L052",
        "nll_loss() is given probabilities.",
        "nll_loss() only picks entries and changes their sign, so the logarithm has to be taken before.",
        probabilities_for_logarithms,
        SCORES
        + "p = torch.softmax(z, dim=1)\nloss = F.nll_loss(p, target)\nloss.backward()\nprint(z.grad)\n",
    ),
    Lint(
        "L054",
        "A norm is written as a root.",
        "A square root is infinitely steep at 0, so at the zero vector the gradient is nan; norm() gives 0.",
        norm_by_hand,
        VECTOR + "L = torch.sqrt((x**2).sum())\nL.backward()\nprint(x.grad)\n",
    ),
    Lint(
        "L055",
        "where() is meant to keep a gradient from being nan.",
        "Both branches of where() are computed and have gradients, and 0 times an infinite slope is nan.",
        branch_not_taken,
        VECTOR + "L = torch.where(x > 0, torch.sqrt(x), 0.0).sum()\nL.backward()\nprint(x.grad)\n",
    ),
    Lint(
        "L056",
        "A computed value is compared with == to the last digit.",
        "Numbers such as 0.1 and everything computed from them are rounded, so equality is left to chance.",
        compares_floats,
        "x = 0.1 + 0.2\nif x == 0.3:\n    print('equal')\n",
    ),
)
