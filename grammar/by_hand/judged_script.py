"""The text of a script whose steps are judged: with lines for gradients that say by no name what they are by.

A run of it shows which value a gradient is by: one of its shape by which it is right, else the first argument
of its function, else the only value of its shape. Gradients that fit none are no steps.
"""

from __future__ import annotations

import re
from contextlib import suppress

from autodiff.core.base.errors import AutodiffError, CompileError
from autodiff.core.base.source import Source
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.node import OpNode
from autodiff.core.graph.topological_order import newest_first
from autodiff.grammar.by_hand.differences import is_difference
from autodiff.grammar.by_hand.formula import words_of
from autodiff.grammar.by_hand.gradient_calls import CallSearch, GradientCall
from autodiff.grammar.by_hand.left_side import LeftSide, parse_left_side
from autodiff.grammar.by_hand.sentences import relative_distance, values_equal_in_shape
from autodiff.grammar.by_hand.training_turns import find_turn
from autodiff.grammar.by_hand.unclear_names import OTHER_THINGS, is_gradient_of_something
from autodiff.grammar.objects.runtime import discard_text, discard_warning
from autodiff.grammar.session.hand_gradients import is_loss
from autodiff.grammar.session.run import Settings, differentiate, run_once
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.parser import parse_to_first_error
from autodiff.grammar.syntax.walk import assigned_names, statements, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.grammar.session.run import Execution

#: Names for what the script has no name for: the first that it does not use.
INPUTS, LOSSES, GRADIENTS = ("x", "x0", "x_0"), ("L", "J", "loss", "cost"), ("grad", "gradient", "slope")
#: An argument that is given by its name.
KEYWORD = re.compile(r"\w+\s*=(?!=)")
#: A gradient is not wrong that is so near to the right one: it is made of differences.
ALMOST = 1e-3
#: Of more values that a wrong gradient may be by, none is certain.
MOST_READINGS = 2


class Claim:
    """A gradient called ``name``: that of ``output`` by one of the values ``by``.

    These are the arguments of its function. They are None for the gradient of a formula, which may be by all
    values, as ``call`` is.
    """

    __slots__ = ("by", "call", "name", "output")

    def __init__(self, name: str, output: str, call: GradientCall | None, by: list[str] | None) -> None:
        self.name, self.output, self.call, self.by = name, output, call, by

    def note(self, meant: list[str]) -> str:
        """Return the note that says what the gradient is compared with."""
        gradient, rest = self.name, ""
        if self.call is not None and self.by is not None:
            loss, gradient = self.call.texts(self.call.arguments)
            rest = f", where `{self.output}` is `{loss}`" * (not self.call.output)
        text = f"`{gradient}` is compared with the gradient of `{self.output}` by `{meant[0]}`{rest}"
        return text + "".join(f"; by `{one}` it is wrong, too" for one in meant[1:])


class JudgedScript:
    """The text ``source`` that is judged, and the ``claims`` in it of which it is certain what they are.

    ``lefts`` are these derivatives by their names, and ``notes`` tell of them. ``unsettled`` are the
    names of others that look like gradients.
    """

    __slots__ = ("claims", "lefts", "notes", "source", "unsettled")

    def __init__(self, source: Source, claims: list[Claim]) -> None:
        self.source, self.claims = source, claims
        self.lefts: dict[str, LeftSide] = {}
        self.notes: list[str] = []
        self.unsettled: list[str] = []

    def settled(self) -> list[Claim]:
        """Return the claims that are certain, and enter what they are."""
        names = frozenset(one.name for one in self.claims)
        by = frozenset(name for one in self.claims for name in one.by or ())
        turn = find_turn(self.source, True, by, names)
        script = None if turn is None else turn.script
        try:
            execution = run_once(self.source, Settings(), discard_text, discard_warning, script)
        except AutodiffError:
            return []
        found = []
        for one in self.claims:
            one.output = one.output or loss_before(one.name, execution)
            meant = readings(one, execution)
            if meant:
                found.append(one)
                self.lefts[one.name] = LeftSide(one.output, ((meant[0], None),))
                self.notes.append(one.note(meant))
        return found


def judged_script(script: Source) -> JudgedScript:
    """Return the text of a script that is judged, which is the script's where nothing has to be added."""
    try:
        body = parse_to_first_error(script)
    except CompileError:
        return JudgedScript(script, [])
    calls = CallSearch(script, body).found()
    while calls:
        made = completed(script, body, calls)
        kept = made.settled()
        if len(kept) == len(calls):
            return made
        calls = [one.call for one in kept if one.call is not None]
    names = plain_names(script, body)
    made = JudgedScript(script, [Claim(one, "", None, None) for one in names])
    if len(made.settled()) < len(names):
        made = JudgedScript(script, [])
        made.unsettled = names
    return made


def plain_names(script: Source, body: tree.Script) -> list[str]:
    """Return the names that look like gradients, and do not say by what.

    Left out are those of which other gradients are made, values of functions of other things, and quotients
    of differences.
    """
    words = words_of(script)
    own = [one for one in statements(body) if isinstance(one, (tree.Assign, tree.AugmentedAssign))]
    bound = dict.fromkeys(name.id for name in assigned_names(*own))
    clear = {name for name in bound if parse_left_side(name, words) is not None}
    read = {
        part.id
        for one in own
        if not clear.isdisjoint(name.id for name in assigned_names(one))
        for part in walk(one.value)
        if isinstance(part, tree.Name)
    }
    others = {
        name.id
        for one in own
        for name in assigned_names(one)
        if is_of_other_things(one.value) or is_difference(one.value)
    }
    left_out = others | clear | read
    return [name for name in bound if is_gradient_of_something(name) and name not in left_out]


def is_of_other_things(value: tree.Expression) -> bool:
    calls = [part.function for part in walk(value) if isinstance(part, tree.Call)]
    return any(isinstance(one, tree.Name) and OTHER_THINGS.search(one.id) for one in calls)


# -- the text ---------------------------------------------------------------------------------------


def completed(script: Source, body: tree.Script, calls: list[GradientCall]) -> JudgedScript:
    """Return the text with the lines that it lacks."""
    words = words_of(script) | {one.name for one in body.body if isinstance(one, tree.FunctionDef)}
    edits: list[tuple[int, str]] = []
    claims: list[Claim] = []
    end = len(script.text)
    for call in calls:
        claim, parts = claimed(call, words)
        claims.append(claim)
        is_alone = call.is_last or call.statement is None
        start = len(script.text) if call.statement is None else call.statement.span.start
        if parts:
            edits.append((start, "; ".join(parts) + ("\n" if is_alone else "; ")))
        end = min(end, start) if call.is_last else end
    text, done = "", 0
    for start, added in sorted(edits, key=lambda edit: edit[0]):
        if start <= end:
            text, done = text + script.text[done:start] + added, start
    text += script.text[done:end]
    if end < len(script.text):
        text = without_unused_imports(text, body, script)
    return JudgedScript(script if text == script.text else Source(text, script.name), claims)


def claimed(call: GradientCall, words: set[str]) -> tuple[Claim, list[str]]:
    """Return the claim of a call, and the assignments that its names need."""
    parts: list[str] = []
    arguments, output, target = call.arguments, call.output, call.target
    if not arguments[0].isidentifier() and not KEYWORD.match(arguments[0]):
        name = free_name(INPUTS, words)
        parts.append(f"{name} = {arguments[0]}")
        arguments, output, target = [name, *arguments[1:]], "", ""
    loss, gradient = call.texts(arguments)
    is_new_output, is_new_target = not output, not target
    output = output or free_name(LOSSES, words)
    target = target or free_name(GRADIENTS, words)
    if call.loss == call.gradient and is_new_output:
        parts.append(f"{output}, {target} = {loss}")
    else:
        parts += [f"{output} = {loss}"] * is_new_output + [f"{target} = {gradient}"] * is_new_target
    return Claim(target, output, call, [one for one in arguments if one.isidentifier()]), parts


def free_name(names: tuple[str, ...], words: set[str]) -> str:
    """Return the first of the names that is none of the words, which it joins."""
    found = next((one for one in names if one not in words), f"{names[-1]}_here")
    words.add(found)
    return found


def without_unused_imports(text: str, body: tree.Script, script: Source) -> str:
    """Return a text without the imports of what only the statements need that were left out."""
    for one in body.body:
        if isinstance(one, (tree.Import, tree.ImportFrom)):
            line = script.excerpt(one.span)
            names = [alias or name.partition(".")[0] for name, alias in one.names]
            rest = text.replace(line, "")
            if not any(re.search(rf"\b{re.escape(name)}\b", rest) for name in names):
                text = text.replace(line, "pass")
    return text


# -- what a gradient is by --------------------------------------------------------------------------


def loss_before(name: str, execution: Execution) -> str:
    """Return the number of which a value may be the gradient, "" if several may be.

    It is computed before the value and is no part of another number. What is called a loss goes before.
    """
    values, start = execution.names, execution.first_offset(name)
    found = {
        one: value.node
        for one, value in values.items()
        if isinstance(value, Tensor) and value.entry_count == 1 and isinstance(value.node, OpNode)
        if one != name and execution.first_offset(one) < start
    }
    found = {one: node for one, node in found.items() if is_loss(one)} or found
    last = [
        one
        for one, node in found.items()
        if not any(node in newest_first([other]) for other in found.values() if other is not node)
    ]
    return last[0] if len(last) == 1 else ""


def readings(claim: Claim, execution: Execution) -> list[str]:
    """Return by what a gradient may be: by the first of these it is right, or it is wrong by all.

    There are none where that is not certain. That by its first argument is, if the shape is the same.
    """
    value = execution.names.get(claim.name)
    output = execution.names.get(claim.output)
    if not isinstance(value, Tensor) or not isinstance(output, Tensor) or output.entry_count != 1:
        return []
    names = claim.by
    if names is None:
        own = set() if output.node is None else set(newest_first([output.node])[1:])
        names = [one for one, known in execution.names.items() if getattr(known, "node", None) in own]
    slopes: dict[str, Any] = {}
    for name in names:
        argument = execution.names.get(name)
        if isinstance(argument, Tensor) and argument.shape == value.shape:
            with suppress(AutodiffError):
                subject = differentiate(execution, Settings(of=claim.output, wrt=[name]))
                slopes[name] = subject.cotangents.get(dict(subject.wrt)[name])
    right = [one for one, g in slopes.items() if g is not None and values_equal_in_shape(g, value.data)]
    if right:
        return right[:1]
    if any(g is not None and relative_distance(value.data, g) < ALMOST for g in slopes.values()):
        return []  # a quotient of differences
    if claim.by and claim.by[0] in slopes:
        return claim.by[:1]
    return [*slopes] if len(slopes) <= MOST_READINGS else []
