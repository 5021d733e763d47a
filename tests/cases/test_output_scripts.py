"""Random scripts that end in lists, constants, branches, counters or nothing: Python's slopes, or a refusal.

``AUTODIFF_TEST_MORE=3`` tries some 2,500 of them.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.source import Source
from autodiff.grammar.execution import execute
from autodiff.grammar.repair.reassigned_inputs import with_reassigned_inputs
from autodiff.grammar.session import choose_target, target_on_tape
from autodiff.grammar.session.run import Settings, differentiate
from output_scripts import ENDINGS, OutputScript, make_script, shape_of
from seeds import blocks, seeds

#: As many for each kind of ending.
COUNT = 25 * len(ENDINGS)
WITHOUT_SLOPE = {
    "constant",
    "place_in_a_table",
    "constant_after_a_result",
    "counter_after_a_result",
    "counted_loop_after_a_result",
    "sum_of_constants",
    "part_of_a_sum_of_constants",
    "input_assigned_after_a_result",
    "none_last",
    "text_last",
}


def gradients(script: OutputScript, of: str | None = None, weights: Any = None) -> dict[str, list[float]]:
    """What a report says: the entries of the gradient by the name of the input."""
    text = script.text if of is None or of.isidentifier() else f"{script.text}{of}\n"
    settings = Settings(of=of, grad_output=weights)
    execution = with_reassigned_inputs(execute(Source(text), settings, lambda text: None), settings)
    subject = differentiate(execution, settings)
    found = {}
    for name, node in subject.wrt:
        g = subject.received.get(node, 0.0)
        size = 1 if node.out.__class__ is float else node.out.size
        found[name] = [float(x) for x in np.broadcast_to(g, (size,))]
    return found


def difference(found: dict[str, list[float]], right: dict[str, list[float]]) -> str:
    """What is wrong with gradients; "" if they are right: one for every input, in the order of the script."""
    if list(found) != list(right):
        return f"gradients of {list(found)} for the inputs {list(right)}"
    for name, slopes in right.items():
        if found[name] != pytest.approx(slopes, rel=1e-5, abs=1e-5):
            return f"{name}: {found[name]}, by differences {slopes}"
    return ""


def random_weights(shape: Any, draw: random.Random) -> Any:
    return [random_weights(one, draw) for one in shape] if isinstance(shape, list) else draw.randint(-3, 3)


def places(shape: Any, name: str) -> list[tuple[str, Any]]:
    """The expressions for the numbers of a list, each with weights that are 1 there and 0 elsewhere."""
    if not isinstance(shape, list):
        return [(name, 1)]
    zeros = [zero_weights(one) for one in shape]
    return [
        (place, [*zeros[:at], weights, *zeros[at + 1 :]])
        for at, one in enumerate(shape)
        for place, weights in places(one, f"{name}[{at}]")
    ]


def zero_weights(shape: Any) -> Any:
    return [zero_weights(one) for one in shape] if isinstance(shape, list) else 0


def mistake(script: OutputScript) -> str:
    """What is wrong with the answers to a script; "" if they are the slopes or a refusal that helps."""
    value = script.value(script.inputs)
    if value is None or isinstance(value, str):
        return mistake_without_number(script)
    shape = shape_of(value)
    if isinstance(shape, list) and len(shape) > 1:
        return mistake_of_list(script, shape)
    weights = 1 if shape is None else [1]
    right = script.slopes(weights)
    if right is None:
        return ""
    try:
        found = gradients(script)
        left_out = script.reassigned - found.keys()  # an input that is assigned again may be left out
        if found and found.keys() <= script.reassigned:  # beside it, inputs of nothing are not listed
            left_out |= {name for name in right.keys() - found.keys() if not any(right[name])}
        right = {name: slopes for name, slopes in right.items() if name not in left_out}
        return difference(found, right)
    except AutodiffError as error:
        return refusal_mistake(error, script)


def refusal_mistake(error: AutodiffError, script: OutputScript) -> str:
    """What is wrong with a refusal: only a few kinds may be refused, with the way out."""
    told = "\n".join([error.message, error.caret, *(label.text for label in error.labels), *error.advice])
    if script.kind in ("constant", "constant_after_a_result") and "choose another output: --of t" in told:
        return ""
    if script.kind == "constant_after_a_result":
        return "" if error.code == "E0410" and "--of res" in told else f"refused without --of res: {told}"
    if script.kind in ("counter_after_a_result", "counted_loop_after_a_result"):
        return "" if error.code == "E0410" and "--of res" in told else f"refused without --of res: {told}"
    if script.kind in ("sum_of_constants", "part_of_a_sum_of_constants") and "--of t" in told:
        return ""
    if script.reassigned:
        names_it = any(f"`{name}`" in told or f"--wrt {name}" in told for name in script.reassigned)
        return "" if error.code == "E0410" and names_it else f"refused without the input's name: {told}"
    return f"refused: {told}"


def mistake_without_number(script: OutputScript) -> str:
    """The same for a script that ends in no number: it is refused, and the refusal names the output."""
    try:
        return f"no number, but the answer {gradients(script)}"
    except AutodiffError as error:
        named = error.code in ("E0603", "E0604") and f"`{script.output}`" in error.message
        return "" if named else f"refused without the output's name: {error.message}"


def mistake_of_list(script: OutputScript, shape: Any) -> str:
    """The same for a list: refused as it is, right for each entry and for random weights."""
    try:
        return f"a list gave {gradients(script)}"
    except AutodiffError as error:
        first = places(shape, script.output)[0][0]
        if f"--of '{first}'" not in "\n".join(error.advice):
            return f"no --of '{first}' in {error.message} {error.advice}"
    asked = [(place, None, weights) for place, weights in places(shape, script.output)]
    weights = random_weights(shape, random.Random(script.text))
    for of, given, slopes_of in [*asked, (None, weights, weights), (script.output, weights, weights)]:
        right = script.slopes(slopes_of)
        if right is not None and (found := difference(gradients(script, of, given), right)):
            return f"--of {of} --grad-output {given}: {found}"
    return ""


@pytest.mark.parametrize("block", blocks(COUNT, 21))
def test_the_slopes_are_pythons_or_the_refusal_names_the_way_out(block: range) -> None:
    for seed in block:
        script = make_script(seed)
        found = mistake(script)
        assert not found, f"script {seed}, {script.kind}: {found}\n{script.text}"


def test_another_output_than_that_of_the_script_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last result that can be differentiated is the target, whatever the script ends in."""

    def last_computed(execution: Any, settings: Settings) -> Any:
        name = choose_target.last_result(execution)
        if name is None:
            raise AutodiffError("nothing is computed")
        return choose_target.Target(execution.names[name].node, name)

    monkeypatch.setattr(choose_target, "choose_target", last_computed)
    monkeypatch.setattr(target_on_tape, "subject_from_tape", lambda *given: None)
    noticed = {script.kind for script in map(make_script, seeds(COUNT)) if mistake(script)}
    assert noticed >= {"branch_or_constant", "steps", "tuple_of_numbers", "comprehension", "copy_of_an_input"}


def test_every_kind_has_numbers_that_are_not_all_zero() -> None:
    seen = set()
    for script in map(make_script, seeds(COUNT)):
        value = script.value(script.inputs)
        slopes = None if value is None or isinstance(value, (list, tuple, str)) else script.slopes(1)
        if isinstance(value, (list, tuple)) or (slopes and any(map(any, slopes.values()))):
            seen.add(script.kind)
    assert seen >= ENDINGS.keys() - WITHOUT_SLOPE
