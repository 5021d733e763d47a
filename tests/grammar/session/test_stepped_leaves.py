"""Inputs that an optimizer's step has changed since they were used are the ones that were used."""

from __future__ import annotations

import pytest
from autodiff.core.base.source import Source
from autodiff.grammar.execution import execute
from autodiff.grammar.objects.runtime import discard_text, discard_warning
from autodiff.grammar.session.run import Settings, differentiate

STEP = "with torch.no_grad():\n    for p in params:\n        p -= 0.1 * p.grad\n"
LIST = "a = tensor(3., requires_grad=True)\nparams = [a]\nL = params[0] ** 2\nL.backward()\n"
NESTED = (
    "layers = [[tensor(1., requires_grad=True), tensor(3., requires_grad=True)]]\nparams = layers[0]\n"
    "L = params[0] + params[1] ** 2\nL.backward()\n"
)
LOOP = (
    "params = [tensor(3., requires_grad=True)]\nfor step in range(3):\n    L = params[0] ** 2\n"
    "    params[0].grad = None\n    L.backward()\n    params[0].data.add_(-0.1 * params[0].grad)\n"
)


@pytest.mark.parametrize(
    ("script", "wrt", "expected"),
    [
        (LIST + STEP, "params[0]", 6.0),
        (LIST + STEP, "a", 6.0),
        (NESTED + STEP, "layers[0][1]", 6.0),
        (LIST + "b = a\na.data -= 0.1 * a.grad\n", "b", 6.0),
        (LOOP, "params[0]", 2 * 3.0 * 0.8**2),
        (LIST, "params[0]", 6.0),
    ],
)
def test_a_leaf_that_was_stepped_is_what_was_used(script: str, wrt: str, expected: float) -> None:
    settings = Settings(wrt=[wrt])
    execution = execute(Source(script, "s.ad"), settings, discard_text, discard_warning)
    subject = differentiate(execution, settings)
    ((name, node),) = subject.wrt
    assert name == wrt
    assert subject.cotangents[node] == pytest.approx(expected)
