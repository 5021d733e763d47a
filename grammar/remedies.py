"""Changes of a script that give a gradient where it was zero or not finite; each is tried before it is told.

What may help depends on the op at fault: another branch of a choice, a function with a known slope, a small
number below a root. A change holds when the repaired script runs, the gradient asked about is as it should
be, and the output, if it was a number before, is the same up to a few parts in a million.
"""

from __future__ import annotations

from time import perf_counter

from autodiff.core.errors import AutodiffError, Edit, Fix
from autodiff.core.lazy import np
from autodiff.core.span import Source
from autodiff.core.uses import size_of
from autodiff.grammar import syntax
from autodiff.grammar.parser import read
from autodiff.grammar.proposals.cuts import cuts
from autodiff.grammar.proposals.scene import Scene, atom
from autodiff.grammar.run import Execution, Settings, attempt, differentiate
from autodiff.grammar.runtime import ignore, ignore_warning
from autodiff.grammar.walk import path_to

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from autodiff.core.report import Cause, Derivation, GradientReport

#: How many changes are tried for one cause, how many that hold are told, and for how long in all.
MOST_TRIALS, MOST_KEPT = 6, 2
MOST_SECONDS = 3.0
SMALL = "1e-12"
#: How far a repaired output may be from what it was.
CLOSE = 1e-5
#: A gradient larger than this is no better than one without end.
STEEPEST = 1e9
EXPONENTIALS = ("exp", "exp2", "expm1", "sinh", "cosh")
NAMESPACES = ("torch", "F", "math", "np", "functional", "special", "linalg", "nn")


class SameFunction(Fix):
    """A fix that writes the same function in another way, so that its gradient is right whatever it is."""

    __slots__ = ()


def add_remedies(report: GradientReport, execution: Execution, settings: Settings) -> None:
    """Write the changes that hold into the causes of a report."""
    if not any(derivation.causes for derivation in report.derivations):
        return
    source = execution.source
    script = read(source)
    until = perf_counter() + MOST_SECONDS
    for derivation in report.derivations:
        for cause in derivation.causes:
            if cause.span is None:
                continue
            scene = Scene(AutodiffError(""), cause.span, script, source, [], execution.names)
            kept: list[Fix] = []
            for at, fix in enumerate(remedies(cause, scene, report.output.name)):
                if at >= MOST_TRIALS or len(kept) >= MOST_KEPT or perf_counter() > until:
                    break
                if helps(fix, derivation, report, source, settings):
                    kept.append(fix)
            cause.repairs = tuple(kept)


def helps(
    fix: Fix, derivation: Derivation, report: GradientReport, source: Source, settings: Settings
) -> bool:
    """Whether the repaired script has a gradient where it had none, and the same output."""
    repaired = Source(fix.apply(source.text), source.name)
    asked = Settings(
        sets=settings.sets,
        dtype=settings.dtype,
        seed=settings.seed,
        wrt=[derivation.wrt],
        of=settings.of,
        grad_output=settings.grad_output,
        track=settings.track,
    )
    try:
        execution = attempt(repaired, asked, ignore, ignore_warning)
        subject = differentiate(execution, asked)
    except AutodiffError:
        return False
    [*_, (_, node)] = subject.wrt
    g = subject.cotangents.get(node)
    if g is None or not np.isfinite(np.asarray(g)).all() or size_of(g) > STEEPEST:
        return False
    before, now = np.asarray(report.output.value), np.asarray(subject.root.out)
    if before.shape != now.shape or not np.isfinite(now).all():
        return False
    if derivation.causes[0].kind in ("flat", "unconnected"):
        return bool(np.any(g))  # what had no slope has one now, so it is another function
    if derivation.causes[0].kind == "forward" and not np.any(g) and not isinstance(fix, SameFunction):
        return False  # a value that was out of reach, and is now held where nothing moves it
    was_number = np.isfinite(before)
    return bool(np.allclose(now[was_number], before[was_number], rtol=CLOSE, atol=CLOSE))


def remedies(cause: Cause, scene: Scene, output: str) -> Iterator[Fix]:
    """What might help, most likely first."""
    if cause.kind == "unconnected":
        yield from stay_connected(scene, output)
    elif cause.kind == "masked":
        yield from safe_branch(cause, scene)
    elif cause.kind in ("singular", "forward"):
        known = list(known_functions(scene))
        yield from known
        if not known or cause.op not in EXPONENTIALS:  # there the better function has the right value
            yield from away_from_the_edge(cause, scene)
    elif cause.kind == "flat":
        yield from sloped(cause, scene)


# -- a choice whose other branch is computed all the same -------------------------------------------------


def safe_branch(cause: Cause, scene: Scene) -> Iterator[Fix]:
    """Choose before the op as well, so that it never meets the values that are left out."""
    if cause.selecting is None:
        return
    choice = path_to(scene.script, cause.selecting)[-1]
    operand = edge_operand(scene.node)
    if not isinstance(choice, syntax.Call) or len(choice.arguments) < 3 or operand is None:
        return
    condition, _, no = (argument.value for argument in choice.arguments[:3])
    function, x = scene.text(choice.function), scene.text(operand)
    told = scene.text(condition)
    inside = scene.span.start
    orders = [f"{function}({told}, {x}, 1)", f"{function}({told}, 1, {x})"]
    if no.span.start <= inside < no.span.end:
        orders.reverse()
    for safe in orders:
        yield replacing(
            scene, operand, safe, "choose before the op as well, so that it never meets what is left out"
        )


# -- functions that know better ------------------------------------------------------------------------------


def known_functions(scene: Scene) -> Iterator[Fix]:
    """A function of the library for a formula that breaks down."""
    for node in reversed(scene.path):
        name = called(node)
        x = operand_of(node)
        if name == "sqrt" and x is not None:
            squares = summed_squares(x)
            if squares is not None:
                yield same(scene, node, f"{atom(scene.text(squares))}.norm()", "a norm has the slope 0 at 0")
        if name == "log" and x is not None and isinstance(x, syntax.Binary) and x.op == "+":
            for one, other in ((x.left, x.right), (x.right, x.left)):
                if is_one(one) and called(other) == "exp" and operand_of(other) is not None:
                    inner = scene.text(operand_of(other))
                    text = f"{functional(scene, node)}softplus({inner})"
                    yield same(scene, node, text, "softplus is log(1 + exp(x)) without the overflow")
        if name == "log" and x is not None and called(x) == "sum" and operand_of(x) is not None:
            inner = operand_of(x)
            if called(inner) == "exp" and operand_of(inner) is not None:
                text = f"{prefix(scene, node)}logsumexp({scene.text(operand_of(inner))}, 0)"
                yield same(scene, node, text, "logsumexp subtracts the largest entry first")
        if name == "log" and x is not None and called(x) in ("softmax", "sigmoid"):
            better = {"softmax": "log_softmax", "sigmoid": "logsigmoid"}[called(x)]
            start = x.function.span
            before = functional(scene, x) if better == "logsigmoid" else prefix(scene, x)
            edit = Edit(node.span, before + better + scene.source.text[start.end : x.span.end])
            if not is_method_call(x):
                yield SameFunction(f"{better} has no logarithm of 0: {edit.text}", edit)
        if isinstance(node, syntax.Binary) and node.op == "/" and called(node.left) == "exp":
            divisor = node.right
            if called(divisor) == "sum" and called(operand_of(divisor)) == "exp":
                inner = scene.text(operand_of(node.left))
                text = f"{prefix(scene, node.left)}softmax({inner}, 0)"
                yield same(scene, node, text, "softmax subtracts the largest entry first")
            if (
                isinstance(divisor, syntax.Binary)
                and divisor.op == "+"
                and any(is_one(part) for part in (divisor.left, divisor.right))
            ):
                inner = scene.text(operand_of(node.left))
                text = f"{prefix(scene, node.left)}sigmoid({inner})"
                yield same(scene, node, text, "sigmoid never meets infinity/infinity")


def away_from_the_edge(cause: Cause, scene: Scene) -> Iterator[Fix]:
    """A small number where a root, a logarithm or a quotient would meet its edge."""
    node = scene.node
    x = operand_of(node)
    if isinstance(node, syntax.Binary) and node.op == "/":
        text = scene.text(node.right)
        root = operand_of(node.right) if called(node.right) == "sqrt" else None
        if root is not None:
            below = f"{scene.text(root)} + {SMALL}"
            safe = f"({below})" if node.right.span.start == root.span.start else below
            yield replacing(scene, root, safe, "keep the root away from 0", bracket=False)
        yield replacing(
            scene, node.right, f"({text} + {SMALL})", "keep the divisor away from 0", bracket=False
        )
        return
    if isinstance(node, syntax.Binary) and node.op == "**":
        base = scene.text(node.left)
        yield replacing(scene, node.left, f"({base} + {SMALL})", "keep the base away from 0", bracket=False)
        return
    if x is None:
        return
    text = scene.text(x)
    op = cause.op
    if op in ("sqrt", "rsqrt", "log", "log2", "log10", "reciprocal", "log1p"):
        yield replacing(scene, x, f"{text} + {SMALL}", "keep it away from the edge")
        yield replacing(
            scene, x, f"{atom(text)}.clamp(min={SMALL})", "keep it on the side where it has a value"
        )
    elif op in ("acos", "asin", "atanh"):
        yield replacing(scene, x, f"({text}) * (1 - {SMALL})", "keep it between -1 and 1")
    elif op == "acosh":
        yield replacing(scene, x, f"{text} + {SMALL}", "keep it above 1")
    elif op in EXPONENTIALS:
        yield replacing(scene, x, f"{atom(text)}.clamp(max=700)", "keep it below the overflow")


# -- slopes of 0 ------------------------------------------------------------------------------------------


def sloped(cause: Cause, scene: Scene) -> Iterator[Fix]:
    """A function that resembles a flat one and has a slope."""
    node = scene.node
    x = operand_of(node)
    if x is None:
        return
    text, op = scene.text(x), cause.op
    if op in ("relu", "relu6"):
        yield whole(
            scene,
            node,
            f"{functional(scene, node)}leaky_relu({text}, 0.01)",
            "a slope for negative values too",
        )
    elif op in ("round", "floor", "ceil", "trunc", "sign"):
        straight = f"({text} + ({scene.text(node)} - {atom(text)}).detach())"
        yield whole(scene, node, straight, "round, and pass the gradient straight through")
    elif op == "sigmoid":
        yield whole(
            scene, node, f"{functional(scene, node)}logsigmoid({text})", "its logarithm keeps a slope"
        )


def stay_connected(scene: Scene, output: str) -> Iterator[Fix]:
    """What left the graph on the way to the output, put back into it."""
    for statement in scene.assignments(output):
        found = cuts(scene, statement.value)
        edits = [cut.edit for cut in found if cut.edit is not None]
        if edits and len(edits) == len(found):
            told = ", and ".join(cut.shown for cut in found)
            yield Fix(f"stay in the graph: write {told}", *edits)


# -- reading the syntax tree --------------------------------------------------------------------------------


def called(node: Any) -> str:
    """The name of the function or method that an expression calls, empty if it is no call."""
    if not isinstance(node, syntax.Call):
        return ""
    if isinstance(node.function, syntax.Name):
        return node.function.id
    return node.function.name if isinstance(node.function, syntax.Attribute) else ""


def is_method_call(node: syntax.Call) -> bool:
    """``x.sqrt()``, as against ``torch.sqrt(x)``."""
    function = node.function
    if not isinstance(function, syntax.Attribute):
        return False
    owner = function.object
    root = (
        owner.id
        if isinstance(owner, syntax.Name)
        else owner.name
        if isinstance(owner, syntax.Attribute)
        else ""
    )
    return root not in NAMESPACES


def operand_of(node: Any) -> Any:
    """What a function of one tensor is applied to; None where that is not to be seen."""
    if not isinstance(node, syntax.Call):
        return None
    if is_method_call(node):
        assert isinstance(node.function, syntax.Attribute)
        return node.function.object
    return node.arguments[0].value if node.arguments and node.arguments[0].keyword is None else None


def edge_operand(node: Any) -> Any:
    """The part of an expression that must not meet an edge: a divisor, a base, a function's argument."""
    if isinstance(node, syntax.Binary):
        return node.right if node.op == "/" else node.left if node.op == "**" else None
    return operand_of(node)


def summed_squares(node: Any) -> Any:
    """``x`` in ``(x*x).sum()`` and ``sum(x**2)``."""
    if called(node) != "sum" or (is_method_call(node) and node.arguments):
        return None
    inside = operand_of(node)
    if called(inside) in ("square",):
        return operand_of(inside)
    if isinstance(inside, syntax.Binary):
        if inside.op == "**" and isinstance(inside.right, syntax.Number) and inside.right.value == 2:
            return inside.left
        left, right = inside.left, inside.right
        if inside.op == "*" and isinstance(left, syntax.Name) and isinstance(right, syntax.Name):
            return left if left.id == right.id else None
    return None


def is_one(node: Any) -> bool:
    return isinstance(node, syntax.Number) and node.value == 1


def prefix(scene: Scene, node: Any) -> str:
    """``torch.`` where the function of a call is written with it."""
    function = node.function
    if isinstance(function, syntax.Attribute) and not is_method_call(node):
        return scene.text(function.object).partition(".")[0].replace("math", "torch") + "."
    return ""


def functional(scene: Scene, node: Any) -> str:
    """What stands before a function of ``torch.nn.functional`` where the script writes ``torch.``."""
    before = prefix(scene, node)
    return "torch.nn.functional." if before == "torch." or is_method_call(node) else before


# -- edits ---------------------------------------------------------------------------------------------


def replacing(scene: Scene, part: Any, text: str, reason: str, bracket: bool = True) -> Fix:
    """A fix that writes ``text`` for a part, and shows what the op becomes."""
    node = scene.node
    if bracket and isinstance(node, syntax.Call) and is_method_call(node) and not text.endswith(")"):
        text = f"({text})"
    start = node.span.start
    old = scene.text(node)
    shown = old[: part.span.start - start] + text + old[part.span.end - start :]
    return Fix(f"{reason}: {shown}", Edit(part.span, text))


def whole(scene: Scene, node: Any, text: str, reason: str) -> Fix:
    """A fix that writes ``text`` for a whole expression."""
    return Fix(f"{reason}: {text}", Edit(node.span, text))


def same(scene: Scene, node: Any, text: str, reason: str) -> SameFunction:
    """As ``whole``, with the same function."""
    return SameFunction(f"{reason}: {text}", Edit(node.span, text))
