"""Says why an output is a constant of slope 0: a branch that did not run, a number that max chose, a literal.

A constant is the answer where the script could have gone another way and used an input, or where it computes
nothing else. Which branches ran, and what max chose, is found out by running the script with a failing
expression there.
"""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError, Edit, Fix
from autodiff.core.base.source import Source
from autodiff.grammar.help.bindings import DISPLAYS
from autodiff.grammar.help.failure_scene import called_name, is_method
from autodiff.grammar.objects.runtime import discard_text, discard_warning
from autodiff.grammar.objects.values import Namespace
from autodiff.grammar.repair.missing_path import optional_branches
from autodiff.grammar.repair.noted_cuts import COUNTING_FUNCTIONS
from autodiff.grammar.repair.proposals.graph_cuts import CLAMP_BOUNDS, FAILING_CODE
from autodiff.grammar.repair.proposals.value_origins import ValueOrigins, assignments_to
from autodiff.grammar.session.choose_target import last_result, other_output
from autodiff.grammar.session.inputs import default_inputs
from autodiff.grammar.session.leaf_names import base_name
from autodiff.grammar.session.run import run_once
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import path_to, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

    from autodiff.grammar.help.failure_scene import Scene
    from autodiff.grammar.repair.missing_path import Branch
    from autodiff.grammar.repair.proposals.graph_cuts import Cut
    from autodiff.grammar.session.choose_target import ConstantOutputError
    from autodiff.grammar.session.run import Execution, Settings

#: The most branches for which it is tried whether they ran, and the most numbers whether max chose them.
MOST_TRIED_BRANCHES = MOST_TRIED_NUMBERS = 12
#: Python's functions whose results are constant between steps, each with what it gives.
STEP_FUNCTIONS = {
    "int": "a whole number",
    "bool": "True or False",
    "len": "a count",
    "isinstance": "True or False",
    **dict.fromkeys(COUNTING_FUNCTIONS, "a number for whole arguments only"),
    **dict.fromkeys(("floor", "ceil", "trunc"), "a whole number"),
    **dict.fromkeys(("isnan", "isinf", "isfinite", "isclose"), "True or False"),
}


def is_step(scene: Scene, cut: Cut) -> bool:
    """Whether a cut makes a function of steps, of slope 0: a comparison, a choice, a place in a table."""
    node = cut.node
    if isinstance(node, tree.Comparison) or step_function(scene, node):
        return True
    if is_builtin_call(scene, node, CLAMP_BOUNDS):
        return True
    return any(
        isinstance(one, tree.Subscript) and one.index.span.start <= node.span.start < one.index.span.end
        for one in path_to(scene.script, node.span)
    )


def is_builtin_call(scene: Scene, node: Any, names: Collection[str]) -> bool:
    """Whether a node calls one of Python's functions by its name, which the script has not replaced."""
    return (
        isinstance(node, tree.Call)
        and isinstance(node.function, tree.Name)
        and node.function.id in names
        and node.function.id not in scene.bindings.assigned
        and scene.function(node.function.id) is None
    )


def step_function(scene: Scene, node: Any) -> str:
    """Return the name of the function of STEP_FUNCTIONS that a node calls, alone or of ``math``; or ""."""
    if is_builtin_call(scene, node, STEP_FUNCTIONS):
        return str(node.function.id)
    if not isinstance(node, tree.Call) or not isinstance(node.function, tree.Attribute):
        return ""
    owner = scene.value(node.function.object)
    is_of_math = owner.__class__ is Namespace and owner.name == "math"
    return node.function.name if is_of_math and node.function.name in STEP_FUNCTIONS else ""


def constant_reason(
    error: ConstantOutputError,
    scene: Scene,
    target: Any,
    steps: list[Cut],
    execution: Execution,
    settings: Settings,
) -> str:
    """Return why the output of ``error`` is a constant, or "" if it is to be an error.

    ``target`` is the expression of the output, None if it has none; ``steps`` are the cuts on the way to it.
    In a script with tensors a constant is an error as in PyTorch, except by inputs that ``--wrt`` names.
    """
    if not execution.without_tensors and (not settings.wrt or execution.last_passes.backwards):
        return ""
    if execution.last_passes.functional.roots or execution.last_passes.grad.roots:
        return ""  # derivatives that the script itself has computed may be in the output
    names = [base_name(name) for name, _ in default_inputs(execution, []) if name != error.name]
    if not names and not settings.wrt:
        return ""
    target = entry_expression(scene, target)
    origins = Origins(scene, error.name, target)
    uses_input = not origins.names.isdisjoint(names)
    is_made_of_others = bool(error.fixes)  # of a number that is assigned again, which they make an input
    if not uses_input and (is_made_of_others or (settings.of is None and last_result(execution) is not None)):
        return ""
    skipped, ran = branch_reasons(scene, origins, names, settings)
    reason = (
        skipped
        or choice_reason(scene, origins, names, settings)
        or ran
        or step_reason(scene, origins, names, steps)
    )
    if not reason:
        place = error.span if target is None else target.span
        if settings.of is not None and not settings.of.isidentifier():  # the last line is no line of the file
            made = scene.assignments(base_name(settings.of))
            place = made[0].span if made else None
        line = "" if place is None else f", line {scene.line(place)}"
        reason = "small changes of the inputs do not change it" if uses_input else "it is made of no input"
        reason += line
    other = other_output(execution) if settings.of is None else None
    chosen = f"; --of {other} chooses another output" if other is not None else ""
    return f"`{error.name}` is a constant here, and its slope is 0: {reason}{chosen}"


class Origins:
    """What the text says about how a value was made: the ``names`` it comes from.

    ``parts`` are the expressions and functions on the way, and the blocks that the assignments are in, whose
    conditions count as well, unlike in ``ValueOrigins``.
    """

    def __init__(self, scene: Scene, name: str, target: Any) -> None:
        self.scene = scene
        self.parts: list[Any] = []
        self.names: set[str] = set()
        self.loops = [
            node for node in walk(scene.script) if isinstance(node, (tree.For, tree.ComprehensionFor))
        ]
        self.todo: list[Any] = [] if target is None else [target]
        self.add_name(name)
        for part in self.todo:  # the list grows in the loop
            for node in walk(part):
                if isinstance(node, tree.Name):
                    self.add_name(node.id)
        self.parts += self.todo

    def add_name(self, name: str) -> None:
        if name in self.names:
            return
        self.names.add(name)
        made = self.scene.function(name)
        if made is not None:
            self.todo.append(made)
        for loop in self.loops:
            if any(isinstance(node, tree.Name) and node.id == name for node in walk(loop.target)):
                self.todo.append(loop.iterable)
        for statement, value in [*assignments_to(self.scene, name), *self.additions_to(name)]:
            self.todo.append(value)
            for block in path_to(self.scene.script, statement.span):
                if isinstance(block, tree.If):
                    self.todo += [test for test, _ in block.branches]
                elif isinstance(block, tree.While):
                    self.todo.append(block.test)
                if isinstance(block, (tree.If, tree.While, tree.For)):
                    self.parts.append(block)

    def additions_to(self, name: str) -> list[tuple[Any, Any]]:
        """Return the calls that add entries to a list, as ``y.append(t)`` does, each with what it adds."""
        return [
            (call, call.arguments[-1].value)
            for call in walk(self.scene.script)
            if any(is_method(call, method) for method in ("append", "extend", "insert"))
            and isinstance(call.function.object, tree.Name)
            and call.function.object.id == name
            and call.arguments
        ]


def branch_reasons(scene: Scene, origins: Origins, inputs: list[str], settings: Settings) -> tuple[str, str]:
    """Return which branch did not run that uses an input, and which branch ran; "" where there is none.

    Of several that ran, the last branch of an ``if`` has decided; a loop decides nothing. What follows a
    branch that ran in the same ``if`` did not run for that reason alone. A branch that returns has decided.
    """
    skipped, ran, decided, values = "", "", False, ValueOrigins(scene)
    is_chosen = False  # a branch of the same `if` statement ran
    branches = [
        one
        for one in optional_branches(scene)
        if not only_prints(one) and any(holds(part, one) for part in origins.parts)
    ]
    for branch in branches[:MOST_TRIED_BRANCHES]:
        line = f"line {scene.line(branch.parts[0].span)}"
        is_chosen = is_chosen and branch.words.startswith(("the branch under `elif", "the else branch"))
        if fails(branch.failing_edit, scene.source, settings):
            if branch.is_loop and decided:
                continue
            ran = f"{branch.words.replace(' did not run', ' ran').replace('was not', 'was')}, {line}"
            decided = decided or not branch.is_loop
            is_chosen = branch.words.startswith("the branch under")
            if isinstance(branch.parts[-1], tree.Return):
                return "", ran
        elif not (skipped or is_chosen):
            uses_input = any(values.depends_on(part, name) for part in branch.parts for name in inputs)
            skipped = f"{branch.words}, {line}" if uses_input else ""
    return skipped, ran


def only_prints(branch: Branch) -> bool:
    """Whether a branch prints and does nothing else, as in ``if t % 100 == 99``: no value depends on it."""
    return all(
        isinstance(part, tree.ExpressionStatement) and called_name(part.value) == "print"
        for part in branch.parts
    )


def entry_expression(scene: Scene, target: Any) -> Any:
    """Return the expression of the entry that ``L[1]`` means, if the text shows it; else ``target``."""
    while isinstance(target, tree.Subscript) and isinstance(target.object, tree.Name):
        name, index = target.object.id, target.index
        made = scene.assignments(name)
        if len(made) != 1 or name in scene.bindings.entries or not isinstance(index, tree.Number):
            break
        listed = made[0].value
        if not isinstance(listed, (tree.ListDisplay, tree.TupleDisplay)):
            break
        if not isinstance(index.value, int) or index.value >= len(listed.elements):
            break
        target = listed.elements[index.value]
    return target


def step_reason(scene: Scene, origins: Origins, inputs: list[str], steps: list[Cut]) -> str:
    """Return which comparison, choice or function of steps is on the way to the output; "" without one."""
    values = ValueOrigins(scene)
    for node in walk(*origins.parts):
        name = step_function(scene, node)
        if name and any(values.depends_on(node, one) for one in inputs):
            return f"{name}() gives {STEP_FUNCTIONS[name]}, line {scene.line(node.span)}"
    return f"{steps[-1].reason}, line {scene.line(steps[-1].node.span)}" if steps else ""


def choice_reason(scene: Scene, origins: Origins, inputs: list[str], settings: Settings) -> str:
    """Return which number ``max`` or ``min`` chose that no input is part of; "" if there is none."""
    values, tried = ValueOrigins(scene), 0
    for call in walk(*origins.parts):
        if not is_builtin_call(scene, call, CLAMP_BOUNDS) or any(one.keyword for one in call.arguments):
            continue
        given = [one.value for one in call.arguments]
        if len(given) == 1 and isinstance(given[0], DISPLAYS):
            given = list(given[0].elements)
        for number in given:
            if any(values.depends_on(number, name) for name in inputs) or tried == MOST_TRIED_NUMBERS:
                continue
            tried += 1
            if fails(choice_edit(scene, call, number), scene.source, settings):
                return f"{call.function.id}() chooses {scene.text(number)} here, line {scene.line(call.span)}"
    return ""


def choice_edit(scene: Scene, call: Any, number: Any) -> Edit:
    """Return the edit with which the script fails where ``max`` or ``min`` chooses ``number``."""
    text, sign = scene.text(call), "<" if call.function.id == "max" else ">"
    return Edit(call.span, f"({text} if ({scene.text(number)}) {sign} {text} else {FAILING_CODE})")


def holds(part: Any, branch: Branch) -> bool:
    """Whether a part of the script has a branch in it."""
    first, last = branch.parts[0].span, branch.parts[-1].span
    return bool(part.span.start <= first.start and last.end <= part.span.end)


def fails(edit: Edit, source: Source, settings: Settings) -> bool:
    """Whether the script fails with this edit, by which a place that runs is found."""
    failing = Source(Fix("", edit).apply(source.text), source.name)
    try:
        run_once(failing, settings, discard_text, discard_warning)
    except AutodiffError:
        return True
    return False
