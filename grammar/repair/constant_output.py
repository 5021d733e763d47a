"""Says why an output is a constant of slope 0: a branch that did not run, a number that max chose, a literal.

A constant is the answer where the script could have gone another way and used an input, or where it computes
nothing else. Which branches ran is found out by running the script with a failing expression in them.
"""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError, Fix
from autodiff.core.base.source import Source
from autodiff.grammar.objects.runtime import discard_text, discard_warning
from autodiff.grammar.repair.missing_path import optional_branches
from autodiff.grammar.repair.proposals.graph_cuts import CLAMP_BOUNDS
from autodiff.grammar.repair.proposals.value_origins import ValueOrigins, assignments_to
from autodiff.grammar.session.choose_target import last_result
from autodiff.grammar.session.inputs import default_inputs
from autodiff.grammar.session.leaf_names import base_name
from autodiff.grammar.session.run import run_once
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import path_to, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.grammar.help.failure_scene import Scene
    from autodiff.grammar.repair.missing_path import Branch
    from autodiff.grammar.repair.proposals.graph_cuts import Cut
    from autodiff.grammar.session.choose_target import ConstantOutputError
    from autodiff.grammar.session.run import Execution, Settings

#: The most branches for which it is tried whether they ran.
MOST_TRIED_BRANCHES = 12


def is_step(scene: Scene, cut: Cut) -> bool:
    """Whether a cut makes a function of steps, of slope 0: a comparison, a choice, a place in a table."""
    node = cut.node
    if isinstance(node, tree.Comparison):
        return True
    if (
        isinstance(node, tree.Call)
        and isinstance(node.function, tree.Name)
        and node.function.id in CLAMP_BOUNDS
    ):
        return True
    return any(
        isinstance(one, tree.Subscript) and one.index.span.start <= node.span.start < one.index.span.end
        for one in path_to(scene.script, node.span)
    )


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
    origins = Origins(scene, error.name, target)
    uses_input = not origins.names.isdisjoint(names)
    is_made_of_others = bool(error.fixes)  # of a number that is assigned again, which they make an input
    if not uses_input and (is_made_of_others or (settings.of is None and last_result(execution) is not None)):
        return ""
    reason = branch_reason(scene, origins, names, settings)
    if not reason and steps:
        reason = f"{steps[-1].reason}, line {scene.line(steps[-1].node.span)}"
    if not reason:
        place = error.span if target is None else target.span
        line = "" if place is None else f" in line {scene.line(place)}"
        reason = f"it is made of no input{line}"
    return f"`{error.name}` is a constant here, and its slope is 0: {reason}"


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
        for statement, value in assignments_to(self.scene, name):
            self.todo.append(value)
            for block in path_to(self.scene.script, statement.span):
                if isinstance(block, tree.If):
                    self.todo += [test for test, _ in block.branches]
                elif isinstance(block, tree.While):
                    self.todo.append(block.test)
                if isinstance(block, (tree.If, tree.While, tree.For)):
                    self.parts.append(block)


def branch_reason(scene: Scene, origins: Origins, inputs: list[str], settings: Settings) -> str:
    """Return which branch did not run that uses an input, else which branch ran; "" if there is none."""
    ran, values = "", ValueOrigins(scene)
    branches = [one for one in optional_branches(scene) if any(holds(part, one) for part in origins.parts)]
    for branch in branches[:MOST_TRIED_BRANCHES]:
        line = f"line {scene.line(branch.parts[0].span)}"
        if did_run(branch, scene.source, settings):
            ran = ran or f"{branch.words.replace(' did not run', ' ran').replace('was not', 'was')}, {line}"
        elif any(values.depends_on(part, name) for part in branch.parts for name in inputs):
            return f"{branch.words}, {line}"
    return ran


def holds(part: Any, branch: Branch) -> bool:
    """Whether a part of the script has a branch in it."""
    first, last = branch.parts[0].span, branch.parts[-1].span
    return bool(part.span.start <= first.start and last.end <= part.span.end)


def did_run(branch: Branch, source: Source, settings: Settings) -> bool:
    """Whether a branch ran: the script fails with a failing expression in it."""
    failing = Source(Fix("", branch.failing_edit).apply(source.text), source.name)
    try:
        run_once(failing, settings, discard_text, discard_warning)
    except AutodiffError:
        return True
    return False
